//! Copies while a window is open.

use super::outcomes;
use crate::case::Case;
use crate::failure::Checked;
use crate::rig::tool::{Deed, PASS_ENTER, PASS_EXIT};
use crate::rig::{Buffer, Launch, Rig, Signal, Tool};
use crate::{ensure, ensure_eq};
use kreplay_core::event::Event;
use kreplay_core::fixture::{FaultPoint, Need, Verdict};
use kreplay_core::memory::MemoryClass;
use kreplay_core::replay::{Outcome, Reason};
use std::sync::{Arc, Mutex, PoisonError};

pub(super) const CASES: &[Case] = &[
    Case::new("concurrency/copy-fence:to", &["copy-fence", "copy-fence-released"], fences_copy_to),
    Case::new("concurrency/copy-fence:from", &["copy-fence", "copy-fence-released"], fences_copy_from),
    Case::new("concurrency/copy-fence:in-flight", &["copy-fence"], waits_for_copy),
    Case::new(
        "concurrency/copy-fence:elsewhere",
        &["copy-fence", "other-agents-undisturbed"],
        copy_elsewhere,
    )
    .needs(&[Need::TwoAgents]),
    Case::new("concurrency/copy-fence-stuck", &["copy-fence-stuck"], fence_stuck).needs(&[
        Need::Faults,
        Need::DeviceFaults,
        Need::IndependentCopies,
    ]),
    Case::new("concurrency/copies-released", &["copy-fence-released"], copies_released),
    Case::new("concurrency/copy-between-agents:from", &["copy-fence-both-agents"], |rig| {
        copy_between(rig, false)
    })
    .needs(&[Need::TwoAgents]),
    Case::new("concurrency/copy-between-agents:to", &["copy-fence-both-agents"], |rig| {
        copy_between(rig, true)
    })
    .needs(&[Need::TwoAgents]),
    Case::new(
        "concurrency/copy-holds-one-fence",
        &["copy-fence-both-agents", "gate-per-agent"],
        holds_one_fence,
    )
    .needs(&[Need::TwoAgents]),
];

fn copies_begun(rig: &Rig) -> usize {
    rig.count(|event| matches!(event, Event::CopyBegan { .. }))
}

/// Starts a copy on a thread, which a window must hold back.
fn held_back(rig: &Rig, to: Buffer, from: Buffer) -> Checked {
    let copy = rig.meanwhile(move |rig| rig.copy(&to, &from)?.wait())?;
    ensure!(!copy.is_over(), "expected the copy to wait for the window");
    ensure_eq!(copies_begun(rig), 0, "copies begun while the window is open");
    Ok(())
}

fn replay_with_copy(rig: &Rig, first: &Deed, last: &Deed) -> Checked {
    Tool::builder().passes(3).on(PASS_ENTER, first.at(0)).on(PASS_EXIT, last.at(2)).attach(rig)?;
    last.set(rig, |rig| {
        ensure_eq!(copies_begun(rig), 0, "copies begun before the last pass has ended");
        Ok(())
    });
    Ok(())
}

fn fences_copy_to(rig: &Rig) -> Checked {
    let (first, last) = (Deed::default(), Deed::default());
    replay_with_copy(rig, &first, &last)?;
    let from = rig.buffer_of(rig.agent(), MemoryClass::Host, 4)?;
    from.write(&[9; 4])?;
    let (to, counter) = (rig.buffer(rig.agent(), 4)?, rig.buffer(rig.agent(), 1)?);
    let target = to.clone();
    first.set(rig, move |rig| held_back(rig, target, from));
    rig.run(&rig.queue(rig.agent())?, Launch::bump(&counter, 5))?;
    rig.join()?;
    ensure!(!last.is_due(), "expected three passes");
    ensure_eq!((to.read()?, counter.get(0)?), (vec![9; 4], 5), "what was copied, and what was counted");
    Ok(())
}

