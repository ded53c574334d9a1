//! Memory, LDS and scratch.

use super::rig::{CODE, DATA, Rig, lanes};
use crate::isa::execute::{Access, Denied, PRIVATE_APERTURE, SHARED_APERTURE, Stop};
use crate::isa::scalar::FLAT_SCRATCH;

const HIGH: u32 = (DATA >> 32) as u32;

impl Rig {
    /// `v[10:11]` is the address of a dword for each lane.
    fn with_addresses(self) -> Rig {
        self.with_vector(10, |lane| DATA as u32 + 4 * lane).with_vector(11, |_| HIGH)
    }

    fn dword(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.memory.data[at..at + 4].try_into().expect("4 bytes"))
    }

    fn shared(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.share.0[at..at + 4].try_into().expect("4 bytes"))
    }
}

#[test]
fn global_addresses() {
    let code = &[
        0xdc70_9ffc,
        0x007f_000a, // global_store_dword v[10:11], v0, off offset:-4
        0xdc70_8008,
        0x0002_000c, // global_store_dword v12, v0, s[2:3] offset:8
        0xdc50_9ffc,
        0x017f_000a, // global_load_dword v1, v[10:11], off offset:-4
    ];
    let rig = Rig::new(code).with_addresses().with_exec(0b110).with_vector(12, |_| 0x8000_0000);
    let rig = rig.with_pair(2, DATA - 0x8000_0000).run();
    assert_eq!((rig.dword(0), rig.dword(4)), (1, 2));
    assert_eq!(rig.dword(8), 2, "the index is not signed, and the last lane wins");
    assert_eq!(rig.v(1)[..4], [0, 1, 2, 3]);
}

#[test]
fn loads_and_stores_of_parts() {
    let code = &[
        0xdc60_8000,
        0x007f_0c0a, // global_store_byte v[10:11], v12, off
        0xdc64_8001,
        0x007f_0c0a, // global_store_byte_d16_hi v[10:11], v12, off offset:1
        0xdc6c_8002,
        0x007f_0c0a, // global_store_short_d16_hi v[10:11], v12, off offset:2
        0xdc44_8003,
        0x017f_000a, // global_load_sbyte v1, v[10:11], off offset:3
        0xdc40_8003,
        0x027f_000a, // global_load_ubyte v2, v[10:11], off offset:3
        0xdc4c_8002,
        0x037f_000a, // global_load_sshort v3, v[10:11], off offset:2
        0xdc48_8001,
        0x047f_000a, // global_load_ushort v4, v[10:11], off offset:1
        0xdc94_8000,
        0x057f_000a, // global_load_short_d16_hi v5, v[10:11], off
        0xdc80_8000,
        0x067f_000a, // global_load_ubyte_d16 v6, v[10:11], off
        0xdc8c_8003,
        0x077f_000a, // global_load_sbyte_d16_hi v7, v[10:11], off offset:3
    ];
    let mut rig = Rig::new(code).with_addresses().with_exec(1).with_vector(12, |_| 0x89ab_cdef);
    for register in 5..8 {
        rig = rig.with_vector(register, |_| 0x1111_1111);
    }
    let rig = rig.run();
    assert_eq!(rig.dword(0), 0x89ab_abef);
    assert_eq!((rig.v(1)[0], rig.v(2)[0]), (0xffff_ff89, 0x89));
    assert_eq!((rig.v(3)[0], rig.v(4)[0]), (0xffff_89ab, 0xabab));
    assert_eq!((rig.v(5)[0], rig.v(6)[0], rig.v(7)[0]), (0xabef_1111, 0x1111_00ef, 0xff89_1111));
}

#[test]
fn a_load_may_overwrite_its_address() {
    let code = &[
        0xdc7c_8000,
        0x007f_000a, // global_store_dwordx4 v[10:11], v[0:3], off
        0xdc5c_8000,
        0x087f_000a, // global_load_dwordx4 v[8:11], v[10:11], off
    ];
    let rig = Rig::new(code).with_addresses().with_exec(0x10).run();
    assert_eq!([8, 9, 10, 11].map(|register| rig.v(register)[4]), [4; 4]);
}

