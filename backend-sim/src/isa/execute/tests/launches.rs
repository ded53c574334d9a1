//! The start of waves, and waves that wait for each other.

use super::rig::{Bytes, CODE, DATA, Rig};
use crate::isa::Target;
use crate::isa::execute::launch::load_descriptor;
use crate::isa::execute::{Dispatch, Launch, LaunchError, Memory, Packet, Program, Progress, Scratch, Stop};
use crate::isa::object::Descriptor;
use crate::isa::scalar::{EXEC, FLAT_SCRATCH};

/// Where the tests keep the descriptor.
const DESCRIPTOR: u64 = DATA + 0x8000;

/// 16 vector registers, the rounding and subnormals of compiled kernels.
const RSRC1: u32 = 1 | 0xf << 16 | 1 << 21 | 1 << 23;

/// Scratch, ids of the workgroup in x, y and z, its information, and ids of work-items in x, y and z.
const EVERYTHING: u32 = 1 | 7 << 7 | 1 << 10 | 2 << 11;

/// Only the workgroup's id in x.
const ID_X: u32 = 1 << 7;

/// Memory with these instructions and a descriptor that leads to them.
fn memory(code: &[u32], rsrc2: u32, properties: u32) -> Bytes {
    let mut memory = Rig::new(code).memory;
    let mut put = |at: u64, word: u32| memory.store(DESCRIPTOR + at, 4, u64::from(word)).expect("memory");
    let entry = CODE.wrapping_sub(DESCRIPTOR);
    put(16, entry as u32);
    put(20, (entry >> 32) as u32);
    put(48, RSRC1);
    put(52, rsrc2);
    put(56, properties);
    memory
}

fn launch(workgroup: [u16; 3], grid: [u32; 3]) -> Launch {
    let packet = Packet {
        workgroup,
        grid,
        private_bytes: 16,
        group_bytes: 64,
        kernel_object: DESCRIPTOR,
        kernarg: DATA,
    };
    let scratch = Some(Scratch::new(DATA + 0x1000, 16, 8));
    Launch {
        packet,
        packet_address: 0x1_0000_0002,
        queue_address: 0x3_0000_0004,
        dispatch_id: 5,
        scratch,
        seed: 0,
    }
}

fn descriptor(memory: &mut Bytes) -> Descriptor {
    load_descriptor(memory, DESCRIPTOR).expect("a descriptor")
}

fn dword(memory: &mut Bytes, at: u64) -> u64 {
    memory.load(DATA + at, 4).expect("memory")
}

/// Runs a kernel whose arguments begin where the data does.
fn run(code: &[u32], launch: Launch, budget: u64) -> (Bytes, Result<(), Stop>) {
    let mut memory = memory(code, ID_X, 1 << 3);
    let mut dispatch = Dispatch::new(launch, &mut memory).expect("a launch");
    let result = dispatch.run(&mut Program::new(Target::Gfx90a), &mut memory, budget);
    (memory, result)
}

#[test]
fn scalar_registers_come_in_order_without_gaps() {
    let mut memory = memory(&[], EVERYTHING, 0x7f);
    let group =
        launch([128, 1, 1], [1024, 4, 4]).workgroup(&descriptor(&mut memory), Target::Gfx90a, [3, 2, 1], 6);
    let base = (DATA + 0x1000) as u32;
    let resource = [base, 0x8000_0002, 8 * 1024, 0x00ea_4fac];
    let pointers = [2, 1, 4, 3, DATA as u32, 2, 5, 0, base, 2, 16];
    for (number, wave) in group.waves.iter().enumerate() {
        assert_eq!(wave.scalars[..4], resource);
        assert_eq!(wave.scalars[4..15], pointers);
        let info = if number == 0 { 0x8000_0002 } else { 2 };
        assert_eq!(wave.scalars[15..20], [3, 2, 1, info, (6 + number as u32) * 1024]);
        assert_eq!(wave.mode(), 0x3f0);
    }
}

