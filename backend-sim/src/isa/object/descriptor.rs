//! The kernel descriptor: 64 bytes that say how a kernel's waves begin.

/// Its size in bytes.
pub const DESCRIPTOR_SIZE: usize = 64;

/// A kernel descriptor (LLVM's AMDGPU guide, "Code Object V3 Kernel Descriptor").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptor {
    /// LDS of a workgroup that is known when compiling, in bytes. A packet has static and dynamic LDS together.
    pub group_segment_size: u32,
    /// Scratch of a lane, in bytes. A packet has what the kernel's calls need, too.
    pub private_segment_size: u32,
    /// Size of the kernel's arguments, in bytes; 0 where it is not known.
    pub kernarg_size: u32,
    /// From the descriptor to the first instruction, in bytes.
    pub entry_offset: i64,
    /// Where AGPRs begin in the register file that they share with VGPRs.
    pub accum_offset: u32,
    /// Whether the waves of a workgroup may run on different compute units.
    pub tg_split: bool,
    /// VGPRs and AGPRs of a wave.
    pub vgprs: u32,
    /// SGPRs of a wave, in the granules of the encoding.
    pub sgpr_granules: u32,
    /// The priority that waves begin with.
    pub priority: u32,
    /// Rounding in single precision.
    pub round_32: Rounding,
    /// Rounding in half and double precision.
    pub round_16_64: Rounding,
    /// Subnormals in single precision.
    pub denormals_32: Denormals,
    /// Subnormals in half and double precision.
    pub denormals_16_64: Denormals,
    /// Whether waves begin privileged.
    pub privileged: bool,
    /// Whether clamp makes 0 of NaN.
    pub dx10_clamp: bool,
    /// Whether waves begin in debug mode.
    pub debug_mode: bool,
    /// Whether signaling NaNs are made quiet.
    pub ieee_mode: bool,
    /// Whether overflow in half precision gives the largest number.
    pub fp16_overflow: bool,
    /// Whether waves get scratch and its offset.
    pub scratch: bool,
    /// How many user SGPRs are set.
    pub user_sgpr_count: u32,
    /// Whether a trap handler is present.
    pub trap_handler: bool,
    /// Whether the workgroup's id in x, y and z follow the user SGPRs.
    pub workgroup_ids: [bool; 3],
    /// Whether workgroup information follows them.
    pub workgroup_info: bool,
    /// The work-item ids in `v0`.
    pub work_item_ids: WorkItemIds,
    /// Exceptions that trap: address watch, memory violation, then the seven of floating point and integer division.
    pub exceptions: u32,
    /// Which user SGPRs there are.
    pub user_sgprs: UserSgprs,
    /// Whether waves have 32 lanes.
    pub wave32: bool,
    /// Whether the size of the stack is not known when compiling.
    pub dynamic_stack: bool,
    /// Dwords of arguments that are put into SGPRs.
    pub kernarg_preload_length: u32,
    /// The first dword of them.
    pub kernarg_preload_offset: u32,
}

/// How results are rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// To the nearest, ties to even.
    NearestEven,
    /// Up.
    PlusInfinity,
    /// Down.
    MinusInfinity,
    /// To zero.
    Zero,
}

/// What becomes of subnormals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Denormals {
    /// Whether a subnormal source counts as one, not as zero.
    pub sources: bool,
    /// Whether a subnormal result is kept, not flushed to zero.
    pub results: bool,
}

/// The work-item ids that the lanes of `v0` have: 10 bits each, those that are not asked for are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkItemIds {
    /// x.
    X,
    /// x and y.
    Xy,
    /// x, y and z.
    Xyz,
}

