//! Panics as failures: where they came from and what they said.

use crate::failure::{Checked, Failure};
use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};

thread_local! {
    static LAST: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Replaces the process's panic message by a note of where the thread panicked last; for commands that report
/// panics themselves.
pub fn note_quietly() {
    set_hook(Box::new(|info| {
        let place = info.location().map(|at| format!("{}:{}", at.file(), at.line()));
        LAST.with_borrow_mut(|last| *last = place);
    }));
}

/// Runs a body, and turns a panic into a failure.
pub(crate) fn contain(body: impl FnOnce() -> Checked) -> Checked {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|payload| {
        let why = format!("panicked: {}", message(payload.as_ref()));
        Err(Failure { why, at: LAST.take(), endless: false })
    })
}

fn message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

#[cfg(test)]
mod tests {
    use super::contain;
    use crate::failure::Failure;

    #[test]
    fn a_panic_is_a_failure_that_says_what_it_said() {
        assert_eq!(contain(|| panic!("no {}", "luck")).unwrap_err().why, "panicked: no luck");
        assert_eq!(contain(|| panic!("bare")).unwrap_err().why, "panicked: bare");
        assert_eq!(contain(|| std::panic::panic_any(7)).unwrap_err().why, "panicked: no message");
    }

    #[test]
    fn what_does_not_panic_is_left_alone() {
        assert_eq!(contain(|| Ok(())), Ok(()));
        let failure = Failure::new("x");
        assert_eq!(contain(|| Err(failure.clone())), Err(failure));
    }
}
