//! Descriptors, and files that are not code objects.

use super::{CodeObject, Denormals, Descriptor, Rounding, UserSgprs, WorkItemIds};

#[test]
fn a_descriptor_has_its_fields() {
    let mut bytes = [0; 64];
    let mut put = |at: usize, value: u32| bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
    put(0, 512);
    put(4, 16);
    put(8, 280);
    put(16, 0xffff_ff00);
    put(20, 0xffff_ffff);
    put(44, 0x0001_0003);
    put(48, 0x00af_2c43);
    put(52, 0x0500_13a7);
    put(56, 0x0882_0c2b);
    let descriptor = Descriptor::read(&bytes);
    let expected = Descriptor {
        group_segment_size: 512,
        private_segment_size: 16,
        kernarg_size: 280,
        entry_offset: -256,
        accum_offset: 16,
        tg_split: true,
        vgprs: 32,
        sgpr_granules: 1,
        priority: 3,
        round_32: Rounding::MinusInfinity,
        round_16_64: Rounding::NearestEven,
        denormals_32: Denormals { sources: true, results: true },
        denormals_16_64: Denormals { sources: true, results: true },
        privileged: false,
        dx10_clamp: true,
        debug_mode: false,
        ieee_mode: true,
        fp16_overflow: false,
        scratch: true,
        user_sgpr_count: 19,
        trap_handler: false,
        workgroup_ids: [true, true, true],
        workgroup_info: false,
        work_item_ids: WorkItemIds::Xyz,
        exceptions: 20,
        user_sgprs: UserSgprs {
            private_segment_buffer: true,
            dispatch_ptr: true,
            queue_ptr: false,
            kernarg_segment_ptr: true,
            dispatch_id: false,
            flat_scratch_init: true,
            private_segment_size: false,
        },
        wave32: true,
        dynamic_stack: true,
        kernarg_preload_length: 2,
        kernarg_preload_offset: 17,
    };
    assert_eq!(descriptor, expected);
}

#[test]
fn a_file_that_is_not_elf_is_refused() {
    let refused = CodeObject::parse(b"#!/bin/sh").unwrap_err().to_string();
    assert!(
        refused.starts_with("expected a code object, got a file that is not whole 64-bit ELF"),
        "{refused}"
    );
    assert!(CodeObject::parse(&header(224, 64, 0x3f)[..63]).is_err());
}

#[test]
fn other_machines_and_processors_are_refused() {
    let refused =
        |machine, abi, flags| CodeObject::parse(&header(machine, abi, flags)).unwrap_err().to_string();
    assert_eq!(
        refused(62, 0, 0),
        "expected a code object of amdgcn-amd-amdhsa, got ELF for machine 62 and ABI 0"
    );
    assert_eq!(
        refused(224, 65, 0x3f),
        "expected a code object of amdgcn-amd-amdhsa, got ELF for machine 224 and ABI 65"
    );
    assert_eq!(
        refused(224, 64, 0x52f),
        "expected code of gfx90a or gfx942, got processor 0x2f: compile with --offload-arch=gfx90a"
    );
}

#[test]
fn a_file_without_kernels_has_none() {
    assert!(CodeObject::parse(&header(224, 64, 0x53f)).unwrap().kernels().is_empty());
}

/// An ELF file that is its header only.
fn header(machine: u16, abi: u8, flags: u32) -> [u8; 64] {
    let mut bytes = [0; 64];
    bytes[..8].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, 1, 1, abi]);
    bytes[16] = 3;
    bytes[18..20].copy_from_slice(&machine.to_le_bytes());
    bytes[20] = 1;
    bytes[48..52].copy_from_slice(&flags.to_le_bytes());
    bytes[52] = 64;
    bytes
}
