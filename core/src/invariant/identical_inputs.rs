//! In an untainted window the captured, live regions equal the snapshot at every pass start.

use super::Found;
use super::window::Window;
use crate::ids::DispatchId;

const ID: &str = "identical-inputs";

pub(super) fn judge(dispatch: DispatchId, window: &Window, found: &mut Found) {
    for pass in window.differed.iter().filter(|_| !window.limit) {
        found.add(ID, format!("pass {pass} of {dispatch} started on memory that differs from the snapshot"));
    }
}
