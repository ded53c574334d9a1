use super::*;

#[test]
fn each_kind_is_found_by_its_number() {
    for &kind in CallbackKind::ALL {
        assert_eq!(CallbackKind::from_number(kind as i32), Ok(kind));
    }
}

#[test]
fn the_kinds_are_numbered_from_1_to_25() {
    let numbers: Vec<i32> = CallbackKind::ALL.iter().map(|&kind| kind as i32).collect();
    assert_eq!(numbers, (1..=25).collect::<Vec<_>>());
    for number in [i32::MIN, -1, 0, 26] {
        assert_eq!(CallbackKind::from_number(number), Err(Status::KindNotFound), "{number}");
    }
}

#[test]
fn the_numbers_that_tools_rely_on() {
    assert_eq!(CallbackKind::KernelDispatch as i32, 12);
    assert_eq!(CallbackKind::KernelReplay as i32, 25);
    assert_eq!([Phase::None as i32, Phase::Enter as i32, Phase::Exit as i32], [0, 1, 2]);
    assert_eq!([ReplayOperation::Config as i32, ReplayOperation::Pass as i32], [1, 2]);
    assert_eq!([DispatchOperation::Enqueue as i32, DispatchOperation::Complete as i32], [1, 2]);
}

#[test]
fn names_and_numbers_of_operations_lead_to_each_other() {
    for &kind in CallbackKind::ALL {
        for &(number, name) in kind.operations() {
            assert_eq!(kind.operation_name(number), Ok(name));
            assert_eq!(kind.operation_id(name), Ok(number));
        }
    }
}

#[test]
fn kernel_replay_has_none_config_and_pass() {
    let names: Vec<_> = (0..3).map(|number| CallbackKind::KernelReplay.operation_name(number)).collect();
    let expected = ["KERNEL_REPLAY_NONE", "KERNEL_REPLAY_CONFIG", "KERNEL_REPLAY_PASS"];
    assert_eq!(names, expected.map(Ok));
}

#[test]
fn the_reserved_operations_do_not_exist() {
    for name in ["KERNEL_REPLAY_SNAPSHOT", "KERNEL_REPLAY_RESTORE", "kernel_replay_pass", ""] {
        assert_eq!(CallbackKind::KernelReplay.operation_id(name), Err(Status::OperationNotFound), "{name}");
    }
    for number in [-1, 3, 4] {
        let unknown = CallbackKind::KernelReplay.operation_name(number);
        assert_eq!(unknown, Err(Status::OperationNotFound), "{number}");
    }
}

#[test]
fn exactly_the_kinds_with_operations_are_supported() {
    let supported: Vec<_> = CallbackKind::ALL.iter().filter(|kind| kind.is_supported()).collect();
    assert_eq!(supported, [&CallbackKind::KernelDispatch, &CallbackKind::KernelReplay]);
    for kind in CallbackKind::ALL {
        assert_eq!(kind.is_supported(), !kind.operations().is_empty(), "{}", kind.name());
    }
}
