//! Numbers, grouped by what they are numbers of. Attributes say the type of their value.

constants! {
    /// What the system can be asked.
    pub mod system_info: u32 = "HSA_SYSTEM_INFO_" {
        /// A `u16`.
        VERSION_MAJOR = 0,
        /// A `u16`.
        VERSION_MINOR = 1,
        /// Now: a `u64`, ticks of the system clock.
        TIMESTAMP = 2,
        /// A `u64`, ticks a second.
        TIMESTAMP_FREQUENCY = 3,
    }

    /// Extensions of the interface.
    pub mod extension: u16 = "HSA_EXTENSION_" {
        /// The loader's, see [`LoaderTable`](crate::LoaderTable).
        AMD_LOADER = 0x201,
    }

    /// What an agent can be asked.
    pub mod agent_info: u32 = "HSA_AGENT_INFO_" {
        /// 64 characters, NUL behind.
        NAME = 0,
        /// 64 characters, NUL behind.
        VENDOR_NAME = 1,
        /// A `u32`: bits of [`agent_feature`](super::agent_feature).
        FEATURE = 2,
        /// A `u32`: a value of [`profile`](super::profile).
        PROFILE = 4,
        /// A `u32`, lanes.
        WAVEFRONT_SIZE = 6,
        /// A `u32`, work-items.
        WORKGROUP_MAX_SIZE = 8,
        /// A `u32`.
        QUEUES_MAX = 12,
        /// A `u32`, packets.
        QUEUE_MIN_SIZE = 13,
        /// A `u32`, packets.
        QUEUE_MAX_SIZE = 14,
        /// A `u32`, unique among agents of a kind.
        NODE = 16,
        /// A `u32`: a value of [`device_type`](super::device_type).
        DEVICE = 17,
        /// An [`Isa`](crate::Isa).
        ISA = 19,
    }

    /// What an agent of AMD can be asked.
    pub mod amd_agent_info: u32 = "HSA_AMD_AGENT_INFO_" {
        /// A `u32`.
        CHIP_ID = 0xa000,
        /// A `u32`.
        COMPUTE_UNIT_COUNT = 0xa002,
        /// A `u32`, MHz.
        MAX_CLOCK_FREQUENCY = 0xa003,
        /// A `u32`: the node that the driver knows it by.
        DRIVER_NODE_ID = 0xa004,
        /// A `u32`: bus, device and function.
        BDFID = 0xa006,
        /// 64 characters, NUL behind.
        PRODUCT_NAME = 0xa009,
        /// A `u32`.
        MAX_WAVES_PER_CU = 0xa00a,
        /// A `u32`.
        NUM_SIMDS_PER_CU = 0xa00b,
        /// A `u32`.
        NUM_SHADER_ENGINES = 0xa00c,
        /// A `u32`: the PCI domain.
        DOMAIN = 0xa00f,
        /// A `bool`.
        COOPERATIVE_QUEUES = 0xa010,
        /// 21 characters, NUL behind.
        UUID = 0xa011,
        /// A `u32`.
        ASIC_REVISION = 0xa012,
        /// A `bool`: whether the host reaches this agent's memory.
        SVM_DIRECT_HOST_ACCESS = 0xa013,
    }

    /// Kinds of agents.
    pub mod device_type: u32 = "HSA_DEVICE_TYPE_" {
        CPU = 0,
        GPU = 1,
        DSP = 2,
    }

    /// What an agent can do.
    pub mod agent_feature: u32 = "HSA_AGENT_FEATURE_" {
        KERNEL_DISPATCH = 1,
        AGENT_DISPATCH = 2,
    }

    /// Profiles.
    pub mod profile: u32 = "HSA_PROFILE_" {
        BASE = 0,
        FULL = 1,
    }

    /// How floats are rounded where nothing is said.
    pub mod default_float_rounding_mode: u32 = "HSA_DEFAULT_FLOAT_ROUNDING_MODE_" {
        DEFAULT = 0,
        ZERO = 1,
        NEAR = 2,
    }

    /// What an instruction set can be asked.
    pub mod isa_info: u32 = "HSA_ISA_INFO_" {
        /// A `u32`: characters of the name, and the NUL behind.
        NAME_LENGTH = 0,
        /// Characters, NUL behind.
        NAME = 1,
    }

    /// Who may write to a queue.
    pub mod queue_type: u32 = "HSA_QUEUE_TYPE_" {
        MULTI = 0,
        SINGLE = 1,
        COOPERATIVE = 2,
    }

    /// What a queue can do.
    pub mod queue_feature: u32 = "HSA_QUEUE_FEATURE_" {
        KERNEL_DISPATCH = 1,
        AGENT_DISPATCH = 2,
    }

    /// Properties of AMD's queues.
    pub mod amd_queue_properties: u32 = "AMD_QUEUE_PROPERTIES_" {
        ENABLE_TRAP_HANDLER = 1,
        IS_PTR64 = 1 << 1,
        ENABLE_TRAP_HANDLER_DEBUG_SGPRS = 1 << 2,
        /// Dispatches write their times to their completion signals.
        ENABLE_PROFILING = 1 << 3,
        USE_SCRATCH_ONCE = 1 << 4,
    }

    /// Conditions on a signal's value.
    pub mod signal_condition: u32 = "HSA_SIGNAL_CONDITION_" {
        EQ = 0,
        NE = 1,
        LT = 2,
        GTE = 3,
    }

    /// How to wait.
    pub mod wait_state: u32 = "HSA_WAIT_STATE_" {
        /// Asleep.
        BLOCKED = 0,
        /// Spinning.
        ACTIVE = 1,
    }

    /// Kinds of AMD's signals.
    pub mod amd_signal_kind: i64 = "AMD_SIGNAL_KIND_" {
        INVALID = 0,
        USER = 1,
        DOORBELL = -1,
        LEGACY_DOORBELL = -2,
    }

    /// Attributes of AMD's signals.
    pub mod signal_attribute: u64 = "HSA_AMD_SIGNAL_" {
        /// Nobody sleeps on it: it has no event.
        AMD_GPU_ONLY = 1,
        IPC = 2,
    }

    /// Kinds of regions.
    pub mod region_segment: u32 = "HSA_REGION_SEGMENT_" {
        GLOBAL = 0,
        READONLY = 1,
        PRIVATE = 2,
        GROUP = 3,
        KERNARG = 4,
    }

    /// Kinds of global regions.
    pub mod region_global_flag: u32 = "HSA_REGION_GLOBAL_FLAG_" {
        KERNARG = 1,
        FINE_GRAINED = 2,
        COARSE_GRAINED = 4,
    }

    /// What a region can be asked.
    pub mod region_info: u32 = "HSA_REGION_INFO_" {
        /// A `u32`: a value of [`region_segment`](super::region_segment).
        SEGMENT = 0,
        /// A `u32`: bits of [`region_global_flag`](super::region_global_flag).
        GLOBAL_FLAGS = 1,
        /// A `usize`, bytes.
        SIZE = 2,
        /// A `usize`, bytes.
        ALLOC_MAX_SIZE = 4,
        /// A `bool`.
        RUNTIME_ALLOC_ALLOWED = 5,
        /// A `usize`, bytes.
        RUNTIME_ALLOC_GRANULE = 6,
    }

    /// What a region of AMD's can be asked.
    pub mod amd_region_info: u32 = "HSA_AMD_REGION_INFO_" {
        /// A `bool`.
        HOST_ACCESSIBLE = 0xa000,
    }

    /// Kinds of memory pools.
    pub mod amd_segment: u32 = "HSA_AMD_SEGMENT_" {
        GLOBAL = 0,
        READONLY = 1,
        PRIVATE = 2,
        GROUP = 3,
    }

    /// Kinds of global memory pools.
    pub mod memory_pool_global_flag: u32 = "HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_" {
        KERNARG_INIT = 1,
        FINE_GRAINED = 2,
        COARSE_GRAINED = 4,
    }

    /// What a memory pool can be asked.
    pub mod memory_pool_info: u32 = "HSA_AMD_MEMORY_POOL_INFO_" {
        /// A `u32`: a value of [`amd_segment`](super::amd_segment).
        SEGMENT = 0,
        /// A `u32`: bits of [`memory_pool_global_flag`](super::memory_pool_global_flag).
        GLOBAL_FLAGS = 1,
        /// A `usize`, bytes.
        SIZE = 2,
        /// A `bool`.
        RUNTIME_ALLOC_ALLOWED = 5,
        /// A `usize`, bytes.
        RUNTIME_ALLOC_GRANULE = 6,
        /// A `usize`, bytes.
        RUNTIME_ALLOC_ALIGNMENT = 7,
        /// A `bool`.
        ACCESSIBLE_BY_ALL = 15,
        /// A `usize`, bytes.
        ALLOC_MAX_SIZE = 16,
    }

    /// What can be asked of an agent and a memory pool.
    pub mod agent_memory_pool_info: u32 = "HSA_AMD_AGENT_MEMORY_POOL_INFO_" {
        /// A `u32`: a value of [`memory_pool_access`](super::memory_pool_access).
        ACCESS = 0,
        /// A `u32`.
        NUM_LINK_HOPS = 1,
    }

    /// Whether an agent can reach a memory pool.
    pub mod memory_pool_access: u32 = "HSA_AMD_MEMORY_POOL_ACCESS_" {
        NEVER_ALLOWED = 0,
        ALLOWED_BY_DEFAULT = 1,
        /// Allowed for what `agents_allow_access` names.
        DISALLOWED_BY_DEFAULT = 2,
    }

    /// What an agent may do with memory.
    pub mod access_permission: u32 = "HSA_ACCESS_PERMISSION_" {
        RO = 1,
        WO = 2,
        RW = 3,
    }

    /// What an address is.
    pub mod pointer_type: u32 = "HSA_EXT_POINTER_TYPE_" {
        UNKNOWN = 0,
        /// Allocated.
        HSA = 1,
        /// Host memory, locked.
        LOCKED = 2,
        GRAPHICS = 3,
        /// Another process's.
        IPC = 4,
    }

    /// Things that happen to agents.
    pub mod event_type: u32 = "HSA_AMD_GPU_" {
        MEMORY_FAULT_EVENT = 0,
    }

    /// Why memory could not be accessed.
    pub mod memory_fault: u32 = "HSA_AMD_MEMORY_FAULT_" {
        PAGE_NOT_PRESENT = 1,
        READ_ONLY = 1 << 1,
        NX = 1 << 2,
        HOST_ONLY = 1 << 3,
        DRAMECC = 1 << 4,
        IMPRECISE = 1 << 5,
        SRAMECC = 1 << 6,
        HANG = 1 << 31,
    }

    /// Which queues go first.
    pub mod queue_priority: u32 = "HSA_AMD_QUEUE_PRIORITY_" {
        LOW = 0,
        NORMAL = 1,
        HIGH = 2,
    }

    /// What a symbol can be asked.
    pub mod symbol_info: u32 = "HSA_EXECUTABLE_SYMBOL_INFO_" {
        /// A `u32`: a value of [`symbol_kind`](super::symbol_kind).
        TYPE = 0,
        /// A `u32`: characters of the name; no NUL.
        NAME_LENGTH = 1,
        /// Characters; no NUL.
        NAME = 2,
        /// An [`Agent`](crate::Agent).
        AGENT = 20,
        /// A `u64`.
        VARIABLE_ADDRESS = 21,
        /// A `u32`, bytes.
        VARIABLE_SIZE = 9,
        /// A `bool`. Releases up to 6.2 at least say the opposite of a code object's variable: `true` if it is writable.
        VARIABLE_IS_CONST = 10,
        /// A `u32`: a value of [`variable_segment`](super::variable_segment).
        VARIABLE_SEGMENT = 7,
        /// A `u64`.
        KERNEL_OBJECT = 22,
        /// A `u32`, bytes.
        KERNEL_KERNARG_SEGMENT_SIZE = 11,
        /// A `u32`, bytes.
        KERNEL_GROUP_SEGMENT_SIZE = 13,
        /// A `u32`, bytes a work-item.
        KERNEL_PRIVATE_SEGMENT_SIZE = 14,
        /// A `bool`.
        KERNEL_DYNAMIC_CALLSTACK = 15,
    }

    /// Kinds of symbols.
    pub mod symbol_kind: u32 = "HSA_SYMBOL_KIND_" {
        VARIABLE = 0,
        KERNEL = 1,
        INDIRECT_FUNCTION = 2,
    }

    /// Where a variable lies.
    pub mod variable_segment: u32 = "HSA_VARIABLE_SEGMENT_" {
        GLOBAL = 0,
        READONLY = 1,
    }

    /// States of an executable.
    pub mod executable_state: u32 = "HSA_EXECUTABLE_STATE_" {
        UNFROZEN = 0,
        FROZEN = 1,
    }

    /// Whom a loaded code object is for.
    pub mod loaded_code_object_kind: u32 = "HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_KIND_" {
        PROGRAM = 1,
        AGENT = 2,
    }

    /// What a loaded code object can be asked.
    pub mod loaded_code_object_info: u32 = "HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_" {
        /// An [`Executable`](crate::Executable).
        EXECUTABLE = 1,
        /// A `u32`: a value of [`loaded_code_object_kind`](super::loaded_code_object_kind).
        KIND = 2,
        /// An [`Agent`](crate::Agent).
        AGENT = 3,
        /// A `u32`: a value of [`code_object_storage_type`](super::code_object_storage_type).
        CODE_OBJECT_STORAGE_TYPE = 4,
        /// A `u64`: the host's address of the code object.
        CODE_OBJECT_STORAGE_MEMORY_BASE = 5,
        /// A `u64`, bytes.
        CODE_OBJECT_STORAGE_MEMORY_SIZE = 6,
        /// An `i32`: a file descriptor.
        CODE_OBJECT_STORAGE_FILE = 7,
        /// An `i64`: what to add to an address of the code object to get the loaded one.
        LOAD_DELTA = 8,
        /// A `u64`, an address.
        LOAD_BASE = 9,
        /// A `u64`, bytes.
        LOAD_SIZE = 10,
        /// A `u32`, characters; no NUL.
        URI_LENGTH = 11,
        /// Characters; no NUL.
        URI = 12,
    }

    /// Where a code object came from.
    pub mod code_object_storage_type: u32 = "HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_" {
        NONE = 0,
        FILE = 1,
        MEMORY = 2,
    }
}

/// Numbers that runtimes newer than 5.2 have.
pub mod newer {
    /// Fine grained beyond one device (`HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_EXTENDED_SCOPE_FINE_GRAINED`).
    pub const MEMORY_POOL_EXTENDED_SCOPE_FINE_GRAINED: u32 = 8;
    /// An address that is reserved, with nothing mapped (`HSA_EXT_POINTER_TYPE_RESERVED_ADDR`).
    pub const POINTER_TYPE_RESERVED_ADDR: u32 = 5;
    /// An address that memory is mapped at (`HSA_EXT_POINTER_TYPE_HSA_VMEM`).
    pub const POINTER_TYPE_HSA_VMEM: u32 = 6;
    /// Memory to be mapped that need not be pinned (`MEMORY_TYPE_NONE`).
    pub const MEMORY_TYPE_NONE: u32 = 0;
    /// Memory to be mapped that is pinned (`MEMORY_TYPE_PINNED`).
    pub const MEMORY_TYPE_PINNED: u32 = 1;
}