#[test]
fn registers_that_were_not_asked_for_leave_no_gap() {
    let mut memory = memory(&[], ID_X | 1 << 9, 1 << 3);
    let group =
        launch([64, 1, 1], [1024, 4, 4]).workgroup(&descriptor(&mut memory), Target::Gfx90a, [3, 2, 1], 0);
    assert_eq!(group.waves[0].scalars[..4], [DATA as u32, 2, 3, 1]);
}

#[test]
fn the_workgroup_follows_all_user_registers_even_those_for_arguments() {
    let mut memory = memory(&[], ID_X | 6 << 1, 1 << 3);
    let group =
        launch([64, 1, 1], [1024, 4, 4]).workgroup(&descriptor(&mut memory), Target::Gfx90a, [3, 2, 1], 0);
    assert_eq!((group.waves[0].scalars[0], group.waves[0].scalars[6]), (DATA as u32, 3));
}

#[test]
fn scratch_of_gfx942_needs_no_code_to_be_found() {
    let mut memory = memory(&[], EVERYTHING, 1 << 3);
    let group =
        launch([128, 1, 1], [1024, 4, 4]).workgroup(&descriptor(&mut memory), Target::Gfx942, [3, 2, 1], 6);
    for (number, wave) in group.waves.iter().enumerate() {
        assert_eq!(wave.pair(FLAT_SCRATCH), DATA + 0x1000 + (6 + number as u64) * 1024);
        assert_eq!(wave.scalars[2..5], [3, 2, 1]);
        assert_eq!(wave.scalars[6], wave.scalars[7], "no offset of scratch");
    }
}

#[test]
fn work_items_are_packed_and_unasked_dimensions_are_0() {
    let launch = launch([5, 4, 6], [5, 4, 6]);
    let ids = |rsrc2| {
        let mut memory = memory(&[], rsrc2, 0);
        let group = launch.workgroup(&descriptor(&mut memory), Target::Gfx90a, [0, 0, 0], 0);
        assert_eq!(group.waves.len(), 2);
        let lanes = |wave: usize| group.waves[wave].lanes(crate::isa::Operand::Vgpr(0), 0);
        assert_eq!(group.waves[1].pair(EXEC), (1 << 56) - 1, "120 work-items");
        (lanes(0)[37], lanes(1)[55])
    };
    assert_eq!(ids(EVERYTHING), (2 | 3 << 10 | 1 << 20, 4 | 3 << 10 | 5 << 20));
    assert_eq!(ids(ID_X | 1 << 11), (2 | 3 << 10, 4 | 3 << 10));
    assert_eq!(ids(ID_X), (2, 4));
}

#[test]
fn the_last_workgroup_has_only_the_work_items_of_the_grid() {
    let mut memory = memory(&[], EVERYTHING, 0);
    let launch = launch([16, 16, 1], [20, 18, 1]);
    assert_eq!(launch.groups(), [2, 2, 1]);
    let group = launch.workgroup(&descriptor(&mut memory), Target::Gfx90a, [1, 1, 0], 0);
    assert_eq!((group.waves.len(), group.waves[0].pair(EXEC)), (1, 0xff), "4 by 2");
    assert_eq!(group.waves[0].lanes(crate::isa::Operand::Vgpr(0), 0)[5], 1 | 1 << 10);
    let group = launch.workgroup(&descriptor(&mut memory), Target::Gfx90a, [0, 1, 0], 0);
    assert_eq!(group.waves[0].pair(EXEC), 0xffff_ffff, "16 by 2");
}

