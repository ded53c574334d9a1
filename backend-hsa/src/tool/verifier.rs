//! Compares what each pass leaves in the captured memory with what the first one left: that one ran on pristine memory,
//! as a plain run does.

use crate::lock::lock;
use crate::session::Session;
use foldhash::quality::FixedState;
use kreplay_core::backend::Backend;
use kreplay_core::event::Event;
use kreplay_core::ids::{AgentId, DispatchId, StagingId};
use kreplay_core::memory::Region;
use kreplay_core::replay::Input;
use kreplay_core::tracing::DispatchInfo;
use std::collections::BTreeMap;
use std::fmt;
use std::hash::BuildHasher;
use std::sync::Mutex;

/// Bytes that share a hash.
const BLOCK: u64 = 4096;
/// Bytes that are read at a time: a multiple of [`BLOCK`].
const CHUNK: u64 = 16 << 20;

/// What is known of the dispatches that are being replayed.
#[derive(Default)]
pub(super) struct Verifier {
    captured: Mutex<BTreeMap<DispatchId, Vec<Captured>>>,
    /// A block of [`CHUNK`] bytes for each agent, on which one dispatch is replayed at a time.
    staging: Mutex<BTreeMap<AgentId, StagingId>>,
}

/// A region, and its hashes after the first pass.
struct Captured {
    region: Region,
    plain: Vec<u64>,
}

/// A region has other contents after a pass than after the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Difference {
    dispatch: DispatchId,
    pass: u64,
    region: Region,
    /// Where it begins, to a block.
    first: Region,
}

impl Verifier {
    /// Learns what is captured, and that a pass is stuck: its kernel goes on writing, so nothing is compared any more.
    pub(super) fn note(&self, event: &Event) {
        match *event {
            Event::Captured { dispatch, region } => {
                let captured = Captured { region, plain: Vec::new() };
                lock(&self.captured).entry(dispatch).or_default().push(captured);
            }
            Event::Step { dispatch, input: Input::Expired, .. } => self.forget(dispatch),
            _ => {}
        }
    }

    /// A pass has ended: how its memory differs from that of the first. Memory that cannot be read any more does not.
    pub(super) fn compare(&self, session: &Session, info: DispatchInfo, pass: u64) -> Vec<Difference> {
        let Some(mut captured) = lock(&self.captured).remove(&info.dispatch_id) else { return Vec::new() };
        let mut differences = Vec::new();
        for Captured { region, plain } in &mut captured {
            let Some(hashes) = self.hash(session, info.agent_id, *region) else { continue };
            if pass == 0 {
                *plain = hashes;
            } else if let Some(first) = first_difference(*region, plain, &hashes) {
                differences.push(Difference { dispatch: info.dispatch_id, pass, region: *region, first });
            }
        }
        lock(&self.captured).insert(info.dispatch_id, captured);
        differences
    }

    /// A dispatch has ended.
    pub(super) fn forget(&self, dispatch: DispatchId) {
        lock(&self.captured).remove(&dispatch);
    }

    fn hash(&self, session: &Session, agent: AgentId, region: Region) -> Option<Vec<u64>> {
        let staging = self.staging(session, agent)?;
        let mut hashes = Vec::new();
        for part in parts(region, CHUNK) {
            session.copy_out(part, staging, 0).ok()?;
            let start = session.staging.part(staging, 0, part.bytes)?;
            // SAFETY: just copied, into a block that nobody else uses while this dispatch is replayed.
            let bytes = unsafe { std::slice::from_raw_parts(start.cast::<u8>(), part.bytes as usize) };
            hashes.extend(bytes.chunks(BLOCK as usize).map(|block| FixedState::default().hash_one(block)));
        }
        Some(hashes)
    }

    fn staging(&self, session: &Session, agent: AgentId) -> Option<StagingId> {
        let mut staging = lock(&self.staging);
        if let Some(&block) = staging.get(&agent) {
            return Some(block);
        }
        let block = session.stage(agent, CHUNK).ok()?;
        staging.insert(agent, block);
        Some(block)
    }
}

/// The first block whose hash differs. Without hashes of the first pass nothing does.
fn first_difference(region: Region, plain: &[u64], hashes: &[u64]) -> Option<Region> {
    let index = plain.iter().zip(hashes).position(|(plain, hash)| plain != hash)?;
    parts(region, BLOCK).nth(index)
}

/// A region in parts of a size; the last one may be shorter.
fn parts(region: Region, bytes: u64) -> impl Iterator<Item = Region> {
    let starts = (region.base..region.end()).step_by(bytes as usize);
    starts.map(move |base| Region { base, bytes: bytes.min(region.end() - base) })
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { dispatch, pass, region, first } = self;
        write!(
            f,
            "verify dispatch_id={} pass={pass} region.base={:#x} region.bytes={} first_difference.base={:#x} \
             first_difference.bytes={}",
            dispatch.0, region.base, region.bytes, first.base, first.bytes
        )
    }
}

#[cfg(test)]
mod tests {
    use super::{BLOCK, Region, first_difference, parts};

    #[test]
    fn a_region_is_its_parts() {
        let region = Region { base: 0x1000, bytes: 2 * BLOCK + 7 };
        let sizes: Vec<u64> = parts(region, BLOCK).map(|part| part.bytes).collect();
        assert_eq!(sizes, [BLOCK, BLOCK, 7]);
        assert_eq!(parts(region, BLOCK).last().map(Region::end), Some(region.end()));
    }

    #[test]
    fn the_first_difference_is_found() {
        let region = Region { base: 0x1000, bytes: 2 * BLOCK + 7 };
        assert_eq!(first_difference(region, &[1, 2, 3], &[1, 2, 3]), None);
        let last = Region { base: 0x1000 + 2 * BLOCK, bytes: 7 };
        assert_eq!(first_difference(region, &[1, 2, 3], &[1, 2, 4]), Some(last));
        assert_eq!(first_difference(region, &[1, 2, 3], &[0, 2, 4]).map(|first| first.base), Some(0x1000));
        assert_eq!(first_difference(region, &[], &[1, 2, 3]), None);
    }
}
