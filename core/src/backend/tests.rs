use super::*;
use crate::replay::Condition as GateCondition;

#[test]
fn the_engine_decides_on_its_own_conditions() {
    let (gate, latch, fence) = (Arc::<Gate>::default(), Arc::<Latch>::default(), Arc::<Fence>::default());
    let shared = Condition::Gate(Arc::clone(&gate), Access::Shared);
    let set = Condition::Latch(Arc::clone(&latch));
    let done = Condition::CopiesDone(Arc::clone(&fence));
    let allowed = Condition::CopiesAllowed(vec![Arc::default(), Arc::clone(&fence)]);
    let polled = || [&shared, &set, &done, &allowed].map(Condition::poll);
    assert_eq!(polled(), [Some(true), Some(false), Some(true), Some(true)]);
    assert_eq!(gate.take(Access::Exclusive), Some(GateCondition::Sound));
    assert!(latch.set());
    assert!(fence.try_begin(false));
    fence.set_window(true);
    assert_eq!(polled(), [Some(false), Some(true), Some(false), Some(false)]);
}

#[test]
fn the_device_decides_on_the_others() {
    let (queue, agent, withheld) = (QueueId(1), AgentId(1), None);
    assert_eq!(Condition::QueueIdle { queue, withheld }.poll(), None);
    assert_eq!(Condition::AgentIdle { agent, withheld }.poll(), None);
}
