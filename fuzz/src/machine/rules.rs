//! What holds on every path of a dispatch, whatever is answered.

use kreplay_core::replay::{Condition, Effect, Input, Outcome, Path};

/// A dispatch so far, as its effects and their answers tell it.
#[derive(Debug, Default)]
pub(super) struct Rules {
    config: Config,
    consult: bool,
    /// Passes that the tool asked for; 0 for an indefinite loop.
    total: u64,
    gate: bool,
    fence: bool,
    captured: bool,
    /// Passes entered.
    passes: u64,
    /// Passes submitted.
    submitted: u64,
    in_pass: bool,
    /// Whether a pass may have written since the capture or the last restore.
    dirty: bool,
    /// Whether the tool wanted a further pass after the last one.
    wanted: bool,
    torn: bool,
    refused: bool,
    settled: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Config {
    #[default]
    Before,
    Inside,
    After,
}

impl Rules {
    /// An effect was performed and this came of it.
    pub(super) fn performed(&mut self, effect: Effect, answer: Input) {
        let done = answer == Input::Done;
        match effect {
            Effect::ConfigEnter => self.enter_config(answer),
            Effect::AskPassCount => self.count(answer),
            Effect::Lock => self.lock(answer),
            Effect::Admit | Effect::DrainQueue | Effect::DrainAgent => assert!(self.gate && !self.fence),
            Effect::OpenFence => {
                assert!(self.gate && !self.fence);
                self.fence = true;
            }
            Effect::Snapshot => {
                assert!(self.fence && !self.captured);
                self.captured = done;
            }
            Effect::PassEnter(pass) => self.enter_pass(pass),
            Effect::Submit(pass) => {
                self.inside(pass);
                self.submitted += u64::from(done);
                self.dirty = done;
            }
            Effect::AwaitHandler(pass) => self.inside(pass),
            Effect::PassExit(pass) => {
                self.inside(pass);
                self.in_pass = false;
            }
            Effect::AskContinue(pass) => self.ask(pass, answer),
            Effect::Restore => self.restore(answer),
            Effect::CloseFence => {
                assert!(self.fence && !self.in_pass, "a fence is closed after the last PASS exit");
                self.fence = false;
            }
            Effect::ConfigExit(_) => {
                assert!(self.config == Config::Inside && !self.fence && !self.in_pass);
                self.config = Config::After;
            }
            Effect::RunOnce(path) => self.run_once(path, done),
            Effect::Complete(_) => self.complete(done),
            Effect::Withhold => {
                assert!(self.torn || self.refused, "a completion is withheld for a reason");
                self.settle(true);
            }
            Effect::Unlock(condition) => self.unlock(condition),
        }
    }

    /// The machine is done.
    pub(super) fn finished(&self, outcome: Outcome) {
        assert!(self.settled, "the application's completion is settled");
        assert!(!self.gate && !self.fence && !self.in_pass && self.config != Config::Inside, "{self:?}");
        assert_eq!(outcome == Outcome::Bystander, self.config == Config::Before);
        assert_eq!(outcome == Outcome::Corrupt, self.torn);
        let replayed = matches!(outcome, Outcome::Replayed(_) | Outcome::Stuck | Outcome::Corrupt);
        assert!(!replayed || self.submitted > 0, "{outcome:?} without a pass");
    }

    fn enter_config(&mut self, answer: Input) {
        assert_eq!(self.config, Config::Before, "CONFIG is entered once");
        self.config = Config::Inside;
        self.consult = answer == Input::Installed { consult: true };
    }

    fn count(&mut self, answer: Input) {
        assert!(self.config == Config::Inside && !self.gate);
        if let Input::Count(total) = answer {
            self.total = total;
        }
    }

    fn lock(&mut self, answer: Input) {
        assert!(self.config == Config::Inside && !self.gate, "the gate is taken once");
        self.gate = matches!(answer, Input::Locked(_));
    }

    fn enter_pass(&mut self, pass: u64) {
        assert!(!self.in_pass && self.captured, "passes do not overlap, and a snapshot precedes them");
        assert_eq!(pass, self.passes, "passes are counted from 0");
        assert!(self.further_pass(), "pass {pass} of {}", self.total);
        assert!(!self.dirty, "memory is restored before each further pass");
        (self.in_pass, self.wanted) = (true, false);
        self.passes += 1;
    }

    fn inside(&self, pass: u64) {
        assert!(self.in_pass && pass + 1 == self.passes, "pass {pass} is not the one that was entered");
    }

    fn ask(&mut self, pass: u64, answer: Input) {
        assert!(self.consult && !self.in_pass && pass + 1 == self.passes && !self.wanted);
        assert!(self.further_pass(), "continue is asked only if a further pass is possible");
        self.wanted = answer == Input::Answered(Ok(true));
    }

    fn restore(&mut self, answer: Input) {
        assert!(!self.in_pass && self.dirty && !self.torn);
        assert!(self.further_pass() && self.wanted == self.consult, "memory is restored for a further pass");
        self.dirty = answer != Input::Done;
        self.torn = answer == Input::Torn;
    }

    fn further_pass(&self) -> bool {
        self.total == 0 || self.passes < self.total
    }

    fn run_once(&mut self, path: Path, done: bool) {
        assert!(!self.dirty, "a dispatch runs on memory as the application left it");
        assert_eq!(path == Path::Held, self.gate);
        self.settle(done);
    }

    fn complete(&mut self, done: bool) {
        assert!(self.dirty && self.gate && !self.torn, "{self:?}");
        self.settle(done);
    }

    fn settle(&mut self, done: bool) {
        assert_ne!(self.config, Config::Inside, "CONFIG exit precedes what settles the completion");
        assert!(!self.settled, "the completion is settled once");
        self.settled = done;
        self.refused = !done;
    }

    fn unlock(&mut self, condition: Condition) {
        assert!(self.gate && self.settled, "the gate is given back last");
        assert_eq!(condition == Condition::Poisoned, self.torn);
        self.gate = false;
    }
}
