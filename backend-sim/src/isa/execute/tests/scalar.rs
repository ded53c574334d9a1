//! Scalar arithmetic, execution masks and the program counter.

use super::rig::{CODE, Rig};
use crate::isa::scalar::{EXEC, VCC};

#[test]
fn the_execution_mask_is_saved_before_it_changes_even_in_its_own_source() {
    let code = &[
        0xbe82_2002, // s_and_saveexec_b64 s[2:3], s[2:3]
    ];
    let rig = Rig::new(code).with_pair(2, 0xf0f0).with_exec(0xffff).run();
    assert_eq!((rig.pair(2), rig.pair(EXEC), rig.wave.scc), (0xffff, 0xf0f0, true));
    let rig = Rig::new(code).with_pair(2, 0xf0000).with_exec(0xffff).run();
    assert_eq!((rig.pair(2), rig.pair(EXEC), rig.wave.scc), (0xffff, 0, false));
}

#[test]
fn each_way_to_change_the_execution_mask() {
    let code: &[u32] = &[
        0xbe84_2102, // s_or_saveexec_b64 s[4:5], s[2:3]
        0xbefe_0104, // s_mov_b64 exec, s[4:5]
        0xbe86_2202, // s_xor_saveexec_b64 s[6:7], s[2:3]
        0xbe88_017e, // s_mov_b64 s[8:9], exec
        0xbefe_0104, // s_mov_b64 exec, s[4:5]
        0xbe86_2302, // s_andn2_saveexec_b64 s[6:7], s[2:3]
        0xbe8a_017e, // s_mov_b64 s[10:11], exec
        0xbefe_0104, // s_mov_b64 exec, s[4:5]
        0xbe86_2402, // s_orn2_saveexec_b64 s[6:7], s[2:3]
        0xbe8c_017e, // s_mov_b64 s[12:13], exec
        0xbefe_0104, // s_mov_b64 exec, s[4:5]
        0xbe86_3302, // s_andn1_saveexec_b64 s[6:7], s[2:3]
        0xbe8e_017e, // s_mov_b64 s[14:15], exec
        0xbefe_0104, // s_mov_b64 exec, s[4:5]
        0xbe90_3602, // s_andn2_wrexec_b64 s[16:17], s[2:3]
    ];
    let rig = Rig::new(code).with_pair(2, 0b1100).with_exec(0b1010).run();
    assert_eq!(rig.pair(8), 0b0110, "xor");
    assert_eq!(rig.pair(10), 0b0100, "the source without the mask");
    assert_eq!(rig.pair(12), !0b0010, "the source or not the mask");
    assert_eq!(rig.pair(14), 0b0010, "the mask without the source");
    assert_eq!((rig.pair(16), rig.pair(EXEC)), (0b0100, 0b0100), "the new mask in both");
}

#[test]
fn fields_have_their_width_in_bits_22_to_16() {
    let code = &[
        0xbe80_00ff,
        0xabcd_1234, // s_mov_b32 s0, 0xabcd1234
        0x9280_ff00,
        0x0008_0008, // s_bfe_u32 s0, s0, 0x80008
        0xbe81_00ff,
        0xabcd_9234, // s_mov_b32 s1, 0xabcd9234
        0x9301_ff01,
        0x0008_0008, // s_bfe_i32 s1, s1, 0x80008
        0x9282_88c1, // s_bfe_u32 s2, -1, 8
        0x8503_8281, // s_cselect_b32 s3, 1, 2
        0x9404_ff0a,
        0x0010_0030, // s_bfe_i64 s[4:5], s[10:11], 0x100030
        0x9386_ff0a,
        0x0040_0000, // s_bfe_u64 s[6:7], s[10:11], 0x400000
        0xbe88_0881, // s_brev_b32 s8, 1
        0x9288_ff08,
        0x0030_001f, // s_bfe_u32 s8, s8, 0x30001f
    ];
    let rig = Rig::new(code).with_pair(10, 0x8001_0000_0000_0007).run();
    assert_eq!((rig.s(0), rig.s(1).cast_signed()), (0x12, -0x6e));
    assert_eq!((rig.s(2), rig.s(3)), (0, 2), "no width: nothing, and no condition");
    assert_eq!(rig.pair(4).cast_signed(), -0x7fff);
    assert_eq!(rig.pair(6), 0x8001_0000_0000_0007);
    assert_eq!(rig.s(8), 1, "a field that ends behind the register");
}

