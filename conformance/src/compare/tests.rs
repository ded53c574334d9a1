use super::{SCHEDULED, difference, project};
use crate::cases;
use kreplay_core::event::{Actor, Call, CallbackEvent, Entry, Event};
use kreplay_core::ids::{
    AgentId, BufferId, ContextId, DispatchId, QueueId, SignalId, ThreadId, Ticket, UserData,
};
use kreplay_core::memory::Region;
use kreplay_core::replay::{Effect, Input};
use kreplay_core::services::Service;
use kreplay_core::tracing::Phase;

const THREAD: Actor = Actor::Thread(ThreadId(1));
const DISPATCH: DispatchId = DispatchId(1);

/// A log of one machine: `step` is the time between two entries, `handles` where its handles and addresses begin.
struct Machine {
    step: u64,
    handles: u64,
}

const HERE: Machine = Machine { step: 10, handles: 1 };
const THERE: Machine = Machine { step: 7, handles: 0x7f00_0000_1000 };

impl Machine {
    fn log(&self, events: Vec<(Actor, Event)>) -> Vec<Entry> {
        let times = (1..).map(|index| index * self.step);
        times.zip(events).map(|(time, (actor, event))| Entry { time, actor, event }).collect()
    }

    fn reserved(&self, actor: Actor, dispatch: DispatchId) -> (Actor, Event) {
        let event = Event::Reserved {
            dispatch,
            agent: AgentId(self.handles),
            queue: QueueId(self.handles),
            signal: SignalId(self.handles),
            internal: self.handles,
            ancestor: self.handles,
        };
        (actor, event)
    }

    fn callback(&self, actor: Actor, call: Call, pass: Option<u64>) -> (Actor, Event) {
        let event = CallbackEvent {
            dispatch: DISPATCH,
            call,
            pass,
            context: ContextId(self.handles),
            internal: self.handles,
            user_data: UserData(self.handles),
        };
        (actor, Event::Callback(event))
    }

    fn captured(&self) -> (Actor, Event) {
        let region = Region { base: self.handles, bytes: 4 };
        (THREAD, Event::Captured { dispatch: DISPATCH, region })
    }

    fn submitted(&self, pass: Option<u64>) -> (Actor, Event) {
        let (ticket, signal) = (Ticket(self.handles), SignalId(self.handles));
        (THREAD, Event::Submitted { dispatch: DISPATCH, pass, ticket, signal })
    }

    fn record(&self, pass: Option<u64>) -> (Actor, Event) {
        let event = Event::Record {
            dispatch: DISPATCH,
            pass,
            service: Service::DispatchCounting,
            context: ContextId(self.handles),
            buffer: Some(BufferId(self.handles)),
            start: self.handles,
            end: self.handles,
        };
        (Actor::AsyncEvent, event)
    }

    fn completed(&self, behind: bool) -> (Actor, Event) {
        let behind = behind.then_some(Ticket(self.handles));
        (THREAD, Event::Completed { dispatch: DISPATCH, signal: SignalId(self.handles), behind })
    }

    /// A dispatch that is captured, submitted and waited for.
    fn pass(&self) -> Vec<(Actor, Event)> {
        vec![
            self.reserved(THREAD, DISPATCH),
            self.captured(),
            self.captured(),
            step(Effect::Snapshot, Input::Done),
            self.submitted(Some(0)),
            self.record(Some(0)),
            step(Effect::AwaitHandler(0), Input::Done),
            self.callback(THREAD, Call::Pass(Phase::Exit), Some(0)),
            returned(THREAD, false),
            self.completed(false),
        ]
    }
}

fn step(effect: Effect, input: Input) -> (Actor, Event) {
    (THREAD, Event::Step { dispatch: DISPATCH, effect, input })
}

fn returned(actor: Actor, panicked: bool) -> (Actor, Event) {
    (actor, Event::Returned { dispatch: DISPATCH, panicked })
}

fn alike(first: Vec<(Actor, Event)>, second: Vec<(Actor, Event)>) -> bool {
    difference(("a", &HERE.log(first)), ("b", &HERE.log(second))).is_none()
}

#[test]
fn a_log_is_projected_to_what_the_contract_fixes() {
    insta::assert_snapshot!(project(&HERE.log(HERE.pass())));
}