#[test]
fn what_cannot_run_is_refused() {
    let refused = |launch: Launch, rsrc2, properties| {
        Dispatch::new(launch, &mut memory(&[], rsrc2, properties)).err().expect("a refusal")
    };
    let good = launch([64, 1, 1], [64, 1, 1]);
    let with = |change: fn(&mut Launch)| {
        let mut launch = good;
        change(&mut launch);
        launch
    };
    assert!(matches!(refused(with(|launch| launch.packet.grid[1] = 0), 0, 0), LaunchError::Size { .. }));
    assert!(matches!(
        refused(with(|launch| launch.packet.workgroup[1] = 17), 0, 0),
        LaunchError::Size { .. }
    ));
    let lds = refused(with(|launch| launch.packet.group_bytes = 65537), 0, 0);
    assert_eq!(lds, LaunchError::Lds { bytes: 65537 });
    assert_eq!(refused(good, 0, 1 << 10), LaunchError::Wave32);
    let scratch = LaunchError::Scratch { expected: 1024, waves: 1, got: 0 };
    assert_eq!(refused(with(|launch| launch.scratch = None), 1, 0), scratch);
    let unmapped = refused(with(|launch| launch.packet.kernel_object = 8), 0, 0);
    assert!(matches!(unmapped, LaunchError::Descriptor { address: 8, .. }));
    assert!(Dispatch::new(good, &mut memory(&[], 1, 0)).is_ok());
}

#[test]
fn a_barrier_waits_for_the_waves_that_have_not_ended() {
    let code = &[
        0x7d98_00c0, // v_cmp_gt_u32_e32 vcc, 64, v0
        0xbf86_000b, // s_cbranch_vccz 11
        0x2402_0082, // v_lshlrev_b32_e32 v1, 2, v0
        0xd81a_0004,
        0x0000_0001, // ds_write_b32 v1, v0 offset:4
        0xbf8a_0000, // s_barrier
        0xd86c_0000,
        0x0200_0001, // ds_read_b32 v2, v1
        0x7e06_0280, // v_mov_b32_e32 v3, 0
        0xdd08_8000,
        0x0000_0203, // global_atomic_add v3, v2, s[0:1]
        0xbf81_0000, // s_endpgm
        0xbf81_0000, // s_endpgm
        0xbf81_0000, // s_endpgm
        0xbf81_0000, // s_endpgm
    ];
    let (mut memory, result) = run(code, launch([256, 1, 1], [256, 1, 1]), 1000);
    assert_eq!(result, Ok(()));
    assert!(dword(&mut memory, 0) > 0);
}

#[test]
fn a_wave_can_wait_for_a_later_one() {
    let code = &[
        0x7e02_0280, // v_mov_b32_e32 v1, 0
        0x7e06_0281, // v_mov_b32_e32 v3, 1
        0x7d98_00c0, // v_cmp_gt_u32_e32 vcc, 64, v0
        0xbf86_000a, // s_cbranch_vccz 10
        0xd86c_0000,
        0x0200_0001, // ds_read_b32 v2, v1
        0x7e08_0502, // v_readfirstlane_b32 s4, v2
        0xbf8e_0001, // s_sleep 1
        0xbf06_8104, // s_cmp_eq_u32 s4, 1
        0xbf84_fffa, // s_cbranch_scc0 65530
        0xdc70_8000,
        0x0000_0301, // global_store_dword v1, v3, s[0:1]
        0xbf81_0000, // s_endpgm
        0xbf81_0000, // s_endpgm
        0xd81a_0000,
        0x0000_0301, // ds_write_b32 v1, v3
        0xbf81_0000, // s_endpgm
    ];
    let (mut memory, result) = run(code, launch([128, 1, 1], [128, 1, 1]), 1000);
    assert_eq!((result, dword(&mut memory, 0)), (Ok(()), 1));
}

/// Each workgroup but the last waits for a dword that the next one sets.
const CHAIN: &[u32] = &[
    0x7e02_0280, // v_mov_b32_e32 v1, 0
    0x8e04_8202, // s_lshl_b32 s4, s2, 2
    0x8004_0004, // s_add_u32 s4, s4, s0
    0x8205_8001, // s_addc_u32 s5, s1, 0
    0xbf06_8702, // s_cmp_eq_u32 s2, 7
    0xbf85_0007, // s_cbranch_scc1 7
    0xdc50_8004,
    0x0204_0001, // global_load_dword v2, v1, s[4:5] offset:4
    0xbf8e_0001, // s_sleep 1
    0x7e0c_0502, // v_readfirstlane_b32 s6, v2
    0xbf06_8006, // s_cmp_eq_u32 s6, 0
    0xbf85_fffa, // s_cbranch_scc1 65530
    0x7e06_0281, // v_mov_b32_e32 v3, 1
    0xdc70_8000,
    0x0004_0301, // global_store_dword v1, v3, s[4:5]
    0xbf81_0000, // s_endpgm
];

