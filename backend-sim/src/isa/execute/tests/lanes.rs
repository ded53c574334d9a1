//! Data between lanes.

use super::rig::{Rig, lanes};

#[test]
fn the_first_lane_is_the_lowest_active_one_or_lane_0() {
    let code = &[
        0x7e00_0500, // v_readfirstlane_b32 s0, v0
        0xd289_0001,
        0x0000_0900, // v_readlane_b32 s1, v0, s4
        0xd28a_0001,
        0x0001_0602, // v_writelane_b32 v1, s2, 3
        0xbefe_0180, // s_mov_b64 exec, 0
        0x7e06_0504, // v_readfirstlane_b32 s3, v4
    ];
    let rig = Rig::new(code)
        .with_exec(0b1_1000)
        .with_scalar(2, 77)
        .with_scalar(4, 69)
        .with_vector(4, |lane| lane + 40)
        .run();
    assert_eq!((rig.s(0), rig.s(1), rig.s(3)), (3, 5, 40));
    assert_eq!(rig.v(1), lanes(|lane| if lane == 3 { 77 } else { lane }));
}

#[test]
fn counts_of_the_bits_below() {
    let code = &[
        0xd28c_0001,
        0x0001_00c1, // v_mbcnt_lo_u32_b32 v1, -1, 0
        0xd28d_0002,
        0x0002_02c1, // v_mbcnt_hi_u32_b32 v2, -1, v1
        0xd28d_0003,
        0x0001_0ac1, // v_mbcnt_hi_u32_b32 v3, -1, 5
    ];
    let rig = Rig::after(code);
    assert_eq!(rig.v(1), lanes(|lane| lane.min(32)));
    assert_eq!(rig.v(2), lanes(|lane| lane));
    assert_eq!(rig.v(3), lanes(|lane| 5 + lane.saturating_sub(32)));
}

#[test]
fn pulling_from_an_inactive_lane_gives_0_and_addresses_wrap() {
    let code = &[
        0xd87e_0004,
        0x0100_0302, // ds_bpermute_b32 v1, v2, v3 offset:4
    ];
    let rig = Rig::new(code)
        .with_exec(!0b10)
        .with_vector(2, |lane| lane * 4 + 256)
        .with_vector(3, |lane| lane + 100)
        .run();
    assert_eq!(rig.v(1)[..3], [0, 1, 103]);
    assert_eq!(rig.v(1)[63], 100);
}

#[test]
fn pushing_to_one_lane_lets_the_highest_win_and_others_get_0() {
    let code = &[
        0xd87c_0000,
        0x0100_0302, // ds_permute_b32 v1, v2, v3
    ];
    let rig = Rig::new(code).with_vector(2, |lane| lane / 2 * 4).with_vector(3, |lane| lane + 100).run();
    assert_eq!(rig.v(1)[..3], [101, 103, 105]);
    assert_eq!(rig.v(1)[32..], [0; 32]);
}

#[test]
fn swizzles() {
    let code = &[
        0xd87a_801b,
        0x0100_0000, // ds_swizzle_b32 v1, v0 offset:swizzle(QUAD_PERM,3,2,1,0)
        0xd87a_401f,
        0x0200_0000, // ds_swizzle_b32 v2, v0 offset:swizzle(SWAP,16)
        0xd87a_00b8,
        0x0300_0000, // ds_swizzle_b32 v3, v0 offset:swizzle(BROADCAST,8,5)
        0xd87a_c060,
        0x0400_0000, // ds_swizzle_b32 v4, v0 offset:49248
        0xd87a_c460,
        0x0500_0000, // ds_swizzle_b32 v5, v0 offset:50272
        0xd87a_c0b0,
        0x0600_0000, // ds_swizzle_b32 v6, v0 offset:49328
    ];
    let rig = Rig::after(code);
    assert_eq!(rig.v(1), lanes(|lane| lane ^ 3));
    assert_eq!(rig.v(2), lanes(|lane| lane ^ 16));
    assert_eq!(rig.v(3), lanes(|lane| lane & !7 | 5));
    assert_eq!(rig.v(4), lanes(|lane| lane & !31 | (lane + 3) & 31), "rotated down by 3");
    assert_eq!(rig.v(5), lanes(|lane| lane & !31 | (lane + 29) & 31), "rotated up by 3");
    assert_eq!(rig.v(6), lanes(|lane| lane & !15 | (lane + 5) & 15), "each half of 16 on its own");
}

#[test]
fn dpp_without_a_source_lane_does_not_write_or_reads_0() {
    let code = &[
        0x7e02_02fa,
        0xff01_1100, // v_mov_b32_dpp v1, v0 row_shr:1 row_mask:0xf bank_mask:0xf
        0x7e04_02fa,
        0xff09_1100, // v_mov_b32_dpp v2, v0 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1
        0x7e06_02fa,
        0xff01_4200, // v_mov_b32_dpp v3, v0 row_bcast:15 row_mask:0xf bank_mask:0xf
        0x7e08_02fa,
        0x8f01_4300, // v_mov_b32_dpp v4, v0 row_bcast:31 row_mask:0x8 bank_mask:0xf
        0x680a_00fa,
        0x1200_f500, // v_add_u32_dpp v5, v0, v0 quad_perm:[1,1,3,3] row_mask:0x1 bank_mask:0x2
    ];
    let mut rig = Rig::new(code);
    for register in 1..6 {
        rig = rig.with_vector(register, |_| 99);
    }
    let rig = rig.with_exec(!(1 << 5)).run();
    let missing = |lane: u32| lane.is_multiple_of(16) || lane == 6;
    let shifted = |lane: u32, none| {
        if lane == 5 {
            99
        } else if missing(lane) {
            none
        } else {
            lane - 1
        }
    };
    assert_eq!(rig.v(1), lanes(|lane| shifted(lane, 99)));
    assert_eq!(rig.v(2), lanes(|lane| shifted(lane, 0)));
    assert_eq!(rig.v(3), lanes(|lane| if lane < 16 { 99 } else { (lane & !15) - 1 }));
    assert_eq!(rig.v(4), lanes(|lane| if lane < 48 { 99 } else { 31 }));
    let pairs = |lane: u32| lane + (lane | 1);
    assert_eq!(rig.v(5), lanes(|lane| if [6, 7].contains(&lane) { pairs(lane) } else { 99 }));
}

#[test]
fn rows_rotate_upwards() {
    let rig = Rig::after(&[
        0x7e02_02fa,
        0xff01_2100, // v_mov_b32_dpp v1, v0 row_ror:1 row_mask:0xf bank_mask:0xf
    ]);
    assert_eq!(rig.v(1), lanes(|lane| lane & !15 | (lane + 15) & 15));
}

#[test]
fn registers_can_be_swapped() {
    let rig = Rig::new(&[
        0x7e02_a302, // v_swap_b32 v1, v2
    ])
    .with_vector(2, |lane| lane + 50)
    .with_exec(0b10)
    .run();
    assert_eq!((rig.v(1)[..2].to_vec(), rig.v(2)[..2].to_vec()), (vec![0, 51], vec![50, 1]));
}
