//! What ends, pauses or stops a wave.

use super::rig::{CODE, Rig};
use crate::isa::execute::Stop;
use crate::isa::execute::wave::State;

#[test]
fn an_abort_stops_and_a_debug_trap_does_not() {
    let mut rig = Rig::new(&[
        0xbf92_0003, // s_trap 3
        0xbf92_0002, // s_trap 2
    ]);
    assert_eq!(rig.try_run(), Err(Stop::Trap { id: 2, pc: CODE + 4 }));
}

#[test]
fn a_message_wakes_the_host_with_the_low_bits_of_m0() {
    let rig = Rig::after(&[
        0xbefc_00ff,
        0x0000_1234, // s_mov_b32 m0, 0x1234
        0xbf90_0001, // s_sendmsg sendmsg(MSG_INTERRUPT)
    ]);
    assert_eq!(rig.memory.interrupts, [0x34]);
}

#[test]
fn clocks_advance() {
    let rig = Rig::after(&[
        0xc090_0000,
        0x0000_0000, // s_memtime s[0:1]
        0xbf80_0000, // s_nop 0
        0xc090_0080,
        0x0000_0000, // s_memtime s[2:3]
    ]);
    assert!(rig.pair(2) > rig.pair(0));
}

#[test]
fn the_end_and_the_barrier_are_states() {
    assert_eq!(
        Rig::after(&[
            0xbf8a_0000, // s_barrier
            0xbf80_0000, // s_nop 0
        ])
        .wave
        .state,
        State::AtBarrier
    );
    assert_eq!(
        Rig::after(&[
            0xbf81_0000, // s_endpgm
            0xbf80_0000, // s_nop 0
        ])
        .wave
        .state,
        State::Ended
    );
}

#[test]
fn what_cannot_be_executed_says_what_and_where() {
    let mut rig = Rig::new(&[
        0xbf80_0000, // s_nop 0
        0xd93b_0000,
        0x0000_0000, // ds_gws_barrier v0 gds
    ]);
    let stop = rig.try_run().expect_err("no barrier of the whole grid");
    assert!(matches!(stop, Stop::Unsupported { op: "ds_gws_barrier", pc, .. } if pc == CODE + 4), "{stop}");
    let mut rig = Rig::new(&[
        0xb880_f803, // s_getreg_b32 s0, hwreg(HW_REG_TRAPSTS)
    ]);
    assert!(matches!(rig.try_run(), Err(Stop::Unsupported { op: "s_getreg_b32", .. })));
    let mut rig = Rig::new(&[0xffff_ffff]);
    assert!(matches!(rig.try_run(), Err(Stop::Decode { pc: CODE, .. })));
}

#[test]
fn indexing_beyond_the_registers_is_refused() {
    let refused = |uses: u32, index: u32, code: &[u32]| {
        let mut rig = Rig::new(&[&[0xbf11_0000 | uses << 8], code].concat()).with_scalar(0, index);
        rig.try_run().expect_err("a register that is not there")
    };
    let (source, destination) = (1, 8);
    let stop = refused(source, 118, &[0x7e02_030a]); // v_mov_b32_e32 v1, v10
    assert_eq!(
        stop.to_string(),
        "v_mov_b32 at pc 0x1004 needs 129 vector registers, the kernel allocated 128"
    );
    let pair = &[0xd28f_0000, 0x0002_7c80]; // v_lshlrev_b64 v[0:1], 0, v[62:63]
    let stop = refused(2, 65, pair);
    assert!(matches!(stop, Stop::Register { op: "v_lshlrev_b64", pc, needed: 129, .. } if pc == CODE + 4));
    let stop = refused(destination, 127, pair);
    assert!(matches!(stop, Stop::Register { needed: 129, .. }), "the second half of v[127:128]");
    let stop = refused(source, 250, &[0x7e02_030a]); // v_mov_b32_e32 v1, v10
    assert!(matches!(stop, Stop::Register { needed: 261, allocated: 128, .. }), "numbers do not wrap");
}

#[test]
fn no_register_is_beyond_number_255() {
    let mut rig = Rig::new(&[
        0xbf11_0101, // s_set_gpr_idx_on s1, gpr_idx(SRC0)
        0x7e02_030a, // v_mov_b32_e32 v1, v10
    ])
    .with_registers(512)
    .with_scalar(1, 250);
    assert!(matches!(rig.try_run(), Err(Stop::Register { needed: 261, allocated: 256, .. })));
}

#[test]
fn registers_beyond_the_allocation_are_refused() {
    let mut rig = Rig::new(&[
        0x7efe_0280, // v_mov_b32_e32 v127, 0
        0xd28f_0080,
        0x0002_0080, // v_lshlrev_b64 v[128:129], 0, v[0:1]
    ]);
    let stop = rig.try_run().expect_err("128 registers");
    assert!(matches!(stop, Stop::Register { file: "vector", needed: 130, allocated: 128, .. }), "{stop}");
    let mut rig = Rig::new(&[
        0xd3d9_403f,
        0x1800_0080, // v_accvgpr_write_b32 a63, 0
        0xd3d9_4040,
        0x1800_0080, // v_accvgpr_write_b32 a64, 0
    ]);
    let stop = rig.try_run().expect_err("64 registers");
    assert!(matches!(stop, Stop::Register { file: "accumulation", needed: 65, allocated: 64, .. }), "{stop}");
}
