//! The lock around the region table, and the system calls behind an allocation.

use super::table::{Info, Kind, PAGE, Region, Segment, Table};
use crate::topology::Topology;
use crate::types::{MemFlags, Node, Status};
use kreplay_core::ids::Address;
use rustix::mm::{self, Advice, MapFlags, MprotectFlags, ProtFlags};
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const HUGE_PAGE: u64 = 2 << 20;

/// The address space of the process.
#[derive(Debug)]
pub(crate) struct Space {
    nodes: u32,
    inner: Mutex<Inner>,
    /// Moves whenever access rights change.
    generation: AtomicU64,
}

#[derive(Debug)]
struct Inner {
    table: Table,
    /// Device memory left, bytes a GPU.
    free: Vec<u64>,
    segments: Option<Arc<[Segment]>>,
}

impl Space {
    pub(crate) fn new(topology: &Topology) -> Self {
        let free = topology.gpus.iter().map(|gpu| gpu.memory_mib << 20).collect();
        let inner = Mutex::new(Inner { table: Table::default(), free, segments: None });
        Self { nodes: topology.nodes(), inner, generation: AtomicU64::new(0) }
    }

    /// Allocates whole pages, at an address if the flags say so.
    pub(crate) fn allocate(
        &self,
        node: Node,
        bytes: u64,
        flags: MemFlags,
        at: Address,
    ) -> Result<Address, Status> {
        let fixed = flags.has(MemFlags::FIXED_ADDRESS);
        if bytes == 0
            || !bytes.is_multiple_of(flags.page_bytes())
            || (fixed && (at == 0 || !at.is_multiple_of(PAGE)))
        {
            return Err(Status::InvalidParameter);
        }
        let scratch = flags.has(MemFlags::SCRATCH);
        if flags.has(MemFlags::GDS) || (scratch && node == 0) {
            return Err(Status::NotSupported);
        }
        let mut inner = self.lock();
        let device = is_device(node, flags).then(|| &mut inner.free[node as usize - 1]);
        let room = device
            .map(|free| free.checked_sub(bytes).map(|left| (free, left)).ok_or(Status::NoMemory))
            .transpose()?;
        let base = if fixed { map_at(at, bytes)? } else { map_anywhere(bytes)? };
        if let Some((free, left)) = room {
            *free = left;
        }
        let kind = if scratch { Kind::Scratch } else { Kind::Allocation };
        inner.table.insert(Region::new(base, bytes, node, flags, kind));
        Ok(base)
    }

    /// Frees what was allocated at an address.
    pub(crate) fn free(&self, base: Address) -> Result<(), Status> {
        let region = self.change(|inner| {
            let region = inner.table.remove(base)?;
            if is_device(region.node, region.flags) {
                inner.free[region.node as usize - 1] += region.bytes;
            }
            Ok(region)
        })?;
        let guard = if region.flags.has(MemFlags::FIXED_ADDRESS) { 0 } else { PAGE };
        // SAFETY: `map_anywhere` or `map_at` mapped exactly these pages, and the table no longer names them.
        unsafe { mm::munmap(pointer(base), (region.bytes + guard) as usize) }.map_err(|_| Status::Error)
    }

    /// Registers the application's memory, which gets an address of its own for devices.
    pub(crate) fn register(&self, base: Address, bytes: u64, flags: MemFlags) -> Result<(), Status> {
        if base == 0 || bytes == 0 {
            return Err(Status::InvalidParameter);
        }
        let pages = whole_pages(base, bytes).ok_or(Status::InvalidParameter)?;
        let mut inner = self.lock();
        if !inner.table.register_again(base, bytes) {
            let device = reserve(pages)? + base % PAGE;
            inner.table.register(Region::registered(base, bytes, flags, device));
        }
        Ok(())
    }

    /// Takes one registration back.
    pub(crate) fn deregister(&self, base: Address) -> Result<(), Status> {
        match self.change(|inner| inner.table.deregister(base))? {
            Some(region) => release(&region),
            None => Ok(()),
        }
    }

    /// Lets nodes, and only these, access a region; without a list, all GPUs. Returns its start, as they see it.
    pub(crate) fn map(&self, base: Address, bytes: u64, nodes: Option<&[Node]>) -> Result<Address, Status> {
        let every: Vec<Node> = (1..self.nodes).collect();
        let nodes = nodes.unwrap_or(&every);
        if nodes.iter().any(|&node| node >= self.nodes) {
            return Err(Status::InvalidNodeUnit);
        }
        self.change(|inner| inner.table.map(base, bytes, nodes))
    }

    /// Takes all access to a region away.
    pub(crate) fn unmap(&self, base: Address) -> Result<(), Status> {
        if let Some(part) = self.change(|inner| inner.table.unmap(base))? {
            // SAFETY: the part lies in a scratch region of ours; nothing but kernels, which have lost it, uses its bytes.
            unsafe { mm::madvise(pointer(part.base), part.bytes as usize, Advice::LinuxDontNeed) }
                .map_err(|_| Status::Error)?;
        }
        Ok(())
    }

