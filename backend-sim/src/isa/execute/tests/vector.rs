//! Vector arithmetic: masks, modifiers, parts of registers.

use super::rig::{Rig, lanes};
use crate::isa::Operand;
use crate::isa::scalar::{EXEC, VCC};

const ONE: u32 = 0x3f80_0000;

#[test]
fn only_active_lanes_are_written() {
    let rig = Rig::new(&[
        0x7e02_0287, // v_mov_b32_e32 v1, 7
    ])
    .with_exec(0x8000_0001_0000_0002)
    .run();
    assert_eq!(rig.v(1), lanes(|lane| if [1, 32, 63].contains(&lane) { 7 } else { lane }));
}

#[test]
fn compares_clear_the_bits_of_inactive_lanes() {
    let code = &[
        0xbeea_01c1, // s_mov_b64 vcc, -1
        0x7d98_0088, // v_cmp_gt_u32_e32 vcc, 8, v0
        0xd0cd_0004,
        0x0002_0083, // v_cmp_ne_u32_e64 s[4:5], 3, v0
    ];
    let rig = Rig::new(code).with_exec(0xfffc).run();
    assert_eq!((rig.pair(VCC), rig.pair(4)), (0xfc, 0xfff4));
}

#[test]
fn some_compares_write_the_execution_mask_too() {
    let rig = Rig::new(&[
        0x7db8_0088, // v_cmpx_gt_u32_e32 vcc, 8, v0
        0xd0d1_0004,
        0x0002_0084, // v_cmpx_lt_i32_e64 s[4:5], 4, v0
    ])
    .with_exec(0xfffc)
    .run();
    assert_eq!((rig.pair(VCC), rig.pair(4), rig.pair(EXEC)), (0xfc, 0xe0, 0xe0));
}

#[test]
fn carries_go_from_lane_to_lane_mask_and_inactive_lanes_have_none() {
    let code = &[
        0x3202_00c1, // v_add_co_u32_e32 v1, vcc, -1, v0
        0x3804_0080, // v_addc_co_u32_e32 v2, vcc, 0, v0, vcc
        0xd11a_0403,
        0x0002_0082, // v_sub_co_u32_e64 v3, s[4:5], 2, v0
        0xd11b_0604,
        0x0002_0082, // v_subrev_co_u32_e64 v4, s[6:7], 2, v0
        0xd11d_0805,
        0x0012_0082, // v_subb_co_u32_e64 v5, s[8:9], 2, v0, s[4:5]
    ];
    let rig = Rig::new(code).with_exec(0xff).run();
    assert_eq!(rig.v(1)[..3], [u32::MAX, 0, 1]);
    assert_eq!(rig.v(2)[..3], [0, 2, 3]);
    assert_eq!(rig.pair(VCC), 0);
    assert_eq!((rig.v(3)[3], rig.pair(4)), (u32::MAX, 0xf8));
    assert_eq!((rig.v(4)[1], rig.pair(6)), (u32::MAX, 0x3));
    assert_eq!((rig.v(5)[2], rig.v(5)[3], rig.pair(8)), (0, u32::MAX - 1, 0xf8));
}

#[test]
fn choosing_takes_the_second_source_where_the_bit_is_set() {
    let code = &[
        0x0002_00f2, // v_cndmask_b32_e32 v1, 1.0, v0, vcc
        0xd100_0202,
        0x2012_0700, // v_cndmask_b32_e64 v2, -v0, |v3|, s[4:5]
    ];
    let rig = Rig::new(code).with_pair(VCC, 2).with_pair(4, 1).with_vector(3, |_| 0xbf80_0000).run();
    assert_eq!(rig.v(1)[..3], [ONE, 1, ONE]);
    assert_eq!(rig.v(2)[..3], [ONE, 0x8000_0001, 0x8000_0002]);
}

#[test]
fn signs_are_cleared_before_they_are_flipped() {
    let code = &[
        0xd101_0101,
        0x2001_0103, // v_add_f32_e64 v1, -|v3|, 0
        0xd105_0202,
        0x2002_0703, // v_mul_f32_e64 v2, -v3, |v3|
        0xd280_0004,
        0x2001_0106, // v_add_f64 v[4:5], -v[6:7], 0
    ];
    let rig =
        Rig::new(code).with_vector(3, |_| 0xc000_0000).with_vector(6, |_| 5).with_vector(7, |_| ONE).run();
    assert_eq!((rig.v(1)[0], rig.v(2)[0]), (0xc000_0000, 0x4080_0000));
    assert_eq!(rig.v64(4), 0xbf80_0000_0000_0005);
}

