//! Code, decoded on demand and kept.

use super::cross_lane::SWIZZLE_FFT;
use super::lds::{self, Lds};
use super::memory::{Access, Denied, Memory};
use super::scalar_memory::{self, ScalarMemory};
use super::stop::Stop;
use super::vector_memory::{self, VectorMemory};
use super::{Alu, compare, control, convert, cross_lane, float, integer, packed, scalar};
use crate::isa::{Encoding, Instruction, Op, Operand, Special, Target, Type, decode};
use control::Control;

/// What has been decoded of the code in one address space.
pub struct Program {
    target: Target,
    pages: Vec<Page>,
    /// The page of the last fetch.
    last: usize,
}

/// What has been decoded of 4 KiB of code.
struct Page {
    number: u64,
    steps: Box<[Option<Step>]>,
    /// The dwords that the steps were decoded from, and where they were.
    code: Vec<(u64, u32)>,
}

/// A decoded instruction and how it is executed.
#[derive(Clone, Copy)]
pub(super) struct Step {
    pub(super) instruction: Instruction,
    pub(super) action: Action,
    /// How many vector and accumulation registers it needs.
    pub(super) needs: [u16; 2],
}

/// How an instruction is executed.
#[derive(Clone, Copy)]
pub(super) enum Action {
    /// On the wave's registers alone.
    Alu(Alu),
    Control(Control),
    Scalar(ScalarMemory),
    Vector(VectorMemory),
    Lds(Lds),
    Fence,
}

/// Bytes of code that are kept together.
const PAGE: u64 = 4096;

impl Program {
    /// Code for `target`, none of it decoded yet.
    pub fn new(target: Target) -> Program {
        Program { target, pages: Vec::new(), last: 0 }
    }

    /// The processor that the code is for.
    pub(super) fn target(&self) -> Target {
        self.target
    }

    /// Forgets code that has been overwritten since it was decoded.
    pub fn refresh<M: Memory>(&mut self, memory: &mut M) {
        self.pages
            .retain(|page| page.code.iter().all(|(at, word)| memory.load(*at, 4) == Ok((*word).into())));
        self.last = 0;
    }

    /// The instruction at `pc`.
    pub(super) fn fetch<M: Memory>(&mut self, pc: u64, memory: &mut M) -> Result<&Step, Stop> {
        let (page, slot) = (self.page(pc / PAGE), (pc % PAGE / 4) as usize);
        let page = &mut self.pages[page];
        if page.steps[slot].is_none() {
            page.steps[slot] = Some(Step::decode(pc, self.target, memory, &mut page.code)?);
        }
        Ok(page.steps[slot].as_ref().expect("it was just filled"))
    }

    fn page(&mut self, number: u64) -> usize {
        if self.pages.get(self.last).is_none_or(|page| page.number != number) {
            self.last = self.pages.iter().position(|page| page.number == number).unwrap_or(self.pages.len());
        }
        if self.last == self.pages.len() {
            let steps = vec![None; PAGE as usize / 4].into();
            self.pages.push(Page { number, steps, code: Vec::new() });
        }
        self.last
    }
}

impl Step {
    fn decode<M: Memory>(
        pc: u64,
        target: Target,
        memory: &mut M,
        code: &mut Vec<(u64, u32)>,
    ) -> Result<Step, Stop> {
        let refused =
            |source| Stop::Memory { access: Access::Fetch, address: pc, bytes: 4, lane: None, pc, source };
        if !pc.is_multiple_of(4) {
            return Err(refused(Denied::Misaligned));
        }
        let first = memory.load(pc, 4).map_err(refused)? as u32;
        let words = match memory.load(pc.wrapping_add(4), 4) {
            Ok(second) => &[first, second as u32][..],
            Err(_) => &[first],
        };
        let instruction = decode(words, target).map_err(|source| Stop::Decode { pc, source })?;
        let action = Action::find(&instruction).map_err(|reason| Stop::Unsupported {
            op: instruction.op.name(),
            encoding: instruction.encoding,
            word: first,
            pc,
            reason,
        })?;
        code.extend((pc..).step_by(4).zip(words.iter().copied()).take(usize::from(instruction.size) / 4));
        Ok(Step { instruction, action, needs: needs(&instruction, [0; 4]) })
    }

    /// The step with the numbers of its vector registers displaced: those of its sources and of its destination.
    pub(super) fn displaced(&self, by: [u8; 4]) -> Step {
        let mut moved = *self;
        let [first, second, third] = &mut moved.instruction.src;
        for (operand, by) in [first, second, third, &mut moved.instruction.dst].into_iter().zip(by) {
            if let Operand::Vgpr(number) = operand {
                *number = number.wrapping_add(by);
            }
        }
        Step { needs: needs(&self.instruction, by), ..moved }
    }
}

impl Action {
    /// How the instruction is executed, or why it is not.
    fn find(instruction: &Instruction) -> Result<Action, &'static str> {
        if let Some(reason) = limit(instruction) {
            return Err(reason);
        }
        Action::of(instruction.op).ok_or("the operation is not implemented")
    }

    /// How the operation is executed.
    pub(super) fn of(op: Op) -> Option<Action> {
        let alu = scalar::find(op)
            .or_else(|| control::find(op))
            .or_else(|| integer::find(op))
            .or_else(|| compare::find(op))
            .or_else(|| float::find(op))
            .or_else(|| convert::find(op))
            .or_else(|| packed::find(op))
            .or_else(|| cross_lane::find(op));
        if let Some(alu) = alu {
            return Some(Action::Alu(alu));
        }
        control::find_control(op)
            .map(Action::Control)
            .or_else(|| is_fence(op).then_some(Action::Fence))
            .or_else(|| scalar_memory::find(op).map(Action::Scalar))
            .or_else(|| vector_memory::find(op.name()).map(Action::Vector))
            .or_else(|| lds::find(op.name()).map(Action::Lds))
    }
}

