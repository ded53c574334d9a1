//! What an operation can have besides its operands, as far as its name and types tell.

use super::{Op, Type};
use crate::isa::instruction::{Encoding, Target};

impl Op {
    /// Whether its mnemonic says which of two encodings it has.
    pub(in crate::isa) fn has_suffix(self) -> bool {
        let vop3 = self.has_vop3() || self == Op::v_pk_fmac_f16;
        self.is_short() && vop3 && !matches!(self, Op::v_nop | Op::v_clrexcp)
    }

    /// Whether an operation of VOP1, VOP2 or VOPC has a VOP3 form.
    pub(in crate::isa) fn has_vop3(self) -> bool {
        self.shape().src.len() < 3 && !self.is_register_move() && self != Op::v_pk_fmac_f16
    }

    /// Whether it has an SDWA form.
    pub(in crate::isa) fn has_sdwa(self) -> bool {
        !self.shape().src.is_empty()
            && (!self.is_wide() || self.is_from_fp8())
            && !self.is_constant_multiply_add()
            && !self.is_register_move()
            && !self.accumulates()
    }

    /// Whether it has a DPP form.
    pub(in crate::isa) fn has_dpp(self) -> bool {
        !self.shape().src.is_empty()
            && !self.is_compare()
            && !self.is_constant_multiply_add()
            && !self.is_register_move()
            && self != Op::v_pk_fmac_f16
    }

    /// Whether an operand takes two registers.
    pub(in crate::isa) fn is_wide(self) -> bool {
        let dst = self.shape().dst.filter(|_| !self.is_compare());
        self.shape().src.iter().chain(&dst).any(|ty| ty.dwords() > 1)
    }

    /// Whether a literal is always one of its factors or its addend.
    pub(in crate::isa) fn is_constant_multiply_add(self) -> bool {
        self.home() == Encoding::Vop2 && self.shape().src.len() == 3
    }

    /// Whether its destination is a source, too.
    pub(in crate::isa) fn accumulates(self) -> bool {
        matches!(
            self,
            Op::v_mac_f16
                | Op::v_mac_f32
                | Op::v_fmac_f32
                | Op::v_fmac_f64
                | Op::v_dot2c_f32_f16
                | Op::v_dot2c_i32_i16
                | Op::v_dot4c_i32_i8
                | Op::v_dot8c_i32_i4
                | Op::v_pk_fmac_f16
        )
    }

    /// Which sources can be negated or made absolute, bit i for source i.
    pub(in crate::isa) fn signs(self) -> u8 {
        let shape = self.shape();
        if self.is_class() {
            1
        } else if self.is_stochastic() {
            7
        } else if self.floats() != 0 || self.has_op_sel() || self.accumulates() {
            (1 << shape.src.len()) - 1
        } else {
            0
        }
    }

    /// Which sources are floats, bit i for source i.
    pub(in crate::isa) fn floats(self) -> u8 {
        let float = |ty: &Type| u8::from(matches!(ty, Type::F16 | Type::F32 | Type::F64 | Type::V2F16));
        self.shape().src.iter().rev().fold(0, |set, ty| set << 1 | float(ty))
    }

    /// Whether a VOP3 operation reads and writes halves of registers.
    pub(in crate::isa) fn has_op_sel(self) -> bool {
        let half = matches!(self.shape().src.first(), Some(Type::F16 | Type::I16));
        self.home() == Encoding::Vop3 && half && !self.name().contains("legacy") || self.is_to_fp8()
    }

