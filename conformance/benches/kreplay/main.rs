//! The project's benchmarks; docs/performance.md has the numbers and how to take them.

mod explore;
mod machine;
mod ordinary;
mod replay;
mod snapshot;

use machine::Between;

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("count-nothing") => ordinary::count(Between::Nothing),
        Some("count-engine") => ordinary::count(Between::Engine),
        _ => divan::main(),
    }
}
