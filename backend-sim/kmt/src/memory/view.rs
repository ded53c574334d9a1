//! Memory as one node's engines access it: every access is checked against the regions mapped to the node.

use super::space::Space;
use super::table::Segment;
use crate::types::Node;
use kreplay_core::ids::{Address, AgentId};
use kreplay_sim::{Access, Memory, Violation, Width};
use std::cell::{RefCell, RefMut};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

/// A node's view of the address space. Each thread has its own; a clone is cheap.
///
/// The agent that owns memory is named by its node's number. A range that is freed or unmapped by the application while
/// the device accesses it ends the process, as an access of the application itself would.
#[derive(Clone, Debug)]
pub struct View {
    space: Arc<Space>,
    node: Node,
    known: RefCell<Known>,
}

/// The segments that were accessible when last looked at.
#[derive(Clone, Debug)]
struct Known {
    generation: u64,
    segments: Arc<[Segment]>,
    /// The last one accessed: the next access is likely there.
    last: usize,
}

/// A range of a device's addresses that may be accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    /// Where it starts for the host.
    host: Address,
    owner: Node,
}

impl View {
    pub(crate) fn new(space: Arc<Space>, node: Node) -> Self {
        let (generation, segments) = space.segments();
        Self { space, node, known: RefCell::new(Known { generation, segments, last: 0 }) }
    }

    /// Whether the memory at an address may only be read.
    pub(crate) fn is_read_only(&self, at: Address) -> bool {
        self.check(Access::Read, at, 1).is_ok() && self.check(Access::Write, at, 1).is_err()
    }

    /// Copies bytes that may overlap.
    pub(crate) fn copy(&mut self, from: Address, to: Address, bytes: u64) -> Result<(), Violation> {
        let Place { host: from, .. } = self.check(Access::Read, from, bytes)?;
        let Place { host: to, .. } = self.check(Access::Write, to, bytes)?;
        // SAFETY: both ranges are mapped to this node, so they are live memory of the process.
        unsafe { ptr::copy(pointer::<u8>(from), pointer::<u8>(to), bytes as usize) };
        Ok(())
    }

