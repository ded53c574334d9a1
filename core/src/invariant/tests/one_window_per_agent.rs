use super::good::*;
use super::*;
use crate::gate::Access;
use crate::ids::AgentId;
use crate::replay::Effect;

const ID: &str = "one-window-per-agent";

fn gate(agent: AgentId, access: Access, taken: bool) -> Event {
    Event::Gate { agent, access, taken }
}

/// A replayed dispatch in whose window a gate is taken and given back.
fn inside(agent: AgentId, access: Access) -> Log {
    let mut log = replayed(SIGNAL);
    let admit = at!(log, Event::Step { effect: Effect::Admit, .. });
    log.insert(admit, OTHER_THREAD, gate(agent, access, true));
    log.insert(admit + 1, OTHER_THREAD, gate(agent, access, false));
    log
}

#[test]
fn taken_exclusively_twice() {
    broken(&inside(AGENT, Access::Exclusive), ID, "agent4 is held by 2 windows and 0 plain submits");
}

#[test]
fn a_plain_submit_inside_a_window() {
    broken(&inside(AGENT, Access::Shared), ID, "agent4 is held by 1 windows and 1 plain submits");
}

#[test]
fn a_window_over_a_plain_submit() {
    let mut log = Log::default();
    for (access, taken) in [
        (Access::Shared, true),
        (Access::Exclusive, true),
        (Access::Shared, false),
        (Access::Exclusive, false),
    ] {
        log.push(THREAD, gate(AGENT, access, taken));
    }
    broken(&log, ID, "held by 1 windows and 1 plain submits");
}

#[test]
fn windows_on_other_agents_intruders_and_many_plain_submits_are_fine() {
    clean(&inside(PEER, Access::Exclusive));
    clean(&inside(AGENT, Access::Intruding));
    let mut log = Log::default();
    for taken in [true, true, false, true, false, false] {
        log.push(THREAD, gate(AGENT, Access::Shared, taken));
    }
    clean(&log);
}

#[test]
fn released_but_not_taken() {
    let mut log = replayed(SIGNAL);
    log.double(at!(log, Event::Gate { taken: false, .. }));
    broken(&log, ID, "agent4 was released Exclusive but not held so");
    let mut log = opted_out();
    log.remove(at!(log, Event::Gate { taken: true, .. }));
    broken(&log, ID, "agent4 was released Shared but not held so");
}

#[test]
fn never_released() {
    for mut log in [replayed(SIGNAL), opted_out()] {
        log.remove(at!(log, Event::Gate { taken: false, .. }));
        broken(&log, "no-leak", "the gate of agent4 was never released");
    }
    let mut log = inside(AGENT, Access::Intruding);
    log.remove(at!(log, Event::Gate { access: Access::Intruding, taken: false, .. }));
    broken(&log, "no-leak", "the gate of agent4 was never released");
}