#[test]
fn clamp_saturates_integers_and_bounds_floats() {
    let code = &[
        0xd134_8001,
        0x0002_00c1, // v_add_u32_e64 v1, -1, v0 clamp
        0xd135_8002,
        0x0001_0b00, // v_sub_u32_e64 v2, v0, 5 clamp
        0xd29c_8003,
        0x0002_150a, // v_add_i32 v3, v10, v10 clamp
        0xd10b_8004,
        0x0002_170b, // v_max_f32_e64 v4, v11, v11 clamp
        0xd10b_8005,
        0x0002_190c, // v_max_f32_e64 v5, v12, v12 clamp
        0xd101_8006,
        0x0001_e4f6, // v_add_f32_e64 v6, 4.0, 1.0 clamp
        0xd126_8007,
        0x0002_1b0d, // v_add_u16_e64 v7, v13, v13 clamp
        0xd1c3_8008,
        0x043a_1d0e, // v_mad_u32_u24 v8, v14, v14, v14 clamp
    ];
    let rig = Rig::new(code)
        .with_vector(10, |_| 0x8000_0001)
        .with_vector(11, |_| 0x7fc0_0000)
        .with_vector(12, |_| 0xbf80_0000)
        .with_vector(13, |_| 0xffff)
        .with_vector(14, |_| 0xff_ffff)
        .run();
    assert_eq!((rig.v(1)[9], rig.v(2)[4], rig.v(2)[7]), (u32::MAX, 0, 2));
    assert_eq!(rig.v(3)[0], 0x8000_0000);
    assert_eq!((rig.v(4)[0], rig.v(5)[0], rig.v(6)[0]), (0, 0, ONE), "NaN, negative, large");
    assert_eq!((rig.v(7)[0], rig.v(8)[0]), (0xffff, u32::MAX));
}

#[test]
fn sums_saturate_at_both_ends_and_in_both_halves() {
    let code = &[
        0xd29d_8001,
        0x0002_170a, // v_sub_i32 v1, v10, v11 clamp
        0xd29d_8002,
        0x0002_150b, // v_sub_i32 v2, v11, v10 clamp
        0xd389_c003,
        0x1c2a_150a, // v_pk_mad_u16 v3, v10, v10, v10 clamp
    ];
    let rig = Rig::new(code).with_vector(10, |_| 0x8000_0001).with_vector(11, |_| 2).run();
    assert_eq!((rig.v(1)[0], rig.v(2)[0]), (0x8000_0000, 0x7fff_ffff));
    assert_eq!(rig.v(3)[0], 0xffff_0002);
}

#[test]
fn inactive_lanes_carry_nothing_out_of_wide_products() {
    let code = &[
        0xd1e8_0402,
        0x0432_170a, // v_mad_u64_u32 v[2:3], s[4:5], v10, v11, v[12:13]
    ];
    let mut rig = Rig::new(code).with_exec(0xf0).with_pair(4, 0);
    for register in 10..14 {
        rig = rig.with_vector(register, |lane| if lane == 5 { 1 } else { u32::MAX });
    }
    assert_eq!(rig.run().pair(4), 0xd0);
}

#[test]
fn results_of_16_bits_clear_the_high_half_but_for_some() {
    let code = &[
        0x3e02_14f2, // v_add_f16_e32 v1, 1.0, v10
        0xd203_0002,
        0x03c9_e50a, // v_mad_f16 v2, v10, 1.0, 1.0
        0xd203_4003,
        0x03c9_e50a, // v_mad_f16 v3, v10, 1.0, 1.0 op_sel:[0,0,0,1]
        0xd1ea_0004,
        0x03c9_e50a, // v_mad_legacy_f16 v4, v10, 1.0, 1.0
        0x460a_150a, // v_mac_f16_e32 v5, v10, v10
        0xd204_0806,
        0x0205_030a, // v_mad_u16 v6, v10, 1, 1 op_sel:[1,0,0,0]
    ];
    let mut rig = Rig::new(code).with_vector(10, |_| 0x7777_3c00);
    for register in 1..=6 {
        rig = rig.with_vector(register, |_| 0x5555_0000);
    }
    let rig = rig.run();
    assert_eq!((rig.v(1)[0], rig.v(4)[0]), (0x4000, 0x4000));
    assert_eq!((rig.v(2)[0], rig.v(3)[0]), (0x5555_4000, 0x4000_0000));
    assert_eq!((rig.v(5)[0], rig.v(6)[0]), (0x5555_3c00, 0x5555_7778));
}

