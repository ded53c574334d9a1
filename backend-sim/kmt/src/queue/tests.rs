//! Threads of queues: what they cost, and who disturbs them.

mod faults;

use crate::kernels::NoKernels;
use crate::testing::Machine;
use crate::types::Status;
use kreplay_core::aql::Barrier;

#[test]
fn threads_of_queues_take_no_signals_of_the_application() {
    let machine = Machine::new(|| Box::new(NoKernels));
    let queue = machine.aql();
    machine.submit(queue, Barrier::and(&[], None));
    machine.drain(queue);
    let threads = std::fs::read_dir("/proc/self/task").unwrap().map(|thread| thread.unwrap().path());
    let status = threads
        .map(|thread| std::fs::read_to_string(thread.join("status")).unwrap_or_default())
        .find(|status| status.starts_with("Name:\tqueue of node 1\n"))
        .expect("the queue has a thread");
    let blocked = status.lines().find_map(|line| line.strip_prefix("SigBlk:\t")).unwrap();
    // All but KILL, STOP and the two that the C library keeps for itself.
    assert_eq!(u64::from_str_radix(blocked, 16).unwrap() | 1 << 8 | 1 << 18 | 3 << 31, u64::MAX);
}

#[test]
fn indices_of_a_copy_queue_go_with_it() {
    let machine = Machine::new(|| Box::new(NoKernels));
    let queue = machine.sdma();
    assert!(machine.process.space.info(queue.read_index).is_some());
    machine.process.destroy_queue(queue.id).unwrap();
    assert!(machine.process.space.info(queue.read_index).is_none());
}

#[test]
fn one_queue_of_a_node_has_its_wave_sync_barriers_until_it_is_destroyed() {
    let machine = Machine::new(|| Box::new(NoKernels));
    let (one, other) = (machine.aql().id, machine.aql().id);
    let take = |id| machine.process.take_wave_sync(id);
    assert_eq!([take(one), take(other), take(one)], [Ok(()), Err(Status::OutOfResources), Ok(())]);
    machine.process.destroy_queue(one).unwrap();
    assert_eq!([take(one), take(other)], [Err(Status::InvalidParameter), Ok(())]);
}
