//! How a tool subscribes, and what it then may expect before any pass runs.

mod activation;
mod payload;
mod subscribe;

use crate::case::Case;
use crate::ensure_eq;
use crate::failure::Checked;
use crate::rig::Rig;
use kreplay_core::status::Status;
use kreplay_core::tracing::{CallbackKind, ReplayOperation};

/// Every case of the area.
pub(super) fn cases() -> Vec<Case> {
    [CASES, activation::CASES, payload::CASES, subscribe::CASES].concat()
}

const CASES: &[Case] = &[
    Case::new("config/operation-numbers", &["operation-numbers"], operation_numbers),
    Case::new("config/operation-names", &["operation-names"], operation_names),
    Case::new("config/operation-unknown", &["operation-unknown", "reserved-operations"], operation_unknown),
    Case::new("config/kind-numbers", &["kind-numbers"], kind_numbers),
];

fn operation_numbers(_: &Rig) -> Checked {
    let numbers: Vec<i32> =
        CallbackKind::KernelReplay.operations().iter().map(|(number, _)| *number).collect();
    ensure_eq!(numbers, [0, 1, 2], "numbers of the replay operations");
    ensure_eq!(ReplayOperation::Config as i32, 1, "number of CONFIG");
    ensure_eq!(ReplayOperation::Pass as i32, 2, "number of PASS");
    Ok(())
}

fn operation_names(_: &Rig) -> Checked {
    let kind = CallbackKind::KernelReplay;
    for (operation, name) in
        ["KERNEL_REPLAY_NONE", "KERNEL_REPLAY_CONFIG", "KERNEL_REPLAY_PASS"].iter().enumerate()
    {
        let number = i32::try_from(operation).expect("three operations");
        ensure_eq!(kind.operation_name(number)?, *name, "name of replay operation {number}");
        ensure_eq!(kind.operation_id(name)?, number, "number of {name}");
    }
    Ok(())
}

fn operation_unknown(_: &Rig) -> Checked {
    let kind = CallbackKind::KernelReplay;
    for number in [-1, 3, 4, i32::MAX] {
        ensure_eq!(kind.operation_name(number), Err(Status::OperationNotFound), "name of operation {number}");
    }
    for name in ["", "KERNEL_REPLAY_SNAPSHOT", "KERNEL_REPLAY_RESTORE", "kernel_replay_config"] {
        ensure_eq!(kind.operation_id(name), Err(Status::OperationNotFound), "number of '{name}'");
    }
    Ok(())
}

fn kind_numbers(_: &Rig) -> Checked {
    for (index, kind) in CallbackKind::ALL.iter().enumerate() {
        let number = i32::try_from(index + 1).expect("few kinds");
        ensure_eq!(CallbackKind::from_number(number), Ok(*kind), "kind {number}");
    }
    ensure_eq!(CallbackKind::KernelReplay as i32, 25, "number of kernel replay");
    for number in [-1, 0, 26, i32::MAX] {
        ensure_eq!(CallbackKind::from_number(number), Err(Status::KindNotFound), "kind {number}");
    }
    Ok(())
}
