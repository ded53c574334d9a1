//! no-foreign-write and identical-inputs.

use super::good::*;
use super::*;
use crate::event::Actor;
use crate::ids::{AgentId, QueueId, Ticket};
use crate::memory::Region;
use crate::replay::{Effect, Path};

const ID: &str = "no-foreign-write";
const INPUTS: &str = "identical-inputs";
const PART: Region = Region { base: 0x103f, bytes: 4 };
const BESIDE: Region = Region { base: 0x1040, bytes: 4 };

fn wrote(region: Region, ticket: Option<Ticket>) -> Event {
    Event::Wrote { region, agent: AGENT, ticket }
}

/// Where the first pass waits for its handler.
fn awaiting(log: &Log) -> usize {
    at!(log, Event::Step { effect: Effect::AwaitHandler(0), .. })
}

/// A replayed dispatch in whose first pass something happens.
fn with(actor: Actor, event: Event) -> Log {
    let mut log = replayed(SIGNAL);
    log.insert(awaiting(&log), actor, event);
    log
}

/// As [`with`], where a pass started on other memory.
fn differing(mut log: Log) -> Log {
    let inputs = at!(log, Event::PassInputs { pass: 1, .. });
    *log.event(inputs) = Event::PassInputs { dispatch: FIRST, pass: 1, identical: false };
    log
}

/// A replayed dispatch in whose window an earlier dispatch still writes; `held_back`: it was submitted after its step.
fn late_writer(agent: AgentId, held_back: bool) -> Log {
    let mut log = Script::dispatch(Log::default(), FIRST, agent, NO_SIGNAL).run_once(Path::NoGate).finish();
    if held_back {
        let step = at!(log, Event::Step { .. });
        log.move_to(step, 1);
    }
    let mut script = Script::dispatch(log, SECOND, AGENT, SIGNAL);
    script.config(2, false).open().pass_enter(0);
    script.log.push(Actor::Queue(QueueId(2)), wrote(PART, Some(Ticket(101))));
    script.run_pass(0, None).restore().pass_enter(1).run_pass(1, None).end(false).finish()
}

#[test]
fn a_write_by_a_copy() {
    broken(&with(Actor::Sdma, wrote(REGION, None)), ID, "64 bytes at 0x1000 were written in the window of");
    broken(&with(Actor::Sdma, wrote(PART, None)), ID, "4 bytes at 0x103f were written in the window of");
}

#[test]
fn a_write_beside_captured_memory() {
    clean(&with(Actor::Sdma, wrote(BESIDE, None)));
    clean(&with(Actor::Sdma, wrote(Region { base: 0xff0, bytes: 16 }, None)));
}

#[test]
fn a_write_by_another_dispatch_of_the_agent() {
    broken(&late_writer(AGENT, false), ID, "in the window of dispatch2 by something else");
    broken(&late_writer(AGENT, true), ID, "in the window of dispatch2 by something else");
}

#[test]
fn a_write_by_a_peer_is_a_limit() {
    clean(&late_writer(PEER, false));
    clean(&late_writer(PEER, true));
}

#[test]
fn a_write_by_the_pass_before() {
    let mut log = replayed(SIGNAL);
    let exit = at!(log, called!(Call::Pass(Phase::Exit), pass 0));
    log.insert(exit, Actor::Queue(QUEUE), wrote(REGION, Some(Ticket(101))));
    broken(&log, ID, "by something else");
}

#[test]
fn a_write_by_the_host_is_a_limit() {
    clean(&with(OTHER_THREAD, Event::HostWrite { region: REGION }));
    clean(&differing(with(OTHER_THREAD, Event::HostWrite { region: PART })));
    broken(
        &differing(with(OTHER_THREAD, Event::HostWrite { region: BESIDE })),
        INPUTS,
        "pass 1 of dispatch1 started on memory that differs",
    );
}

#[test]
fn a_tainted_window_is_excused() {
    let mut log = nested();
    log.insert(awaiting(&log), Actor::Sdma, wrote(REGION, None));
    let inputs = at!(log, Event::PassInputs { pass: 0, .. });
    *log.event(inputs) = Event::PassInputs { dispatch: FIRST, pass: 0, identical: false };
    clean(&log);
}

#[test]
fn a_window_that_is_not_fenced_is_not_judged() {
    for step in [Effect::OpenFence, Effect::CloseFence] {
        let mut log = replayed(SIGNAL);
        let fence = at!(log, Event::Step { effect, .. } if *effect == step);
        let index = if step == Effect::OpenFence { fence } else { fence + 1 };
        log.insert(index, Actor::Sdma, wrote(REGION, None));
        clean(&log);
    }
    let mut log = replayed(SIGNAL);
    let fence = at!(log, Event::Step { effect: Effect::CloseFence, .. });
    log.insert(fence, Actor::Sdma, wrote(REGION, None));
    broken(&log, ID, "by something else");
}

#[test]
fn other_inputs() {
    broken(&differing(replayed(SIGNAL)), INPUTS, "pass 1 of dispatch1 started on memory that differs");
    let mut log = replayed(SIGNAL);
    let inputs = at!(log, Event::PassInputs { pass: 0, .. });
    *log.event(inputs) = Event::PassInputs { dispatch: FIRST, pass: 0, identical: false };
    broken(&log, INPUTS, "pass 0 of dispatch1");
}

#[test]
fn one_window_does_not_excuse_another() {
    let mut log = nested_elsewhere();
    let submit = at!(log, Event::PassInputs { dispatch: SECOND, pass: 1, .. });
    *log.event(submit) = Event::PassInputs { dispatch: SECOND, pass: 1, identical: false };
    broken(&log, INPUTS, "pass 1 of dispatch2");
}
