//! The waves of one workgroup, their share of LDS and their barrier.

use super::control::Control;
use super::lds::Share;
use super::memory::Memory;
use super::program::{Action, Program, Step};
use super::stop::Stop;
use super::transfer::Fault;
use super::wave::{State, Wave};
use crate::isa::{Encoding, Instruction};

/// One workgroup.
pub(super) struct Workgroup {
    pub(super) waves: Vec<Wave>,
    pub(super) share: Share,
    /// The scratch of its first wave, as a number of waves.
    pub(super) slot: u32,
}

/// What all waves of a dispatch see.
pub(super) struct Environment<'a, M> {
    pub(super) program: &'a mut Program,
    pub(super) memory: &'a mut M,
    /// Instructions that waves of the dispatch have executed: its clock.
    pub(super) executed: u64,
    /// The value of `executed` at which to pause.
    pub(super) limit: u64,
}

/// The instructions after which another wave of the workgroup has its turn.
const WAVE_TURN: u64 = 256;

/// The instructions of all its waves after which another workgroup has its turn.
const WORKGROUP_TURN: u64 = 16 * WAVE_TURN;

impl Workgroup {
    pub(super) fn has_ended(&self) -> bool {
        self.waves.iter().all(|wave| wave.state == State::Ended)
    }

    /// Runs its waves until it has ended, one of them sleeps, or its turn is over.
    pub(super) fn run<M: Memory>(&mut self, environment: &mut Environment<'_, M>) -> Result<(), Stop> {
        let end = environment.limit.min(environment.executed + WORKGROUP_TURN);
        while environment.executed < end && !self.has_ended() && !self.round(environment)? {}
        Ok(())
    }

    /// Gives each wave that can run a turn; true if one ended its turn by a sleep.
    fn round<M: Memory>(&mut self, environment: &mut Environment<'_, M>) -> Result<bool, Stop> {
        let mut sleeps = false;
        for wave in self.waves.iter_mut().filter(|wave| wave.state == State::Running) {
            let ended_early = turn(wave, &mut self.share, environment)?;
            sleeps |= ended_early && wave.state == State::Running;
        }
        self.release();
        Ok(sleeps)
    }

    /// Lets the waves pass the barrier, once all that have not ended are there.
    fn release(&mut self) {
        if self.waves.iter().any(|wave| wave.state == State::Running) {
            return;
        }
        for wave in self.waves.iter_mut().filter(|wave| wave.state == State::AtBarrier) {
            wave.state = State::Running;
        }
    }
}

/// Runs a wave; true if it ended its turn itself.
fn turn<M: Memory>(
    wave: &mut Wave,
    share: &mut Share,
    environment: &mut Environment<'_, M>,
) -> Result<bool, Stop> {
    let end = environment.limit.min(environment.executed + WAVE_TURN);
    while environment.executed < end {
        environment.executed += 1;
        if step(wave, share, environment)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Executes one instruction; true ends the turn.
pub(super) fn step<M: Memory>(
    wave: &mut Wave,
    share: &mut Share,
    environment: &mut Environment<'_, M>,
) -> Result<bool, Stop> {
    let (pc, executed) = (wave.pc, environment.executed);
    let memory = &mut *environment.memory;
    let fetched = environment.program.fetch(pc, memory)?;
    let indexed;
    let step = if wave.is_indexing() {
        indexed = index_registers(wave, fetched);
        &indexed
    } else {
        fetched
    };
    check_registers(wave, step)?;
    let i = &step.instruction;
    wave.pc = pc.wrapping_add(u64::from(i.size));
    let refused = |fault: Fault| Stop::Memory {
        access: fault.access,
        address: fault.address,
        bytes: fault.bytes,
        lane: fault.lane,
        pc,
        source: fault.denied,
    };
    match step.action {
        Action::Alu(alu) => alu(wave, i),
        Action::Scalar(scalar) => scalar.run(wave, memory, executed, i).map_err(refused)?,
        Action::Vector(vector) => vector.run(wave, memory, share, i).map_err(refused)?,
        Action::Lds(lds) => lds.run(wave, share, i).map_err(refused)?,
        Action::Fence => memory.fence(),
        Action::Control(control) => return pause(control, wave, memory, i, pc),
    }
    Ok(false)
}

fn pause<M: Memory>(
    control: Control,
    wave: &mut Wave,
    memory: &mut M,
    i: &Instruction,
    pc: u64,
) -> Result<bool, Stop> {
    match control {
        Control::End => wave.state = State::Ended,
        Control::Barrier => wave.state = State::AtBarrier,
        Control::Sleep => {}
        Control::Trap if i.imm == DEBUG_TRAP => return Ok(false),
        Control::Trap => return Err(Stop::Trap { id: i.imm.cast_unsigned() as u8, pc }),
        Control::Message => {
            memory.interrupt(wave.m0() as u8);
            return Ok(false);
        }
    }
    Ok(true)
}

/// The trap that does nothing without a debugger.
const DEBUG_TRAP: i32 = 3;

fn check_registers(wave: &Wave, step: &Step) -> Result<(), Stop> {
    let (needs, allocated) = (step.needs, wave.allocated());
    if needs[0] <= allocated[0] && needs[1] <= allocated[1] {
        return Ok(());
    }
    let index = usize::from(needs[0] <= allocated[0]);
    Err(Stop::Register {
        op: step.instruction.op.name(),
        pc: wave.pc,
        file: ["vector", "accumulation"][index],
        needed: needs[index],
        allocated: allocated[index],
    })
}

/// The step with its vector registers moved by `m0`, as far as its bits 15:12 say: sources, then destination.
fn index_registers(wave: &Wave, step: &Step) -> Step {
    let (offset, uses) = (wave.m0() as u8, wave.m0() >> 12);
    let moves = matches!(step.action, Action::Alu(_)) && step.instruction.encoding != Encoding::Ds;
    step.displaced(std::array::from_fn(|operand| if moves && uses >> operand & 1 == 1 { offset } else { 0 }))
}