#[test]
fn a_refused_access_tells_lane_and_address() {
    let code = &[
        0x7e16_0202, // v_mov_b32_e32 v11, s2
        0xdc50_8010,
        0x017f_000a, // global_load_dword v1, v[10:11], off offset:16
    ];
    let mut rig = Rig::new(code).with_addresses().with_exec(0xf00).with_scalar(2, HIGH + 5);
    let stop = rig.try_run().expect_err("nothing is mapped there");
    let expected = Stop::Memory {
        access: Access::Load,
        address: DATA + (5 << 32) + 4 * 8 + 16,
        bytes: 4,
        lane: Some(8),
        pc: CODE + 4,
        source: Denied::Unmapped,
    };
    assert_eq!(stop, expected);
}

#[test]
fn without_active_lanes_nothing_is_accessed() {
    let code = &[
        0xdc70_8000,
        0x007f_000a, // global_store_dword v[10:11], v0, off
        0xdc50_0000,
        0x0100_000a, // flat_load_dword v1, v[10:11]
        0xdd09_8000,
        0x017f_000a, // global_atomic_add v1, v[10:11], v0, off glc
        0xd81a_0000,
        0x0000_000a, // ds_write_b32 v10, v0
        0xe070_0000,
        0x8001_0000, // buffer_store_dword v0, off, s[4:7], 0
        0xbe80_0081, // s_mov_b32 s0, 1
    ];
    let rig = Rig::new(code).with_exec(0).with_vector(10, |_| 0).with_vector(11, |_| 0).run();
    assert_eq!(rig.s(0), 1);
}

#[test]
fn scalar_loads() {
    let code = &[
        0xc006_0101,
        0x0000_0008, // s_load_dwordx2 s[4:5], s[2:3], 0x8
        0xc000_0181,
        0x0000_0007, // s_load_dword s6, s[2:3], s7
        0xc002_0205,
        0x001f_fffc, // s_load_dword s8, s[10:11], -0x4
        0xc006_0081,
        0x0000_0000, // s_load_dwordx2 s[2:3], s[2:3], 0x0
        0xc026_0406,
        0x0000_000c, // s_buffer_load_dwordx2 s[16:17], s[12:15], 0xc
    ];
    let mut rig = Rig::new(code).with_pair(2, DATA + 2).with_scalar(7, 15).with_pair(10, DATA + 16);
    rig = rig.with_pair(12, DATA).with_pair(14, 16);
    for at in 0..8 {
        rig.memory.data[4 * at] = at as u8 + 1;
    }
    let rig = rig.run();
    assert_eq!(rig.pair(4), 4 << 32 | 3, "the low two bits of an address do not count");
    assert_eq!((rig.s(6), rig.s(8)), (4, 4));
    assert_eq!(rig.pair(2), 2 << 32 | 1, "its own base");
    assert_eq!(rig.pair(16), 4, "behind the end of a buffer is 0");
}

#[test]
fn atomics_return_the_old_value_only_when_asked() {
    let code = &[
        0xdd09_8000,
        0x017f_0c0a, // global_atomic_add v1, v[10:11], v12, off glc
        0xdd08_8000,
        0x007f_0c0a, // global_atomic_add v[10:11], v12, off
        0xdd2d_8000,
        0x027f_0c0a, // global_atomic_inc v2, v[10:11], v12, off glc
        0xdd2d_8000,
        0x037f_0d0a, // global_atomic_inc v3, v[10:11], v13, off glc
        0xdd31_8000,
        0x047f_0c0a, // global_atomic_dec v4, v[10:11], v12, off glc
        0xdd31_8000,
        0x057f_0c0a, // global_atomic_dec v5, v[10:11], v12, off glc
        0xdd05_8000,
        0x067f_0e0a, // global_atomic_cmpswap v6, v[10:11], v[14:15], off glc
        0xdd05_8000,
        0x077f_0e0a, // global_atomic_cmpswap v7, v[10:11], v[14:15], off glc
        0xdd19_8000,
        0x087f_100a, // global_atomic_smax v8, v[10:11], v16, off glc
        0xdd1d_8000,
        0x097f_100a, // global_atomic_umax v9, v[10:11], v16, off glc
    ];
    let rig = Rig::new(code)
        .with_addresses()
        .with_exec(1)
        .with_vector(12, |_| 5)
        .with_vector(13, |_| 20)
        .with_vector(14, |_| 42)
        .with_vector(15, |_| 4)
        .with_vector(16, |_| u32::MAX)
        .run();
    assert_eq!(rig.v(1)[0], 0);
    assert_eq!((rig.v(2)[0], rig.v(3)[0]), (10, 0), "past its bound it begins again");
    assert_eq!((rig.v(4)[0], rig.v(5)[0]), (1, 0), "down, and from 0 to the bound");
    assert_eq!((rig.v(6)[0], rig.v(7)[0]), (5, 5), "swapped only if it compares");
    assert_eq!((rig.v(8)[0], rig.v(9)[0], rig.dword(0)), (5, 5, u32::MAX));
}

