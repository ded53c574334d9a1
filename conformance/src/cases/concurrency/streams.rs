//! Work of two queues that the application orders.

use super::{only_on, outcomes};
use crate::case::Case;
use crate::ensure_eq;
use crate::failure::Checked;
use crate::rig::{Buffer, Launch, Queue, Rig};
use kreplay_core::replay::{Outcome, Reason};

const ITEMS: u32 = 130;
const ROUNDS: u32 = 4;

pub(super) const CASES: &[Case] = &[
    Case::new("concurrency/two-streams:waits", &["two-streams"], |rig| two_streams(rig, by_waits)),
    Case::new("concurrency/two-streams:barriers", &["two-streams"], |rig| two_streams(rig, by_barriers)),
    Case::new("concurrency/two-streams:threads", &["two-streams"], |rig| two_streams(rig, by_threads)),
];

/// What two streams share: `x` and `y`, and `y`'s counter of workgroups.
#[derive(Clone)]
struct Shared {
    x: Buffer,
    y: Buffer,
    groups: Buffer,
}

impl Shared {
    /// The plain stream's work.
    fn plain(&self) -> Launch {
        Launch::vector_add(&self.x, &self.x, &self.y)
    }

    /// The replayed stream's work.
    fn replayed(&self) -> Launch {
        Launch::saxpy(&self.y, &self.x, 3, &self.groups)
    }
}

fn two_streams(rig: &Rig, order: fn(&Rig, &Queue, &Queue, &Shared) -> Checked) -> Checked {
    let (plain, replayed) = (rig.queue(rig.agent())?, rig.queue(rig.agent())?);
    only_on(&replayed, 3).attach(rig)?;
    let shared = Shared {
        x: rig.upload(rig.agent(), &[1; ITEMS as usize])?,
        y: rig.upload(rig.agent(), &[2; ITEMS as usize])?,
        groups: rig.buffer(rig.agent(), 1)?,
    };
    order(rig, &plain, &replayed, &shared)?;
    let (mut x, mut y) = (1_u32, 2_u32);
    for _ in 0..ROUNDS {
        x += y;
        y += 3 * x;
    }
    ensure_eq!(shared.x.read()?, [x; ITEMS as usize], "what the plain stream left");
    ensure_eq!(shared.y.read()?, [y; ITEMS as usize], "what the replayed stream left");
    ensure_eq!(shared.groups.get(0)?, ROUNDS * ITEMS.div_ceil(64), "workgroups counted");
    ensure_eq!(outcomes(rig), [Outcome::Replayed(Reason::None); ROUNDS as usize], "outcomes");
    Ok(())
}

fn by_waits(rig: &Rig, plain: &Queue, replayed: &Queue, shared: &Shared) -> Checked {
    for _ in 0..ROUNDS {
        rig.run(plain, shared.plain())?;
        rig.run(replayed, shared.replayed())?;
    }
    Ok(())
}

/// The host waits for nothing but the end.
fn by_barriers(rig: &Rig, plain: &Queue, replayed: &Queue, shared: &Shared) -> Checked {
    let mut before = rig.signal(0);
    for _ in 0..ROUNDS {
        rig.barrier(plain, &[&before])?;
        let first = rig.launch(plain, shared.plain())?;
        rig.barrier(replayed, &[first.signal()?])?;
        before = rig.launch(replayed, shared.replayed())?.signal()?.clone();
    }
    before.wait(0)
}

/// Each stream has a thread; they pass two signals back and forth.
fn by_threads(rig: &Rig, plain: &Queue, replayed: &Queue, shared: &Shared) -> Checked {
    let (to_plain, to_replayed) = (rig.signal(0), rig.signal(1));
    let (queue, work, mine, theirs) = (*plain, shared.plain(), to_plain.clone(), to_replayed.clone());
    rig.thread(move |rig| {
        for _ in 0..ROUNDS {
            mine.wait(0)?;
            mine.store(1)?;
            rig.run(&queue, work.clone())?;
            theirs.store(0)?;
        }
        Ok(())
    });
    for _ in 0..ROUNDS {
        to_replayed.wait(0)?;
        to_replayed.store(1)?;
        rig.run(replayed, shared.replayed())?;
        to_plain.store(0)?;
    }
    rig.join()
}
