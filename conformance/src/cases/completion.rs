//! What the application sees of a dispatch's completion.

mod fires;
mod withheld;

use crate::case::Case;
use crate::rig::Tool;
use crate::rig::tool::Script;

/// Every case of the area.
pub(super) fn cases() -> Vec<Case> {
    [fires::CASES, withheld::CASES].concat()
}

/// Passes of each of the loops below.
const PASSES: usize = 3;

fn fixed() -> Script {
    Tool::builder().passes(3)
}

fn early() -> Script {
    Tool::builder().passes(5).until(2)
}

fn indefinite() -> Script {
    Tool::builder().passes(0).until(2)
}