/// Whether the operation writes caches back or makes them forget: memory is coherent, but other threads watch it.
fn is_fence(op: Op) -> bool {
    let scalar = [Op::s_dcache_inv, Op::s_dcache_inv_vol, Op::s_dcache_wb, Op::s_dcache_wb_vol];
    let vector =
        [Op::buffer_wbl2, Op::buffer_inv, Op::buffer_invl2, Op::buffer_wbinvl1, Op::buffer_wbinvl1_vol];
    scalar.contains(&op) || vector.contains(&op)
}

/// What the instruction asks for and nobody provides.
fn limit(i: &Instruction) -> Option<&'static str> {
    if i.src.contains(&Operand::Special(Special::PopsExitingWaveId)) {
        return Some("the source operand is not implemented");
    }
    if i.memory().gds || i.memory().lds {
        return Some("gds and lds are not implemented");
    }
    match i.op {
        Op::s_getreg_b32 | Op::s_setreg_b32 | Op::s_setreg_imm32_b32 => control::register_limit(i),
        Op::s_sendmsg => control::message_limit(i),
        Op::ds_swizzle_b32 if i.imm >= SWIZZLE_FFT => {
            Some("the swizzle of a Fourier transform is not implemented")
        }
        _ => None,
    }
}

/// How many vector and accumulation registers the instruction names, if the vector registers of its sources and its
/// destination are displaced.
fn needs(i: &Instruction, displaced: [u8; 4]) -> [u16; 2] {
    let shape = i.op.shape();
    let width = |ty: Option<&Type>| ty.map_or(1, |ty| u16::from(ty.dwords()));
    let data = [shape.src.first(), shape.src.get(1), shape.src.get(2)].map(width);
    let is_address = |index| index == 0 && i.memory_has_address();
    let mut needs = [0, 0];
    let mut count = |operand, by: u8, width: u16| match operand {
        Operand::Vgpr(number) => needs[0] = needs[0].max(u16::from(number) + u16::from(by) + width),
        Operand::Agpr(number) => needs[1] = needs[1].max(u16::from(number) + width),
        _ => {}
    };
    for (index, operand) in i.src.into_iter().enumerate() {
        let width = match i.encoding {
            _ if is_address(index) => i.address_registers(),
            Encoding::Flat | Encoding::Global | Encoding::Scratch | Encoding::Ds => {
                data[index.saturating_sub(1)]
            }
            _ => data[index],
        };
        count(operand, displaced[index], width);
    }
    count(i.dst, displaced[3], width(shape.dst.as_ref().or(shape.src.first())));
    needs
}

impl Instruction {
    fn memory_has_address(&self) -> bool {
        matches!(
            self.encoding,
            Encoding::Flat | Encoding::Global | Encoding::Scratch | Encoding::Ds | Encoding::Mubuf
        )
    }

    /// How many registers hold a lane's address.
    fn address_registers(&self) -> u16 {
        match self.encoding {
            Encoding::Flat => 2,
            Encoding::Global if self.src[2] == Operand::None => 2,
            Encoding::Mubuf if self.memory().idxen && self.memory().offen => 2,
            _ => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const ENCODINGS: [Encoding; 18] = [
        Encoding::Sop1,
        Encoding::Sop2,
        Encoding::Sopc,
        Encoding::Sopk,
        Encoding::Sopp,
        Encoding::Smem,
        Encoding::Vop1,
        Encoding::Vop2,
        Encoding::Vopc,
        Encoding::Vop3,
        Encoding::Vop3p,
        Encoding::Ds,
        Encoding::Flat,
        Encoding::Global,
        Encoding::Scratch,
        Encoding::Mubuf,
        Encoding::Mtbuf,
        Encoding::Mimg,
    ];

    /// Parts of the names of what is not executed: matrices, images and typed buffers; floats of 8 bits and bfloat16;
    /// loads to LDS; synchronization of the grid; scalar stores and atomics; indexed scalar registers; and what only
    /// graphics, debuggers or trap handlers use.
    const NOT_EXECUTED: &str = "v_mfma v_smfmac fp8 bf8 bf16 _load_lds_ image_ _format_ _gws_ s_store s_atomic s_buffer_store s_buffer_atomic s_scratch \
        s_atc_probe s_dcache_discard s_movrel _fork s_cbranch_join s_cbranch_cdbg s_rfe s_setvskip s_setkill s_sethalt \
        s_sendmsghalt v_screen_partition v_pk_fmac_f16 v_mqsad_u32_u8 _addtid_ ds_cmpst_f ds_cmpst_rtn_f ds_wrap \
        ds_wrxchg2 ds_condxchg32 ds_consume ds_append buffer_store_lds";

    #[test]
    fn all_operations_are_executed_but_for_a_few_families() {
        for (target, operations, not_executed) in [(Target::Gfx90a, 1135, 195), (Target::Gfx942, 1154, 211)] {
            let all = ENCODINGS.into_iter().flat_map(|encoding| (0..1024).map(move |code| (encoding, code)));
            let all: BTreeSet<Op> =
                all.filter_map(|(encoding, code)| Op::find(encoding, code, target)).collect();
            let missing: Vec<_> =
                all.iter().filter(|op| Action::of(**op).is_none()).map(|op| op.name()).collect();
            let expected = |name: &str| NOT_EXECUTED.split_whitespace().any(|part| name.contains(part));
            let unexpected: Vec<_> = missing.iter().filter(|name| !expected(name)).collect();
            assert_eq!((unexpected, all.len(), missing.len()), (vec![], operations, not_executed));
        }
    }
}
