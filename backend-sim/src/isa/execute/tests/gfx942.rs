//! What gfx942 has and gfx90a has not.

use super::rig::{DATA, Rig, lanes};
use crate::isa::Target;
use crate::isa::execute::SHARED_APERTURE;
use crate::isa::scalar::FLAT_SCRATCH;

impl Rig {
    fn on_gfx942(code: &[u32]) -> Rig {
        Rig::new(code).on(Target::Gfx942)
    }
}

#[test]
fn wide_moves_and_sums() {
    let code = &[
        0x7e04_7006, // v_mov_b64_e32 v[2:3], s[6:7]
        0xd208_0004,
        0x0019_0902, // v_lshl_add_u64 v[4:5], v[2:3], 4, s[6:7]
        0xd208_0006,
        0x000a_1502, // v_lshl_add_u64 v[6:7], v[2:3], v10, s[2:3]
    ];
    let rig = Rig::on_gfx942(code).with_pair(6, 0x9000_0001_8800_0002).with_pair(2, 0).with_vector(10, |_| 9);
    let rig = rig.run();
    assert_eq!(rig.v64(2), 0x9000_0001_8800_0002);
    assert_eq!(rig.v64(4), 0x9000_001a_0800_0022, "0x18_8000_0020 more");
    assert_eq!(rig.v64(6), 0x2000_0003_1000_0004, "a shift by 9 is one by 1");
}

#[test]
fn scratch_has_addresses_in_vector_and_scalar_registers_or_neither() {
    let code = &[
        0xdc70_6008,
        0x0004_0001, // scratch_store_dword v1, v0, s4 offset:8
        0xdc50_400c,
        0x0304_0000, // scratch_load_dword v3, off, s4 offset:12
        0xdc50_6010,
        0x047f_0001, // scratch_load_dword v4, v1, off offset:16
        0xdc50_4014,
        0x057f_0000, // scratch_load_dword v5, off, off offset:20
    ];
    let rig = Rig::on_gfx942(code).with_vector(1, |lane| lane % 2 * 4).with_scalar(4, 8);
    let rig = rig.with_pair(FLAT_SCRATCH, DATA).run();
    let stored = |parity: u32| lanes(|lane| if lane % 2 == parity { lane } else { 0 });
    assert_eq!(rig.v(3), stored(1), "20 is where the odd lanes stored");
    assert_eq!(rig.v(4), lanes(|lane| lane));
    assert_eq!(rig.v(5), stored(1));
}

#[test]
fn an_atomic_returns_the_old_value_with_sc0_whatever_its_scope() {
    let code = &[
        0xdd09_8000,
        0x0500_0c0a, // global_atomic_add v5, v10, v12, s[0:1] sc0
        0xdf08_8000,
        0x0000_0c0a, // global_atomic_add v10, v12, s[0:1] sc1
    ];
    let rig = Rig::on_gfx942(code).with_exec(1).with_pair(0, DATA).with_vector(10, |_| 0);
    let rig = rig.with_vector(0, |_| 77).with_vector(12, |_| 3).run();
    assert_eq!((rig.v(5)[0], rig.v(0)[0], rig.memory.data[0]), (0, 77, 6));
}

#[test]
fn atomics_on_floats_keep_subnormals_and_reach_lds_by_flat_addresses() {
    let code = &[
        0xdd35_0000,
        0x0500_0c0a, // flat_atomic_add_f32 v5, v[10:11], v12 sc0
        0xd96e_0008,
        0x0600_0d0e, // ds_pk_add_rtn_f16 v6, v14, v13 offset:8
        0xd96e_0008,
        0x0600_0d0e, // ds_pk_add_rtn_f16 v6, v14, v13 offset:8
    ];
    let high = |lane| if lane == 0 { DATA >> 32 } else { SHARED_APERTURE >> 32 } as u32;
    let mut rig = Rig::on_gfx942(code).with_exec(3).with_vector(11, high);
    rig = rig.with_vector(10, |lane| if lane == 0 { DATA as u32 } else { 0 });
    for (register, value) in [(12, 1), (13, 0x3c00_4000), (14, 0)] {
        rig = rig.with_vector(register, move |_| value);
    }
    let rig = rig.run();
    assert_eq!((rig.memory.data[0], rig.share.0[0]), (1, 1));
    assert_eq!(rig.v(6)[..2], [0x4000_4400, 0x4200_4600], "two lanes, twice each");
}

#[test]
fn caches_are_written_back_and_forgotten_as_fences() {
    let rig = Rig::on_gfx942(&[
        0xe0a0_c000,
        0x0000_0000, // buffer_wbl2 sc0 sc1
        0xe0a4_8000,
        0x0000_0000, // buffer_inv sc1
    ])
    .run();
    assert_eq!(rig.memory.fences, 2);
}
