//! The registers of one wave of 64 lanes.

use crate::isa::number::Mode;
use crate::isa::{Operand, Special, scalar};

/// One dword in each lane.
pub(super) type Lanes = [u32; LANES];

/// Lanes in a wave.
pub(super) const LANES: usize = 64;

/// What a wave is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Running,
    AtBarrier,
    Ended,
}

/// One wave.
pub(super) struct Wave {
    /// The address of the next instruction.
    pub(super) pc: u64,
    pub(super) state: State,
    pub(super) scc: bool,
    /// The mode register, and what it says about arithmetic.
    mode: u32,
    pub(super) arithmetic: Mode,
    /// Where it runs, as `HW_ID` tells it.
    pub(super) hardware_id: u32,
    pub(super) scalars: [u32; 128],
    /// Vector registers, accumulation registers behind them.
    vectors: Vec<Lanes>,
    accumulation: usize,
}

/// What registers hold at the start: a pattern that no program should rely on.
pub(super) const UNDEFINED: u32 = 0xdead_beef;

/// The bit of the mode register that turns VGPR indexing on.
const INDEXING: u32 = 1 << 27;

impl Wave {
    /// A wave at `pc` with this many vector registers, of which those from `accumulation` on are accumulation registers.
    pub(super) fn new(pc: u64, mode: u32, registers: usize, accumulation: usize) -> Wave {
        Wave {
            pc,
            state: State::Running,
            scc: false,
            mode,
            arithmetic: Mode::from_bits(mode),
            hardware_id: 0,
            scalars: [UNDEFINED; 128],
            vectors: vec![[UNDEFINED; LANES]; registers],
            accumulation: accumulation.min(registers),
        }
    }

    /// Sets `v0`, where each lane finds its work-item's ids.
    pub(super) fn set_work_items(&mut self, ids: Lanes) {
        self.vectors[0] = ids;
    }

    /// How many vector and accumulation registers it has, as far as their numbers go.
    pub(super) fn allocated(&self) -> [u16; 2] {
        [self.vectors.len(), self.vectors.len() - self.accumulation].map(|count| count.min(256) as u16)
    }

    pub(super) fn mode(&self) -> u32 {
        self.mode
    }

    pub(super) fn set_mode(&mut self, mode: u32) {
        self.mode = mode;
        self.arithmetic = Mode::from_bits(mode);
    }

    /// Whether `m0` displaces the numbers of vector registers.
    pub(super) fn is_indexing(&self) -> bool {
        self.mode & INDEXING != 0
    }

    pub(super) fn set_indexing(&mut self, on: bool) {
        self.mode = if on { self.mode | INDEXING } else { self.mode & !INDEXING };
    }

    pub(super) fn exec(&self) -> u64 {
        self.pair(scalar::EXEC)
    }

    pub(super) fn set_exec(&mut self, mask: u64) {
        self.set_pair(scalar::EXEC, mask);
    }

    pub(super) fn vcc(&self) -> u64 {
        self.pair(scalar::VCC)
    }

    pub(super) fn m0(&self) -> u32 {
        self.scalars[usize::from(scalar::M0)]
    }

    /// Scalar registers `number` and the next one.
    pub(super) fn pair(&self, number: u8) -> u64 {
        let at = usize::from(number) % 128;
        u64::from(self.scalars[at]) | u64::from(self.scalars[(at + 1) % 128]) << 32
    }

    pub(super) fn set_pair(&mut self, number: u8, value: u64) {
        let at = usize::from(number) % 128;
        self.scalars[at] = value as u32;
        self.scalars[(at + 1) % 128] = (value >> 32) as u32;
    }

    /// A scalar source of 32 bits. A vector register has none and counts as zero.
    pub(super) fn scalar(&self, operand: Operand) -> u32 {
        match operand {
            Operand::Scalar(number) => self.scalars[usize::from(number) % 128],
            Operand::Special(special) => self.special(special) as u32,
            constant => constant.bits32().unwrap_or(0),
        }
    }

    /// A scalar source of 64 bits.
    pub(super) fn scalar_pair(&self, operand: Operand) -> u64 {
        match operand {
            Operand::Scalar(number) => self.pair(number),
            Operand::Special(special) => self.special(special),
            constant => constant.bits64().unwrap_or(0),
        }
    }

    pub(super) fn set_scalar(&mut self, operand: Operand, value: u32) {
        if let Operand::Scalar(number) = operand {
            self.scalars[usize::from(number) % 128] = value;
        }
    }

    pub(super) fn set_scalar_pair(&mut self, operand: Operand, value: u64) {
        if let Operand::Scalar(number) = operand {
            self.set_pair(number, value);
        }
    }

    fn special(&self, special: Special) -> u64 {
        match special {
            Special::SharedBase => super::SHARED_APERTURE,
            Special::SharedLimit => super::SHARED_APERTURE | 0xffff_ffff,
            Special::PrivateBase => super::PRIVATE_APERTURE,
            Special::PrivateLimit => super::PRIVATE_APERTURE | 0xffff_ffff,
            Special::Vccz => u64::from(self.vcc() == 0),
            Special::Execz => u64::from(self.exec() == 0),
            Special::Scc => u64::from(self.scc),
            Special::PopsExitingWaveId => 0,
        }
    }

    /// The row of a vector register, `offset` behind the operand's first.
    fn row(&self, operand: Operand, offset: usize) -> Option<usize> {
        match operand {
            Operand::Vgpr(number) => Some(usize::from(number) + offset),
            Operand::Agpr(number) => Some(self.accumulation + usize::from(number) + offset),
            _ => None,
        }
    }

    /// One of the operand's registers in every lane; of a scalar operand its 32 bits.
    pub(super) fn lanes(&self, operand: Operand, offset: usize) -> Lanes {
        match self.row(operand, offset) {
            Some(row) => self.vectors[row],
            None => [self.scalar(operand); LANES],
        }
    }

    /// Two registers of every lane as 64 bits.
    pub(super) fn wide(&self, operand: Operand) -> [u64; LANES] {
        let Some(row) = self.row(operand, 0) else { return [self.scalar_pair(operand); LANES] };
        let (low, high) = (&self.vectors[row], &self.vectors[row + 1]);
        std::array::from_fn(|lane| u64::from(low[lane]) | u64::from(high[lane]) << 32)
    }

    /// Writes one of the operand's registers in the lanes of `mask`.
    pub(super) fn set_lanes(&mut self, operand: Operand, offset: usize, mask: u64, value: &Lanes) {
        let Some(row) = self.row(operand, offset) else { return };
        blend(&mut self.vectors[row], mask, value);
    }

    /// Writes one register of one lane.
    pub(super) fn set_lane(&mut self, operand: Operand, offset: usize, lane: usize, value: u32) {
        if let Some(row) = self.row(operand, offset) {
            self.vectors[row][lane] = value;
        }
    }
}

/// Copies the lanes of `mask`.
fn blend(row: &mut Lanes, mask: u64, value: &Lanes) {
    if mask == u64::MAX {
        *row = *value;
        return;
    }
    for (half, (row, value)) in row.chunks_exact_mut(32).zip(value.chunks_exact(32)).enumerate() {
        let mask = (mask >> (32 * half)) as u32;
        for (bit, (old, new)) in row.iter_mut().zip(value).enumerate() {
            *old = if mask & 1 << bit == 0 { *old } else { *new };
        }
    }
}
