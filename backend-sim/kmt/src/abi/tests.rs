//! Calls as a C program makes them.

use super::faults::{kreplay_fault_heal, kreplay_fault_inject};
use super::memory::{hsaKmtAllocMemory, hsaKmtFreeMemory, hsaKmtMapMemoryToGPUNodes, hsaKmtQueryPointerInfo};
use super::queues::hsaKmtCreateQueue;
use super::system::{hsaKmtCloseKFD, hsaKmtGetNodeCacheProperties, hsaKmtGetNodeProperties, hsaKmtOpenKFD};
use super::{PROCESS, answer, events};
use crate::faults::{Fault, Hold};
use crate::types::{HsaCacheProperties, HsaNodeProperties, HsaPointerInfo, MemFlags, Status};
use kreplay_core::fixture::FaultPoint;
use std::ptr::{null, null_mut};
use std::sync::Mutex;
use zerocopy::FromZeros;

/// The driver is one a process, so tests of it take turns.
static TURN: Mutex<()> = Mutex::new(());

fn with_driver(test: impl FnOnce()) {
    let _turn = TURN.lock().unwrap();
    assert_eq!(hsaKmtOpenKFD(), Status::Success);
    test();
    assert_eq!(hsaKmtCloseKFD(), Status::Success);
}

#[test]
fn a_panic_is_an_error() {
    assert_eq!(answer(|| panic!("as if a bug")), Status::Error);
}

#[test]
fn nothing_works_until_the_driver_is_open() {
    let _turn = TURN.lock().unwrap();
    let mut properties = HsaNodeProperties::new_zeroed();
    // SAFETY: the pointer is valid.
    let mut ask = || unsafe { hsaKmtGetNodeProperties(0, &raw mut properties) };
    assert_eq!(ask(), Status::KernelIoChannelNotOpened);
    assert_eq!(hsaKmtCloseKFD(), Status::KernelIoChannelNotOpened);
    assert_eq!(kreplay_fault_heal(), Status::KernelIoChannelNotOpened);
    assert_eq!(kreplay_fault_inject(7, 0, 1, 2, 0), Status::KernelIoChannelNotOpened);
    assert_eq!([hsaKmtOpenKFD(), hsaKmtOpenKFD(), hsaKmtCloseKFD()], [Status::Success; 3]);
    assert_eq!(ask(), Status::Success);
    assert_eq!(hsaKmtCloseKFD(), Status::Success);
    assert_eq!(ask(), Status::KernelIoChannelNotOpened);
}

#[test]
fn faults_go_by_their_numbers() {
    with_driver(|| {
        let accepted = |point| kreplay_fault_inject(point, 0, 0, 2, 0) == Status::Success;
        assert_eq!((0..20).filter(|point| accepted(*point)).collect::<Vec<_>>(), [7, 8, 10]);
        assert_eq!(kreplay_fault_inject(7, 0, 1, 5, 0), Status::InvalidParameter);
        assert_eq!(kreplay_fault_inject(8, 0, 1, 4, 0), Status::Success);
        assert_eq!(kreplay_fault_inject(7, 1, 1, 3, u64::MAX), Status::Success);
        let strike =
            |point| PROCESS.get().and_then(Option::as_ref).and_then(|process| process.faults.strike(point));
        let points =
            [FaultPoint::Sdma, FaultPoint::CompletionEvent, FaultPoint::Doorbell, FaultPoint::Doorbell];
        let late = Some(Fault::Held(Hold::Until(u64::MAX)));
        assert_eq!(points.map(strike), [None, Some(Fault::Twice), None, late]);
        assert_eq!(kreplay_fault_inject(10, 0, 1, 2, 0), Status::Success);
        assert_eq!(kreplay_fault_heal(), Status::Success);
        assert_eq!(strike(FaultPoint::Sdma), None);
    });
}

