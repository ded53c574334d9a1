//! One wave on a few instructions.

use super::super::lds::Share;
use super::super::memory::{Denied, Memory};
use super::super::program::Program;
use super::super::stop::Stop;
use super::super::wave::{LANES, Lanes, State, Wave};
use super::super::workgroup::{Environment, step};
use crate::isa::{Operand, Target};

/// A wave, its code, and a little memory.
pub(super) struct Rig {
    target: Target,
    pub(super) wave: Wave,
    pub(super) share: Share,
    pub(super) memory: Bytes,
}

/// Memory that begins at [`DATA`], and code.
pub(super) struct Bytes {
    pub(super) data: Vec<u8>,
    code: Vec<u32>,
    pub(super) interrupts: Vec<u8>,
    pub(super) fences: u32,
}

pub(super) const CODE: u64 = 0x1000;
pub(super) const DATA: u64 = 0x2_0010_0000;

/// The mode of compiled kernels.
const MODE: u32 = 0x3f0;

impl Rig {
    /// A wave with 64 vector and 64 accumulation registers, each of which holds its lane, before these instructions.
    pub(super) fn new(code: &[u32]) -> Rig {
        let wave = wave(128);
        let memory = Bytes { data: vec![0; 65536], code: code.to_vec(), interrupts: Vec::new(), fences: 0 };
        Rig { target: Target::Gfx90a, wave, share: Share(vec![0; 1024]), memory }
    }

    /// The same wave on another processor.
    pub(super) fn on(self, target: Target) -> Rig {
        Rig { target, ..self }
    }

    /// The same wave with this many registers in all.
    pub(super) fn with_registers(self, registers: usize) -> Rig {
        Rig { wave: wave(registers), ..self }
    }

    /// What is left after these instructions.
    pub(super) fn after(code: &[u32]) -> Rig {
        Rig::new(code).run()
    }

    /// Runs to the end of the code.
    pub(super) fn run(mut self) -> Rig {
        self.try_run().expect("instructions that can be executed");
        self
    }

    pub(super) fn try_run(&mut self) -> Result<(), Stop> {
        let end = CODE + 4 * self.memory.code.len() as u64;
        let mut program = Program::new(self.target);
        let mut environment =
            Environment { program: &mut program, memory: &mut self.memory, executed: 0, limit: 1000 };
        while self.wave.pc < end
            && self.wave.state == State::Running
            && environment.executed < environment.limit
        {
            environment.executed += 1;
            step(&mut self.wave, &mut self.share, &mut environment)?;
        }
        Ok(())
    }

    pub(super) fn with_scalar(mut self, number: u8, value: u32) -> Rig {
        self.wave.set_scalar(Operand::Scalar(number), value);
        self
    }

    pub(super) fn with_pair(mut self, number: u8, value: u64) -> Rig {
        self.wave.set_pair(number, value);
        self
    }

    pub(super) fn with_vector(mut self, number: u8, value: impl Fn(u32) -> u32) -> Rig {
        self.wave.set_lanes(Operand::Vgpr(number), 0, u64::MAX, &lanes(value));
        self
    }

    pub(super) fn with_exec(mut self, mask: u64) -> Rig {
        self.wave.set_exec(mask);
        self
    }

    pub(super) fn s(&self, number: u8) -> u32 {
        self.wave.scalar(Operand::Scalar(number))
    }

    pub(super) fn pair(&self, number: u8) -> u64 {
        self.wave.pair(number)
    }

    pub(super) fn v(&self, number: u8) -> Lanes {
        self.wave.lanes(Operand::Vgpr(number), 0)
    }

    /// Lane 0 of two registers.
    pub(super) fn v64(&self, number: u8) -> u64 {
        self.wave.wide(Operand::Vgpr(number))[0]
    }
}

/// A wave with this many registers in all, of which those that are not for accumulation hold their lane.
fn wave(registers: usize) -> Wave {
    let mut wave = Wave::new(CODE, MODE, registers, 64);
    wave.set_exec(u64::MAX);
    for register in 0..64 {
        wave.set_lanes(Operand::Vgpr(register), 0, u64::MAX, &lanes(|lane| lane));
    }
    wave
}

/// A value for each lane.
pub(super) fn lanes(value: impl Fn(u32) -> u32) -> Lanes {
    std::array::from_fn::<u32, LANES, _>(|lane| value(lane as u32))
}

impl Memory for Bytes {
    fn load(&mut self, address: u64, bytes: u32) -> Result<u64, Denied> {
        if let Some(word) = address.checked_sub(CODE).and_then(|at| self.code.get(at as usize / 4)) {
            return Ok(u64::from(*word));
        }
        let place = self.place(address, bytes)?;
        Ok(place.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)))
    }

    fn store(&mut self, address: u64, bytes: u32, value: u64) -> Result<(), Denied> {
        self.place(address, bytes)?.copy_from_slice(&value.to_le_bytes()[..bytes as usize]);
        Ok(())
    }

    fn atomic(&mut self, address: u64, bytes: u32, update: impl Fn(u64) -> u64) -> Result<u64, Denied> {
        let old = self.load(address, bytes)?;
        self.store(address, bytes, update(old))?;
        Ok(old)
    }

    fn fence(&mut self) {
        self.fences += 1;
    }

    fn interrupt(&mut self, event: u8) {
        self.interrupts.push(event);
    }
}

impl Bytes {
    fn place(&mut self, address: u64, bytes: u32) -> Result<&mut [u8], Denied> {
        let at = address.checked_sub(DATA).ok_or(Denied::Unmapped)? as usize;
        self.data.get_mut(at..at + bytes as usize).ok_or(Denied::Unmapped)
    }
}
