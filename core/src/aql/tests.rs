use super::*;
use proptest::prelude::*;

fn dispatch() -> KernelDispatch {
    KernelDispatch {
        header: 0x1502,
        setup: 3,
        workgroup_size: [2, 3, 4],
        grid_size: [0x0a0b_0c0d, 5, 6],
        private_segment_size: 0x11,
        group_segment_size: 0x22,
        kernel_object: 0x0102_0304_0506_0708,
        kernarg_address: 0x33,
        completion_signal: 0x44,
        ..KernelDispatch::default()
    }
}

fn parsed(packet: KernelDispatch) -> Result<Parsed, PacketError> {
    Packet::from(packet).parse()
}

fn barrier(packet: Barrier) -> Result<Parsed, PacketError> {
    Packet::from(packet).parse()
}

#[test]
fn every_packet_is_64_bytes_and_a_slot_is_aligned_to_them() {
    assert_eq!([size_of::<Packet>(), size_of::<KernelDispatch>(), size_of::<Barrier>()], [64; 3]);
    assert_eq!(align_of::<Packet>(), 64);
}

#[test]
fn the_bytes_of_a_dispatch_packet() {
    let bytes = Packet::from(dispatch()).0;
    assert_eq!(bytes[..4], [0x02, 0x15, 3, 0]);
    assert_eq!(bytes[4..12], [2, 0, 3, 0, 4, 0, 0, 0]);
    assert_eq!(bytes[12..24], [0x0d, 0x0c, 0x0b, 0x0a, 5, 0, 0, 0, 6, 0, 0, 0]);
    assert_eq!(bytes[24..32], [0x11, 0, 0, 0, 0x22, 0, 0, 0]);
    assert_eq!(bytes[32..40], [8, 7, 6, 5, 4, 3, 2, 1]);
    assert_eq!(bytes[40..48], 0x33_u64.to_le_bytes());
    assert_eq!(bytes[48..56], [0; 8]);
    assert_eq!(bytes[56..], 0x44_u64.to_le_bytes());
}

#[test]
fn the_bytes_of_a_barrier_packet() {
    let packet = Packet::from(Barrier::or(&[SignalId(1), SignalId(2)], Some(SignalId(3))));
    assert_eq!(packet.0[..8], [5, 0x15, 0, 0, 0, 0, 0, 0]);
    assert_eq!(packet.0[8..16], 1_u64.to_le_bytes());
    assert_eq!(packet.0[16..24], 2_u64.to_le_bytes());
    assert_eq!(packet.0[24..56], [0; 32]);
    assert_eq!(packet.0[56..], 3_u64.to_le_bytes());
}

#[test]
fn each_type_is_recognized() {
    assert_eq!(parsed(dispatch()), Ok(Parsed::KernelDispatch(dispatch())));
    let (and, or) = (Barrier::and(&[SignalId(1)], None), Barrier::or(&[], None));
    assert_eq!(barrier(and), Ok(Parsed::BarrierAnd(and)));
    assert_eq!(barrier(or), Ok(Parsed::BarrierOr(or)));
    assert_eq!(Packet::vendor().parse(), Ok(Parsed::Vendor));
    assert!(Packet::from(dispatch()).is_dispatch());
    assert!(!Packet::vendor().is_dispatch());
}

#[test]
fn types_that_a_queue_does_not_execute_are_refused() {
    assert_eq!(Packet::INVALID.parse(), Err(PacketError::Type(1)));
    for number in [4, 6, 255] {
        assert_eq!(
            parsed(KernelDispatch { header: number, ..dispatch() }),
            Err(PacketError::Type(number as u8))
        );
    }
}

#[test]
fn a_dispatch_has_one_to_three_dimensions() {
    for setup in [1, 2, 3] {
        assert!(parsed(KernelDispatch { setup, ..dispatch() }).is_ok(), "{setup}");
    }
    let none = KernelDispatch { setup: 0, ..dispatch() };
    assert_eq!(parsed(none), Err(PacketError::Dimensions(0)));
}

#[test]
fn an_empty_dimension_is_refused() {
    for dimension in 0..3 {
        let (mut no_group, mut no_grid) = (dispatch(), dispatch());
        no_group.workgroup_size[dimension] = 0;
        no_grid.grid_size[dimension] = 0;
        assert!(matches!(parsed(no_group), Err(PacketError::EmptyGrid { .. })), "{dimension}");
        assert!(matches!(parsed(no_grid), Err(PacketError::EmptyGrid { .. })), "{dimension}");
    }
}

#[test]
fn a_workgroup_has_1024_work_items_and_not_one_more() {
    let group = |workgroup_size| parsed(KernelDispatch { workgroup_size, ..dispatch() });
    assert!(group([1024, 1, 1]).is_ok());
    assert_eq!(group([1025, 1, 1]), Err(PacketError::Workgroup(1025)));
    assert_eq!(group([32, 32, 2]), Err(PacketError::Workgroup(2048)));
    let most = u64::from(u16::MAX).pow(3);
    assert_eq!(group([u16::MAX; 3]), Err(PacketError::Workgroup(most)));
}

#[test]
fn a_dispatch_may_carry_the_correlation_id_of_hip() {
    let packet = KernelDispatch { reserved2: 1, ..dispatch() };
    assert_eq!(parsed(packet), Ok(Parsed::KernelDispatch(packet)));
}