/// The user SGPRs that a kernel asks for, in this order, without gaps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UserSgprs {
    /// The buffer resource of scratch, 4 SGPRs.
    pub private_segment_buffer: bool,
    /// The address of the packet, 2 SGPRs.
    pub dispatch_ptr: bool,
    /// The address of the queue, 2 SGPRs.
    pub queue_ptr: bool,
    /// The address of the arguments, 2 SGPRs.
    pub kernarg_segment_ptr: bool,
    /// The dispatch's id, 2 SGPRs.
    pub dispatch_id: bool,
    /// The base of scratch, 2 SGPRs.
    pub flat_scratch_init: bool,
    /// Scratch of a lane in bytes, 1 SGPR.
    pub private_segment_size: bool,
}

impl Descriptor {
    /// Reads a descriptor.
    pub fn read(bytes: &[u8; DESCRIPTOR_SIZE]) -> Descriptor {
        let rsrc3 = Bits(dword(bytes, 44));
        let rsrc1 = Bits(dword(bytes, 48));
        let rsrc2 = Bits(dword(bytes, 52));
        let properties = Bits(dword(bytes, 56));
        Descriptor {
            group_segment_size: dword(bytes, 0),
            private_segment_size: dword(bytes, 4),
            kernarg_size: dword(bytes, 8),
            entry_offset: (u64::from(dword(bytes, 20)) << 32 | u64::from(dword(bytes, 16))).cast_signed(),
            accum_offset: (rsrc3.field(0, 6) + 1) * 4,
            tg_split: rsrc3.bit(16),
            vgprs: (rsrc1.field(0, 6) + 1) * 8,
            sgpr_granules: rsrc1.field(6, 4),
            priority: rsrc1.field(10, 2),
            round_32: rounding(rsrc1.field(12, 2)),
            round_16_64: rounding(rsrc1.field(14, 2)),
            denormals_32: Denormals { sources: rsrc1.bit(16), results: rsrc1.bit(17) },
            denormals_16_64: Denormals { sources: rsrc1.bit(18), results: rsrc1.bit(19) },
            privileged: rsrc1.bit(20),
            dx10_clamp: rsrc1.bit(21),
            debug_mode: rsrc1.bit(22),
            ieee_mode: rsrc1.bit(23),
            fp16_overflow: rsrc1.bit(26),
            scratch: rsrc2.bit(0),
            user_sgpr_count: rsrc2.field(1, 5),
            trap_handler: rsrc2.bit(6),
            workgroup_ids: [rsrc2.bit(7), rsrc2.bit(8), rsrc2.bit(9)],
            workgroup_info: rsrc2.bit(10),
            work_item_ids: work_item_ids(rsrc2.field(11, 2)),
            exceptions: rsrc2.field(13, 2) | rsrc2.field(24, 7) << 2,
            user_sgprs: user_sgprs(properties),
            wave32: properties.bit(10),
            dynamic_stack: properties.bit(11),
            kernarg_preload_length: properties.field(16, 7),
            kernarg_preload_offset: properties.field(23, 9),
        }
    }
}

fn user_sgprs(properties: Bits) -> UserSgprs {
    UserSgprs {
        private_segment_buffer: properties.bit(0),
        dispatch_ptr: properties.bit(1),
        queue_ptr: properties.bit(2),
        kernarg_segment_ptr: properties.bit(3),
        dispatch_id: properties.bit(4),
        flat_scratch_init: properties.bit(5),
        private_segment_size: properties.bit(6),
    }
}

fn rounding(bits: u32) -> Rounding {
    [Rounding::NearestEven, Rounding::PlusInfinity, Rounding::MinusInfinity, Rounding::Zero][bits as usize]
}

fn work_item_ids(bits: u32) -> WorkItemIds {
    match bits {
        0 => WorkItemIds::X,
        1 => WorkItemIds::Xy,
        _ => WorkItemIds::Xyz,
    }
}

fn dword(bytes: &[u8; DESCRIPTOR_SIZE], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

#[derive(Clone, Copy)]
struct Bits(u32);

impl Bits {
    fn field(self, at: u32, width: u32) -> u32 {
        self.0 >> at & ((1 << width) - 1)
    }

    fn bit(self, at: u32) -> bool {
        self.field(at, 1) == 1
    }
}
