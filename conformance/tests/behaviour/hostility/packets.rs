//! Packets that no runtime writes.

use super::Bench;
use crate::oracle::run::check_unfinished;
use crate::oracle::runner;
use kreplay_core::aql::{Barrier, KernelDispatch, Packet, PacketType, header};
use kreplay_core::event::Event;
use kreplay_core::fixture::{Fixture, ToyKernel};
use kreplay_core::ids::{AgentId, KernelId};
use kreplay_core::memory::MemoryClass;
use kreplay_core::replay::{Outcome, Reason};
use proptest::array::{uniform3, uniform5, uniform32};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::TestCaseError;
use std::cell::RefCell;

const AGENT: AgentId = AgentId(0);

/// A packet to be made on a machine.
#[derive(Clone, Debug)]
enum Draft {
    Bytes([[u8; 32]; 2]),
    /// Bytes with a type that a queue executes.
    Typed(u8, [[u8; 32]; 2]),
    Dispatch {
        setup: u16,
        workgroup: [u16; 3],
        grid: [u32; 3],
        kernel: Option<ToyKernel>,
        arguments: Arguments,
        barrier: bool,
        completion: Handle,
    },
    Barrier {
        or: bool,
        dependencies: [Handle; 5],
        completion: Handle,
    },
}

#[derive(Clone, Copy, Debug)]
enum Arguments {
    /// The address of a block with a buffer first, and numbers after it.
    Block([Word; 4]),
    At(u64),
}

#[derive(Clone, Copy, Debug)]
enum Word {
    Buffer,
    Number(u64),
}