    /// What an address belongs to.
    pub(crate) fn info(&self, at: Address) -> Option<Info> {
        self.lock().table.info(at)
    }

    /// Keeps a value of the caller with the region that starts at an address.
    pub(crate) fn set_user_data(&self, base: Address, data: usize) -> Result<(), Status> {
        self.lock().table.set_user_data(base, data)
    }

    /// Moves whenever access rights change.
    pub(crate) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// What is accessible now, and the generation that it holds for.
    pub(crate) fn segments(&self) -> (u64, Arc<[Segment]>) {
        let mut inner = self.lock();
        let Inner { table, segments, .. } = &mut *inner;
        let segments = segments.get_or_insert_with(|| table.segments().into()).clone();
        (self.generation(), segments)
    }

    fn change<T>(&self, by: impl FnOnce(&mut Inner) -> Result<T, Status>) -> Result<T, Status> {
        let mut inner = self.lock();
        let changed = by(&mut inner)?;
        inner.segments = None;
        self.generation.fetch_add(1, Ordering::Release);
        Ok(changed)
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Device memory is what a GPU's node gives unpaged; paged memory of a GPU's node is the host's.
const fn is_device(node: Node, flags: MemFlags) -> bool {
    node != 0 && flags.has(MemFlags::NON_PAGED) && !flags.has(MemFlags::SCRATCH)
}

/// The pages that a range touches, in bytes.
fn whole_pages(base: Address, bytes: u64) -> Option<u64> {
    base.checked_add(bytes)?.checked_next_multiple_of(PAGE)?.checked_sub(base & !(PAGE - 1))
}

/// Reserves addresses, and a page behind them, that nobody may access.
fn reserve(bytes: u64) -> Result<Address, Status> {
    let bytes = bytes.checked_add(PAGE).ok_or(Status::NoMemory)?;
    let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
    // SAFETY: without `FIXED`, a mapping replaces no other one.
    let base = unsafe { mm::mmap_anonymous(ptr::null_mut(), bytes as usize, ProtFlags::empty(), flags) };
    Ok(base.map_err(|_| Status::NoMemory)?.expose_provenance() as Address)
}

/// Gives the addresses of a registered region back.
fn release(region: &Region) -> Result<(), Status> {
    let pages = whole_pages(region.base, region.bytes).ok_or(Status::Error)?;
    let start = region.device & !(PAGE - 1);
    // SAFETY: `reserve` mapped exactly these pages, and the table no longer names them.
    unsafe { mm::munmap(pointer(start), (pages + PAGE) as usize) }.map_err(|_| Status::Error)
}

fn pointer(at: Address) -> *mut c_void {
    ptr::with_exposed_provenance_mut(at as usize)
}

/// Maps pages somewhere, and behind them one that nobody may access; aligned to huge pages if it has room for one, as
/// the runtime's own allocator expects.
fn map_anywhere(bytes: u64) -> Result<Address, Status> {
    let slack = if bytes < HUGE_PAGE { 0 } else { HUGE_PAGE };
    let whole = map(0, bytes.checked_add(PAGE + slack).ok_or(Status::NoMemory)?, MapFlags::empty())?;
    let base = if slack == 0 { whole } else { whole.next_multiple_of(HUGE_PAGE) };
    let guard = base + bytes;
    trim(whole, base - whole);
    trim(guard + PAGE, whole + slack - base);
    // SAFETY: the page has just been mapped, and nobody has been told of it.
    unsafe { mm::mprotect(pointer(guard), PAGE as usize, MprotectFlags::empty()) }
        .map_err(|_| Status::NoMemory)?;
    Ok(base)
}

fn map_at(at: Address, bytes: u64) -> Result<Address, Status> {
    map(at, bytes, MapFlags::FIXED_NOREPLACE)
}

/// Maps zeroed pages that a child of the process does not get.
fn map(at: Address, bytes: u64, flags: MapFlags) -> Result<Address, Status> {
    let flags = flags | MapFlags::PRIVATE | MapFlags::NORESERVE;
    // SAFETY: without `FIXED`, a mapping replaces no other one.
    let base =
        unsafe { mm::mmap_anonymous(pointer(at), bytes as usize, ProtFlags::READ | ProtFlags::WRITE, flags) }
            .map_err(|_| Status::NoMemory)?;
    // SAFETY: these pages have just been mapped; the advice is about children only.
    let _ = unsafe { mm::madvise(base, bytes as usize, Advice::LinuxDontFork) };
    Ok(base.expose_provenance() as Address)
}

fn trim(at: Address, bytes: u64) {
    if bytes > 0 {
        // SAFETY: the range is the unused edge of a mapping that `map_anywhere` made and has told nobody of.
        let _ = unsafe { mm::munmap(pointer(at), bytes as usize) };
    }
}

#[cfg(test)]
mod tests;
