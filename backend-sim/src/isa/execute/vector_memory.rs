//! FLAT, GLOBAL, SCRATCH and MUBUF: vector access to memory, scratch and, by flat addresses, LDS.

use super::atomic::{Atomic, Registers, Update, memory_mode};
use super::lds::Share;
use super::memory::{Access, Denied, Memory};
use super::transfer::{self, Fault, Format, Places};
use super::wave::{LANES, Wave};
use super::{PRIVATE_APERTURE, SHARED_APERTURE};
use crate::isa::{Instruction, Operand, scalar};

/// An operation on memory, by the way it is addressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct VectorMemory {
    space: Space,
    transfer: Transfer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Space {
    Flat,
    Global,
    Scratch,
    Buffer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Transfer {
    Load(Format),
    Store(Format),
    Atomic(Atomic),
}

/// What the operation of this name does, if it is one of these.
pub(super) fn find(name: &str) -> Option<VectorMemory> {
    let (space, rest) = name.split_once('_')?;
    let space = match space {
        "flat" => Space::Flat,
        "global" => Space::Global,
        "scratch" => Space::Scratch,
        "buffer" => Space::Buffer,
        _ => return None,
    };
    let (kind, rest) = rest.split_once('_')?;
    let transfer = match kind {
        "load" => Transfer::Load(Format::parse(rest)?),
        "store" => Transfer::Store(Format::parse(rest)?),
        "atomic" => Transfer::Atomic(Atomic::parse(rest)?),
        _ => return None,
    };
    Some(VectorMemory { space, transfer })
}

impl VectorMemory {
    /// Runs it on memory or, where a flat address is in its aperture, on the workgroup's share.
    pub(super) fn run<M: Memory>(
        self,
        wave: &mut Wave,
        memory: &mut M,
        share: &mut Share,
        i: &Instruction,
    ) -> Result<(), Fault> {
        match self.space {
            Space::Global => self.transfer.run(wave, memory, &global(wave, i), i, i.src[1]),
            Space::Flat => self.flat(wave, memory, share, i),
            Space::Scratch => {
                self.private(wave, memory, &scratch(wave, i), wave.pair(scalar::FLAT_SCRATCH), i, i.src[1])
            }
            Space::Buffer => self.buffer(wave, memory, i),
        }
    }

    fn flat<M: Memory>(
        self,
        wave: &mut Wave,
        memory: &mut M,
        share: &mut Share,
        i: &Instruction,
    ) -> Result<(), Fault> {
        let all = global(wave, i);
        let [shared, private] = [SHARED_APERTURE, PRIVATE_APERTURE].map(|aperture| all.within(aperture));
        let rest = all.lanes & !shared & !private;
        if rest != 0 {
            self.transfer.run(wave, memory, &Places { lanes: rest, ..all }, i, i.src[1])?;
        }
        let address = all.address.map(|address| address & 0xffff_ffff);
        if shared != 0 {
            self.transfer.run(wave, share, &Places { address, lanes: shared }, i, i.src[1])?;
        }
        if private != 0 {
            let places = Places { address, lanes: private };
            self.private(wave, memory, &places, wave.pair(scalar::FLAT_SCRATCH), i, i.src[1])?;
        }
        Ok(())
    }

    /// Accesses each lane's own scratch, which begins at `base`.
    fn private<M: Memory>(
        self,
        wave: &mut Wave,
        memory: &mut M,
        places: &Places,
        base: u64,
        i: &Instruction,
        data: Operand,
    ) -> Result<(), Fault> {
        let address = std::array::from_fn(|lane| places.address[lane] & 0xffff_ffff | (lane as u64) << 32);
        let places = Places { address, lanes: places.lanes };
        self.transfer
            .run(wave, &mut Scratch { memory, base }, &places, i, data)
            .map_err(|fault| Fault { address: fault.address & 0xffff_ffff | PRIVATE_APERTURE, ..fault })
    }

    fn buffer<M: Memory>(self, wave: &mut Wave, memory: &mut M, i: &Instruction) -> Result<(), Fault> {
        let descriptor = Descriptor::read(wave, i.src[1]);
        let base = descriptor.base.wrapping_add(u64::from(wave.scalar(i.src[2])));
        let places = descriptor.offsets(wave, i);
        match descriptor.layout {
            Layout::Linear => self.linear(wave, memory, &places, base, descriptor.size, i),
            Layout::Scratch => self.private(wave, memory, &places, base, i, i.dst),
            Layout::Other if places.lanes == 0 => Ok(()),
            Layout::Other => {
                let access = self.transfer.access();
                Err(Fault { access, address: base, bytes: 4, lane: None, denied: Denied::Layout })
            }
        }
    }

    /// Accesses a buffer of this size: behind it loads give 0 and stores are dropped.
    fn linear<M: Memory>(
        self,
        wave: &mut Wave,
        memory: &mut M,
        places: &Places,
        base: u64,
        size: u64,
        i: &Instruction,
    ) -> Result<(), Fault> {
        let lanes = places.lanes & super::lanes::mask(|lane| places.address[lane] < size);
        if let Transfer::Load(format) = self.transfer {
            for dword in 0..format.dwords() {
                wave.set_lanes(i.dst, dword, places.lanes & !lanes, &[0; LANES]);
            }
        }
        let address = places.address.map(|offset| base.wrapping_add(offset));
        self.transfer.run(wave, memory, &Places { address, lanes }, i, i.dst)
    }
}

impl Transfer {
    fn access(self) -> Access {
        match self {
            Transfer::Load(_) => Access::Load,
            Transfer::Store(_) => Access::Store,
            Transfer::Atomic(_) => Access::Atomic,
        }
    }

    fn run<M: Memory>(
        self,
        wave: &mut Wave,
        memory: &mut M,
        places: &Places,
        i: &Instruction,
        data: Operand,
    ) -> Result<(), Fault> {
        match self {
            Transfer::Load(format) => transfer::load(wave, memory, places, format, i.dst, 0),
            Transfer::Store(format) => transfer::store(wave, memory, places, format, data),
            Transfer::Atomic(atomic) => {
                let compares = atomic.update == Update::CompareSwap;
                let comparand = if compares { data } else { Operand::None };
                let dst = if i.memory().glc { i.dst } else { Operand::None };
                let registers =
                    Registers { data, comparand: (comparand, if atomic.wide { 2 } else { 1 }), dst };
                atomic.run(wave, memory, places, &registers, memory_mode(i.target))
            }
        }
    }
}

impl Places {
    /// The lanes that access an aperture.
    fn within(&self, aperture: u64) -> u64 {
        if !self.address.iter().any(|address| address >> 32 == aperture >> 32) {
            return 0;
        }
        self.lanes & super::lanes::mask(|lane| self.address[lane] >> 32 == aperture >> 32)
    }
}

/// The addresses of FLAT and GLOBAL: 64 bits in registers, or a scalar base and 32 bits.
fn global(wave: &Wave, i: &Instruction) -> Places {
    let offset = i64::from(i.imm).cast_unsigned();
    let address = match i.src[2] {
        Operand::None => wave.wide(i.src[0]).map(|address| address.wrapping_add(offset)),
        base => {
            let base = wave.scalar_pair(base).wrapping_add(offset);
            wave.lanes(i.src[0], 0).map(|index| base.wrapping_add(u64::from(index)))
        }
    };
    Places { address, lanes: wave.exec() }
}

/// The private addresses of SCRATCH: the sum of those of its registers that it has.
fn scratch(wave: &Wave, i: &Instruction) -> Places {
    let base = wave.scalar(i.src[2]).wrapping_add_signed(i.imm);
    let address = wave.lanes(i.src[0], 0).map(|offset| u64::from(base.wrapping_add(offset)));
    Places { address, lanes: wave.exec() }
}

/// A buffer resource, as far as it is used.
struct Descriptor {
    base: u64,
    stride: u64,
    size: u64,
    layout: Layout,
}

/// How a buffer's records lie in memory.
enum Layout {
    /// One after the other.
    Linear,
    /// Each lane's dwords apart, as in scratch.
    Scratch,
    Other,
}

impl Descriptor {
    fn read(wave: &Wave, operand: Operand) -> Descriptor {
        let Operand::Scalar(first) = operand else {
            unreachable!("a decoded resource is in scalar registers")
        };
        let (low, high) = (wave.pair(first), wave.pair(first + 2));
        let stride = low >> 48 & 0x3fff;
        let (swizzles, adds_lane) = (low >> 63 == 1, high >> 55 & 1 == 1);
        Descriptor {
            base: low & 0xffff_ffff_ffff,
            stride,
            size: (high & 0xffff_ffff) * stride.max(1),
            layout: match (swizzles, adds_lane) {
                (false, false) => Layout::Linear,
                (true, true) => Layout::Scratch,
                _ => Layout::Other,
            },
        }
    }

    /// Each lane's offset from the base, without SOFFSET.
    fn offsets(&self, wave: &Wave, i: &Instruction) -> Places {
        let memory = i.memory();
        let mut address = [u64::from(i.imm.cast_unsigned()); LANES];
        if memory.idxen {
            let index = wave.lanes(i.src[0], 0);
            address = std::array::from_fn(|lane| address[lane] + u64::from(index[lane]) * self.stride);
        }
        if memory.offen {
            let offset = wave.lanes(i.src[0], usize::from(memory.idxen));
            address = std::array::from_fn(|lane| address[lane] + u64::from(offset[lane]));
        }
        Places { address, lanes: wave.exec() }
    }
}

/// The scratch of a wave: dword k of all lanes, then dword k + 1. An address has its lane in the high half.
struct Scratch<'a, M> {
    memory: &'a mut M,
    base: u64,
}