#[test]
fn null_is_refused() {
    with_driver(|| {
        // SAFETY: null is allowed everywhere here.
        let answers = unsafe {
            [
                hsaKmtGetNodeProperties(0, null_mut()),
                hsaKmtGetNodeCacheProperties(0, 0, 1, null_mut()),
                hsaKmtAllocMemory(0, 4096, MemFlags::HOST_ACCESS, null_mut()),
                hsaKmtQueryPointerInfo(null(), null_mut()),
                hsaKmtCreateQueue(1, 21, 100, 0, null_mut(), 4096, null(), null_mut()),
                events::hsaKmtCreateEvent(null(), false, false, null_mut()),
            ]
        };
        assert_eq!(answers, [Status::InvalidParameter; 6]);
        // SAFETY: as above.
        let answers = unsafe {
            [
                events::hsaKmtSetEvent(null_mut()),
                events::hsaKmtDestroyEvent(null_mut()),
                events::hsaKmtWaitOnEvent(null_mut(), 0),
                events::hsaKmtWaitOnMultipleEvents(null(), 1, true, 0),
            ]
        };
        assert_eq!(answers, [Status::InvalidHandle; 4]);
        assert_eq!(hsaKmtFreeMemory(null_mut(), 0), Status::Error);
    });
}

#[test]
fn lists_are_padded_and_not_overrun() {
    with_driver(|| {
        let mut caches = [HsaCacheProperties { cache_level: 9, ..HsaCacheProperties::new_zeroed() }; 4];
        // SAFETY: the list is longer than what is asked for.
        let answer = unsafe { hsaKmtGetNodeCacheProperties(1, 0, 3, caches.as_mut_ptr()) };
        assert_eq!((answer, caches.map(|cache| cache.cache_level)), (Status::Success, [1, 2, 0, 9]));
    });
}

#[test]
fn sizes_and_nodes_that_are_none_are_refused() {
    with_driver(|| {
        let mut at = null_mut();
        // SAFETY: the pointer is valid.
        let mut allocate = |node, bytes, flags| unsafe { hsaKmtAllocMemory(node, bytes, flags, &raw mut at) };
        assert_eq!(allocate(0, 0, MemFlags::HOST_ACCESS), Status::InvalidParameter);
        assert_eq!(allocate(0, 100, MemFlags::HOST_ACCESS), Status::InvalidParameter);
        assert_eq!(allocate(2, 4096, MemFlags::HOST_ACCESS), Status::InvalidNodeUnit);
        assert_eq!(allocate(0, 4096, MemFlags::FIXED_ADDRESS), Status::InvalidParameter);
        assert_eq!(allocate(0, 4096, MemFlags::SCRATCH), Status::NotSupported);
        assert_eq!(allocate(1, 1 << 60, MemFlags::NON_PAGED), Status::NoMemory);
        assert_eq!(allocate(0, 1 << 62, MemFlags::HOST_ACCESS), Status::NoMemory);
    });
}

#[test]
fn memory_tells_its_story() {
    with_driver(|| {
        let (mut at, mut info, mut gpu) = (null_mut(), HsaPointerInfo::new_zeroed(), 0);
        let flags = MemFlags::NON_PAGED | MemFlags::COARSE_GRAIN;
        // SAFETY: the pointer is valid.
        assert_eq!(unsafe { hsaKmtAllocMemory(1, 8192, flags, &raw mut at) }, Status::Success);
        // SAFETY: the pointers are valid, and the list has one node.
        let map = |node: u32, gpu| unsafe { hsaKmtMapMemoryToGPUNodes(at, 8192, gpu, 0, 1, &raw const node) };
        assert_eq!([map(2, null_mut()), map(1, &raw mut gpu)], [Status::InvalidNodeUnit, Status::Success]);
        // SAFETY: the pointer is valid.
        let mut ask = |at| (unsafe { hsaKmtQueryPointerInfo(at, &raw mut info) }, info);
        let (answer, known) = ask(at.wrapping_byte_add(5000));
        assert_eq!((answer, gpu), (Status::Success, at.addr() as u64));
        assert_eq!((known.kind, known.node, known.size_in_bytes), (1, 1, 8192));
        assert_eq!(({ known.mem_flags }, { known.cpu_address }, { known.gpu_address }), (flags, at, gpu));
        // SAFETY: the mapping has not changed since the answer.
        assert_eq!(({ known.n_mapped_nodes }, unsafe { *known.mapped_nodes }), (1, 1));
        assert_eq!(
            [hsaKmtFreeMemory(at, 8192), hsaKmtFreeMemory(at, 8192)],
            [Status::Success, Status::Error]
        );
        let (answer, unknown) = ask(at);
        assert_eq!((answer, { unknown.kind }), (Status::Error, 0));
    });
}