#[test]
fn parts_of_dwords() {
    let code = &[
        0x6802_16f9,
        0x0501_060a, // v_add_u32_sdwa v1, v10, v11 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_1 src1_sel:WORD_1
        0x6804_16f9,
        0x000b_110a, // v_add_u32_sdwa v2, sext(v10), v11 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_3 src1_sel:BYTE_0
        0x7e06_02f9,
        0x0003_0a0a, // v_mov_b32_sdwa v3, v10 dst_sel:BYTE_2 dst_unused:UNUSED_SEXT src0_sel:BYTE_3
        0x7e08_02f9,
        0x0004_050a, // v_mov_b32_sdwa v4, v10 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:WORD_0
        0x7d54_16f9,
        0x0405_840a, // v_cmp_eq_u16_sdwa s[4:5], v10, v11 src0_sel:WORD_1 src1_sel:WORD_0
        0x7e0a_16f9,
        0x0015_060c, // v_cvt_f32_f16_sdwa v5, -v12 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
    ];
    let rig = Rig::new(code)
        .with_vector(10, |_| 0x8123_4567)
        .with_vector(11, |_| 0x0009_8123)
        .with_vector(12, |_| 0x3c00_0000)
        .with_vector(2, |_| 0x1111_1111)
        .run();
    assert_eq!(rig.v(1)[0], 0x45 + 9);
    assert_eq!(rig.v(2)[0], 0x1111_a411, "0x81 as a sign and 0x23, in one byte");
    assert_eq!((rig.v(3)[0], rig.v(4)[0]), (0xff81_0000, 0x4567_0000));
    assert_eq!(rig.pair(4), u64::MAX);
    assert_eq!(rig.v(5)[0], 0xbf80_0000);
}

#[test]
fn packed_halves_are_chosen_one_by_one() {
    let code = &[
        0xd38a_4001,
        0x1802_170a, // v_pk_add_u16 v1, v10, v11
        0xd38a_4802,
        0x0002_170a, // v_pk_add_u16 v2, v10, v11 op_sel:[1,0] op_sel_hi:[0,0]
        0xd38f_4003,
        0x5802_190c, // v_pk_add_f16 v3, v12, v12 neg_lo:[0,1]
        0xd383_c004,
        0x1802_170a, // v_pk_sub_i16 v4, v10, v11 clamp
        0xd389_4005,
        0x1c2e_150a, // v_pk_mad_u16 v5, v10, v10, v11
        0xd384_4006,
        0x1002_1484, // v_pk_lshlrev_b16 v6, 4, v10 op_sel_hi:[0,1]
    ];
    let rig = Rig::new(code)
        .with_vector(10, |_| 0x8000_0002)
        .with_vector(11, |_| 0x0001_ffff)
        .with_vector(12, |_| 0x3c00_3c00)
        .run();
    assert_eq!(rig.v(1)[0], 0x8001_0001);
    assert_eq!(rig.v(2)[0], 0x0001_7fff);
    assert_eq!(rig.v(3)[0], 0x4000_0000);
    assert_eq!(rig.v(4)[0], 0x8000_0003);
    assert_eq!((rig.v(5)[0], rig.v(6)[0]), (0x0001_0003, 0x0000_0020));
}

#[test]
fn packed_singles_choose_registers() {
    let code = &[
        0xd3b3_5002,
        0x1802_190a, // v_pk_mov_b32 v[2:3], v[10:11], v[12:13] op_sel:[0,1]
        0xd3b3_4804,
        0x1802_190a, // v_pk_mov_b32 v[4:5], v[10:11], v[12:13] op_sel:[1,0]
        0xd3b2_4006,
        0x0800_050e, // v_pk_add_f32 v[6:7], v[14:15], s[2:3] op_sel_hi:[1,0]
        0xd3b1_4908,
        0x1002_1d0e, // v_pk_mul_f32 v[8:9], v[14:15], v[14:15] op_sel:[1,0] op_sel_hi:[0,1] neg_hi:[1,0]
        0xd3b0_4010,
        0x0c39_e90e, // v_pk_fma_f32 v[16:17], v[14:15], 2.0, v[14:15] op_sel_hi:[1,0,1]
    ];
    let mut rig = Rig::new(code).with_scalar(2, ONE).with_scalar(3, 0);
    for register in 10..14 {
        rig = rig.with_vector(register, move |_| u32::from(register));
    }
    let rig = rig.with_vector(14, |_| 0x4000_0000).with_vector(15, |_| 0x4040_0000).run();
    assert_eq!((rig.v(2)[0], rig.v(3)[0], rig.v(4)[0], rig.v(5)[0]), (10, 13, 11, 12));
    assert_eq!((rig.v(6)[0], rig.v(7)[0]), (0x4040_0000, 0x4080_0000), "2 and 3, each with 1");
    assert_eq!((rig.v(8)[0], rig.v(9)[0]), (0x40c0_0000, 0xc0c0_0000), "3 · 2, and -2 · 3");
    assert_eq!((rig.v(16)[0], rig.v(17)[0]), (0x40c0_0000, 0x4110_0000));
}

