//! What the engine logs for its user.

use super::List;
use std::fmt::{self, Write};
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Runs a body; says what was logged meanwhile on this thread, information or worse.
pub fn lines_during<T>(body: impl FnOnce() -> T) -> (T, Vec<String>) {
    let lines = List::default();
    let done = tracing::subscriber::with_default(Journal(lines.clone()), body);
    (done, lines.all())
}

struct Journal(List<String>);

impl Subscriber for Journal {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= LevelFilter::INFO
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::INFO)
    }

    fn event(&self, event: &Event<'_>) {
        let mut message = Message::default();
        event.record(&mut message);
        self.0.push(message.0);
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