#[test]
fn compare_and_swap_of_memory_has_data_first_and_of_lds_last() {
    let code = &[
        0xdd85_8000,
        0x027f_0c0a, // global_atomic_cmpswap_x2 v[2:3], v[10:11], v[12:15], off glc
        0xd89a_0000,
        0x0000_0e14, // ds_write_b64 v20, v[14:15]
        0xd8e0_0000,
        0x040c_0e14, // ds_cmpst_rtn_b64 v[4:5], v20, v[14:15], v[12:13]
        0xd8ec_0000,
        0x0600_0014, // ds_read_b64 v[6:7], v20
    ];
    let mut rig = Rig::new(code).with_addresses().with_exec(1).with_vector(20, |_| 0);
    for (register, value) in [(12, 7), (13, 8), (14, 1), (15, 2)] {
        rig = rig.with_vector(register, move |_| value);
    }
    rig.memory.data[..8].copy_from_slice(&[1, 0, 0, 0, 2, 0, 0, 0]);
    let rig = rig.run();
    assert_eq!((rig.v64(2), rig.dword(0), rig.dword(4)), (2 << 32 | 1, 7, 8));
    assert_eq!((rig.v64(4), rig.v64(6)), (2 << 32 | 1, 8 << 32 | 7));
}

#[test]
fn atomics_on_floats() {
    let code = &[
        0xdd35_8000,
        0x017f_0c0a, // global_atomic_add_f32 v1, v[10:11], v12, off glc
        0xdd3d_8008,
        0x027f_0e0a, // global_atomic_add_f64 v[2:3], v[10:11], v[14:15], off offset:8 glc
        0xdd39_8010,
        0x047f_0d0a, // global_atomic_pk_add_f16 v4, v[10:11], v13, off offset:16 glc
        0xdd35_8014,
        0x057f_100a, // global_atomic_add_f32 v5, v[10:11], v16, off offset:20 glc
        0xd86a_0000,
        0x0600_1014, // ds_add_rtn_f32 v6, v20, v16
        0xd86a_0000,
        0x0600_1014, // ds_add_rtn_f32 v6, v20, v16
    ];
    let mut rig = Rig::new(code).with_addresses().with_exec(3).with_vector(12, |_| 0x3f80_0000);
    for (register, value) in [(11, HIGH), (13, 0x3c00_4000), (14, 0), (15, 0x3ff0_0000), (16, 1), (20, 0)] {
        rig = rig.with_vector(register, move |_| value);
    }
    let rig = rig.with_vector(10, |_| DATA as u32).run();
    assert_eq!((rig.dword(0), rig.dword(12), rig.dword(16)), (0x4000_0000, 0x4000_0000, 0x4000_4400));
    assert_eq!(rig.dword(20), 0, "memory has no subnormals in single precision");
    assert_eq!(rig.shared(0), 4, "but LDS has");
}

#[test]
fn lds_out_of_range_reads_0_and_drops_stores() {
    let code = &[
        0xd81a_0000,
        0x0000_0c0a, // ds_write_b32 v10, v12
        0xd86c_0000,
        0x0100_000a, // ds_read_b32 v1, v10
        0xd81a_0000,
        0x0000_0c0b, // ds_write_b32 v11, v12
        0xd86c_0004,
        0x0200_000b, // ds_read_b32 v2, v11 offset:4
        0xd8ec_0000,
        0x0400_000d, // ds_read_b64 v[4:5], v13
        0xd89a_0000,
        0x0000_0e0d, // ds_write_b64 v13, v[14:15]
    ];
    let rig = Rig::new(code)
        .with_vector(10, |_| 1024)
        .with_vector(11, |_| 1020)
        .with_vector(12, |lane| lane + 1)
        .with_vector(13, |_| 1020)
        .with_vector(14, |_| 7)
        .run();
    assert_eq!((rig.v(1), rig.v(2)), ([0; 64], [0; 64]));
    assert_eq!((rig.v64(4), rig.shared(1020)), (64, 7), "the half that is in range counts");
}

