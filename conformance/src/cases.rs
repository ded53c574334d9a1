//! The cases, one module an area.

mod completion;
mod concurrency;
mod config;
mod contexts;
mod counting;
mod diagnostics;
mod faults;
mod identity;
mod invariants;
mod lifetime;
mod memory;
mod passes;
mod reentrancy;
mod services;

use crate::case::Case;

/// Every case, by area.
pub fn all() -> Vec<Case> {
    [
        config::cases(),
        counting::cases(),
        passes::cases(),
        identity::cases(),
        completion::cases(),
        memory::cases(),
        contexts::cases(),
        services::cases(),
        concurrency::cases(),
        reentrancy::cases(),
        diagnostics::cases(),
        lifetime::CASES.to_vec(),
        faults::cases(),
        invariants::CASES.to_vec(),
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use super::all;
    use crate::expectations::KNOWN;
    use crate::machine::Machine;
    use crate::runner::Run;
    use std::convert::Infallible;

    #[test]
    fn every_case_passes_on_the_simulator() {
        let mut failures = Vec::new();
        let run = Run { known: KNOWN.to_vec(), jobs: 2, ..Run::new(all(), Machine::sim()) };
        let Ok(summary) = run.execute(|finished| {
            if finished.verdict.is_failure() {
                failures.push(format!("{}: {:#?}", finished.case.id, finished.verdict));
            }
            Ok::<(), Infallible>(())
        });
        assert!(failures.is_empty(), "{summary}\n{}", failures.join("\n"));
    }
}
