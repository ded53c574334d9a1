//! The packet processor, with kernels that do what each test needs.

use crate::clock;
use crate::kernels::{Dispatch, Kernels, QueueFault};
use crate::testing::{Driven, Machine, SLOTS, eventually, pause};
use kreplay_core::aql::PacketType;
use kreplay_core::aql::{Barrier, KernelDispatch, Packet, header};
use kreplay_core::ids::{KernelId, SignalId};
use kreplay_sim::{Access, Memory, Violation};
use std::time::Duration;

const NOW: Option<Duration> = Some(Duration::ZERO);
const SOON: Option<Duration> = Some(Duration::from_secs(5));

/// Kernel objects that the stand-in knows.
const COUNT: u64 = 1;
const SPIN: u64 = 2;
const WILD: u64 = 3;
const TRAP: u64 = 4;
const READ_SCRATCH: u64 = 5;

/// Executes no code: the kernel object says what to do with the word that the arguments point at.
struct StandIn;

impl Kernels for StandIn {
    fn run(&mut self, dispatch: &Dispatch<'_>) -> Result<u64, QueueFault> {
        let mut memory = dispatch.memory.clone();
        let word = dispatch.packet.kernarg_address;
        match dispatch.packet.kernel_object {
            COUNT => {
                assert_eq!(
                    memory.load_u32(dispatch.packet_at).unwrap() as u8,
                    PacketType::KernelDispatch as u8
                );
                memory.add(word, 1)?;
            }
            SPIN => {
                while memory.load_u32(word)? == 0 && !dispatch.is_cancelled() {
                    std::thread::yield_now();
                }
            }
            WILD => {
                memory.store(0x1000, &[0])?;
            }
            READ_SCRATCH => {
                let lane_bytes = memory.load_u32(dispatch.queue_at + 176)?;
                memory.store(word, &lane_bytes.to_le_bytes())?;
            }
            _ => return Err(QueueFault::Trap),
        }
        Ok(0)
    }
}

fn machine() -> Machine {
    Machine::new(|| Box::new(StandIn))
}

fn dispatch(kernel: u64, word: u64) -> KernelDispatch {
    KernelDispatch::linear(KernelId(kernel), word, 64, 64)
}

fn with_signal(packet: impl Into<Packet>, signal: SignalId) -> Packet {
    packet.into().with_completion_signal(Some(signal))
}

/// The status that the fault's bit stands for.
fn fault(machine: &Machine, queue: Driven) -> u32 {
    machine.process.events.wait(&[queue.event], true, SOON).unwrap();
    1 + machine.load(queue.reason).trailing_zeros()
}

#[test]
fn dispatches_run_in_order_and_free_their_slots() {
    let machine = machine();
    let (queue, word) = (machine.aql(), machine.memory(8));
    for _ in 0..3 {
        machine.submit(queue, dispatch(COUNT, word));
    }
    machine.drain(queue);
    assert_eq!(machine.load(word), 3);
    assert_eq!((0..3).map(|slot| machine.load(queue.ring + slot * 64) as u16).collect::<Vec<_>>(), [1; 3]);
}

#[test]
fn the_ring_wraps() {
    let machine = machine();
    let (queue, word) = (machine.aql(), machine.memory(8));
    for count in 1..=3 * SLOTS {
        machine.submit(queue, dispatch(COUNT, word));
        if count % SLOTS == 0 {
            machine.drain(queue);
        }
    }
    assert_eq!(machine.load(word), 3 * SLOTS);
}

#[test]
fn a_packet_whose_header_is_not_written_yet_waits() {
    let machine = machine();
    let (queue, word) = (machine.aql(), machine.memory(8));
    let mut packet = Packet::from(dispatch(COUNT, word));
    packet.0[0] = PacketType::Invalid as u8;
    machine.submit(queue, packet);
    pause();
    assert_eq!((machine.load(word), machine.load(queue.read_index)), (0, 0));
    machine.store_bytes(queue.ring, &header(PacketType::KernelDispatch, true).to_le_bytes());
    crate::testing::ring(queue.doorbell, 0);
    machine.drain(queue);
    assert_eq!(machine.load(word), 1);
}