#[test]
fn counters_wrap_at_the_bound_and_from_beyond_it() {
    let code = &[
        0xd848_0000,
        0x0100_0c0a, // ds_dec_rtn_u32 v1, v10, v12
        0xd846_0004,
        0x0200_0c0a, // ds_inc_rtn_u32 v2, v10, v12 offset:4
    ];
    for (old, down, up) in [(0, 5, 1), (1, 0, 2), (5, 4, 0), (6, 5, 0), (u32::MAX, 5, 0)] {
        let mut rig = Rig::new(code).with_exec(1).with_vector(10, |_| 0).with_vector(12, |_| 5);
        rig.share.0[..8].copy_from_slice(&[old.to_le_bytes(), old.to_le_bytes()].concat());
        let rig = rig.run();
        assert_eq!((rig.v(1)[0], rig.v(2)[0]), (old, old));
        assert_eq!((rig.shared(0), rig.shared(4)), (down, up), "{old}, bound 5");
    }
}

#[test]
fn two_places_of_lds_in_one_instruction() {
    let code = &[
        0xd81c_0301,
        0x000d_0c0a, // ds_write2_b32 v10, v12, v13 offset0:1 offset1:3
        0xd81e_0201,
        0x000c_0d0a, // ds_write2st64_b32 v10, v13, v12 offset0:1 offset1:2
        0xd86e_0103,
        0x0200_000a, // ds_read2_b32 v[2:3], v10 offset0:3 offset1:1
        0xd8f0_0100,
        0x0400_000a, // ds_read2st64_b64 v[4:7], v10 offset1:1
        0xd9fc_0003,
        0x0800_000a, // ds_read_b96 v[8:10], v10 offset:3
    ];
    let rig = Rig::new(code)
        .with_exec(1)
        .with_vector(10, |_| 0)
        .with_vector(12, |_| 12)
        .with_vector(13, |_| 13)
        .run();
    assert_eq!((rig.shared(4), rig.shared(12), rig.shared(256), rig.shared(512)), (12, 13, 13, 12));
    assert_eq!((rig.v(2)[0], rig.v(3)[0]), (13, 12));
    assert_eq!((rig.v64(4), rig.v64(6)), (12 << 32, 12));
    assert_eq!((rig.v(8)[0], rig.v(9)[0], rig.v(10)[0]), (12 << 8, 0, 13 << 8), "any alignment");
}

#[test]
fn flat_addresses_lead_to_memory_lds_and_scratch_lane_by_lane() {
    let code = &[
        0xdc70_0004,
        0x0000_000a, // flat_store_dword v[10:11], v0 offset:4
        0xdc50_0004,
        0x0100_000a, // flat_load_dword v1, v[10:11] offset:4
        0xdd09_0004,
        0x0200_000a, // flat_atomic_add v2, v[10:11], v0 offset:4 glc
        0xdc40_0004,
        0x0300_000a, // flat_load_ubyte v3, v[10:11] offset:4
    ];
    let high = |lane: u32| match lane % 3 {
        0 => HIGH,
        1 => (SHARED_APERTURE >> 32) as u32,
        _ => (PRIVATE_APERTURE >> 32) as u32,
    };
    let low = |lane: u32| if lane.is_multiple_of(3) { DATA as u32 + 4 * lane } else { 4 * lane };
    let rig = Rig::new(code)
        .with_vector(10, low)
        .with_vector(11, high)
        .with_pair(FLAT_SCRATCH, DATA + 0x1000)
        .run();
    assert_eq!((rig.v(1), rig.v(2)), (lanes(|lane| lane), lanes(|lane| lane)));
    assert_eq!(rig.v(3), lanes(|lane| 2 * lane));
    assert_eq!((rig.dword(4 * 9 + 4), rig.shared(4 * 10 + 4)), (18, 20));
    assert_eq!(rig.dword(0x1000 + 256 * (11 + 1) + 4 * 11), 22, "dword 12 of lane 11");
}

