//! Generated programs, race-free by construction: every thread works on memory of its own, and takes from another
//! thread only what that one has published behind a signal.

use kreplay_core::memory::MemoryClass;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// Elements of a published buffer, and of the buffer that every thread keeps.
pub(crate) const ITEMS: u32 = 64;
/// Buffers that a thread can publish.
pub(crate) const SLOTS: usize = 2;

/// An application.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) seed: u64,
    /// Where the counters lie: coarse, but in the control that shows what else would happen.
    pub(crate) counters: MemoryClass,
    pub(crate) threads: Vec<Thread>,
}

/// An application thread with a queue of its own.
#[derive(Clone, Debug)]
pub(crate) struct Thread {
    /// Index of its agent.
    pub(crate) agent: usize,
    /// Slots of its queue's ring.
    pub(crate) ring: u32,
    pub(crate) ops: Vec<Op>,
}

/// One step of a thread. Buffers are chosen among those that the thread has at that time.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    Launch(Kernel, Shape),
    /// One doorbell for several packets.
    Together(Vec<Kernel>),
    /// A copy between own buffers on an SDMA engine.
    Sdma {
        to: usize,
        from: usize,
    },
    /// Such a copy in the background, between buffers that nothing else uses.
    Drift,
    /// Host memory is written, and copied to a buffer on an SDMA engine.
    Upload {
        to: usize,
        value: u32,
    },
    /// A host store to a buffer; an upload if other threads share the agent, whose windows it might run into.
    Store {
        to: usize,
        value: u32,
    },
    Load {
        from: usize,
    },
    LoadVariable,
    Allocate {
        items: u32,
    },
    Free {
        which: usize,
    },
    /// A buffer is freed and another one made at its address, larger or not.
    Reuse {
        which: usize,
        grown: bool,
    },
    /// The thread's code object is unloaded and loaded anew.
    Reload,
    /// A virtual-memory mapping, which declines replays while it lives.
    Map {
        known_owner: bool,
    },
    Unmap,
    /// Fills the next unpublished buffer.
    Publish {
        value: u32,
    },
    /// Takes over what an earlier thread publishes.
    Consume {
        from: usize,
        slot: usize,
    },
    Wait,
    Breathe,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Kernel {
    Fill {
        dst: usize,
        value: u32,
    },
    Copy {
        dst: usize,
        src: usize,
    },
    Add {
        dst: usize,
        a: usize,
        b: usize,
    },
    Saxpy {
        y: usize,
        x: usize,
        factor: u32,
    },
    Bump {
        times: u32,
    },
    BumpVariable {
        times: u32,
    },
    /// On the counter that all threads of the agent share.
    BumpShared {
        times: u32,
    },
}

/// How a kernel is launched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) workgroup: u16,
    /// Without the barrier bit, if its order among others makes no difference.
    pub(crate) overlapping: bool,
    pub(crate) completion: Completion,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Completion {
    Own,
    /// The signal on which many dispatches of the thread complete.
    Thread,
    Nothing,
}

impl Kernel {
    pub(crate) const fn commutes(self) -> bool {
        matches!(self, Self::Bump { .. } | Self::BumpVariable { .. } | Self::BumpShared { .. })
    }
}

pub(crate) fn programs() -> impl Strategy<Value = Program> {
    (any::<u64>(), vec(thread(), 1..=3)).prop_map(|(seed, threads)| Program {
        seed,
        counters: MemoryClass::Coarse,
        threads,
    })
}

fn thread() -> impl Strategy<Value = Thread> {
    (0..2_usize, select(vec![64_u32, 4]), vec(op(), 1..10)).prop_map(|(agent, ring, ops)| Thread {
        agent,
        ring,
        ops,
    })
}

fn op() -> impl Strategy<Value = Op> {
    let index = 0..6_usize;
    prop_oneof![
        14 => (kernel(), shape()).prop_map(|(kernel, shape)| Op::Launch(kernel, shape)),
        1 => vec(kernel(), 2..4).prop_map(Op::Together),
        1 => (index.clone(), index.clone()).prop_map(|(to, from)| Op::Sdma { to, from }),
        1 => Just(Op::Drift),
        1 => (index.clone(), any::<u32>()).prop_map(|(to, value)| Op::Upload { to, value }),
        1 => (index.clone(), any::<u32>()).prop_map(|(to, value)| Op::Store { to, value }),
        1 => index.clone().prop_map(|from| Op::Load { from }),
        1 => Just(Op::LoadVariable),
        1 => items().prop_map(|items| Op::Allocate { items }),
        1 => index.clone().prop_map(|which| Op::Free { which }),
        1 => (index.clone(), any::<bool>()).prop_map(|(which, grown)| Op::Reuse { which, grown }),
        1 => Just(Op::Reload),
        1 => any::<bool>().prop_map(|known_owner| Op::Map { known_owner }),
        1 => Just(Op::Unmap),
        1 => any::<u32>().prop_map(|value| Op::Publish { value }),
        2 => (index, 0..SLOTS).prop_map(|(from, slot)| Op::Consume { from, slot }),
        1 => Just(Op::Wait),
        1 => Just(Op::Breathe),
    ]
}

fn kernel() -> impl Strategy<Value = Kernel> {
    let index = 0..6_usize;
    let times = 1..100_u32;
    prop_oneof![
        (index.clone(), any::<u32>()).prop_map(|(dst, value)| Kernel::Fill { dst, value }),
        (index.clone(), index.clone()).prop_map(|(dst, src)| Kernel::Copy { dst, src }),
        (index.clone(), index.clone(), index.clone()).prop_map(|(dst, a, b)| Kernel::Add { dst, a, b }),
        (index.clone(), index, any::<u32>()).prop_map(|(y, x, factor)| Kernel::Saxpy { y, x, factor }),
        times.clone().prop_map(|times| Kernel::Bump { times }),
        times.clone().prop_map(|times| Kernel::BumpVariable { times }),
        times.prop_map(|times| Kernel::BumpShared { times }),
    ]
}

fn shape() -> impl Strategy<Value = Shape> {
    let completions = vec![Completion::Own, Completion::Thread, Completion::Nothing];
    (select(vec![64_u16, 1, 7, 256]), any::<bool>(), select(completions))
        .prop_map(|(workgroup, overlapping, completion)| Shape { workgroup, overlapping, completion })
}

fn items() -> impl Strategy<Value = u32> {
    select(vec![1_u32, 7, ITEMS, 200])
}