#[test]
fn a_signal_is_counted_down_timed_and_told() {
    let machine = machine();
    let (queue, word, (signal, event)) = (machine.aql(), machine.memory(8), machine.signal(2));
    let submitted = clock::now();
    machine.submit(queue, with_signal(dispatch(SPIN, word), signal));
    pause();
    assert_eq!(machine.value(signal), 2);
    let released = clock::now();
    machine.store(word, 1);
    machine.process.events.wait(&[event], true, SOON).unwrap();
    assert_eq!(machine.value(signal), 1);
    assert_eq!(machine.load(machine.process.mailbox(event)), u64::from(event));
    let (start, end) = (machine.load(signal.0 + 32), machine.load(signal.0 + 40));
    assert!(submitted <= start && start <= end && released <= end && end <= clock::now(), "{start} to {end}");
}

#[test]
fn a_signal_without_mailbox_sets_no_event() {
    let machine = machine();
    let (queue, (signal, event)) = (machine.aql(), machine.signal(1));
    machine.store(signal.0 + 16, 0);
    machine.submit(queue, Barrier::and(&[], Some(signal)));
    machine.drain(queue);
    machine.submit(queue, Barrier::and(&[], None));
    machine.drain(queue);
    assert_eq!((machine.value(signal), machine.load(queue.reason)), (0, 0));
    assert!(machine.process.events.wait(&[event], true, NOW).is_err());
}

#[test]
fn and_waits_for_all_dependencies_and_or_for_one() {
    let machine = machine();
    let [one, other] = [machine.signal(1).0, machine.signal(-1).0];
    let (and, or) = (machine.aql(), machine.aql());
    machine.submit(and, Barrier::and(&[one, other], None));
    machine.submit(or, Barrier::or(&[one, other], None));
    pause();
    assert_eq!([machine.load(and.read_index), machine.load(or.read_index)], [0, 0]);
    machine.store(other.0 + 8, 0);
    machine.drain(or);
    pause();
    assert_eq!(machine.load(and.read_index), 0);
    machine.store(one.0 + 8, 0);
    machine.drain(and);
}

#[test]
fn a_queue_stops_at_a_fault_and_reports_it() {
    let cases: [(Packet, u32); 7] = [
        (dispatch(TRAP, 0).into(), 2),
        (KernelDispatch { setup: 0, ..dispatch(COUNT, 0) }.into(), 16),
        (KernelDispatch { grid_size: [1, 0, 1], ..dispatch(COUNT, 0) }.into(), 16),
        (KernelDispatch { workgroup_size: [1025, 1, 1], ..dispatch(COUNT, 0) }.into(), 21),
        (KernelDispatch { header: 4, ..dispatch(COUNT, 0) }.into(), 20),
        (KernelDispatch { header: 9, ..dispatch(COUNT, 0) }.into(), 20),
        (KernelDispatch { header: 0, setup: 7, ..dispatch(COUNT, 0) }.into(), 23),
    ];
    let machine = machine();
    for (packet, code) in cases {
        let queue = machine.aql();
        machine.submit(queue, packet);
        assert_eq!(fault(&machine, queue), code);
        machine.submit(queue, Barrier::and(&[], None));
        pause();
        assert_eq!(machine.load(queue.read_index), 0);
        machine.process.destroy_queue(queue.id).unwrap();
    }
}

#[test]
fn cache_commands_pass() {
    let machine = machine();
    let queue = machine.aql();
    let mut packet = Packet::vendor();
    packet.0[2] = 1;
    machine.submit(queue, packet);
    machine.drain(queue);
}

#[test]
fn a_wild_access_is_a_memory_fault() {
    let machine = machine();
    let memory_event = machine.process.events.create(8, true, false).unwrap();
    let queue = machine.aql();
    machine.submit(queue, dispatch(WILD, 0));
    assert_eq!(fault(&machine, queue), 5);
    let fault = machine.process.events.reported(memory_event).unwrap();
    assert_eq!((fault.node, fault.at, fault.read_only), (1, 0x1000, false));
}

