//! Opening, topology, clocks, and the functions that this machine answers without doing anything.

use super::{Answer, answer, close, fill, open, opened, put};
use crate::clock;
use crate::process::Process;
use crate::types::{
    HsaCacheProperties, HsaClockCounters, HsaGpuTileConfig, HsaIoLinkProperties, HsaMemoryProperties,
    HsaNodeProperties, HsaSystemProperties, HsaVersionInfo, Node, Status,
};
use std::ffi::c_void;
use zerocopy::FromZeros;

/// The driver's interface that is offered.
const VERSION: HsaVersionInfo = HsaVersionInfo { major: 1, minor: 9 };
/// Register `GB_ADDR_CONFIG` of gfx90a.
const GB_ADDR_CONFIG: u32 = 0x1000_0444;

/// Opens the driver; each opening needs a closing.
#[unsafe(no_mangle)]
pub extern "C" fn hsaKmtOpenKFD() -> Status {
    answer(open)
}

/// Closes the driver.
#[unsafe(no_mangle)]
pub extern "C" fn hsaKmtCloseKFD() -> Status {
    answer(close)
}

/// The version of the driver's interface.
///
/// # Safety
/// The pointer is null or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsaKmtGetVersion(version: *mut HsaVersionInfo) -> Status {
    // SAFETY: this function's contract.
    opened(|_| unsafe { put(version, VERSION) })
}

/// The number of nodes.
///
/// # Safety
/// The pointer is null or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsaKmtAcquireSystemProperties(properties: *mut HsaSystemProperties) -> Status {
    opened(|process| {
        let num_nodes = process.topology.nodes();
        let system = HsaSystemProperties { num_nodes, ..HsaSystemProperties::new_zeroed() };
        // SAFETY: this function's contract.
        unsafe { put(properties, system) }
    })
}

/// Ends a look at the topology, which never changes.
#[unsafe(no_mangle)]
pub extern "C" fn hsaKmtReleaseSystemProperties() -> Status {
    Status::Success
}

/// What a node is.
///
/// # Safety
/// The pointer is null or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsaKmtGetNodeProperties(node: Node, properties: *mut HsaNodeProperties) -> Status {
    // SAFETY: this function's contract.
    on(node, |process| unsafe { put(properties, process.topology.node(node)) })
}

/// The memory of a node.
///
/// # Safety
/// The pointer is null or valid for writes of `number` values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsaKmtGetNodeMemoryProperties(
    node: Node,
    number: u32,
    properties: *mut HsaMemoryProperties,
) -> Status {
    // SAFETY: this function's contract.
    on(node, |process| unsafe { fill(properties, number, process.topology.memory(node)) })
}

/// The caches of a node.
///
/// # Safety
/// The pointer is null or valid for writes of `number` values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsaKmtGetNodeCacheProperties(
    node: Node,
    _processor: u32,
    number: u32,
    properties: *mut HsaCacheProperties,
) -> Status {
    // SAFETY: this function's contract.
    on(node, |process| unsafe { fill(properties, number, process.topology.caches(node)) })
}

/// The links of a node.
///
/// # Safety
/// The pointer is null or valid for writes of `number` values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsaKmtGetNodeIoLinkProperties(
    node: Node,
    number: u32,
    properties: *mut HsaIoLinkProperties,
) -> Status {
    // SAFETY: this function's contract.
    on(node, |process| unsafe { fill(properties, number, process.topology.links(node)) })
}

/// All clocks, which are one.
///
/// # Safety
/// The pointer is null or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsaKmtGetClockCounters(node: Node, counters: *mut HsaClockCounters) -> Status {
    on(node, |_| {
        let now = clock::now();
        let clocks = HsaClockCounters { gpu: now, cpu: now, system: now, system_frequency: clock::FREQUENCY };
        // SAFETY: this function's contract.
        unsafe { put(counters, clocks) }
    })
}

/// How images are tiled: gfx9 has no tables.
///
/// # Safety
/// The pointer is null or valid for reads and writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsaKmtGetTileConfig(node: Node, config: *mut HsaGpuTileConfig) -> Status {
    on_gpu(node, |_| {
        let tiles = HsaGpuTileConfig {
            gb_addr_config: GB_ADDR_CONFIG,
            num_banks: 16,
            num_ranks: 1,
            // SAFETY: this function's contract.
            ..unsafe { super::take(config) }?
        };
        // SAFETY: this function's contract.
        unsafe { put(config, HsaGpuTileConfig { num_tile_configs: 0, num_macro_tile_configs: 0, ..tiles }) }
    })
}

/// Accepts the runtime's debugger interface, so that faults are reported through the queue's error reason.
#[unsafe(no_mangle)]
pub extern "C" fn hsaKmtRuntimeEnable(_debug: *mut c_void, _setup: bool) -> Status {
    opened(|_| Ok(()))
}

/// Takes it back.
#[unsafe(no_mangle)]
pub extern "C" fn hsaKmtRuntimeDisable() -> Status {
    opened(|_| Ok(()))
}

/// Whether page faults of kernels are retried: never.
///
/// # Safety
/// The pointer is null or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsaKmtGetXNACKMode(enabled: *mut i32) -> Status {
    // SAFETY: this function's contract.
    opened(|_| unsafe { put(enabled, 0) })
}

/// Chooses whether page faults of kernels are retried.
#[unsafe(no_mangle)]
pub extern "C" fn hsaKmtSetXNACKMode(enable: i32) -> Status {
    opened(|_| if enable == 0 { Ok(()) } else { Err(Status::NotSupported) })
}

/// Accepts a trap handler. Traps end in the queue's fault without it.
#[unsafe(no_mangle)]
pub extern "C" fn hsaKmtSetTrapHandler(
    node: Node,
    _handler: *mut c_void,
    _handler_bytes: u64,
    _buffer: *mut c_void,
    _buffer_bytes: u64,
) -> Status {
    on_gpu(node, |_| Ok(()))
}

/// Chooses caching by address: a function of APUs.
#[unsafe(no_mangle)]
pub extern "C" fn hsaKmtSetMemoryPolicy(
    node: Node,
    _default: u32,
    _alternate: u32,
    _base: *mut c_void,
    _bytes: u64,
) -> Status {
    on_gpu(node, |_| Err(Status::NotImplemented))
}

fn on(node: Node, call: impl FnOnce(&Process) -> Answer) -> Status {
    opened(|process| process.topology.check(node).and_then(|()| call(process)))
}

fn on_gpu(node: Node, call: impl FnOnce(&Process) -> Answer) -> Status {
    opened(|process| process.topology.gpu(node).ok_or(Status::InvalidNodeUnit).and_then(|_| call(process)))
}
