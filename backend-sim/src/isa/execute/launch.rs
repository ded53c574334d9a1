//! The start of a dispatch: what its packet and its kernel's descriptor say, and the registers that waves begin with.

use super::lds::Share;
use super::memory::{Denied, Memory};
use super::wave::{LANES, Wave};
use super::workgroup::Workgroup;
use crate::isa::object::{DESCRIPTOR_SIZE, Denormals, Descriptor, WorkItemIds};
use crate::isa::{Target, scalar};

/// An AQL kernel dispatch packet, as far as a launch reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Work-items of a workgroup in each dimension.
    pub workgroup: [u16; 3],
    /// Work-items in each dimension.
    pub grid: [u32; 3],
    /// Bytes of scratch of a lane.
    pub private_bytes: u32,
    /// Bytes of LDS of a workgroup.
    pub group_bytes: u32,
    /// The address of the kernel's descriptor.
    pub kernel_object: u64,
    /// The address of the arguments.
    pub kernarg: u64,
}

/// The scratch memory of a dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scratch {
    /// The buffer resource that kernels get.
    pub resource: [u32; 4],
    /// Its address.
    pub base: u64,
    /// Bytes of a wave.
    pub wave_bytes: u64,
    /// How many waves it is for.
    pub waves: u32,
}

/// A dispatch to run.
#[derive(Clone, Copy, Debug)]
pub struct Launch {
    /// The packet.
    pub packet: Packet,
    /// Where the kernel reads the packet: a copy that stays until the dispatch ends.
    pub packet_address: u64,
    /// The address of the queue.
    pub queue_address: u64,
    /// The number of the packet in its queue.
    pub dispatch_id: u64,
    /// The scratch, if the kernel uses any.
    pub scratch: Option<Scratch>,
    /// The order in which workgroups begin; 0 is ascending.
    pub seed: u64,
}

/// Why a dispatch cannot begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    /// The descriptor cannot be read.
    #[error("the kernel descriptor at {address:#x} cannot be read")]
    Descriptor {
        /// Its address.
        address: u64,
        /// Why not.
        #[source]
        source: Denied,
    },
    /// The kernel is for waves of 32 lanes.
    #[error("expected a kernel for waves of 64 lanes, got one for 32")]
    Wave32,
    /// The kernel asks that overflow in half precision gives the largest number.
    #[error("expected a kernel without fp16_ovfl, got one with it: it is not implemented")]
    Fp16Overflow,
    /// A size is 0, or a workgroup is too large.
    #[error(
        "expected 1 to 1024 work-items in a workgroup of a grid that is not empty, got {workgroup:?} in {grid:?}"
    )]
    Size {
        /// Work-items of a workgroup.
        workgroup: [u16; 3],
        /// Work-items of the grid.
        grid: [u32; 3],
    },
    /// More LDS than there is.
    #[error("expected at most 65536 bytes of LDS for a workgroup, got {bytes}")]
    Lds {
        /// What the packet asks for.
        bytes: u32,
    },
    /// The kernel uses scratch and gets too little.
    #[error("expected scratch of {expected} bytes for each of {waves} waves, got {got}")]
    Scratch {
        /// What a wave needs.
        expected: u64,
        /// How many waves a workgroup has.
        waves: u32,
        /// What there is for a wave; 0 if there are too few waves' worth.
        got: u64,
    },
}

/// The most bytes of LDS that a workgroup can have.
const LDS_BYTES: u32 = 65536;

/// Bytes that LDS is allocated in.
const LDS_BLOCK: usize = 512;

impl Packet {
    /// The packet in these 64 bytes.
    pub fn read(bytes: &[u8; 64]) -> Packet {
        let half = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let word = |at: usize| u32::from(half(at)) | u32::from(half(at + 2)) << 16;
        let long = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
        Packet {
            workgroup: [4, 6, 8].map(half),
            grid: [12, 16, 20].map(word),
            private_bytes: word(24),
            group_bytes: word(28),
            kernel_object: long(32),
            kernarg: long(40),
        }
    }
}

impl Scratch {
    /// Scratch at `base` for this many waves of `private_bytes` a lane.
    pub fn new(base: u64, private_bytes: u32, waves: u32) -> Scratch {
        let wave_bytes = Scratch::bytes_of_wave(private_bytes);
        let size = (wave_bytes * u64::from(waves)).min(u64::from(u32::MAX)) as u32;
        Scratch {
            resource: [base as u32, (base >> 32) as u32 | SWIZZLE, size, FORMAT],
            base,
            wave_bytes,
            waves,
        }
    }