fn fences_copy_from(rig: &Rig) -> Checked {
    let (first, last) = (Deed::default(), Deed::default());
    replay_with_copy(rig, &first, &last)?;
    let to = rig.buffer_of(rig.agent(), MemoryClass::Host, 1)?;
    let counter = rig.buffer(rig.agent(), 1)?;
    let (target, from) = (to.clone(), counter.clone());
    first.set(rig, move |rig| held_back(rig, target, from));
    rig.run(&rig.queue(rig.agent())?, Launch::bump(&counter, 5))?;
    rig.join()?;
    ensure!(!last.is_due(), "expected three passes");
    ensure_eq!((to.get(0)?, counter.get(0)?), (5, 5), "what was copied, and what was counted");
    Ok(())
}

fn waits_for_copy(rig: &Rig) -> Checked {
    const ITEMS: u32 = 1 << 16;
    let deed = Deed::default();
    Tool::builder().passes(3).on(PASS_ENTER, deed.at(0)).attach(rig)?;
    let from = rig.upload(rig.agent(), &vec![9; ITEMS as usize])?;
    let (to, counter) = (rig.buffer(rig.agent(), ITEMS)?, rig.buffer(rig.agent(), 1)?);
    let copied = rig.copy(&to, &from)?.signal()?.clone();
    deed.set(rig, move |_| {
        ensure_eq!(copied.value()?, 0, "the signal of the copy in flight when the first pass begins");
        Ok(())
    });
    rig.run(&rig.queue(rig.agent())?, Launch::bump(&counter, 5))?;
    ensure!(!deed.is_due(), "expected the dispatch to be replayed");
    ensure!(to.read()?.iter().all(|item| *item == 9), "expected the whole copy to outlast the passes");
    ensure_eq!(counter.get(0)?, 5, "what the dispatch counted");
    Ok(())
}

fn copy_elsewhere(rig: &Rig) -> Checked {
    let deed = Deed::default();
    Tool::builder().passes(3).on(PASS_ENTER, deed.at(1)).attach(rig)?;
    let from = rig.upload(rig.second_agent(), &[9; 4])?;
    let (to, counter) = (rig.buffer(rig.second_agent(), 4)?, rig.buffer(rig.agent(), 1)?);
    let target = to.clone();
    deed.set(rig, move |rig| {
        let copy = rig.meanwhile(move |rig| rig.copy(&target, &from)?.wait())?;
        rig.until("a copy on the other agent ends", || copy.is_over())
    });
    rig.run(&rig.queue(rig.agent())?, Launch::bump(&counter, 5))?;
    rig.join()?;
    ensure_eq!((to.read()?, counter.get(0)?), (vec![9; 4], 5), "what was copied, and what was counted");
    ensure_eq!(outcomes(rig), [Outcome::Replayed(Reason::None)], "outcomes");
    Ok(())
}

fn fence_stuck(rig: &Rig) -> Checked {
    let tool = Tool::builder().passes(3).attach(rig)?;
    let queue = rig.queue(rig.agent())?;
    let from = rig.upload(rig.agent(), &[9; 4])?;
    let (to, counter) = (rig.buffer(rig.agent(), 4)?, rig.buffer(rig.agent(), 1)?);
    rig.fault(FaultPoint::Sdma, Verdict::Hang);
    let stuck = rig.copy(&to, &from)?;
    rig.run(&queue, Launch::bump(&counter, 5))?;
    ensure_eq!(tool.story(), "config{ count }config", "replay callbacks");
    ensure_eq!(outcomes(rig), [Outcome::Declined(Reason::CopyFenceStuck)], "outcomes");
    ensure_eq!(counter.get(0)?, 5, "what the declined dispatch counted");
    let running = rig.meanwhile({
        let (to, from) = (to.clone(), from.clone());
        move |rig| rig.copy(&to, &from)?.wait()
    })?;
    rig.until("a later copy ends", || running.is_over())?;
    rig.fixture().heal();
    stuck.wait()?;
    rig.run(&queue, Launch::bump(&counter, 5))?;
    ensure_eq!(rig.engine().tally().replayed, 1, "dispatches replayed once no copy is stuck");
    rig.join()
}