#[test]
fn mixed_precision() {
    let code = &[
        0xd3a0_1001,
        0x1c2e_150a, // v_fma_mix_f32 v1, v10, v10, v11 op_sel:[0,1,0] op_sel_hi:[1,1,0]
        0xd3a1_0002,
        0x042e_170b, // v_fma_mixlo_f16 v2, v11, v11, v11
        0xd3a2_0403,
        0x2432_170b, // v_fma_mixhi_f16 v3, -v11, v11, |v12|
    ];
    let rig = Rig::new(code)
        .with_vector(10, |_| 0x4000_4200)
        .with_vector(11, |_| ONE)
        .with_vector(12, |_| 0xbf80_0000)
        .with_vector(2, |_| 0x1234_5678)
        .with_vector(3, |_| 0x1234_5678)
        .run();
    assert_eq!(rig.v(1)[0], 0x40e0_0000, "3 · 2 + 1");
    assert_eq!((rig.v(2)[0], rig.v(3)[0]), (0x1234_4000, 0x0000_5678));
}

#[test]
fn wide_products_and_shifts() {
    let code = &[
        0xd1e8_0402,
        0x0432_150a, // v_mad_u64_u32 v[2:3], s[4:5], v10, v10, v[12:13]
        0xd1e9_0604,
        0x0202_150a, // v_mad_i64_i32 v[4:5], s[6:7], v10, v10, 0
        0xd28f_0006,
        0x0002_190e, // v_lshlrev_b64 v[6:7], v14, v[12:13]
        0xd291_0008,
        0x0002_1884, // v_ashrrev_i64 v[8:9], 4, v[12:13]
        0xd286_000b,
        0x0002_150a, // v_mul_hi_u32 v11, v10, v10
    ];
    let rig = Rig::new(code)
        .with_vector(10, |_| u32::MAX)
        .with_vector(12, |_| 1)
        .with_vector(13, |_| u32::MAX)
        .with_vector(14, |_| 65)
        .run();
    assert_eq!(
        (rig.v64(2), rig.pair(4)),
        (0xffff_fffe_0000_0001u64.wrapping_add(0xffff_ffff_0000_0001), u64::MAX)
    );
    assert_eq!((rig.v64(4), rig.pair(6)), (1, 0));
    assert_eq!(rig.v64(6), 0xffff_fffe_0000_0002, "a count of 65 is one of 1");
    assert_eq!(rig.v64(8), 0xffff_ffff_f000_0000);
    assert_eq!(rig.v(11)[0], 0xffff_fffe);
}

#[test]
fn a_destination_may_be_a_source() {
    let rig = Rig::after(&[
        0xd28f_0000,
        0x0002_0084, // v_lshlrev_b64 v[0:1], 4, v[0:1]
        0xd1e8_0402,
        0x040a_0702, // v_mad_u64_u32 v[2:3], s[4:5], v2, v3, v[2:3]
    ]);
    assert_eq!((rig.v(0)[5], rig.v(1)[5]), (80, 80));
    assert_eq!((rig.v(2)[5], rig.v(3)[5]), (30, 5));
}

