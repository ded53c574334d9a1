//! Writes that nothing holds back, and virtual memory that is given back in parts.

use crate::case::Case;
use crate::ensure_eq;
use crate::failure::Checked;
use crate::rig::tool::{Call, PASS_ENTER};
use crate::rig::{Buffer, Late, Rig, Scene, Tool};
use kreplay_core::fixture::Need;
use kreplay_core::memory::Region;
use kreplay_core::replay::{Outcome, OutcomeReport, Reason};

pub(super) const CASES: &[Case] = &[
    Case::new("memory/limit-host-stores:first-pass", &["limit-host-stores"], |rig| {
        disturbed(rig, 0, host_store, (Scene::AFTER, 0))
    }),
    Case::new("memory/limit-host-stores:last-pass", &["limit-host-stores"], |rig| {
        disturbed(rig, 1, host_store, (STORED + Scene::ADDED, STORED))
    }),
    Case::new("memory/limit-peer-kernels:first-pass", &["limit-peer-kernels"], |rig| {
        disturbed(rig, 0, peer_kernel, (Scene::AFTER, 0))
    })
    .needs(&[Need::TwoAgents]),
    Case::new("memory/limit-peer-kernels:last-pass", &["limit-peer-kernels"], |rig| {
        disturbed(rig, 1, peer_kernel, (STORED + Scene::ADDED, STORED))
    })
    .needs(&[Need::TwoAgents]),
    Case::new("memory/unmap-partial:middle", &["unmap-partial"], |rig| unmapped(rig, PAGE, PAGE, (2, 2)))
        .needs(&[Need::VirtualMemory]),
    Case::new("memory/unmap-partial:head", &["unmap-partial"], |rig| unmapped(rig, 0, PAGE, (1, 2)))
        .needs(&[Need::VirtualMemory]),
    Case::new("memory/unmap-partial:tail", &["unmap-partial"], |rig| unmapped(rig, 2 * PAGE, PAGE, (1, 2)))
        .needs(&[Need::VirtualMemory]),
    Case::new("memory/unmap-partial:whole", &["unmap-partial"], |rig| unmapped(rig, 0, 3 * PAGE, (0, 0)))
        .needs(&[Need::VirtualMemory]),
    Case::new("memory/unmap-partial:too-much", &["unmap-partial"], too_much).needs(&[Need::VirtualMemory]),
];

/// What another writer stores.
const STORED: u32 = 100;
const PAGE: u64 = 4096;

fn host_store(_: &Rig, counter: &Buffer, other: &Buffer) -> Checked {
    counter.write(&[STORED])?;
    other.write(&[STORED])
}

fn peer_kernel(rig: &Rig, counter: &Buffer, other: &Buffer) -> Checked {
    let queue = rig.queue(rig.second_agent())?;
    rig.fill(&queue, counter, STORED)?;
    rig.fill(&queue, other, STORED)
}

/// Lets another thread write the counter and another captured word at the start of one of two passes.
fn disturbed(
    rig: &Rig,
    pass: u64,
    write: fn(&Rig, &Buffer, &Buffer) -> Checked,
    left: (u32, u32),
) -> Checked {
    let (late, mine) = (Late::<Buffer>::default(), rig.clone());
    let other = late.clone();
    let bumps = |call: &Call| call.dispatch.is_some_and(|info| info.grid_size.x == Scene::ADDED);
    let scene = rig.scene(|counter| {
        let counter = counter.clone();
        let script = Tool::builder().count(move |call| if bumps(call) { 2 } else { 1 });
        script.on(PASS_ENTER, move |at| {
            if at.pass() == pass {
                let (counter, other) = (counter.get().clone(), other.get().clone());
                mine.thread(move |rig| write(rig, &counter, &other));
                mine.join().expect("it writes");
            }
        })
    })?;
    late.set(rig.buffer(rig.agent(), 1)?);
    scene.bump()?;
    ensure_eq!((scene.counter.get(0)?, late.get().get(0)?), left, "what is left of the store");
    let OutcomeReport { outcome, executed_passes, .. } = rig.outcome()?;
    ensure_eq!((outcome, executed_passes), (Outcome::Replayed(Reason::None), 2), "the outcome");
    Ok(())
}

/// Takes a range out of a mapping of three pages; expects so many regions and pages to be left.
fn unmapped(rig: &Rig, from: u64, bytes: u64, left: (u64, u64)) -> Checked {
    let scene = rig.scene(|_| Tool::builder().passes(2))?;
    let base = rig.fixture().map(rig.agent(), true, 3 * PAGE)?;
    rig.fixture().unmap(base + from, bytes)?;
    scene.bump()?;
    let outcome = rig.outcome()?;
    let counted = (outcome.untracked_vmem_regions, outcome.untracked_vmem_bytes / PAGE);
    ensure_eq!(counted, left, "regions and pages counted");
    let expected = if left.0 == 0 {
        Outcome::Replayed(Reason::None)
    } else {
        Outcome::Declined(Reason::UntrackedMemory)
    };
    ensure_eq!(outcome.outcome, expected, "the outcome");
    Ok(())
}

fn too_much(rig: &Rig) -> Checked {
    let scene = rig.scene(|_| Tool::builder().passes(2))?;
    let runtime = rig.engine().interceptor();
    let base = rig.fixture().map(rig.agent(), true, 3 * PAGE)?;
    runtime.unmapped(Region { base: base + 100 * PAGE, bytes: PAGE });
    scene.bump()?;
    ensure_eq!(rig.outcome()?.untracked_vmem_regions, 1, "mappings after an unknown one was unmapped");
    runtime.unmapped(Region { base: base - PAGE, bytes: 5 * PAGE });
    runtime.unmapped(Region { base, bytes: u64::MAX });
    scene.bump()?;
    ensure_eq!(rig.outcome()?.untracked_vmem_regions, 0, "mappings after more than there is was unmapped");
    ensure_eq!(rig.engine().tally().replayed, 1, "dispatches replayed");
    Ok(())
}