#[test]
fn searches_for_bits_give_minus_one_when_there_is_none() {
    let code = &[
        0xbe80_1080, // s_ff1_i32_b32 s0, 0
        0xbe81_1180, // s_ff1_i32_b64 s1, 0
        0xbe82_1280, // s_flbit_i32_b32 s2, 0
        0xbe83_14c1, // s_flbit_i32 s3, -1
        0xbe84_0ec1, // s_ff0_i32_b32 s4, -1
        0xbe85_110a, // s_ff1_i32_b64 s5, s[10:11]
        0xbe86_1281, // s_flbit_i32_b32 s6, 1
        0xbe87_14ff,
        0xfff0_0000, // s_flbit_i32 s7, 0xfff00000
    ];
    let rig = Rig::new(code).with_pair(10, 1 << 40).run();
    assert_eq!([0, 1, 2, 3, 4].map(|number| rig.s(number)), [u32::MAX; 5]);
    assert_eq!((rig.s(5), rig.s(6), rig.s(7)), (40, 31, 12));
}

#[test]
fn carries_and_overflows_are_conditions() {
    let code = &[
        0x8000_82c1, // s_add_u32 s0, -1, 2
        0x8201_8085, // s_addc_u32 s1, 5, 0
        0x8082_8281, // s_sub_u32 s2, 1, 2
        0x8283_8085, // s_subb_u32 s3, 5, 0
        0x8104_81ff,
        0x7fff_ffff, // s_add_i32 s4, 0x7fffffff, 1
        0x8505_8081, // s_cselect_b32 s5, 1, 0
        0x8186_8281, // s_sub_i32 s6, 1, 2
        0x8507_8081, // s_cselect_b32 s7, 1, 0
        0xb008_7fff, // s_movk_i32 s8, 0x7fff
        0xb708_7fff, // s_addk_i32 s8, 0x7fff
        0x8509_8081, // s_cselect_b32 s9, 1, 0
        0x988a_83ff,
        0x1000_0000, // s_lshl4_add_u32 s10, 0x10000000, 3
        0x850b_8081, // s_cselect_b32 s11, 1, 0
    ];
    let rig = Rig::after(code);
    assert_eq!((rig.s(0), rig.s(1)), (1, 6), "a carry into the next");
    assert_eq!((rig.s(2), rig.s(3)), (u32::MAX, 4), "a borrow from the next");
    assert_eq!((rig.s(5), rig.s(7)), (1, 0), "signed overflow, and unsigned which is none");
    assert_eq!((rig.s(8), rig.s(9)), (0xfffe, 0));
    assert_eq!((rig.s(10), rig.s(11)), (3, 1));
}

#[test]
fn a_borrow_counts_among_those_that_go_on() {
    let rig = Rig::after(&[
        0xbf06_0000, // s_cmp_eq_u32 s0, s0
        0x8281_0202, // s_subb_u32 s1, s2, s2
    ]);
    assert_eq!((rig.s(1), rig.wave.scc), (u32::MAX, true));
}

#[test]
fn each_compare_has_its_relation_and_its_sign() {
    let relations: [fn(i64, i64) -> bool; 6] =
        [|a, b| a == b, |a, b| a != b, |a, b| a > b, |a, b| a >= b, |a, b| a < b, |a, b| a <= b];
    let numbers = [0, 1, 0x7fff_ffff, 0x8000_0000, u32::MAX];
    for (a, b) in numbers.into_iter().flat_map(|a| numbers.map(|b| (a, b))) {
        for (opcode, relation) in (0..).zip(relations) {
            let condition = |opcode: u32| {
                let compare = 0xbf00_0100 | opcode << 16; // s_cmp_… s0, s1
                Rig::new(&[compare]).with_scalar(0, a).with_scalar(1, b).run().wave.scc
            };
            let signed = relation(a.cast_signed().into(), b.cast_signed().into());
            assert_eq!(condition(opcode), signed, "relation {opcode} of signed {a} and {b}");
            assert_eq!(condition(opcode + 6), relation(a.into(), b.into()), "{opcode} of {a} and {b}");
        }
    }
}