    /// The bytes that a wave takes, in whole KiB.
    pub fn bytes_of_wave(private_bytes: u32) -> u64 {
        (u64::from(private_bytes) * LANES as u64).next_multiple_of(1024)
    }
}

/// Word 1 of a resource whose dwords are interleaved by lane.
const SWIZZLE: u32 = 1 << 31;

/// Word 3 of the resource of scratch: elements of 4 bytes, 64 lanes to an index stride, the lane added to the index.
const FORMAT: u32 = 0x00ea_4fac;

/// Reads the descriptor at an address.
pub(super) fn load_descriptor<M: Memory>(memory: &mut M, address: u64) -> Result<Descriptor, LaunchError> {
    let mut bytes = [0; DESCRIPTOR_SIZE];
    for (at, bytes) in bytes.chunks_exact_mut(8).enumerate() {
        let word = memory.load(address.wrapping_add(8 * at as u64), 8);
        let word = word.map_err(|source| LaunchError::Descriptor { address, source })?;
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    Ok(Descriptor::read(&bytes))
}

/// The mode register: rounding, subnormals, `dx10_clamp` and `ieee`.
fn mode(descriptor: &Descriptor) -> u32 {
    let denormals = |kept: Denormals| u32::from(kept.sources) | u32::from(kept.results) << 1;
    descriptor.round_32 as u32
        | (descriptor.round_16_64 as u32) << 2
        | denormals(descriptor.denormals_32) << 4
        | denormals(descriptor.denormals_16_64) << 6
        | u32::from(descriptor.dx10_clamp) << 8
        | u32::from(descriptor.ieee_mode) << 9
}

impl Launch {
    /// Refuses what cannot run.
    pub(super) fn check(&self, descriptor: &Descriptor) -> Result<(), LaunchError> {
        let Packet { workgroup, grid, group_bytes, .. } = self.packet;
        if descriptor.wave32 {
            return Err(LaunchError::Wave32);
        }
        if descriptor.fp16_overflow {
            return Err(LaunchError::Fp16Overflow);
        }
        let items: u32 = workgroup.iter().map(|size| u32::from(*size)).product();
        if !(1..=1024).contains(&items) || grid.contains(&0) {
            return Err(LaunchError::Size { workgroup, grid });
        }
        if group_bytes > LDS_BYTES {
            return Err(LaunchError::Lds { bytes: group_bytes });
        }
        self.check_scratch(descriptor)
    }

    fn check_scratch(&self, descriptor: &Descriptor) -> Result<(), LaunchError> {
        let expected = Scratch::bytes_of_wave(self.packet.private_bytes);
        let waves = self.waves_of_group();
        let got =
            self.scratch.filter(|scratch| scratch.waves >= waves).map_or(0, |scratch| scratch.wave_bytes);
        if descriptor.scratch && got < expected {
            return Err(LaunchError::Scratch { expected, waves, got });
        }
        Ok(())
    }

    /// Waves of a whole workgroup.
    pub(super) fn waves_of_group(&self) -> u32 {
        self.packet.workgroup.iter().map(|size| u32::from(*size)).product::<u32>().div_ceil(LANES as u32)
    }

    /// Workgroups in each dimension.
    pub(super) fn groups(&self) -> [u32; 3] {
        std::array::from_fn(|axis| self.packet.grid[axis].div_ceil(u32::from(self.packet.workgroup[axis])))
    }

    /// The workgroup `id` before its first instruction; its scratch begins with that of wave `slot`.
    pub(super) fn workgroup(
        &self,
        descriptor: &Descriptor,
        target: Target,
        id: [u32; 3],
        slot: u32,
    ) -> Workgroup {
        let size: [u32; 3] = std::array::from_fn(|axis| {
            let whole = u32::from(self.packet.workgroup[axis]);
            whole.min(self.packet.grid[axis] - id[axis] * whole)
        });
        let waves = size.iter().product::<u32>().div_ceil(LANES as u32);
        let wave = |number| self.wave(descriptor, target, id, size, [number, slot + number]);
        let share = Share(vec![UNDEFINED; (self.packet.group_bytes as usize).next_multiple_of(LDS_BLOCK)]);
        Workgroup { waves: (0..waves).map(wave).collect(), share, slot }
    }

    fn wave(
        &self,
        descriptor: &Descriptor,
        target: Target,
        id: [u32; 3],
        size: [u32; 3],
        [number, slot]: [u32; 2],
    ) -> Wave {
        let entry = self.packet.kernel_object.wrapping_add_signed(descriptor.entry_offset);
        let (registers, accumulation) = (descriptor.vgprs as usize, descriptor.accum_offset as usize);
        let mut wave = Wave::new(entry, mode(descriptor), registers, accumulation);
        let items: u32 = size.iter().product();
        let first = number * LANES as u32;
        wave.set_exec(u64::MAX >> (LANES as u32 - (items - first).min(LANES as u32)));
        wave.hardware_id = slot & 0xf | (slot >> 4 & 3) << 4 | (slot >> 6 & 0xf) << 8;
        wave.set_work_items(std::array::from_fn(|lane| {
            packed_id(first + lane as u32, size, descriptor.work_item_ids)
        }));
        let scalars = self.user_scalars(descriptor).into_iter();
        let scalars = scalars.chain(wave_scalars(descriptor, id, items, number));
        let offset = self.scratch_of_wave(slot);
        let scratch = (target == Target::Gfx90a && descriptor.scratch).then_some(offset as u32);
        for (register, value) in wave.scalars.iter_mut().zip(scalars.chain(scratch)) {
            *register = value;
        }
        if target == Target::Gfx942 {
            let base = self.scratch.map_or(0, |scratch| scratch.base);
            wave.set_pair(scalar::FLAT_SCRATCH, base.wrapping_add(offset));
        }
        wave
    }

    /// Where the scratch of a wave begins, in bytes from that of the first.
    fn scratch_of_wave(&self, slot: u32) -> u64 {
        u64::from(slot) * self.scratch.map_or(0, |scratch| scratch.wave_bytes)
    }

    /// The scalar registers that all waves of a dispatch begin with. Arguments are not put there: a kernel that asks for
    /// it begins with code that loads them.
    fn user_scalars(&self, descriptor: &Descriptor) -> Vec<u32> {
        let asked = descriptor.user_sgprs;
        let scratch = self.scratch.unwrap_or(Scratch { resource: [0; 4], base: 0, wave_bytes: 0, waves: 0 });
        let mut scalars = Vec::with_capacity(32);
        let mut enabled = |is_asked, words: &[u32]| scalars.extend(words.iter().filter(|_| is_asked));
        enabled(asked.private_segment_buffer, &scratch.resource);
        enabled(asked.dispatch_ptr, &words(self.packet_address));
        enabled(asked.queue_ptr, &words(self.queue_address));
        enabled(asked.kernarg_segment_ptr, &words(self.packet.kernarg));
        enabled(asked.dispatch_id, &words(self.dispatch_id));
        enabled(asked.flat_scratch_init, &words(scratch.base));
        enabled(asked.private_segment_size, &[self.packet.private_bytes]);
        let count = scalars.len().max(descriptor.user_sgpr_count as usize);
        scalars.resize(count, super::wave::UNDEFINED);
        scalars
    }
}

/// Those behind them: the workgroup's id and information.
fn wave_scalars(descriptor: &Descriptor, id: [u32; 3], items: u32, number: u32) -> impl Iterator<Item = u32> {
    let ids =
        id.into_iter().zip(descriptor.workgroup_ids).filter_map(|(id, is_asked)| is_asked.then_some(id));
    let info = items.div_ceil(LANES as u32) | u32::from(number == 0) << 31;
    ids.chain(descriptor.workgroup_info.then_some(info))
}

/// What LDS holds at the start: a pattern that no program should rely on.
const UNDEFINED: u8 = 0xa5;

fn words(value: u64) -> [u32; 2] {
    [value as u32, (value >> 32) as u32]
}

/// The ids of the work-item with this number in a workgroup, ten bits each; 0 in dimensions that were not asked for.
fn packed_id(item: u32, size: [u32; 3], asked: WorkItemIds) -> u32 {
    let [x, y, z] = [item % size[0], item / size[0] % size[1], item / size[0] / size[1]];
    match asked {
        WorkItemIds::X => x,
        WorkItemIds::Xy => x | y << 10,
        WorkItemIds::Xyz => x | y << 10 | z << 20,
    }
}
