//! Structs that the runtime and its callers share.

use crate::handles::{Agent, Signal};
use std::ffi::c_void;

layouts! {
    /// A queue, as its users see it.
    pub struct Queue = "hsa_queue_t" {
        /// A value of [`queue_type`](crate::constants::queue_type).
        pub kind: u32 = "type",
        /// Bits of [`queue_feature`](crate::constants::queue_feature).
        pub features: u32 = "features",
        /// The ring.
        pub base_address: *mut c_void = "base_address",
        /// Where the index of the last packet is stored. Of an interceptable queue it is no hardware doorbell.
        pub doorbell_signal: Signal = "doorbell_signal",
        /// Slots of the ring, a power of two.
        pub size: u32 = "size",
        reserved1: u32 = "reserved1",
        /// Names the queue in its process.
        pub id: u64 = "id",
    }

    /// What a queue handle points to in AMD's runtime. The indices change while it is looked at: read them volatile.
    #[repr(align(64))]
    pub struct AmdQueue = "amd_queue_t" {
        /// The part that its users see.
        pub queue: Queue = "hsa_queue",
        reserved1: [u32; 4] = "reserved1",
        /// Write index.
        pub write_dispatch_id: u64 = "write_dispatch_id",
        /// High half of the address where group memory begins.
        pub group_segment_aperture_base_hi: u32 = "group_segment_aperture_base_hi",
        /// High half of the address where private memory begins.
        pub private_segment_aperture_base_hi: u32 = "private_segment_aperture_base_hi",
        /// Compute units less 1.
        pub max_cu_id: u32 = "max_cu_id",
        /// Waves a compute unit less 1.
        pub max_wave_id: u32 = "max_wave_id",
        /// For doorbells that the device does not handle itself.
        pub max_legacy_doorbell_dispatch_id_plus_1: u64 = "max_legacy_doorbell_dispatch_id_plus_1",
        /// For doorbells that the device does not handle itself.
        pub legacy_doorbell_lock: u32 = "legacy_doorbell_lock",
        reserved2: [u32; 9] = "reserved2",
        /// Read index.
        pub read_dispatch_id: u64 = "read_dispatch_id",
        /// Bytes from this struct to the read index.
        pub read_dispatch_id_field_base_byte_offset: u32 = "read_dispatch_id_field_base_byte_offset",
        /// How much scratch memory the device hands out.
        pub compute_tmpring_size: u32 = "compute_tmpring_size",
        /// Buffer descriptor of the scratch memory.
        pub scratch_resource_descriptor: [u32; 4] = "scratch_resource_descriptor",
        /// Address of the scratch memory.
        pub scratch_backing_memory_location: u64 = "scratch_backing_memory_location",
        /// Bytes of it.
        pub scratch_backing_memory_byte_size: u64 = "scratch_backing_memory_byte_size",
        /// Bytes of it a lane.
        pub scratch_wave64_lane_byte_size: u32 = "scratch_wave64_lane_byte_size",
        /// Bits of [`amd_queue_properties`](crate::constants::amd_queue_properties).
        pub queue_properties: u32 = "queue_properties",
        reserved3: [u32; 2] = "reserved3",
        /// Set by the device when the queue can go no further.
        pub queue_inactive_signal: Signal = "queue_inactive_signal",
        reserved4: [u32; 14] = "reserved4",
    }

    /// What a signal handle points to in AMD's runtime. Others change it while it is looked at: read it volatile, or
    /// the value as an atomic.
    #[repr(align(64))]
    pub struct AmdSignal = "amd_signal_t" {
        /// A value of [`amd_signal_kind`](crate::constants::amd_signal_kind).
        pub kind: i64 = "kind",
        /// Value, or address of a hardware doorbell.
        pub value: i64 = "value",
        /// Where `event_id` is stored to wake who sleeps; 0 if nobody can.
        pub event_mailbox_ptr: u64 = "event_mailbox_ptr",
        /// The event that wakes them.
        pub event_id: u32 = "event_id",
        reserved1: u32 = "reserved1",
        /// When the dispatch began that completed last, ticks of the agent.
        pub start_ts: u64 = "start_ts",
        /// When it ended, ticks of the agent.
        pub end_ts: u64 = "end_ts",
        /// The queue of a doorbell.
        pub queue_ptr: *mut AmdQueue = "queue_ptr",
        reserved3: [u32; 2] = "reserved3",
    }

    /// Three numbers.
    #[derive(PartialEq, Eq)]
    pub struct Dim3 = "hsa_dim3_t" {
        /// In bytes where it is a range or an offset of a copy.
        pub x: u32 = "x",
        /// In rows.
        pub y: u32 = "y",
        /// In slices.
        pub z: u32 = "z",
    }

    /// A place in memory that rows and slices are copied from or to.
    pub struct PitchedPtr = "hsa_pitched_ptr_t" {
        /// First byte.
        pub base: *mut c_void = "base",
        /// Bytes from row to row.
        pub pitch: usize = "pitch",
        /// Bytes from slice to slice.
        pub slice: usize = "slice",
    }

    /// When a dispatch ran.
    #[derive(Default, PartialEq, Eq)]
    pub struct DispatchTime = "hsa_amd_profiling_dispatch_time_t" {
        /// Start, ticks of the system clock.
        pub start: u64 = "start",
        /// End, ticks of the system clock.
        pub end: u64 = "end",
    }

    /// When an asynchronous copy ran.
    #[derive(Default, PartialEq, Eq)]
    pub struct AsyncCopyTime = "hsa_amd_profiling_async_copy_time_t" {
        /// Start, ticks of the system clock.
        pub start: u64 = "start",
        /// End, ticks of the system clock.
        pub end: u64 = "end",
    }

    /// What the runtime knows of an address.
    #[derive(PartialEq, Eq)]
    pub struct PointerInfo = "hsa_amd_pointer_info_t" {
        /// Bytes that the caller has room for; on return, bytes that were filled.
        pub size: u32 = "size",
        /// A value of [`pointer_type`](crate::constants::pointer_type).
        pub kind: u32 = "type",
        /// Start of the allocation, as agents see it.
        pub agent_base_address: *mut c_void = "agentBaseAddress",
        /// Start of the allocation, as the host sees it; null if it does not.
        pub host_base_address: *mut c_void = "hostBaseAddress",
        /// Bytes of the allocation.
        pub size_in_bytes: usize = "sizeInBytes",
        /// The caller's own.
        pub user_data: *mut c_void = "userData",
        /// Whose memory it is.
        pub agent_owner: Agent = "agentOwner",
        /// Bits of [`memory_pool_global_flag`](crate::constants::memory_pool_global_flag).
        pub global_flags: u32 = "global_flags",
    }

    /// Names an allocation in other processes.
    #[derive(PartialEq, Eq)]
    pub struct IpcMemory = "hsa_amd_ipc_memory_t" {
        /// Opaque.
        pub handle: [u32; 8] = "handle",
    }

    /// An agent's access to memory that it may not have.
    pub struct MemoryFaultInfo = "hsa_amd_gpu_memory_fault_info_t" {
        /// Who.
        pub agent: Agent = "agent",
        /// Where, to the page.
        pub virtual_address: u64 = "virtual_address",
        /// Bits of [`memory_fault`](crate::constants::memory_fault).
        pub fault_reason_mask: u32 = "fault_reason_mask",
    }

    /// Something that happened to an agent.
    pub struct Event = "hsa_amd_event_t" {
        /// A value of [`event_type`](crate::constants::event_type).
        pub event_type: u32 = "event_type",
        /// The fault, if it is one.
        pub memory_fault: MemoryFaultInfo = "memory_fault",
    }
}

impl PointerInfo {
    /// Room for the runtime's answer.
    pub const fn empty() -> Self {
        Self {
            size: size_of::<Self>() as u32,
            kind: crate::constants::pointer_type::UNKNOWN,
            agent_base_address: std::ptr::null_mut(),
            host_base_address: std::ptr::null_mut(),
            size_in_bytes: 0,
            user_data: std::ptr::null_mut(),
            agent_owner: Agent(0),
            global_flags: 0,
        }
    }
}

/// Who may do what with mapped memory (`hsa_amd_memory_access_desc_t`, ROCm 6.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct MemoryAccess {
    /// A value of [`access_permission`](crate::constants::access_permission).
    pub permissions: u32,
    /// Who.
    pub agent: Agent,
}