#[test]
fn any_bit_of_a_pair_can_be_tested() {
    for bit in 0..64 {
        let tests = [(0xbf0e_0002, false), (0xbf0f_0002, true)]; // s_bitcmp0_b64 s[2:3], s0 and s_bitcmp1_b64
        for (test, expected) in tests {
            let rig = Rig::new(&[test]).with_pair(2, 1 << bit).with_scalar(0, bit | 64).run();
            assert_eq!(rig.wave.scc, expected, "bit {bit}");
        }
    }
}

#[test]
fn minimum_and_maximum_tell_whether_the_first_was_strictly_chosen() {
    let code = &[
        0x8300_81c1, // s_min_i32 s0, -1, 1
        0x8501_8081, // s_cselect_b32 s1, 1, 0
        0x8382_81c1, // s_min_u32 s2, -1, 1
        0x8503_8081, // s_cselect_b32 s3, 1, 0
        0x8404_8383, // s_max_i32 s4, 3, 3
        0x8505_8081, // s_cselect_b32 s5, 1, 0
        0x8486_83c1, // s_max_u32 s6, -1, 3
        0x8507_8081, // s_cselect_b32 s7, 1, 0
    ];
    let rig = Rig::after(code);
    assert_eq!([0, 1, 2, 3].map(|number| rig.s(number)), [u32::MAX, 1, 1, 0]);
    assert_eq!([4, 5, 6, 7].map(|number| rig.s(number)), [3, 0, u32::MAX, 1]);
}

#[test]
fn moves_and_products_leave_the_condition() {
    let code = &[
        0xbf06_8080, // s_cmp_eq_u32 0, 0
        0xbe80_0080, // s_mov_b32 s0, 0
        0x9201_8080, // s_mul_i32 s1, 0, 0
        0x9602_c1c1, // s_mul_hi_u32 s2, -1, -1
        0x9683_c1c1, // s_mul_hi_i32 s3, -1, -1
        0xbe84_0881, // s_brev_b32 s4, 1
        0xbe85_16ff,
        0x0000_0080, // s_sext_i32_i8 s5, 0x80
        0x9106_8884, // s_bfm_b32 s6, 4, 8
        0xb007_ffff, // s_movk_i32 s7, 0xffff
        0xb088_0011, // s_cmovk_i32 s8, 0x11
        0xb787_fffe, // s_mulk_i32 s7, 0xfffe
    ];
    let rig = Rig::after(code);
    assert!(rig.wave.scc);
    assert_eq!((rig.s(2), rig.s(3)), (0xffff_fffe, 0));
    assert_eq!((rig.s(4), rig.s(5), rig.s(6)), (1 << 31, 0xffff_ff80, 0xf00));
    assert_eq!((rig.s(7), rig.s(8)), (2, 0x11));
}

#[test]
fn literals_of_64_bits_are_extended_by_zeros_and_small_constants_by_their_sign() {
    let code = &[
        0xbe80_01ff,
        0x8000_0000, // s_mov_b64 s[0:1], 0x80000000
        0xbe82_01c2, // s_mov_b64 s[2:3], -2
        0xbf12_c202, // s_cmp_eq_u64 s[2:3], -2
    ];
    let rig = Rig::after(code);
    assert_eq!((rig.pair(0), rig.pair(2).cast_signed(), rig.wave.scc), (0x8000_0000, -2, true));
}

