//! In an untainted window, with copies fenced, nothing but the pass's own kernel writes captured memory.

use super::Found;
use super::window::Window;
use crate::ids::DispatchId;

const ID: &str = "no-foreign-write";

pub(super) fn judge(dispatch: DispatchId, window: &Window, found: &mut Found) {
    for region in &window.foreign {
        let (base, bytes) = (region.base, region.bytes);
        found.add(
            ID,
            format!("{bytes} bytes at {base:#x} were written in the window of {dispatch} by something else"),
        );
    }
}
