use super::*;
use std::collections::BTreeSet;

#[test]
fn the_numbers_are_those_of_the_c_enum() {
    let numbers = [
        (Status::Success, 0),
        (Status::ContextNotFound, 2),
        (Status::BufferNotFound, 3),
        (Status::KindNotFound, 4),
        (Status::OperationNotFound, 5),
        (Status::AgentNotFound, 7),
        (Status::CounterNotFound, 8),
        (Status::ContextError, 9),
        (Status::ContextInvalid, 10),
        (Status::ContextNotStarted, 11),
        (Status::ContextConflict, 12),
        (Status::ContextIdNotZero, 13),
        (Status::BufferBusy, 14),
        (Status::ServiceAlreadyConfigured, 15),
        (Status::ConfigurationLocked, 16),
        (Status::NotImplemented, 17),
        (Status::InvalidArgument, 19),
        (Status::MetricNotValidForAgent, 20),
        (Status::Finalized, 21),
        (Status::OutOfResources, 29),
        (Status::ProfileNotFound, 30),
        (Status::AgentDispatchConflict, 31),
        (Status::AgentMismatch, 36),
        (Status::ExceedsHwLimit, 38),
        (Status::PermissionDenied, 40),
    ];
    for (status, number) in numbers {
        assert_eq!(status.code(), number, "{status:?}");
    }
}

#[test]
fn the_numbers_are_dense_from_0_to_40() {
    let numbers: Vec<u32> = Status::ALL.iter().map(|status| status.code()).collect();
    assert_eq!(numbers, (0..=40).collect::<Vec<_>>());
}

#[test]
fn every_status_has_its_own_text() {
    let texts: BTreeSet<String> = Status::ALL.iter().map(ToString::to_string).collect();
    assert_eq!(texts.len(), Status::ALL.len());
}

#[test]
fn a_result_without_a_value_becomes_its_status() {
    assert_eq!(Status::of(Ok(())), Status::Success);
    assert_eq!(Status::of(Err(Status::BufferBusy)), Status::BufferBusy);
}