    /// Loads an aligned word that others may store to.
    pub(crate) fn load_u64(&self, at: Address) -> Result<u64, Violation> {
        let mut bytes = [0; 8];
        self.load(at, &mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// Loads an aligned word that others may store to.
    pub(crate) fn load_u32(&self, at: Address) -> Result<u32, Violation> {
        let mut bytes = [0; 4];
        self.load(at, &mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    /// Moves whenever access rights change.
    pub(super) fn generation(&self) -> u64 {
        self.space.generation()
    }

    /// The segment at an address, if this node may access it, and the generation that it holds for.
    pub(super) fn segment(&self, at: Address) -> Option<(Segment, u64)> {
        let mut known = self.known();
        known.place(self.node, Access::Read, at, 1)?;
        Some((known.segments[known.last], known.generation))
    }

    /// What a range is, if this node may access all of it.
    fn check(&self, access: Access, at: Address, bytes: u64) -> Result<Place, Violation> {
        self.known().place(self.node, access, at, bytes).ok_or(Violation { access, at, bytes })
    }

    /// The segments that are accessible now.
    fn known(&self) -> RefMut<'_, Known> {
        let mut known = self.known.borrow_mut();
        if known.generation != self.space.generation() {
            (known.generation, known.segments) = self.space.segments();
            known.last = 0;
        }
        known
    }
}

impl Known {
    fn place(&mut self, node: Node, access: Access, at: Address, bytes: u64) -> Option<Place> {
        let end = at.checked_add(bytes)?;
        let holds = |segment: &Segment, at| segment.start <= at && at < segment.end;
        if !self.segments.get(self.last).is_some_and(|segment| holds(segment, at)) {
            self.last = self.segments.partition_point(|segment| segment.end <= at);
        }
        let Segment { owner, shift, .. } = *self.segments.get(self.last)?;
        let (mut next, mut covered) = (self.last, at);
        loop {
            let segment = self.segments.get(next).filter(|segment| holds(segment, covered))?;
            if segment.nodes >> node & 1 == 0
                || (segment.read_only && access == Access::Write)
                || segment.shift != shift
            {
                return None;
            }
            if end <= segment.end {
                return Some(Place { host: at.wrapping_add(shift), owner });
            }
            (next, covered) = (next + 1, segment.end);
        }
    }
}

impl Memory for View {
    fn load(&self, at: Address, into: &mut [u8]) -> Result<(), Violation> {
        let place = self.check(Access::Read, at, into.len() as u64)?;
        load(place.host, into);
        Ok(())
    }

    fn store(&mut self, at: Address, bytes: &[u8]) -> Result<AgentId, Violation> {
        let place = self.check(Access::Write, at, bytes.len() as u64)?;
        store(place.host, bytes);
        Ok(AgentId(place.owner.into()))
    }

    fn update(
        &mut self,
        at: Address,
        width: Width,
        change: &mut dyn FnMut(u64) -> u64,
    ) -> Result<u64, Violation> {
        let bytes = width as u64;
        if !at.is_multiple_of(bytes) {
            return Err(Violation { access: Access::Write, at, bytes });
        }
        let Place { host, .. } = self.check(Access::Write, at, bytes)?;
        Ok(match width {
            Width::Word => update(word::<AtomicU32>(host), &mut |old| change(old.into()) as u32).into(),
            Width::Double => update_double(word::<AtomicU64>(host), change),
        })
    }

    fn add(&mut self, at: Address, value: u32) -> Result<AgentId, Violation> {
        let place = self.check(Access::Write, at, 4)?;
        self.update(at, Width::Word, &mut |old| (old as u32).wrapping_add(value).into())?;
        Ok(AgentId(place.owner.into()))
    }
}

fn pointer<T>(at: Address) -> *mut T {
    ptr::with_exposed_provenance_mut(at as usize)
}

/// A word of memory as an atomic. The caller has checked range and alignment.
pub(super) fn word<'a, T>(at: Address) -> &'a T {
    debug_assert!(pointer::<T>(at).is_aligned());
    // SAFETY: the range was checked to be mapped, and the atomics have the size and layout of the words they stand for.
    unsafe { &*pointer::<T>(at) }
}

/// Loads in the largest words that start and length allow. The caller has checked the range.
fn load(at: Address, into: &mut [u8]) {
    match word_bytes(at, into.len()) {
        1 => fill(into, at, |at| word::<AtomicU8>(at).load(Ordering::Acquire).to_le_bytes()),
        2 => fill(into, at, |at| word::<AtomicU16>(at).load(Ordering::Acquire).to_le_bytes()),
        4 => fill(into, at, |at| word::<AtomicU32>(at).load(Ordering::Acquire).to_le_bytes()),
        _ => fill(into, at, |at| word::<AtomicU64>(at).load(Ordering::Acquire).to_le_bytes()),
    }
}

/// Stores in the largest words that start and length allow. The caller has checked the range.
fn store(at: Address, bytes: &[u8]) {
    match word_bytes(at, bytes.len()) {
        1 => drain(bytes, at, |at, byte| {
            word::<AtomicU8>(at).store(u8::from_le_bytes(byte), Ordering::Release);
        }),
        2 => drain(bytes, at, |at, half| {
            word::<AtomicU16>(at).store(u16::from_le_bytes(half), Ordering::Release);
        }),
        4 => drain(bytes, at, |at, single| {
            word::<AtomicU32>(at).store(u32::from_le_bytes(single), Ordering::Release);
        }),
        _ => drain(bytes, at, |at, double| {
            word::<AtomicU64>(at).store(u64::from_le_bytes(double), Ordering::Release);
        }),
    }
}

fn word_bytes(at: Address, len: usize) -> u32 {
    1 << (at | len as u64).trailing_zeros().min(3)
}

fn fill<const N: usize>(into: &mut [u8], at: Address, load: impl Fn(Address) -> [u8; N]) {
    for (chunk, at) in into.chunks_exact_mut(N).zip((at..).step_by(N)) {
        chunk.copy_from_slice(&load(at));
    }
}

fn drain<const N: usize>(bytes: &[u8], at: Address, store: impl Fn(Address, [u8; N])) {
    for (chunk, at) in bytes.as_chunks::<N>().0.iter().zip((at..).step_by(N)) {
        store(at, *chunk);
    }
}

fn update(word: &AtomicU32, change: &mut dyn FnMut(u32) -> u32) -> u32 {
    word.fetch_update(Ordering::AcqRel, Ordering::Acquire, |old| Some(change(old))).unwrap_or_else(|old| old)
}

fn update_double(word: &AtomicU64, change: &mut dyn FnMut(u64) -> u64) -> u64 {
    word.fetch_update(Ordering::AcqRel, Ordering::Acquire, |old| Some(change(old))).unwrap_or_else(|old| old)
}

#[cfg(test)]
mod tests;
