//! A code object in memory, as small as one can be.

use super::kernel_name;
use crate::kernels::NoKernels;
use crate::testing::Machine;
use kreplay_core::ids::Address;

/// Places in the code object: program headers, dynamic section, hash table, symbols, names, and a descriptor in the
/// page behind.
const PROGRAM: u64 = 64;
const DYNAMIC: u64 = 256;
const HASHES: u64 = 512;
const TABLE: u64 = 640;
const TEXTS: u64 = 768;
const DESCRIPTOR: u64 = 4096 + 128;

/// Three pages: one of something else, and the code object.
fn code_object(machine: &Machine, names: &str) -> Address {
    let at = machine.memory(3 * 4096) + 4096;
    let double = |to: u64, value: u64| machine.store(at + to, value);
    machine.store_bytes(at, b"\x7fELF\x02\x01\x01\x40");
    double(32, PROGRAM);
    double(52, 64 | 56 << 16 | 2 << 32);
    double(PROGRAM, 1);
    double(PROGRAM + 56, 2);
    double(PROGRAM + 56 + 16, DYNAMIC);
    double(PROGRAM + 56 + 40, 4 * 16);
    for (index, (tag, value)) in [(4, HASHES), (6, TABLE), (5, TEXTS)].into_iter().enumerate() {
        double(DYNAMIC + index as u64 * 16, tag);
        double(DYNAMIC + index as u64 * 16 + 8, value);
    }
    double(HASHES, 1 | 3 << 32);
    double(TABLE + 24, 1);
    double(TABLE + 24 + 8, DESCRIPTOR - 64);
    double(TABLE + 48, 1 + names.find('\0').map_or(0, |end| end as u64 + 1));
    double(TABLE + 48 + 8, DESCRIPTOR);
    machine.store_bytes(at + TEXTS + 1, names.as_bytes());
    at
}

#[test]
fn a_descriptor_has_the_name_of_its_symbol() {
    let machine = Machine::new(|| Box::new(NoKernels));
    let at = code_object(&machine, "other.kd\0_Z6squarePi.kd\0");
    assert_eq!(kernel_name(&machine.view, at + DESCRIPTOR).as_deref(), Some("_Z6squarePi"));
    assert_eq!(kernel_name(&machine.view, at + DESCRIPTOR - 64).as_deref(), Some("other"));
    assert_eq!(kernel_name(&machine.view, at + DESCRIPTOR + 64), None);
}

#[test]
fn what_is_no_descriptor_has_no_name() {
    let machine = Machine::new(|| Box::new(NoKernels));
    let variable = code_object(&machine, "other.kd\0variable\0");
    assert_eq!(kernel_name(&machine.view, variable + DESCRIPTOR), None);
    let binary = code_object(&machine, "other.kd\0");
    machine.store_bytes(binary + TEXTS + 10, b"\xff.kd\0");
    assert_eq!(kernel_name(&machine.view, binary + DESCRIPTOR), None);
    let bare = machine.memory(4096);
    assert_eq!(kernel_name(&machine.view, bare), None);
    assert_eq!(kernel_name(&machine.view, 0), None);
}

#[test]
fn tables_that_lead_nowhere_have_no_name() {
    for (place, value) in [(32, u64::MAX / 2), (TABLE + 48, 1 << 31), (DYNAMIC + 8, 1 << 40), (DYNAMIC, 0)] {
        let machine = Machine::new(|| Box::new(NoKernels));
        let at = code_object(&machine, "other.kd\0_Z6squarePi.kd\0");
        machine.store(at + place, value);
        assert_eq!(kernel_name(&machine.view, at + DESCRIPTOR), None, "{place}");
    }
}