#[test]
fn a_violation_keeps_its_words() {
    let fault = QueueFault::from(Violation { access: Access::Write, at: 0x10, bytes: 4 });
    assert_eq!(fault.to_string(), "write of 4 bytes at 0x10, which no live region allows");
}

#[test]
fn a_suspended_queue_keeps_its_packets() {
    let machine = machine();
    let (queue, word) = (machine.aql(), machine.memory(8));
    machine.process.suspend_queue(queue.id, true).unwrap();
    machine.submit(queue, dispatch(COUNT, word));
    pause();
    assert_eq!(machine.load(word), 0);
    machine.process.suspend_queue(queue.id, false).unwrap();
    machine.drain(queue);
    assert_eq!(machine.load(word), 1);
}

#[test]
fn destroying_a_queue_ends_its_kernel_and_its_barrier() {
    let machine = machine();
    let (spins, waits, word) = (machine.aql(), machine.aql(), machine.memory(8));
    let (signal, _) = machine.signal(1);
    machine.submit(spins, with_signal(dispatch(SPIN, word), signal));
    machine.submit(waits, Barrier::and(&[signal], None));
    pause();
    machine.process.destroy_queue(spins.id).unwrap();
    machine.process.destroy_queue(waits.id).unwrap();
    assert_eq!(machine.value(signal), 1);
    assert!(machine.process.destroy_queue(spins.id).is_err());
}

#[test]
fn scratch_is_asked_for_before_the_dispatch_and_given_back_after() {
    let machine = machine();
    let (queue, word) = (machine.aql(), machine.memory(8));
    let inactive = SignalId(machine.load(queue.at + 192));
    machine.submit(queue, KernelDispatch { private_segment_size: 100, ..dispatch(READ_SCRATCH, word) });
    eventually("scratch is asked for", || machine.value(inactive) == 1);
    assert_eq!(machine.load(queue.ring) as u8, PacketType::KernelDispatch as u8);
    assert_eq!(machine.load(word), 0);
    // 128 bytes a lane, for one dispatch.
    machine.store(queue.at + 176, 1 << 36 | 128);
    machine.store(inactive.0 + 8, 0);
    eventually("scratch is given back", || machine.value(inactive) == 512);
    assert_eq!((machine.load(word), machine.load(queue.read_index)), (128, 0));
    machine.store(queue.at + 176, 128);
    machine.store(inactive.0 + 8, 0);
    machine.drain(queue);
    machine.submit(queue, KernelDispatch { private_segment_size: 128, ..dispatch(READ_SCRATCH, word) });
    machine.drain(queue);
}

#[test]
fn rings_that_are_none_are_refused() {
    use crate::process::{NewQueue, QueueKind};
    use crate::queue::Ring;
    use crate::types::Status;
    let machine = machine();
    let (at, base) = (machine.memory(256), machine.memory(4096));
    let good = Ring { base, bytes: 4096, read_index: at + 128, write_index: at + 56 };
    let create = |ring, node| {
        let new = NewQueue { node, kind: QueueKind::Aql, ring, error_reason: None, event: None };
        machine.process.create_queue(new).map(drop)
    };
    assert_eq!(create(good, 1), Ok(()));
    assert_eq!(create(good, 0), Err(Status::InvalidNodeUnit));
    assert_eq!(create(good, 2), Err(Status::InvalidNodeUnit));
    let bad = Err(Status::InvalidParameter);
    assert_eq!(create(Ring { bytes: 4000, ..good }, 1), bad);
    assert_eq!(create(Ring { bytes: 0, ..good }, 1), bad);
    assert_eq!(create(Ring { read_index: at, ..good }, 1), bad);
    assert_eq!(create(Ring { read_index: 0x2080, write_index: 0x2038, ..good }, 1), bad);
}