#[test]
fn reserved_fields_must_be_zero() {
    assert_eq!(parsed(KernelDispatch { reserved0: 1, ..dispatch() }), Err(PacketError::Reserved));
    let good = Barrier::and(&[], None);
    let bad = [
        Barrier { reserved0: 1, ..good },
        Barrier { reserved1: 1, ..good },
        Barrier { reserved2: 1, ..good },
    ];
    for packet in bad {
        assert_eq!(barrier(packet), Err(PacketError::Reserved));
    }
}

#[test]
fn the_barrier_bit_is_bit_8() {
    let plain = header(PacketType::KernelDispatch, false);
    assert_eq!(header(PacketType::KernelDispatch, true), plain | 0x100);
    let packet = |header| Packet::from(KernelDispatch { header, ..dispatch() });
    assert!(!packet(plain).barrier_bit());
    assert!(packet(plain | 0x100).barrier_bit());
}

#[test]
fn a_zero_completion_signal_is_none() {
    let packet = Packet::from(dispatch());
    assert_eq!(packet.completion_signal(), Some(SignalId(0x44)));
    let silenced = packet.with_completion_signal(None);
    assert_eq!(silenced.completion_signal(), None);
    assert_eq!(silenced.0[..56], packet.0[..56]);
    assert_eq!(silenced.with_completion_signal(Some(SignalId(0x44))), packet);
}

#[test]
fn dependencies_of_0_are_left_out_and_a_sixth_has_no_room() {
    let six = [0, 1, 2, 0, 3, 4].map(SignalId);
    let dependencies: Vec<SignalId> = Barrier::and(&six, None).dependencies().collect();
    assert_eq!(dependencies, [1, 2, 3].map(SignalId));
}

#[test]
fn work_items_are_the_product_of_the_grid_and_saturate() {
    let grid = |grid_size| KernelDispatch { grid_size, ..dispatch() }.work_items();
    assert_eq!(grid([2, 3, 4]), 24);
    assert_eq!(grid([u32::MAX; 3]), u64::MAX);
}

proptest! {
    #[test]
    fn a_dispatch_survives_the_way_through_bytes(
        workgroup in prop::array::uniform3(1_u16..=10),
        grid in prop::array::uniform3(1_u32..),
        setup in 1_u16..=3,
        (kernel, kernarg, signal) in any::<(u64, u64, u64)>(),
        barrier: bool,
    ) {
        let packet = KernelDispatch {
            header: header(PacketType::KernelDispatch, barrier),
            setup,
            workgroup_size: workgroup,
            grid_size: grid,
            kernel_object: kernel,
            kernarg_address: kernarg,
            completion_signal: signal,
            ..KernelDispatch::default()
        };
        prop_assert_eq!(parsed(packet), Ok(Parsed::KernelDispatch(packet)));
        prop_assert_eq!(Packet::from(packet).barrier_bit(), barrier);
    }

    #[test]
    fn any_64_bytes_are_parsed_or_refused(bytes in prop::array::uniform32(any::<u8>()), kind in 0_u8..7) {
        let mut slot = [0; 64];
        slot[..32].copy_from_slice(&bytes);
        slot[0] = kind;
        let known = [0, 2, 3, 5].contains(&kind);
        prop_assert_eq!(matches!(Packet(slot).parse(), Err(PacketError::Type(_))), !known);
    }
}

#[test]
fn a_linear_dispatch_names_its_kernel_arguments_and_sizes() {
    let dispatch = KernelDispatch::linear(KernelId(0x1000), 0x2000, 96, 32);
    assert_eq!((dispatch.kernel_object, dispatch.kernarg_address), (0x1000, 0x2000));
    assert_eq!(dispatch.grid(), Dim3::linear(96));
    assert_eq!(dispatch.workgroup(), Dim3::linear(32));
    let cube = KernelDispatch { grid_size: [4, 5, 6], workgroup_size: [1, 2, 3], ..dispatch };
    assert_eq!(cube.grid(), Dim3 { x: 4, y: 5, z: 6 });
    assert_eq!(cube.workgroup(), Dim3 { x: 1, y: 2, z: 3 });
}

#[test]
fn a_barrier_bit_is_set_and_nothing_else() {
    let overlapping =
        KernelDispatch { header: header(PacketType::KernelDispatch, false), ..KernelDispatch::default() };
    let ordered =
        KernelDispatch { header: header(PacketType::KernelDispatch, true), ..KernelDispatch::default() };
    assert!(!Packet::from(overlapping).barrier_bit());
    assert_eq!(Packet::from(overlapping).with_barrier_bit(), Packet::from(ordered));
    assert_eq!(Packet::from(ordered).with_barrier_bit(), Packet::from(ordered));
}

#[test]
fn fences_get_system_scope_whatever_they_were() {
    let ordered = header(PacketType::KernelDispatch, true);
    for scopes in [0, (1 << 9) | (1 << 11), (2 << 9) | (1 << 11), (2 << 9) | (2 << 11)] {
        let bare = PacketType::KernelDispatch as u16 | (1 << 8) | scopes;
        let packet = Packet::from(KernelDispatch { header: bare, setup: 3, ..KernelDispatch::default() });
        let expected =
            Packet::from(KernelDispatch { header: ordered, setup: 3, ..KernelDispatch::default() });
        assert_eq!(packet.with_system_fences(), expected, "scopes {scopes:#x}");
    }
}