#[test]
fn a_workgroup_can_wait_for_a_later_one_in_any_order() {
    for seed in [0, 1, 0x1234_5678_9abc, u64::MAX] {
        let (mut memory, result) = run(CHAIN, Launch { seed, ..launch([64, 1, 1], [512, 1, 1]) }, 1_000_000);
        assert_eq!((result, dword(&mut memory, 0)), (Ok(()), 1), "seed {seed:#x}");
    }
}

#[test]
fn a_wave_that_waits_without_a_sleep_lets_others_run() {
    let code = &[
        0x7e02_0280, // v_mov_b32_e32 v1, 0
        0x7e06_0281, // v_mov_b32_e32 v3, 1
        0xbf06_8002, // s_cmp_eq_u32 s2, 0
        0xbf84_0007, // s_cbranch_scc0 7
        0xdc50_8000,
        0x0200_0001, // global_load_dword v2, v1, s[0:1]
        0x7e0c_0502, // v_readfirstlane_b32 s6, v2
        0xbf06_8006, // s_cmp_eq_u32 s6, 0
        0xbf85_fffb, // s_cbranch_scc1 65531
        0xbf81_0000, // s_endpgm
        0xbf80_0000, // s_nop 0
        0xdc70_8000,
        0x0000_0301, // global_store_dword v1, v3, s[0:1]
        0xbf81_0000, // s_endpgm
    ];
    let (mut memory, result) = run(code, launch([64, 1, 1], [128, 1, 1]), 20_000);
    assert_eq!((result, dword(&mut memory, 0)), (Ok(()), 1));
}

#[test]
fn a_queue_that_hangs_is_told_so() {
    let (_, result) = run(
        &[
            0xbf82_ffff, // s_branch 65535
        ],
        launch([64, 1, 1], [64, 1, 1]),
        10_000,
    );
    assert_eq!(result, Err(Stop::Budget { instructions: 10_000 }));
}

#[test]
fn a_dispatch_can_be_run_piece_by_piece() {
    let mut memory = memory(CHAIN, ID_X, 1 << 3);
    let mut dispatch = Dispatch::new(launch([64, 1, 1], [512, 1, 1]), &mut memory).expect("a launch");
    let mut program = Program::new(Target::Gfx90a);
    let mut pieces = 0;
    while dispatch.advance(&mut program, &mut memory, 7).expect("no stop") == Progress::Running {
        pieces += 1;
        assert!(dispatch.executed() <= 7 * pieces && pieces < 100_000);
    }
    assert!(pieces > 10);
    assert_eq!(dword(&mut memory, 0), 1);
}

#[test]
fn no_more_waves_run_than_there_is_scratch_for() {
    let code = &[
        0x7e02_0280, // v_mov_b32_e32 v1, 0
        0x7e06_0203, // v_mov_b32_e32 v3, s3
        0x8e04_8202, // s_lshl_b32 s4, s2, 2
        0x8004_0004, // s_add_u32 s4, s4, s0
        0x8205_8001, // s_addc_u32 s5, s1, 0
        0xdc70_8000,
        0x0004_0301, // global_store_dword v1, v3, s[4:5]
        0xbf81_0000, // s_endpgm
    ];
    let mut memory = memory(code, ID_X | 1, 1 << 3);
    let mut dispatch = Dispatch::new(launch([64, 1, 1], [64 * 32, 1, 1]), &mut memory).expect("a launch");
    dispatch.run(&mut Program::new(Target::Gfx90a), &mut memory, 10_000).expect("an end");
    for group in 0..32 {
        let offset = dword(&mut memory, 4 * group);
        assert!(
            offset < 8 * 1024 && offset.is_multiple_of(1024),
            "expected one of 8 places, got {offset:#x}"
        );
    }
}
