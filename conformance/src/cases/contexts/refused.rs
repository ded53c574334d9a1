//! Toggles that are refused, and record nothing.

use super::{ONE, TWO, Watched, bump};
use crate::case::Case;
use crate::failure::Checked;
use crate::rig::tool::{CONFIG_ENTER, CONFIG_EXIT, Moment, PASS_ENTER, PASS_EXIT, Script};
use crate::rig::{List, Rig};
use crate::{ensure, ensure_eq};
use kreplay_core::event;
use kreplay_core::ids::ContextId;
use kreplay_core::status::Status;
use kreplay_core::tracing::ContextToggle;

pub(in crate::cases) const CASES: &[Case] = &[
    Case::new("contexts/toggle-outside:pass-exit", &["toggle-outside-pass-enter"], |rig| {
        outside(rig, Place::Callback(PASS_EXIT))
    }),
    Case::new("contexts/toggle-outside:config-enter", &["toggle-outside-pass-enter"], |rig| {
        outside(rig, Place::Callback(CONFIG_ENTER))
    }),
    Case::new("contexts/toggle-outside:config-exit", &["toggle-outside-pass-enter"], |rig| {
        outside(rig, Place::Callback(CONFIG_EXIT))
    }),
    Case::new("contexts/toggle-outside:pass-count", &["toggle-outside-pass-enter"], |rig| {
        outside(rig, Place::PassCount)
    }),
    Case::new("contexts/toggle-outside:continue", &["toggle-outside-pass-enter"], |rig| {
        outside(rig, Place::Continue)
    }),
    Case::new("contexts/toggle-outside:service", &["toggle-outside-pass-enter"], |rig| {
        outside(rig, Place::Service)
    }),
    Case::new(
        "contexts/toggle-outside:after-loop",
        &["toggle-outside-pass-enter", "toggle-kept-pointer"],
        |rig| outside(rig, Place::AfterLoop),
    ),
    Case::new("contexts/toggle-other-thread", &["toggle-other-thread"], |rig| {
        elsewhere(rig, |rig, attempt| {
            rig.thread(move |_| {
                attempt.make();
                Ok(())
            });
            let _ = rig.join();
        })
    }),
    Case::new("contexts/toggle-other-thread:async-event", &["toggle-other-thread"], |rig| {
        elsewhere(rig, |rig, attempt| {
            let signal = rig.signal(1);
            signal.then(0, move || attempt.make());
            let _ = signal.store(0);
            rig.fixture().breathe();
        })
    }),
    Case::new("contexts/toggle-not-active:never-started", &["toggle-not-active-before"], never_started),
    Case::new("contexts/toggle-not-active:stopped", &["toggle-not-active-before"], stopped_before),
    Case::new("contexts/toggle-not-active:unknown", &["toggle-not-active-before"], |rig| {
        not_a_context(rig, u64::MAX)
    }),
    Case::new("contexts/toggle-not-active:zero", &["toggle-not-active-before"], |rig| not_a_context(rig, 0)),
    Case::new("contexts/toggle-not-active:started-in-loop", &["toggle-not-active-before"], started_in_loop),
    Case::new("contexts/toggle-kept-pointer", &["toggle-kept-pointer"], kept_pointer),
];

/// Stops the first and starts the second context through functions that PASS ENTER has handed out.
#[derive(Clone, Default)]
struct Attempt {
    kept: List<(ContextToggle, ContextToggle, [ContextId; 2])>,
    answers: List<Status>,
}

impl Attempt {
    fn keep(&self, at: &Moment<'_>, contexts: [ContextId; 2]) {
        if self.kept.all().is_empty() {
            self.kept.push((at.starter(), at.stopper(), contexts));
        }
    }

    /// Does nothing before the first PASS ENTER.
    fn make(&self) {
        if let [(start, stop, contexts)] = &self.kept.all()[..] {
            self.answers.push(stop.call(contexts[ONE]));
            self.answers.push(start.call(contexts[TWO]));
        }
    }

    /// Expects that it was made, and refused each time.
    fn refused(&self) -> Checked {
        let answers = self.answers.all();
        ensure!(!answers.is_empty(), "the toggles were not called");
        ensure_eq!(answers, vec![Status::ContextError; answers.len()], "answers of the toggles");
        Ok(())
    }
}

/// Where toggles are called that must not be.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Callback(event::Call),
    PassCount,
    Continue,
    Service,
    AfterLoop,
}

impl Place {
    fn script(self, script: Script, attempt: &Attempt) -> Script {
        let attempt = attempt.clone();
        match self {
            Self::Callback(what) => script.on(what, move |_| attempt.make()),
            Self::PassCount => script.count(move |_| {
                attempt.make();
                3
            }),
            Self::Continue => script.continuing(move |_| {
                attempt.make();
                1
            }),
            Self::Service | Self::AfterLoop => script,
        }
    }
}

