//! Fuzz targets: a function each, which takes any bytes and panics if something does not hold that always must.
//!
//! `cargo test` replays the inputs in `corpus/`; `fuzz_targets/` are the binaries that look for more.

mod machine;
mod packets;
mod queries;
mod workloads;
mod worlds;

pub use machine::machine;
pub use packets::packets;
pub use queries::queries;
pub use workloads::workloads;
pub use worlds::worlds;

/// Fails unless a text is one sentence as errors are: one line, not empty, without a full stop.
fn assert_sentence(text: &str) {
    assert!(!text.trim().is_empty(), "an error that says nothing");
    assert!(!text.contains(char::is_control), "not one line of text: {text:?}");
    assert!(!text.ends_with('.'), "a full stop at the end: {text}");
}