#[test]
fn compares_of_short_constants_extend_them_by_type() {
    let code = &[
        0xbe80_00c1, // s_mov_b32 s0, -1
        0xb100_ffff, // s_cmpk_eq_i32 s0, 0xffff
        0x8501_8081, // s_cselect_b32 s1, 1, 0
        0xb400_ffff, // s_cmpk_eq_u32 s0, 0xffff
        0x8502_8081, // s_cselect_b32 s2, 1, 0
        0xb500_ffff, // s_cmpk_gt_u32 s0, 0xffff
        0x8503_8081, // s_cselect_b32 s3, 1, 0
        0xb300_0000, // s_cmpk_lt_i32 s0, 0x0
        0x8504_8081, // s_cselect_b32 s4, 1, 0
        0xbf0d_a500, // s_bitcmp1_b32 s0, 37
        0x8505_8081, // s_cselect_b32 s5, 1, 0
    ];
    let rig = Rig::after(code);
    assert_eq!([1, 2, 3, 4, 5].map(|number| rig.s(number)), [1, 0, 1, 1, 1]);
}

#[test]
fn calls_and_returns() {
    let code = &[
        0xbe80_1c00, // s_getpc_b64 s[0:1]
        0x8000_9400, // s_add_u32 s0, s0, 20
        0x8201_8001, // s_addc_u32 s1, s1, 0
        0xbe80_1e00, // s_swappc_b64 s[0:1], s[0:1]
        0xbe84_0087, // s_mov_b32 s4, 7
        0xbf81_0000, // s_endpgm
        0xbe85_0089, // s_mov_b32 s5, 9
        0xbe80_1d00, // s_setpc_b64 s[0:1]
    ];
    let rig = Rig::after(code);
    assert_eq!((rig.s(4), rig.s(5)), (7, 9), "the call returns behind itself");
    assert_eq!(rig.pair(0), CODE + 16);
}

#[test]
fn branches_count_dwords_from_the_next_instruction() {
    let code = &[
        0xbe80_0083, // s_mov_b32 s0, 3
        0xbe81_0080, // s_mov_b32 s1, 0
        0x8001_0001, // s_add_u32 s1, s1, s0
        0x8080_8100, // s_sub_u32 s0, s0, 1
        0xbf07_8000, // s_cmp_lg_u32 s0, 0
        0xbf85_fffc, // s_cbranch_scc1 65532
        0xbeea_0180, // s_mov_b64 vcc, 0
        0xbf86_0001, // s_cbranch_vccz 1
        0xbe81_0080, // s_mov_b32 s1, 0
        0xbe82_0081, // s_mov_b32 s2, 1
        0xbefe_0180, // s_mov_b64 exec, 0
        0xbf89_0001, // s_cbranch_execnz 1
        0xbe83_0081, // s_mov_b32 s3, 1
        0xbf87_0001, // s_cbranch_vccnz 1
        0xbe84_0081, // s_mov_b32 s4, 1
    ];
    let rig = Rig::after(code);
    assert_eq!([1, 2, 3, 4].map(|number| rig.s(number)), [6, 1, 1, 1]);
    assert_eq!(rig.pair(VCC), 0);
}

#[test]
fn hardware_registers() {
    let code = &[
        0xb880_7c0f, // s_getreg_b32 s0, hwreg(HW_REG_SH_MEM_BASES, 16, 16)
        0xb881_780f, // s_getreg_b32 s1, hwreg(HW_REG_SH_MEM_BASES, 0, 16)
        0xbe82_01eb, // s_mov_b64 s[2:3], src_shared_base
        0xbe84_01ed, // s_mov_b64 s[4:5], src_private_base
        0xba00_0801,
        0x0000_0003, // s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 3
        0xb886_4801, // s_getreg_b32 s6, hwreg(HW_REG_MODE, 0, 10)
    ];
    let rig = Rig::after(code);
    assert_eq!((rig.s(0), rig.s(1)), (1, 2), "LDS in the high half, scratch in the low one");
    assert_eq!((rig.pair(2), rig.pair(4)), (1 << 48, 2 << 48));
    assert_eq!(rig.s(6), 0x3f3, "the rounding changed, nothing else");
}

#[test]
fn rounding_is_the_modes() {
    let code = &[
        0x0202_00f2, // v_add_f32_e32 v1, 1.0, v0
        0xba00_0801,
        0x0000_0001, // s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 1
        0x0204_00f2, // v_add_f32_e32 v2, 1.0, v0
    ];
    let rig = Rig::new(code).with_vector(0, |_| 1).run();
    assert_eq!((rig.v(1)[0], rig.v(2)[0]), (0x3f80_0000, 0x3f80_0001));
}
