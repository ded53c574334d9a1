//! Host memory that holds snapshots, and what was last captured into it.

use kreplay_core::backend::OutOfMemory;
use kreplay_core::ids::{AgentId, StagingId};
use kreplay_core::memory::Region;
use std::collections::BTreeMap;

struct Staged {
    agent: AgentId,
    bytes: Vec<u8>,
}

/// A captured region: where it was, which block that was, and where its bytes are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) region: Region,
    pub(crate) serial: u64,
    staging: StagingId,
    offset: u64,
}

#[derive(Default)]
struct Image {
    parts: Vec<Part>,
    complete: bool,
}

/// All staging memory.
pub(crate) struct Staging {
    live: BTreeMap<StagingId, Staged>,
    images: BTreeMap<AgentId, Image>,
    free: u64,
    last: u64,
}

impl Staging {
    pub(crate) fn new(bytes: u64) -> Self {
        Self { live: BTreeMap::new(), images: BTreeMap::new(), free: bytes, last: 0 }
    }

    /// Bytes that can still be taken.
    pub(crate) const fn free(&self) -> u64 {
        self.free
    }

    /// Takes memory; the agent's last image is forgotten.
    pub(crate) fn take(&mut self, agent: AgentId, bytes: u64) -> Result<StagingId, OutOfMemory> {
        self.free = self.free.checked_sub(bytes).ok_or(OutOfMemory { bytes })?;
        self.images.remove(&agent);
        self.last += 1;
        self.live.insert(StagingId(self.last), Staged { agent, bytes: vec![0; bytes as usize] });
        Ok(StagingId(self.last))
    }

    /// Gives it back.
    pub(crate) fn give_back(&mut self, id: StagingId) {
        if let Some(staged) = self.live.remove(&id) {
            self.free += staged.bytes.len() as u64;
            if let Some(image) = self.images.get_mut(&staged.agent) {
                image.parts.retain(|part| part.staging != id);
            }
        }
    }

    /// Bytes to capture into or restore from.
    pub(crate) fn bytes_mut(&mut self, id: StagingId, offset: u64, bytes: u64) -> Option<&mut [u8]> {
        let (offset, end) =
            (usize::try_from(offset).ok()?, usize::try_from(offset.checked_add(bytes)?).ok()?);
        self.live.get_mut(&id)?.bytes.get_mut(offset..end)
    }

    /// A region was captured.
    pub(crate) fn captured(&mut self, region: Region, serial: u64, staging: StagingId, offset: u64) {
        let Some(staged) = self.live.get(&staging) else { return };
        let image = self.images.entry(staged.agent).or_default();
        if image.complete || offset == 0 {
            image.parts.clear();
            image.complete = false;
        }
        image.parts.push(Part { region, serial, staging, offset });
    }

    /// The agent's image is complete: what is captured next belongs to another.
    pub(crate) fn seal(&mut self, agent: AgentId) {
        if let Some(image) = self.images.get_mut(&agent) {
            image.complete = true;
        }
    }

    /// The parts of the agent's image.
    pub(crate) fn parts(&self, agent: AgentId) -> &[Part] {
        self.images.get(&agent).map_or(&[], |image| &image.parts)
    }

    /// Whether the captured bytes equal these.
    pub(crate) fn equals(&self, part: &Part, bytes: &[u8]) -> bool {
        let start = part.offset as usize;
        let staged = self.live.get(&part.staging);
        staged.and_then(|staged| staged.bytes.get(start..start + bytes.len())) == Some(bytes)
    }
}