#[test]
fn other_times_handles_and_addresses_are_no_difference() {
    let (here, there) = (HERE.log(HERE.pass()), THERE.log(THERE.pass()));
    assert_ne!(here, there);
    assert_eq!(difference(("a", &here), ("b", &there)), None);
}

#[test]
fn a_swapped_order_is_shown_as_a_diff() {
    let mut swapped = THERE.pass();
    swapped.swap(3, 4);
    let diff = difference(("sim", &HERE.log(HERE.pass())), ("hsa", &THERE.log(swapped)));
    insta::assert_snapshot!(diff.expect("the order differs"));
}

#[test]
fn what_is_missing_or_answered_otherwise_is_a_difference() {
    let changed = |index: usize, entry| {
        let mut pass = HERE.pass();
        pass[index] = entry;
        pass
    };
    assert!(alike(HERE.pass(), HERE.pass()));
    for index in 1..HERE.pass().len() {
        let mut shorter = HERE.pass();
        shorter.remove(index);
        assert!(!alike(HERE.pass(), shorter), "without {index}");
    }
    for (index, entry) in [
        (3, step(Effect::Snapshot, Input::Failed)),
        (4, HERE.submitted(Some(1))),
        (8, returned(THREAD, true)),
        (9, HERE.completed(true)),
        (9, (THREAD, Event::Withheld { dispatch: DISPATCH })),
    ] {
        assert!(!alike(HERE.pass(), changed(index, entry)), "{index}");
    }
}

#[test]
fn a_record_may_come_anywhere_before_its_pass_exit_and_not_behind_it() {
    let moved = |to: usize| {
        let mut pass = HERE.pass();
        let record = pass.remove(5);
        pass.insert(to, record);
        pass
    };
    assert!(alike(HERE.pass(), moved(6)));
    assert!(!alike(HERE.pass(), moved(7)));
    assert!(!alike(HERE.pass(), moved(9)));
}

#[test]
fn what_a_handler_delivers_keeps_its_own_order() {
    let handler = |swap: bool| {
        let mut events = vec![
            HERE.callback(Actor::AsyncEvent, Call::Record(Service::DispatchCounting), None),
            returned(Actor::AsyncEvent, false),
            HERE.callback(Actor::AsyncEvent, Call::Complete, None),
            returned(Actor::AsyncEvent, true),
        ];
        if swap {
            events.rotate_left(2);
        }
        [vec![HERE.reserved(THREAD, DISPATCH), HERE.submitted(None)], events].concat()
    };
    assert!(!alike(handler(false), handler(true)));
    // The thread of a plain run does not wait for its handler.
    let mut late = handler(false);
    late.insert(2, HERE.completed(false));
    let mut early = handler(false);
    early.push(HERE.completed(false));
    assert!(alike(early, late));
}

#[test]
fn regions_are_counted_where_one_thread_allocates() {
    let (one, two) = (vec![HERE.captured()], vec![HERE.captured(), HERE.captured()]);
    let alone = |captured: &[_]| [&[HERE.reserved(THREAD, DISPATCH)], captured].concat();
    assert!(!alike(alone(&one), alone(&two)));
    let other = [HERE.reserved(Actor::Thread(ThreadId(2)), DispatchId(2))];
    let beside = |captured: &[_]| [&other[..], &alone(captured)].concat();
    assert!(alike(beside(&one), beside(&two)));
    assert!(!alike(beside(&one), beside(&[])));
}

#[test]
fn what_the_schedule_decides_is_a_case() {
    for id in SCHEDULED {
        assert!(cases::all().iter().any(|case| case.id == id), "{id}");
    }
}

#[test]
fn threads_may_take_turns_as_they_will() {
    let other = Actor::Thread(ThreadId(2));
    let reserved = |number, actor| HERE.reserved(actor, DispatchId(number));
    let (mine, yours) =
        ([reserved(1, THREAD), reserved(2, other)], [reserved(1, other), reserved(2, THREAD)]);
    assert!(alike(mine.to_vec(), yours.to_vec()));
    assert!(!alike(mine.to_vec(), vec![reserved(1, THREAD), reserved(2, THREAD)]));
}
