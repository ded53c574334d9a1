//! What the engine logs for its user.

use super::List;
use std::cell::RefCell;
use std::fmt::{self, Write};
use std::sync::Once;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

thread_local! {
    /// Where this thread's lines go, if anywhere.
    static LINES: RefCell<Option<List<String>>> = const { RefCell::new(None) };
}

/// Runs a body; says what was logged meanwhile on this thread, information or worse.
///
/// The subscriber is one for the whole process, since ones that come and go race with other threads' log calls.
pub fn lines_during<T>(body: impl FnOnce() -> T) -> (T, Vec<String>) {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        tracing::subscriber::set_global_default(Journal).expect("no other subscriber is installed");
    });
    let lines = List::default();
    let outer = LINES.replace(Some(lines.clone()));
    let done = body();
    LINES.set(outer);
    (done, lines.all())
}

struct Journal;

impl Subscriber for Journal {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= LevelFilter::INFO
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::INFO)
    }

    fn event(&self, event: &Event<'_>) {
        LINES.with_borrow(|lines| {
            if let Some(lines) = lines {
                let mut message = Message::default();
                event.record(&mut message);
                lines.push(message.0);
            }
        });
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[derive(Default)]
struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            let written = write!(self.0, "{value:?}");
            debug_assert!(written.is_ok(), "writing to a string succeeds");
        }
    }
}