impl<M> Scratch<'_, M> {
    fn place(&self, address: u64) -> u64 {
        let (lane, offset) = (address >> 32, address & 0xffff_ffff);
        self.base.wrapping_add((offset >> 2) * (4 * LANES as u64) + lane * 4 + (offset & 3))
    }

    /// Whether an access stays within one dword.
    fn is_contiguous(address: u64, bytes: u32) -> bool {
        address % 4 + u64::from(bytes) <= 4
    }
}

impl<M: Memory> Memory for Scratch<'_, M> {
    fn load(&mut self, address: u64, bytes: u32) -> Result<u64, Denied> {
        if Self::is_contiguous(address, bytes) {
            return self.memory.load(self.place(address), bytes);
        }
        if bytes == 8 {
            return Ok(self.load(address, 4)? | self.load(address + 4, 4)? << 32);
        }
        (0..bytes).try_fold(0, |value, byte| {
            Ok(value | self.memory.load(self.place(address + u64::from(byte)), 1)? << (8 * byte))
        })
    }

    fn store(&mut self, address: u64, bytes: u32, value: u64) -> Result<(), Denied> {
        if Self::is_contiguous(address, bytes) {
            return self.memory.store(self.place(address), bytes, value);
        }
        if bytes == 8 {
            self.store(address, 4, value)?;
            return self.store(address + 4, 4, value >> 32);
        }
        (0..bytes).try_for_each(|byte| {
            self.memory.store(self.place(address + u64::from(byte)), 1, value >> (8 * byte))
        })
    }

    fn atomic(&mut self, address: u64, bytes: u32, update: impl Fn(u64) -> u64) -> Result<u64, Denied> {
        let old = self.load(address, bytes)?;
        self.store(address, bytes, update(old))?;
        Ok(old)
    }

    fn fence(&mut self) {
        self.memory.fence();
    }

    fn interrupt(&mut self, event: u8) {
        self.memory.interrupt(event);
    }
}