/// Two loops, each of which stops the second context; the attempts between change nothing about either.
fn outside(rig: &Rig, place: Place) -> Checked {
    let attempt = Attempt::default();
    let keeper = attempt.clone();
    let watched = Watched::attach(rig, |script, contexts| {
        place.script(script.passes(3), &attempt).on(PASS_ENTER, move |at| {
            keeper.keep(at, contexts);
            if at.pass() == 0 {
                at.stop(contexts[TWO]);
            }
        })
    })?;
    if place == Place::Service {
        let attempt = attempt.clone();
        watched.tool.count(watched.tool.context(), move |_| {
            attempt.make();
            None
        })?;
    }
    bump(rig)?;
    if place == Place::AfterLoop {
        attempt.make();
    }
    bump(rig)?;
    attempt.refused()?;
    watched.traced("0 1 2 0 1 2", "")
}

/// As [`outside`], in PASS ENTER of the second pass but on another thread.
fn elsewhere(rig: &Rig, go: fn(&Rig, Attempt)) -> Checked {
    let attempt = Attempt::default();
    let (keeper, caller) = (attempt.clone(), rig.clone());
    let watched = Watched::attach(rig, |script, contexts| {
        script.passes(3).on(PASS_ENTER, move |at| match at.pass() {
            0 => {
                keeper.keep(at, contexts);
                at.stop(contexts[TWO]);
            }
            1 => go(&caller, keeper.clone()),
            _ => {}
        })
    })?;
    bump(rig)?;
    attempt.refused()?;
    watched.traced("0 1 2", "")
}

/// Stops and starts a context in every PASS ENTER of three; what that was answered.
fn toggling(script: Script, context: ContextId) -> (Script, List<Status>) {
    let answers = List::default();
    let noted = answers.clone();
    let script = script.passes(3).on(PASS_ENTER, move |at| {
        noted.push(at.start(context));
        noted.push(at.stop(context));
    });
    (script, answers)
}

/// Runs one loop that toggles a context, which is refused as not started.
fn not_started(rig: &Rig, context: ContextId, prepare: impl FnOnce(&Watched) -> Checked) -> Checked<Watched> {
    let mut answers = List::default();
    let watched = Watched::attach(rig, |script, _| {
        let (script, noted) = toggling(script, context);
        answers = noted;
        script
    })?;
    prepare(&watched)?;
    bump(rig)?;
    ensure_eq!(answers.all(), [Status::ContextNotStarted; 6], "answers of the toggles of {context}");
    watched.traced("0 1 2", "0 1 2")?;
    Ok(watched)
}

fn never_started(rig: &Rig) -> Checked {
    let context = rig.other_context()?;
    let watched = not_started(rig, context, |watched| watched.tool.trace(context))?;
    ensure_eq!(watched.tool.traced(context), "", "passes that the inactive context traced");
    ensure!(!rig.engine().context_is_active(context)?, "a local start has started the context globally");
    watched.tool.start(context)?;
    ensure_eq!(rig.engine().context_is_active(context), Ok(true), "a global start after the loop");
    Ok(())
}

fn stopped_before(rig: &Rig) -> Checked {
    let context = rig.other_context()?;
    let watched = not_started(rig, context, |watched| {
        watched.tool.trace(context)?;
        watched.tool.start(context)?;
        watched.tool.stop(context)
    })?;
    ensure_eq!(watched.tool.traced(context), "", "passes that the stopped context traced");
    Ok(())
}

fn not_a_context(rig: &Rig, handle: u64) -> Checked {
    let context = ContextId(handle);
    not_started(rig, context, |_| Ok(()))?;
    let valid = rig.engine().context_is_valid(context);
    ensure_eq!(valid, Err(Status::ContextNotFound), "whether a toggle has made a context");
    Ok(())
}

/// A context that is started globally inside the loop takes part from then on and cannot be toggled.
fn started_in_loop(rig: &Rig) -> Checked {
    let (context, engine) = (rig.other_context()?, rig.engine().clone());
    let mut answers = List::default();
    let watched = Watched::attach(rig, |script, _| {
        let script = script.on(PASS_ENTER, move |_| {
            let _ = engine.start_context(context);
        });
        let (script, noted) = toggling(script, context);
        answers = noted;
        script
    })?;
    watched.tool.trace(context)?;
    bump(rig)?;
    ensure_eq!(answers.all(), [Status::ContextNotStarted; 6], "answers of the toggles");
    ensure_eq!(watched.tool.traced(context), "0 1 2", "passes that the started context traced");
    Ok(())
}

fn kept_pointer(rig: &Rig) -> Checked {
    let attempt = Attempt::default();
    let keeper = attempt.clone();
    let watched = Watched::attach(rig, |script, contexts| {
        script.passes(2).on(PASS_ENTER, move |at| keeper.keep(at, contexts))
    })?;
    bump(rig)?;
    attempt.make();
    watched.tool.stop(watched.tool.context())?;
    attempt.make();
    rig.engine().release_client(watched.tool.client());
    attempt.make();
    let other = attempt.clone();
    rig.thread(move |_| {
        other.make();
        Ok(())
    });
    rig.join()?;
    rig.engine().finalize();
    attempt.make();
    ensure_eq!(attempt.answers.all().len(), 10, "answers to toggles outside any loop");
    attempt.refused()
}