fn copies_released(rig: &Rig) -> Checked {
    let deed = Deed::default();
    Tool::builder().passes(3).on(PASS_ENTER, deed.at(0)).attach(rig)?;
    let from = rig.upload(rig.agent(), &[9; 4])?;
    let targets: Vec<Buffer> = (0..4).map(|_| rig.buffer(rig.agent(), 4)).collect::<Checked<_>>()?;
    let counter = rig.buffer(rig.agent(), 1)?;
    let signals = Arc::<Mutex<Vec<Signal>>>::default();
    let (noted, waiting) = (Arc::clone(&signals), targets.clone());
    deed.set(rig, move |rig| {
        for to in waiting {
            let (from, noted) = (from.clone(), Arc::clone(&noted));
            rig.thread(move |rig| {
                let copy = rig.copy(&to, &from)?;
                noted.lock().unwrap_or_else(PoisonError::into_inner).push(copy.signal()?.clone());
                copy.wait()
            });
        }
        let nothing = rig.meanwhile(|_| Ok(()))?;
        ensure!(nothing.is_over() && copies_begun(rig) == 0, "expected no copy inside the window");
        Ok(())
    });
    rig.run(&rig.queue(rig.agent())?, Launch::bump(&counter, 5))?;
    rig.join()?;
    rig.fixture().settle();
    for to in &targets {
        ensure_eq!(to.read()?, [9; 4], "what was copied");
    }
    let signals = signals.lock().unwrap_or_else(PoisonError::into_inner);
    let values: Checked<Vec<i64>> = signals.iter().map(Signal::value).collect();
    ensure_eq!(values?, [0; 4], "values of the copies' signals");
    Ok(())
}

fn copy_between(rig: &Rig, into_window: bool) -> Checked {
    let deed = Deed::default();
    Tool::builder().passes(3).on(PASS_ENTER, deed.at(0)).attach(rig)?;
    let (here, there) = (rig.agent(), rig.second_agent());
    let (source, target) = if into_window { (there, here) } else { (here, there) };
    let (from, to) = (rig.upload(source, &[9; 4])?, rig.buffer(target, 4)?);
    let (counter, copied) = (rig.buffer(here, 1)?, to.clone());
    deed.set(rig, move |rig| held_back(rig, to, from));
    rig.run(&rig.queue(here)?, Launch::bump(&counter, 5))?;
    rig.join()?;
    ensure_eq!((copied.read()?, counter.get(0)?), (vec![9; 4], 5), "what was copied, and what was counted");
    Ok(())
}

/// A copy that waits for one agent's window does not hold up another's.
fn holds_one_fence(rig: &Rig) -> Checked {
    let deed = Deed::default();
    Tool::builder().passes(3).on(PASS_ENTER, deed.at(0)).attach(rig)?;
    let (here, there) = (rig.agent(), rig.second_agent());
    let (from, to) = (rig.upload(here, &[9; 4])?, rig.buffer(there, 4)?);
    let (counter, elsewhere) = (rig.buffer(there, 1)?, rig.buffer(here, 1)?);
    let (other, bumped) = (rig.queue(here)?, elsewhere.clone());
    deed.set(rig, move |rig| {
        held_back(rig, to, from)?;
        let run = rig.meanwhile(move |rig| rig.run(&other, Launch::bump(&bumped, 2)))?;
        rig.until("a dispatch on the other agent completes", || run.is_over())
    });
    rig.run(&rig.queue(there)?, Launch::bump(&counter, 5))?;
    rig.join()?;
    ensure_eq!((counter.get(0)?, elsewhere.get(0)?), (5, 2), "what both dispatches counted");
    ensure_eq!(outcomes(rig), [Outcome::Replayed(Reason::None); 2], "outcomes");
    Ok(())
}