    /// Whether its VOP3 form can saturate.
    pub(in crate::isa) fn has_clamp(self) -> bool {
        let integer = ["_sad_", "_msad_", "_qsad_", "_mqsad_", "_co_", "_mad_"];
        let signs = self.signs() != 0 && !self.is_class();
        (signs || self.is_to_float()) && self != Op::v_cndmask_b32 && !self.is_to_fp8()
            || integer.iter().any(|part| self.name().contains(part))
            || matches!(
                self,
                Op::v_mul_i32_i24
                    | Op::v_mul_u32_u24
                    | Op::v_add_u16
                    | Op::v_sub_u16
                    | Op::v_subrev_u16
                    | Op::v_add_u32
                    | Op::v_sub_u32
                    | Op::v_subrev_u32
                    | Op::v_add_i32
                    | Op::v_sub_i32
            )
    }

    /// Whether its VOP3 form can scale the result.
    pub(in crate::isa) fn has_omod(self) -> bool {
        let converts = self.home() == Encoding::Vop1 && self.signs() != 0;
        let without = [Op::v_cvt_rpi_i32_f32, Op::v_cvt_flr_i32_f32, Op::v_frexp_exp_i32_f32];
        (self.has_sdwa_omod() || converts || self == Op::v_cvt_pkrtz_f16_f32) && !without.contains(&self)
    }

    /// Whether its SDWA form can scale the result.
    pub(in crate::isa) fn has_sdwa_omod(self) -> bool {
        self.is_to_float() && self != Op::v_cndmask_b32
    }

    fn is_to_float(self) -> bool {
        matches!(self.shape().dst, Some(Type::F16 | Type::F32 | Type::F64 | Type::V2F32))
    }

    /// How many bits of `op_sel` are about sources.
    pub(in crate::isa) fn op_sel_sources(self) -> usize {
        if self.is_stochastic() { 3 } else { self.shape().src.len() }
    }

    fn is_stochastic(self) -> bool {
        matches!(self, Op::v_cvt_sr_fp8_f32 | Op::v_cvt_sr_bf8_f32)
    }

    fn is_to_fp8(self) -> bool {
        self.is_stochastic() || matches!(self, Op::v_cvt_pk_fp8_f32 | Op::v_cvt_pk_bf8_f32)
    }

    /// Whether it converts floats of 8 bits to others.
    pub(in crate::isa) fn is_from_fp8(self) -> bool {
        matches!(self, Op::v_cvt_f32_fp8 | Op::v_cvt_f32_bf8 | Op::v_cvt_pk_f32_fp8 | Op::v_cvt_pk_f32_bf8)
    }

    /// Whether it multiplies matrices, one of them sparse.
    pub(in crate::isa) fn is_sparse_matrix(self) -> bool {
        self.name().starts_with("v_smfmac")
    }

    /// Whether it multiplies matrices.
    pub(in crate::isa) fn is_matrix(self) -> bool {
        self.name().starts_with("v_mfma") || self.is_sparse_matrix()
    }

    /// Whether its sources are of half or single precision as `op_sel_hi` says.
    pub(in crate::isa) fn is_mix(self) -> bool {
        matches!(self, Op::v_fma_mix_f32 | Op::v_fma_mixlo_f16 | Op::v_fma_mixhi_f16)
    }

    /// Whether a SOPP operation uses its immediate.
    pub(in crate::isa) fn has_immediate(self) -> bool {
        !matches!(
            self,
            Op::s_wakeup
                | Op::s_barrier
                | Op::s_icache_inv
                | Op::s_ttracedata
                | Op::s_endpgm_saved
                | Op::s_set_gpr_idx_off
                | Op::s_endpgm_ordered_ps_done
        )
    }

    /// Whether a SOP1 operation takes no constant.
    pub(in crate::isa) fn needs_register(self) -> bool {
        matches!(
            self,
            Op::s_setpc_b64 | Op::s_rfe_b64 | Op::s_movrels_b32 | Op::s_movrels_b64 | Op::s_cbranch_join
        )
    }

    /// Whether its immediate is a distance in dwords.
    pub(in crate::isa) fn is_branch(self) -> bool {
        self == Op::s_branch || self == Op::s_call_b64 || self.name().starts_with("s_cbranch")
    }