#[derive(Clone, Copy, Debug)]
enum Handle {
    None,
    Pending,
    Reached,
    MadeUp(u64),
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Count {
    refused: usize,
    ended: usize,
    stopped: usize,
    stuck: usize,
}

#[test]
fn a_malformed_packet_is_refused_or_harms_its_own_queue_alone() {
    let count = RefCell::new(Count::default());
    let judged = runner().run(&(any::<u64>(), vec(draft(), 1..3)), |(seed, drafts)| {
        let machine = kreplay_sim::SimConfig { max_steps: 500_000, ..kreplay_sim::SimConfig::seeded(seed) };
        submit_all(&Bench::on(machine), &drafts, &mut count.borrow_mut())
            .map_err(|failure| TestCaseError::fail(format!("{failure:?}")))
    });
    if let Err(error) = judged {
        panic!("{error}");
    }
    let count = count.into_inner();
    assert!([count.refused, count.ended, count.stopped, count.stuck].iter().all(|&n| n > 10), "{count:?}");
}

fn submit_all(bench: &Bench, drafts: &[Draft], count: &mut Count) -> kreplay_conformance::failure::Checked {
    let victim = bench.sim.create_queue(AGENT, 64)?;
    for draft in drafts {
        let packet = draft.on(bench)?;
        if bench.sim.submit(victim, &[packet]).is_err() {
            count.refused += 1;
        }
        bench.sim.settle();
    }
    count.ended += bench.rig.count(|event| matches!(event, Event::KernelEnded { .. }));
    count.stopped += bench.rig.count(|event| matches!(event, Event::QueueStopped { .. }));
    count.stuck += usize::try_from(bench.rig.engine().tally().stuck).expect("few dispatches");
    kreplay_conformance::ensure_eq!(bench.sim.ended(), None, "how the run ended");

    let neighbour = bench.dispatch(AGENT)?;
    let declined = Outcome::Declined(Reason::AgentDrainStuck);
    let usable = [Outcome::Replayed(Reason::None), declined];
    kreplay_conformance::ensure!(usable.contains(&neighbour), "another queue: {neighbour:?}");
    let elsewhere = bench.dispatch(AgentId(1))?;
    kreplay_conformance::ensure_eq!(elsewhere, Outcome::Replayed(Reason::None), "another agent");
    bench.sim.destroy_queue(victim)?;
    let healed = bench.dispatch(AGENT)?;
    kreplay_conformance::ensure_eq!(healed, Outcome::Replayed(Reason::None), "once the queue is gone");
    check_unfinished(&bench.rig)
}

impl Draft {
    fn on(&self, bench: &Bench) -> kreplay_conformance::failure::Checked<Packet> {
        Ok(match *self {
            Self::Bytes(halves) => packet(halves),
            Self::Typed(kind, halves) => {
                let mut packet = packet(halves);
                packet.0[0] = kind;
                packet
            }
            Self::Dispatch { setup, workgroup, grid, kernel, arguments, barrier, completion } => {
                KernelDispatch {
                    header: header(PacketType::KernelDispatch, barrier),
                    setup,
                    workgroup_size: workgroup,
                    grid_size: grid,
                    kernel_object: kernel.map_or(KernelId(0xbad), |kernel| bench.sim.kernel(AGENT, kernel)).0,
                    kernarg_address: arguments.on(bench)?,
                    completion_signal: completion.on(bench),
                    ..KernelDispatch::default()
                }
                .into()
            }
            Self::Barrier { or, dependencies, completion } => Barrier {
                dep_signal: dependencies.map(|signal| signal.on(bench)),
                completion_signal: completion.on(bench),
                ..if or { Barrier::or(&[], None) } else { Barrier::and(&[], None) }
            }
            .into(),
        })
    }
}

fn packet(halves: [[u8; 32]; 2]) -> Packet {
    let mut bytes = [0; 64];
    bytes.copy_from_slice(halves.as_flattened());
    Packet(bytes)
}

impl Arguments {
    fn on(self, bench: &Bench) -> kreplay_conformance::failure::Checked<u64> {
        let Self::Block(words) = self else {
            let Self::At(address) = self else { unreachable!() };
            return Ok(address);
        };
        let buffer = bench.sim.allocate(AGENT, MemoryClass::Coarse, 256)?;
        let block = bench.sim.allocate(AGENT, MemoryClass::Kernarg, 40)?;
        let word = |word| match word {
            Word::Buffer => buffer,
            Word::Number(number) => number,
        };
        let words = [[buffer].as_slice(), &words.map(word)].concat();
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        bench.sim.write(block, &bytes)?;
        Ok(block)
    }
}

impl Handle {
    fn on(self, bench: &Bench) -> u64 {
        match self {
            Self::None => 0,
            Self::Pending => bench.sim.create_signal(1).0,
            Self::Reached => bench.sim.create_signal(i64::MIN).0,
            Self::MadeUp(handle) => handle,
        }
    }
}

fn draft() -> impl Strategy<Value = Draft> {
    let bytes = || [uniform32(any::<u8>()), uniform32(any::<u8>())];
    prop_oneof![
        1 => bytes().prop_map(Draft::Bytes),
        1 => (0..6_u8, bytes()).prop_map(|(kind, halves)| Draft::Typed(kind, halves)),
        6 => dispatch(),
        2 => (any::<bool>(), uniform5(handle()), handle())
            .prop_map(|(or, dependencies, completion)| Draft::Barrier { or, dependencies, completion }),
    ]
}

fn dispatch() -> impl Strategy<Value = Draft> {
    let setup = prop_oneof![5 => 1..=3_u16, 1 => any::<u16>()];
    let workgroup = uniform3(prop_oneof![8 => Just(1_u16), 3 => Just(8), 1 => any::<u16>()]);
    let grid = uniform3(prop_oneof![8 => Just(1_u32), 3 => Just(65), 1 => any::<u32>(), 1 => Just(u32::MAX)]);
    let kernel = prop_oneof![10 => select(ToyKernel::ALL.to_vec()).prop_map(Some), 1 => Just(None)];
    (setup, workgroup, grid, kernel, arguments(), any::<bool>(), handle()).prop_map(
        |(setup, workgroup, grid, kernel, arguments, barrier, completion)| Draft::Dispatch {
            setup,
            workgroup,
            grid,
            kernel,
            arguments,
            barrier,
            completion,
        },
    )
}

/// The second word of a block is small: it bounds how long counting takes.
fn arguments() -> impl Strategy<Value = Arguments> {
    let word = || prop_oneof![3 => Just(Word::Buffer), 2 => (0..100_u64).prop_map(Word::Number)];
    let few = (0..100_u64).prop_map(Word::Number);
    prop_oneof![
        6 => (few, word(), word(), word()).prop_map(|(a, b, c, d)| Arguments::Block([a, b, c, d])),
        1 => any::<u64>().prop_map(Arguments::At),
        1 => Just(Arguments::At(0)),
    ]
}

fn handle() -> impl Strategy<Value = Handle> {
    prop_oneof![
        4 => Just(Handle::None),
        1 => Just(Handle::Pending),
        2 => Just(Handle::Reached),
        1 => any::<u64>().prop_map(Handle::MadeUp),
    ]
}
