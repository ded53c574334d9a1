//! Branches, hardware registers and what ends or pauses a wave.

use super::Alu;
use super::wave::Wave;
use crate::isa::{Instruction, Op, scalar};

/// What a wave tells its workgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Control {
    End,
    Barrier,
    Sleep,
    Trap,
    Message,
}

/// What the operation tells the workgroup, if it is one of these.
pub(super) fn find_control(op: Op) -> Option<Control> {
    Some(match op {
        Op::s_endpgm | Op::s_endpgm_saved | Op::s_endpgm_ordered_ps_done => Control::End,
        Op::s_barrier => Control::Barrier,
        Op::s_sleep => Control::Sleep,
        Op::s_trap => Control::Trap,
        Op::s_sendmsg => Control::Message,
        _ => return None,
    })
}

/// How the operation is executed, if it is one of these. The program counter is already behind it.
pub(super) fn find(op: Op) -> Option<Alu> {
    branch(op).or_else(|| registers(op)).or_else(|| nothing(op))
}

fn branch(op: Op) -> Option<Alu> {
    let alu: Alu = match op {
        Op::s_branch => |w, i| w.branch(i, true),
        Op::s_cbranch_scc0 => |w, i| w.branch(i, !w.scc),
        Op::s_cbranch_scc1 => |w, i| w.branch(i, w.scc),
        Op::s_cbranch_vccz => |w, i| w.branch(i, w.vcc() == 0),
        Op::s_cbranch_vccnz => |w, i| w.branch(i, w.vcc() != 0),
        Op::s_cbranch_execz => |w, i| w.branch(i, w.exec() == 0),
        Op::s_cbranch_execnz => |w, i| w.branch(i, w.exec() != 0),
        Op::s_getpc_b64 => |w, i| w.set_scalar_pair(i.dst, w.pc),
        Op::s_setpc_b64 => |w, i| w.pc = w.scalar_pair(i.src[0]),
        Op::s_swappc_b64 => |w, i| {
            let target = w.scalar_pair(i.src[0]);
            w.set_scalar_pair(i.dst, w.pc);
            w.pc = target;
        },
        Op::s_call_b64 => |w, i| {
            w.set_scalar_pair(i.dst, w.pc);
            w.branch(i, true);
        },
        _ => return None,
    };
    Some(alu)
}

fn registers(op: Op) -> Option<Alu> {
    let alu: Alu = match op {
        Op::s_getreg_b32 => |w, i| {
            let field = Field::of(i);
            let value = w.hardware_register(field.id) >> field.offset & field.mask;
            w.set_scalar(i.dst, value);
        },
        Op::s_setreg_b32 => |w, i| w.set_register(Field::of(i), w.scalar(i.src[0])),
        Op::s_setreg_imm32_b32 => |w, i| w.set_register(Field::of(i), w.scalar(i.src[2])),
        Op::s_set_gpr_idx_on => |w, i| {
            let index = w.scalar(i.src[0]) & 0xff;
            w.scalars[usize::from(scalar::M0)] =
                w.m0() & !0xf0ff | index | (i.imm.cast_unsigned() & 0xf) << 12;
            w.set_indexing(true);
        },
        Op::s_set_gpr_idx_off => |w, _| w.set_indexing(false),
        Op::s_set_gpr_idx_idx => |w, i| {
            let index = w.scalar(i.src[0]) & 0xff;
            w.scalars[usize::from(scalar::M0)] = w.m0() & !0xff | index;
        },
        Op::s_set_gpr_idx_mode => |w, i| {
            let uses = i.imm.cast_unsigned() & 0xf;
            w.scalars[usize::from(scalar::M0)] = w.m0() & !0xf000 | uses << 12;
        },
        _ => return None,
    };
    Some(alu)
}

/// What only matters to timing, caches and profilers.
fn nothing(op: Op) -> Option<Alu> {
    matches!(
        op,
        Op::s_nop
            | Op::s_waitcnt
            | Op::s_setprio
            | Op::s_wakeup
            | Op::s_icache_inv
            | Op::s_incperflevel
            | Op::s_decperflevel
            | Op::s_ttracedata
            | Op::v_nop
            | Op::v_clrexcp
            | Op::ds_nop
    )
    .then_some(|_, _| {})
}

/// What an access to a hardware register asks for and nobody provides.
pub(super) fn register_limit(i: &Instruction) -> Option<&'static str> {
    let id = Field::of(i).id;
    let readable = [register::MODE, register::STATUS, register::HW_ID, register::SH_MEM_BASES];
    match i.op {
        Op::s_getreg_b32 if !readable.contains(&id) => Some("the hardware register cannot be read"),
        Op::s_setreg_b32 | Op::s_setreg_imm32_b32 if id != register::MODE => {
            Some("only the mode register can be written")
        }
        _ => None,
    }
}

/// The message that wakes the host.
const MESSAGE_INTERRUPT: i32 = 1;

pub(super) fn message_limit(i: &Instruction) -> Option<&'static str> {
    (i.imm & 0xf != MESSAGE_INTERRUPT).then_some("only the interrupt message is implemented")
}

/// A part of a hardware register, as `s_getreg` and `s_setreg` name it.
struct Field {
    id: u32,
    offset: u32,
    mask: u32,
}

impl Field {
    fn of(instruction: &Instruction) -> Field {
        let bits = instruction.imm.cast_unsigned();
        Field { id: bits & 0x3f, offset: bits >> 6 & 0x1f, mask: u32::MAX >> (31 - (bits >> 11 & 0x1f)) }
    }
}

/// The numbers of hardware registers.
mod register {
    pub(super) const MODE: u32 = 1;
    pub(super) const STATUS: u32 = 2;
    pub(super) const HW_ID: u32 = 4;
    pub(super) const SH_MEM_BASES: u32 = 15;
}

impl Wave {
    fn branch(&mut self, instruction: &Instruction, taken: bool) {
        if taken {
            self.pc = instruction.branch_target(self.pc.wrapping_sub(4));
        }
    }

    fn hardware_register(&self, id: u32) -> u32 {
        match id {
            register::MODE => self.mode(),
            register::STATUS => {
                u32::from(self.scc)
                    | u32::from(self.exec() == 0) << 9
                    | u32::from(self.vcc() == 0) << 10
                    | 1 << 16
            }
            register::HW_ID => self.hardware_id,
            register::SH_MEM_BASES => {
                (super::PRIVATE_APERTURE >> 48 | super::SHARED_APERTURE >> 48 << 16) as u32
            }
            _ => 0,
        }
    }

    /// Sets a field of the mode register: no other one gets here.
    fn set_register(&mut self, field: Field, value: u32) {
        let mask = field.mask << field.offset;
        self.set_mode(self.mode() & !mask | value << field.offset & mask);
    }
}