    /// Whether a DS operation has two addresses.
    pub(in crate::isa) fn has_two_offsets(self) -> bool {
        ["ds_read2", "ds_write2", "ds_wrxchg2"].iter().any(|prefix| self.name().starts_with(prefix))
    }

    /// What the base of an SMEM operation is: an address, or a buffer resource.
    pub(in crate::isa) fn base(self) -> Type {
        if self.name().contains("buffer") { Type::B128 } else { Type::I64 }
    }

    /// Whether a memory operation takes an address.
    pub(in crate::isa) fn has_address(self) -> bool {
        let without = [
            "s_dcache_inv",
            "s_dcache_wb",
            "s_memtime",
            "s_memrealtime",
            "buffer_wb",
            "buffer_inv",
            "ds_gws",
            "ds_nop",
            "ds_append",
            "ds_consume",
            "ds_read_addtid",
            "ds_write_addtid",
        ];
        !without.iter().any(|prefix| self.name().starts_with(prefix))
    }

    /// Whether a DS operation is one of global wave sync.
    pub(in crate::isa) fn is_global_wave_sync(self) -> bool {
        self.name().starts_with("ds_gws")
    }

    /// Whether a bit tells if a load puts its data into LDS.
    pub(in crate::isa) fn has_lds_bit(self, target: Target) -> bool {
        let sizes = [
            "_load_ubyte",
            "_load_sbyte",
            "_load_ushort",
            "_load_sshort",
            "_load_dword",
            "buffer_load_format_x",
        ];
        let encoding = match self.home() {
            Encoding::Global | Encoding::Scratch => target == Target::Gfx90a,
            home => home == Encoding::Mubuf,
        };
        self == Op::buffer_store_lds_dword || encoding && sizes.iter().any(|size| self.name().ends_with(size))
    }

    /// Whether a cache operation has scopes.
    pub(in crate::isa) fn has_scope(self, target: Target) -> bool {
        self == Op::buffer_wbl2 || self == Op::buffer_inv && target == Target::Gfx942
    }

    /// Whether it is an atomic operation in memory that has no system scope.
    pub(in crate::isa) fn is_local_atomic(self, target: Target) -> bool {
        let name = self.name();
        target == Target::Gfx90a
            && name.contains("_atomic_")
            && ["_f16", "_f32", "_f64"].iter().any(|ty| name.ends_with(ty))
    }

    /// Whether an image operation can have these channels.
    pub(in crate::isa) fn allows_dmask(self, dmask: u8) -> bool {
        match self {
            Op::image_atomic_cmpswap => matches!(dmask, 3 | 15),
            _ if self.name().contains("atomic") => matches!(dmask, 1 | 3),
            _ => true,
        }
    }

    /// Whether it asks if an address could be translated.
    pub(in crate::isa) fn is_probe(self) -> bool {
        matches!(self, Op::s_atc_probe | Op::s_atc_probe_buffer)
    }

    /// Whether an image operation can have data of 16 bits.
    pub(in crate::isa) fn has_d16(self) -> bool {
        matches!(
            self,
            Op::image_load | Op::image_load_mip | Op::image_store | Op::image_store_mip | Op::image_sample
        )
    }

    /// Whether it is an operation of VOP1, VOP2 or VOPC.
    fn is_short(self) -> bool {
        matches!(self.home(), Encoding::Vop1 | Encoding::Vop2 | Encoding::Vopc)
    }

    /// Whether it moves data in a way that has one encoding only.
    pub(in crate::isa) fn is_register_move(self) -> bool {
        matches!(self, Op::v_readfirstlane_b32 | Op::v_swap_b32 | Op::v_accvgpr_mov_b32)
    }

    /// Whether it compares, with a bit a lane as result.
    pub(in crate::isa) fn is_compare(self) -> bool {
        self.home() == Encoding::Vopc
    }

    fn is_class(self) -> bool {
        self.name().starts_with("v_cmp_class") || self.name().starts_with("v_cmpx_class")
    }
}