#[test]
fn indexing_moves_the_operands_that_the_bits_name() {
    let code = &[
        0xbf11_0100, // s_set_gpr_idx_on s0, gpr_idx(SRC0)
        0x7e02_030a, // v_mov_b32_e32 v1, v10
        0xbf9c_0000, // s_set_gpr_idx_off
        0x7e04_030a, // v_mov_b32_e32 v2, v10
        0xbf11_0800, // s_set_gpr_idx_on s0, gpr_idx(DST)
        0x7e06_030a, // v_mov_b32_e32 v3, v10
        0xbf9c_0000, // s_set_gpr_idx_off
    ];
    let rig = Rig::new(code).with_scalar(0, 2).with_vector(10, |_| 100).with_vector(12, |_| 200).run();
    assert_eq!((rig.v(1)[0], rig.v(2)[0]), (200, 100));
    assert_eq!((rig.v(3)[9], rig.v(5)[0]), (9, 100));
}

#[test]
fn indexing_leaves_operations_on_lds_alone() {
    let rig = Rig::after(&[
        0xbf11_0f82, // s_set_gpr_idx_on 2, gpr_idx(SRC0,SRC1,SRC2,DST)
        0xd87e_0000,
        0x0100_0200, // ds_bpermute_b32 v1, v0, v2
    ]);
    assert_eq!(rig.v(1)[..9], [0, 0, 0, 0, 1, 1, 1, 1, 2]);
}

#[test]
fn accumulation_registers_are_a_file_of_their_own() {
    let code = &[
        0xd3d9_4000,
        0x1800_010a, // v_accvgpr_write_b32 a0, v10
        0x7e14_0280, // v_mov_b32_e32 v10, 0
        0xd3d8_4001,
        0x1800_0100, // v_accvgpr_read_b32 v1, a0
        0xd3d9_4001,
        0x1800_0083, // v_accvgpr_write_b32 a1, 3
        0x7e04_a501, // v_accvgpr_mov_b32 a2, a1
    ];
    let rig = Rig::new(code).with_vector(10, |lane| lane * 3).run();
    assert_eq!(rig.v(1), lanes(|lane| lane * 3));
    assert_eq!(rig.v(0), lanes(|lane| lane), "a0 is not v0");
    assert_eq!(rig.wave.lanes(Operand::Agpr(2), 0), [3; 64]);
}

#[test]
fn division_of_single_precision_as_compilers_emit_it() {
    let code = &[
        0xd1e0_0402,
        0x042a_170b, // v_div_scale_f32 v2, s[4:5], v11, v11, v10
        0xd1e0_6a03,
        0x042a_170a, // v_div_scale_f32 v3, vcc, v10, v11, v10
        0x7e08_4502, // v_rcp_f32_e32 v4, v2
        0xd1cb_0005,
        0x23ca_0902, // v_fma_f32 v5, -v2, v4, 1.0
        0xd1cb_0004,
        0x0412_0905, // v_fma_f32 v4, v5, v4, v4
        0x0a0a_0903, // v_mul_f32_e32 v5, v3, v4
        0xd1cb_0006,
        0x240e_0b02, // v_fma_f32 v6, -v2, v5, v3
        0xd1cb_0005,
        0x0416_0906, // v_fma_f32 v5, v6, v4, v5
        0xd1cb_0002,
        0x240e_0b02, // v_fma_f32 v2, -v2, v5, v3
        0xd1e2_0002,
        0x0416_0902, // v_div_fmas_f32 v2, v2, v4, v5
        0xd1de_0002,
        0x042a_1702, // v_div_fixup_f32 v2, v2, v11, v10
    ];
    let (a, b) = (
        |lane: u32| lane.wrapping_mul(0x0765_4321) ^ 0x0012_3456,
        |lane: u32| lane.wrapping_mul(0x0321_1234) ^ 0x0077_0001,
    );
    let rig = Rig::new(code).with_vector(10, a).with_vector(11, b).run();
    for lane in 0..64 {
        let exact = f32::from_bits(a(lane)) / f32::from_bits(b(lane));
        assert!(
            exact.is_nan() || rig.v(2)[lane as usize] == exact.to_bits(),
            "lane {lane}: expected {exact}"
        );
    }
}

#[test]
fn doubles_come_from_other_lanes_too() {
    let rig = Rig::new(&[
        0x7e16_02f2, // v_mov_b32_e32 v11, 1.0
        0x7e04_62fa,
        0x2f01_530a, // v_frexp_mant_f64_dpp v[2:3], v[10:11] row_newbcast:3 row_mask:0x2 bank_mask:0xf
    ]);
    let rig = rig.with_vector(10, |lane| lane).with_vector(2, |_| 7).run();
    assert_eq!((rig.v(2)[15], rig.v(2)[16], rig.v(3)[16]), (7, 19, 0x3fe0_0000));
}
