//! The cases, one module an area.

mod config;
mod counting;
mod diagnostics;

use crate::case::Case;

/// Every case, by area.
pub fn all() -> Vec<Case> {
    [config::CASES, counting::CASES, diagnostics::CASES].concat()
}