#[test]
fn scratch_is_the_same_by_buffer_by_flat_address_and_by_itself() {
    let code = &[
        0xe070_1008,
        0x0201_000a, // buffer_store_dword v0, v10, s[4:7], s2 offen offset:8
        0xdc50_0008,
        0x0100_000a, // flat_load_dword v1, v[10:11] offset:8
        0xdc50_4008,
        0x027f_000a, // scratch_load_dword v2, v10, off offset:8
        0xe060_1009,
        0x0201_0c0a, // buffer_store_byte v12, v10, s[4:7], s2 offen offset:9
        0xdc50_4007,
        0x037f_000a, // scratch_load_dword v3, v10, off offset:7
        0xe044_1009,
        0x0201_040a, // buffer_load_sbyte v4, v10, s[4:7], s2 offen offset:9
        0xdc68_4003,
        0x0003_0c00, // scratch_store_short off, v12, s3 offset:3
        0xdc48_4003,
        0x0503_0000, // scratch_load_ushort v5, off, s3 offset:3
    ];
    let rig = Rig::new(code)
        .with_vector(10, |lane| lane % 2 * 4)
        .with_vector(11, |_| (PRIVATE_APERTURE >> 32) as u32)
        .with_vector(12, |_| 0x8765)
        .with_pair(4, DATA | 1 << 63)
        .with_pair(6, 0x00ea_4fac << 32 | 0x1_0000)
        .with_scalar(2, 0x400)
        .with_scalar(3, 0)
        .with_pair(FLAT_SCRATCH, DATA + 0x400)
        .run();
    assert_eq!((rig.v(1), rig.v(2)), (lanes(|lane| lane), lanes(|lane| lane)));
    let bytes = |lane: u32| (lane & 0xff | 0x6500) << 8;
    assert_eq!(rig.v(3), lanes(|lane| bytes(lane) & 0xff_ff00 | rig.v(3)[lane as usize] & 0xff00_00ff));
    assert_eq!(rig.v(4), [0x65; 64]);
    assert_eq!(rig.v(5), [0x8765; 64]);
    assert_eq!(rig.dword(0x400 + 256 * 2 + 4 * 10), 0x650a, "dword 2 of lane 10");
}

#[test]
fn buffers_have_ends() {
    let code = &[
        0xe070_1000,
        0x8001_000a, // buffer_store_dword v0, v10, s[4:7], 0 offen
        0xe050_1000,
        0x8001_010a, // buffer_load_dword v1, v10, s[4:7], 0 offen
        0xe050_2004,
        0x8002_020c, // buffer_load_dword v2, v12, s[8:11], 0 idxen offset:4
    ];
    let rig = Rig::new(code)
        .with_vector(10, |lane| lane * 4)
        .with_vector(12, |lane| lane)
        .with_pair(4, DATA)
        .with_pair(6, 40)
        .with_pair(8, DATA | 8 << 48)
        .with_pair(10, 4)
        .run();
    assert_eq!(rig.v(1), lanes(|lane| if lane < 10 { lane } else { 0 }));
    assert_eq!((rig.dword(36), rig.dword(40)), (9, 0));
    assert_eq!(rig.v(2), lanes(|lane| if lane < 4 { 2 * lane + 1 } else { 0 }), "records of 8 bytes");
}

#[test]
fn a_buffer_of_another_layout_is_refused() {
    let mut rig = Rig::new(&[
        0xe050_0000,
        0x8001_0100, // buffer_load_dword v1, off, s[4:7], 0
    ])
    .with_pair(4, DATA | 1 << 63)
    .with_pair(6, 64);
    let refused = |stop| matches!(stop, Err(Stop::Memory { source: Denied::Layout, .. }));
    assert!(refused(rig.try_run()));
}

#[test]
fn a_wave_that_leaves_its_scratch_is_told_its_private_address() {
    let mut rig = Rig::new(&[
        0xdc50_4000,
        0x017f_000a, // scratch_load_dword v1, v10, off
    ]);
    rig = rig.with_vector(10, |_| 0x10_0000).with_pair(FLAT_SCRATCH, DATA);
    let stop = rig.try_run().expect_err("scratch is not that large");
    assert!(
        matches!(stop, Stop::Memory { address, lane: Some(0), .. } if address == PRIVATE_APERTURE | 0x10_0000),
        "{stop}"
    );
}
