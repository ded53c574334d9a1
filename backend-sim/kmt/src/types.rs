//! The types of the thunk's interface, laid out as `hsakmttypes.h` declares them (4-byte packing, little endian).

use std::ffi::c_void;
use zerocopy::FromZeros;

/// Node numbers.
pub type Node = u32;

/// What a function of the interface answers (`HSAKMT_STATUS`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Status {
    /// Done.
    Success = 0,
    /// Failed for a reason that has no number.
    Error = 1,
    /// A parameter is out of its range.
    InvalidParameter = 3,
    /// A handle names nothing.
    InvalidHandle = 4,
    /// The node does not exist, or is not of the kind asked for.
    InvalidNodeUnit = 5,
    /// No memory left.
    NoMemory = 6,
    /// The function does not exist for these parameters.
    NotImplemented = 10,
    /// The function does not exist on this node.
    NotSupported = 11,
    /// Some resource is used up.
    OutOfResources = 13,
    /// The driver is not open.
    KernelIoChannelNotOpened = 20,
    /// The time is over.
    WaitTimeout = 31,
    /// The memory is not registered.
    MemoryNotRegistered = 36,
}

/// Declares structs of the interface, and the list of their layouts for the test against the header.
macro_rules! layouts {
    ($($(#[$doc:meta])* pub struct $name:ident { $($(#[$field_doc:meta])* pub $field:ident: $type:ty = $c:literal,)+ })+) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, FromZeros)]
            #[repr(C, packed(4))]
            pub struct $name { $($(#[$field_doc])* pub $field: $type,)+ }
        )+

        /// Name, size, and fields with offset, size of each struct, in C's words.
        #[cfg(test)]
        pub(crate) fn layouts() -> Vec<(&'static str, usize, Vec<(&'static str, usize, usize)>)> {
            vec![$((
                stringify!($name),
                std::mem::size_of::<$name>(),
                vec![$(($c, std::mem::offset_of!($name, $field), std::mem::size_of::<$type>())),+],
            )),+]
        }
    };
}

layouts! {
    /// Version of the driver's interface.
    pub struct HsaVersionInfo {
        /// Major number.
        pub major: u32 = "KernelInterfaceMajorVersion",
        /// Minor number.
        pub minor: u32 = "KernelInterfaceMinorVersion",
    }

    /// The system as a whole.
    pub struct HsaSystemProperties {
        /// Nodes, GPUs and CPUs.
        pub num_nodes: u32 = "NumNodes",
        /// Manufacturer of the platform.
        pub platform_oem: u32 = "PlatformOem",
        /// Platform.
        pub platform_id: u32 = "PlatformId",
        /// Its revision.
        pub platform_rev: u32 = "PlatformRev",
    }

    /// One node.
    pub struct HsaNodeProperties {
        /// CPU cores.
        pub num_cpu_cores: u32 = "NumCPUCores",
        /// SIMDs.
        pub num_f_compute_cores: u32 = "NumFComputeCores",
        /// Memory banks.
        pub num_memory_banks: u32 = "NumMemoryBanks",
        /// Caches.
        pub num_caches: u32 = "NumCaches",
        /// Links to other nodes.
        pub num_io_links: u32 = "NumIOLinks",
        /// Number of the first CPU core.
        pub c_compute_id_lo: u32 = "CComputeIdLo",
        /// Number of the first SIMD.
        pub f_compute_id_lo: u32 = "FComputeIdLo",
        /// Bits of `HSA_CAPABILITY`.
        pub capability: u32 = "Capability",
        /// Waves a SIMD.
        pub max_waves_per_simd: u32 = "MaxWavesPerSIMD",
        /// LDS of a workgroup, KiB.
        pub lds_size_in_kb: u32 = "LDSSizeInKB",
        /// GDS, KiB.
        pub gds_size_in_kb: u32 = "GDSSizeInKB",
        /// Lanes of a wave.
        pub wave_front_size: u32 = "WaveFrontSize",
        /// Shader engines.
        pub num_shader_banks: u32 = "NumShaderBanks",
        /// SIMD arrays of an engine.
        pub num_arrays: u32 = "NumArrays",
        /// Compute units of an array.
        pub num_cu_per_array: u32 = "NumCUPerArray",
        /// SIMDs of a compute unit.
        pub num_simd_per_cu: u32 = "NumSIMDPerCU",
        /// Waves with scratch that fit on a compute unit.
        pub max_slots_scratch_cu: u32 = "MaxSlotsScratchCU",
        /// Bits of `HSA_ENGINE_ID`.
        pub engine_id: u32 = "EngineId",
        /// PCI vendor.
        pub vendor_id: u16 = "VendorId",
        /// PCI device.
        pub device_id: u16 = "DeviceId",
        /// Bus, device and function.
        pub location_id: u32 = "LocationId",
        /// Device memory, bytes.
        pub local_mem_size: u64 = "LocalMemSize",
        /// GPU clock, MHz.
        pub max_engine_clock_mhz_f_compute: u32 = "MaxEngineClockMhzFCompute",
        /// CPU clock, MHz.
        pub max_engine_clock_mhz_c_compute: u32 = "MaxEngineClockMhzCCompute",
        /// Minor number of the DRM render device.
        pub drm_render_minor: i32 = "DrmRenderMinor",
        /// Public name, UTF-16.
        pub marketing_name: [u16; 64] = "MarketingName",
        /// Internal name, ASCII.
        pub amd_name: [u8; 64] = "AMDName",
        /// Bits of `HSA_ENGINE_VERSION`.
        pub ucode_engine_versions: u32 = "uCodeEngineVersions",
        /// Bits of `HSA_DEBUG_PROPERTIES`.
        pub debug_properties: u64 = "DebugProperties",
        /// XGMI hive; 0 for none.
        pub hive_id: u64 = "HiveID",
        /// SDMA engines.
        pub num_sdma_engines: u32 = "NumSdmaEngines",
        /// SDMA engines for XGMI.
        pub num_sdma_xgmi_engines: u32 = "NumSdmaXgmiEngines",
        /// Queues of an SDMA engine.
        pub num_sdma_queues_per_engine: u8 = "NumSdmaQueuesPerEngine",
        /// Compute queues.
        pub num_cp_queues: u8 = "NumCpQueues",
        /// Global wave sync barriers.
        pub num_gws: u8 = "NumGws",
        /// Zero.
        pub reserved2: u8 = "Reserved2",
        /// PCI domain.
        pub domain: u32 = "Domain",
        /// Serial number.
        pub unique_id: u64 = "UniqueID",
        /// VGPRs of a compute unit, bytes.
        pub vgpr_size_per_cu: u32 = "VGPRSizePerCU",
        /// SGPRs of a compute unit, bytes.
        pub sgpr_size_per_cu: u32 = "SGPRSizePerCU",
        /// Zero.
        pub reserved: [u8; 12] = "Reserved",
    }

    /// A memory bank of a node.
    pub struct HsaMemoryProperties {
        /// A number of `HSA_HEAPTYPE`.
        pub heap_type: u32 = "HeapType",
        /// Bytes.
        pub size_in_bytes: u64 = "SizeInBytes",
        /// Bits of `HSA_MEMORYPROPERTY`.
        pub flags: u32 = "Flags",
        /// Bits of the bus.
        pub width: u32 = "Width",
        /// Clock, MHz.
        pub memory_clock_max: u32 = "MemoryClockMax",
        /// Start of an aperture; 0 if there is none.
        pub virtual_base_address: u64 = "VirtualBaseAddress",
    }

    /// A cache of a node.
    pub struct HsaCacheProperties {
        /// First processor that uses it.
        pub processor_id_low: u32 = "ProcessorIdLow",
        /// 1, 2, 3, …
        pub cache_level: u32 = "CacheLevel",
        /// KiB.
        pub cache_size: u32 = "CacheSize",
        /// Bytes of a line.
        pub cache_line_size: u32 = "CacheLineSize",
        /// Lines of a tag.
        pub cache_lines_per_tag: u32 = "CacheLinesPerTag",
        /// Ways.
        pub cache_associativity: u32 = "CacheAssociativity",
        /// Nanoseconds.
        pub cache_latency: u32 = "CacheLatency",
        /// Bits of `HsaCacheType`.
        pub cache_type: u32 = "CacheType",
        /// Processors that share it.
        pub sibling_map: [u32; 256] = "SiblingMap",
    }

    /// A link between two nodes.
    pub struct HsaIoLinkProperties {
        /// A number of `HSA_IOLINKTYPE`.
        pub io_link_type: u32 = "IoLinkType",
        /// Version of the bus.
        pub version_major: u32 = "VersionMajor",
        /// Version of the bus.
        pub version_minor: u32 = "VersionMinor",
        /// From this node,
        pub node_from: u32 = "NodeFrom",
        /// to that one.
        pub node_to: u32 = "NodeTo",
        /// Distance.
        pub weight: u32 = "Weight",
        /// Nanoseconds.
        pub minimum_latency: u32 = "MinimumLatency",
        /// Nanoseconds.
        pub maximum_latency: u32 = "MaximumLatency",
        /// MB/s.
        pub minimum_bandwidth: u32 = "MinimumBandwidth",
        /// MB/s.
        pub maximum_bandwidth: u32 = "MaximumBandwidth",
        /// Best size of a transfer, bytes.
        pub rec_transfer_size: u32 = "RecTransferSize",
        /// Bits of `HSA_LINKPROPERTY`.
        pub flags: u32 = "Flags",
    }

    /// Queue resources, in and out.
    pub struct HsaQueueResource {
        /// Handle of the queue.
        pub queue_id: u64 = "QueueId",
        /// Where the doorbell is.
        pub doorbell: u64 = "QueueDoorBell",
        /// Where the write index is.
        pub write_ptr: u64 = "QueueWptrValue",
        /// Where the read index is.
        pub read_ptr: u64 = "QueueRptrValue",
        /// Where exceptions are reported: the value of a signal, or null.
        pub error_reason: *mut i64 = "ErrorReason",
    }

    /// What is known of a pointer.
    pub struct HsaPointerInfo {
        /// A number of `HSA_POINTER_TYPE`.
        pub kind: u32 = "Type",
        /// Node of the memory.
        pub node: u32 = "Node",
        /// Flags of the allocation.
        pub mem_flags: MemFlags = "MemFlags",
        /// Start, as the CPU sees it.
        pub cpu_address: *mut c_void = "CPUAddress",
        /// Start, as the GPU sees it.
        pub gpu_address: u64 = "GPUAddress",
        /// Bytes.
        pub size_in_bytes: u64 = "SizeInBytes",
        /// Nodes registered.
        pub n_registered_nodes: u32 = "NRegisteredNodes",
        /// Nodes mapped.
        pub n_mapped_nodes: u32 = "NMappedNodes",
        /// Nodes registered.
        pub registered_nodes: *const u32 = "RegisteredNodes",
        /// Nodes mapped; valid until the mapping changes.
        pub mapped_nodes: *const u32 = "MappedNodes",
        /// The caller's own.
        pub user_data: *mut c_void = "UserData",
    }

    /// What an event is to be.
    pub struct HsaEventDescriptor {
        /// A number of `HSA_EVENTTYPE`.
        pub event_type: u32 = "EventType",
        /// Node that is the event's source.
        pub node_id: u32 = "NodeId",
        /// The caller's own.
        pub sync_var: [u32; 4] = "SyncVar",
    }

    /// An event, in the layout of a memory event.
    pub struct HsaEvent {
        /// Number of the event.
        pub event_id: u32 = "EventId",
        /// A number of `HSA_EVENTTYPE`.
        pub event_type: u32 = "EventData.EventType",
        /// Node of the fault.
        pub fault_node: u32 = "EventData.EventData.MemoryAccessFault.NodeId",
        /// Address of the fault.
        pub fault_address: u64 = "EventData.EventData.MemoryAccessFault.VirtualAddress",
        /// Bits of `HsaAccessAttributeFailure`.
        pub fault_failure: u32 = "EventData.EventData.MemoryAccessFault.Failure",
        /// A number of `HSA_EVENTID_MEMORYFLAGS`.
        pub fault_flags: u32 = "EventData.EventData.MemoryAccessFault.Flags",
        /// Number of the event.
        pub hw_data1: u64 = "EventData.HWData1",
        /// Address of the event's mailbox.
        pub hw_data2: u64 = "EventData.HWData2",
        /// Number of the event.
        pub hw_data3: u32 = "EventData.HWData3",
    }

    /// Clocks, read together.
    pub struct HsaClockCounters {
        /// GPU clock, ticks.
        pub gpu: u64 = "GPUClockCounter",
        /// CPU clock, ticks.
        pub cpu: u64 = "CPUClockCounter",
        /// System clock, ticks.
        pub system: u64 = "SystemClockCounter",
        /// Ticks of the system clock a second.
        pub system_frequency: u64 = "SystemClockFrequencyHz",
    }

    /// Tiling of images.
    pub struct HsaGpuTileConfig {
        /// Room for the first table.
        pub tile_config: *mut u32 = "TileConfig",
        /// Room for the second table.
        pub macro_tile_config: *mut u32 = "MacroTileConfig",
        /// Entries of the first.
        pub num_tile_configs: u32 = "NumTileConfigs",
        /// Entries of the second.
        pub num_macro_tile_configs: u32 = "NumMacroTileConfigs",
        /// Register `GB_ADDR_CONFIG`.
        pub gb_addr_config: u32 = "GbAddrConfig",
        /// Banks.
        pub num_banks: u32 = "NumBanks",
        /// Ranks.
        pub num_ranks: u32 = "NumRanks",
        /// Zero.
        pub reserved: [u32; 7] = "Reserved",
    }
}

/// Flags of an allocation (`HsaMemFlags`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromZeros)]
#[repr(transparent)]
pub struct MemFlags(pub u32);

impl MemFlags {
    /// Device memory, on a GPU's node.
    pub const NON_PAGED: Self = Self(1);
    /// The device may not write.
    pub const READ_ONLY: Self = Self(1 << 3);
    /// The host may access it.
    pub const HOST_ACCESS: Self = Self(1 << 6);
    /// Global data share.
    pub const GDS: Self = Self(1 << 8);
    /// Address space for scratch, of which parts are mapped later.
    pub const SCRATCH: Self = Self(1 << 9);
    /// Coherent at kernel boundaries only.
    pub const COARSE_GRAIN: Self = Self(1 << 13);
    /// At the address that the caller names.
    pub const FIXED_ADDRESS: Self = Self(1 << 15);

    /// Whether every bit of `other` is set.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Bytes of the page that the caller asked for.
    pub const fn page_bytes(self) -> u64 {
        match self.0 >> 4 & 3 {
            0 => 4 << 10,
            1 => 64 << 10,
            2 => 2 << 20,
            _ => 1 << 30,
        }
    }
}

impl std::ops::BitOr for MemFlags {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

#[cfg(test)]
mod tests;
