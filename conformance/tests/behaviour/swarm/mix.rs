//! What a mix is made of.

use crate::oracle::program::{Op, Program, programs};
use crate::oracle::script::{Panic, Replays, replays};
use kreplay_conformance::rig::tool::{CONFIG_ENTER, CONFIG_EXIT, PASS_ENTER, PASS_EXIT};
use kreplay_core::fixture::{FaultPoint, FaultRule, Verdict};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

/// A program, a tool with faults, and what happens besides.
#[derive(Clone, Debug)]
pub(crate) struct Mix {
    pub(crate) program: Program,
    pub(crate) replays: Replays,
    /// What another thread does, each after so many nanoseconds.
    pub(crate) meddling: Vec<(u64, Deed)>,
    /// When, after that, the faults are healed.
    pub(crate) healing: u64,
}

/// What a thread of its own does to the others.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Deed {
    Finalize,
    StopContext,
    StartContext,
    /// A dispatch, and its queue is destroyed at once.
    DestroyQueue {
        agent: usize,
    },
    /// Captured memory is freed, and more or as much of it made in the same place and filled by a copy.
    Replace {
        agent: usize,
        grown: bool,
    },
    /// A kernel that never ends.
    Forever {
        agent: usize,
    },
    /// The faults are healed for now.
    Heal,
}

pub(crate) fn mixes() -> impl Strategy<Value = Mix> {
    let bugs = option::weighted(0.2, panic());
    let deeds = vec((moment(), deed()), 0..3);
    let healing = select(vec![100_000_u64, 5_000_000, 60_000_000, 300_000_000]);
    (programs(), replays(), vec(fault(), 0..4), bugs, deeds, healing).prop_map(
        |(program, replays, faults, panics, meddling, healing)| Mix {
            program: alone_or_careful(program, &meddling),
            replays: Replays { faults, panics, ..replays },
            meddling,
            healing,
        },
    )
}

/// Host stores run into windows of other threads, which nothing prevents: with dispatches besides, they are uploads.
fn alone_or_careful(mut program: Program, meddling: &[(u64, Deed)]) -> Program {
    let dispatches = |deed: &Deed| matches!(deed, Deed::DestroyQueue { .. } | Deed::Forever { .. });
    if meddling.iter().any(|(_, deed)| dispatches(deed)) {
        for op in program.threads.iter_mut().flat_map(|thread| &mut thread.ops) {
            if let Op::Store { to, value } = *op {
                *op = Op::Upload { to, value };
            }
        }
    }
    program
}

/// Most deeds come while a program is at work.
fn moment() -> impl Strategy<Value = u64> {
    prop_oneof![4 => 0..100_000_u64, 1 => 0..50_000_000_u64]
}

fn deed() -> impl Strategy<Value = Deed> {
    let agent = 0..2_usize;
    prop_oneof![
        2 => Just(Deed::Finalize),
        2 => Just(Deed::StopContext),
        1 => Just(Deed::StartContext),
        3 => agent.clone().prop_map(|agent| Deed::DestroyQueue { agent }),
        4 => (agent.clone(), any::<bool>()).prop_map(|(agent, grown)| Deed::Replace { agent, grown }),
        1 => agent.prop_map(|agent| Deed::Forever { agent }),
        1 => Just(Deed::Heal),
    ]
}

fn panic() -> impl Strategy<Value = Panic> {
    (select(vec![CONFIG_ENTER, CONFIG_EXIT, PASS_ENTER, PASS_EXIT]), 0..6_usize)
        .prop_map(|(call, after)| Panic { call, after })
}

fn fault() -> impl Strategy<Value = FaultRule> {
    (hit(), 0..12_u32, 1..4_u32).prop_map(|((point, verdict), skip, times)| FaultRule {
        point,
        skip,
        times,
        verdict,
    })
}

fn hit() -> impl Strategy<Value = (FaultPoint, Verdict)> {
    let delay = select(vec![20_000_u64, 1_000_000, 30_000_000, 60_000_000]).prop_map(Verdict::Delay);
    let slow = prop_oneof![2 => delay, 1 => Just(Verdict::Hang)];
    let snapshot = select(vec![FaultPoint::CopyOut, FaultPoint::Stage, FaultPoint::ModuleVariables]);
    let device = vec![
        FaultPoint::Submit,
        FaultPoint::Doorbell,
        FaultPoint::CompletionEvent,
        FaultPoint::Handler,
        FaultPoint::Complete,
        FaultPoint::Forward,
        FaultPoint::Sdma,
    ];
    let refusing = select(vec![FaultPoint::Submit, FaultPoint::Complete, FaultPoint::Forward]);
    prop_oneof![
        12 => (select(device), slow.clone()),
        4 => (snapshot, select(vec![Verdict::Fail, Verdict::Tear])),
        2 => Just((FaultPoint::CompletionEvent, Verdict::Twice)),
        2 => slow.prop_filter_map("a hang is a failure there", |verdict| match verdict {
            Verdict::Delay(_) => Some((FaultPoint::CopyIn, verdict)),
            _ => None,
        }),
        1 => (refusing, Just(Verdict::Fail)),
        1 => (Just(FaultPoint::CopyIn), select(vec![Verdict::Fail, Verdict::Tear])),
    ]
}
