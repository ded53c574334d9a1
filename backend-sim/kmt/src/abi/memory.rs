//! Memory: allocating, registering, mapping, asking.

use super::{Answer, opened, put, take, take_all};
use crate::memory::{Info, Kind};
use crate::process::Process;
use crate::types::{HsaPointerInfo, MemFlags, Node, Status};
use kreplay_core::ids::Address;
use std::ffi::c_void;
use std::ptr;
use zerocopy::FromZeros;

/// Numbers of `HSA_POINTER_TYPE`.
const ALLOCATED: u32 = 1;
const REGISTERED_USER: u32 = 2;

/// Allocates memory.
///
/// # Safety
/// The pointer is null or valid for reads and writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsaKmtAllocMemory(
    node: Node,
    bytes: u64,
    flags: MemFlags,
    address: *mut *mut c_void,
) -> Status {
    opened(|process| {
        process.topology.check(node)?;
        // SAFETY: this function's contract.
        let at = number(unsafe { take(address) }?);
        let base = process.space.allocate(node, bytes, flags, at)?;
        // SAFETY: this function's contract.
        unsafe { put(address, pointer(base)) }
    })
}

/// Frees memory.
#[unsafe(no_mangle)]
pub extern "C" fn hsaKmtFreeMemory(address: *mut c_void, _bytes: u64) -> Status {
    opened(|process| process.space.free(number(address)))
}

/// Registers the application's memory.
#[unsafe(no_mangle)]
pub extern "C" fn hsaKmtRegisterMemoryWithFlags(address: *mut c_void, bytes: u64, flags: MemFlags) -> Status {
    opened(|process| {
        if !flags.has(MemFlags::HOST_ACCESS) || flags.has(MemFlags::NON_PAGED) {
            return Err(Status::NotSupported);
        }
        process.space.register(number(address), bytes, flags)
    })
}

/// Takes a registration back.
#[unsafe(no_mangle)]
pub extern "C" fn hsaKmtDeregisterMemory(address: *mut c_void) -> Status {
    opened(|process| process.space.deregister(number(address)))
}

/// Lets all GPUs access memory.
///
/// # Safety
/// The last pointer is null or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsaKmtMapMemoryToGPU(
    address: *mut c_void,
    bytes: u64,
    gpu_address: *mut u64,
) -> Status {
    // SAFETY: this function's contract.
    opened(|process| unsafe { map(process, address, bytes, gpu_address, None) })
}

/// Lets some nodes access memory.
///
/// # Safety
/// `gpu_address` is null or valid for a write, `nodes` for reads of `number_of_nodes` values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsaKmtMapMemoryToGPUNodes(
    address: *mut c_void,
    bytes: u64,
    gpu_address: *mut u64,
    _flags: u32,
    number_of_nodes: u64,
    nodes: *const Node,
) -> Status {
    opened(|process| {
        let most = u64::from(process.topology.nodes());
        if number_of_nodes > most {
            return Err(Status::InvalidParameter);
        }
        // SAFETY: this function's contract.
        let nodes = unsafe { take_all(nodes, number_of_nodes as usize) }?;
        // SAFETY: this function's contract.
        unsafe { map(process, address, bytes, gpu_address, Some(&nodes)) }
    })
}

/// The device's address is the host's, but for registered memory.
///
/// # Safety
/// `gpu_address` is null or valid for a write.
unsafe fn map(
    process: &Process,
    address: *mut c_void,
    bytes: u64,
    gpu_address: *mut u64,
    nodes: Option<&[Node]>,
) -> Answer {
    let device = process.space.map(number(address), bytes, nodes)?;
    if gpu_address.is_null() {
        return Ok(());
    }
    // SAFETY: this function's contract.
    unsafe { put(gpu_address, device) }
}

/// Takes access away from all nodes.
#[unsafe(no_mangle)]
pub extern "C" fn hsaKmtUnmapMemoryToGPU(address: *mut c_void) -> Status {
    opened(|process| if address.is_null() { Ok(()) } else { process.space.unmap(number(address)) })
}

/// What is known of a pointer. An error if it is nothing, with a type that says so.
///
/// # Safety
/// The last pointer is null or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsaKmtQueryPointerInfo(address: *const c_void, info: *mut HsaPointerInfo) -> Status {
    opened(|process| {
        let known = process.space.info(number(address));
        let answer = known.map_or_else(HsaPointerInfo::new_zeroed, describe);
        // SAFETY: this function's contract.
        unsafe { put(info, answer) }?;
        known.map(drop).ok_or(Status::Error)
    })
}

fn describe(info: Info) -> HsaPointerInfo {
    HsaPointerInfo {
        kind: if info.kind == Kind::Registered { REGISTERED_USER } else { ALLOCATED },
        node: info.node,
        mem_flags: info.flags,
        cpu_address: pointer(info.base),
        gpu_address: info.device,
        size_in_bytes: info.bytes,
        n_mapped_nodes: info.mapped.len() as u32,
        mapped_nodes: info.mapped.as_ptr(),
        user_data: ptr::with_exposed_provenance_mut(info.user_data),
        ..HsaPointerInfo::new_zeroed()
    }
}

/// Keeps a value of the caller with memory.
#[unsafe(no_mangle)]
pub extern "C" fn hsaKmtSetMemoryUserData(address: *const c_void, data: *mut c_void) -> Status {
    opened(|process| process.space.set_user_data(number(address), data.expose_provenance()))
}

/// Shares memory with another process.
#[unsafe(no_mangle)]
pub extern "C" fn hsaKmtShareMemory(_: *mut c_void, _: u64, _handle: *mut [u32; 8]) -> Status {
    opened(|_| Err(Status::NotSupported))
}

/// Takes memory that another process shares.
#[unsafe(no_mangle)]
pub extern "C" fn hsaKmtRegisterSharedHandle(_: *const [u32; 8], _: *mut *mut c_void, _: *mut u64) -> Status {
    opened(|_| Err(Status::NotSupported))
}

/// Takes memory that another process shares, for some nodes.
#[unsafe(no_mangle)]
pub extern "C" fn hsaKmtRegisterSharedHandleToNodes(
    _: *const [u32; 8],
    _: *mut *mut c_void,
    _: *mut u64,
    _: u64,
    _: *mut Node,
) -> Status {
    opened(|_| Err(Status::NotSupported))
}

/// Takes memory of a graphics driver.
#[unsafe(no_mangle)]
pub extern "C" fn hsaKmtRegisterGraphicsHandleToNodes(
    _: u64,
    _: *mut c_void,
    _: u64,
    _: *mut Node,
) -> Status {
    opened(|_| Err(Status::NotSupported))
}

/// Reads attributes of shared virtual memory, which the node's capabilities do not offer.
#[unsafe(no_mangle)]
pub extern "C" fn hsaKmtSVMGetAttr(_: *mut c_void, _: u64, _: u32, _: *mut c_void) -> Status {
    opened(|_| Err(Status::NotSupported))
}

/// Writes attributes of shared virtual memory, which the node's capabilities do not offer.
#[unsafe(no_mangle)]
pub extern "C" fn hsaKmtSVMSetAttr(_: *mut c_void, _: u64, _: u32, _: *mut c_void) -> Status {
    opened(|_| Err(Status::NotSupported))
}

fn number(pointer: *const c_void) -> Address {
    pointer.expose_provenance() as Address
}

fn pointer(at: Address) -> *mut c_void {
    ptr::with_exposed_provenance_mut(at as usize)
}
