//! Variables of loaded code objects, as the loader lists them.

pub(crate) mod constants;

use crate::machine::{Machine, machine};
use constants::Constants;
use hsa_sys::constants::{executable_state, symbol_info, symbol_kind};
use hsa_sys::{Agent, Executable, ExecutableSymbol, Status};
use kreplay_core::ids::ExecutableId;
use kreplay_core::memory::{ModuleVariable, Region};
use std::ffi::c_void;

/// `HSA_EXECUTABLE_INFO_STATE`, a `u32`.
const EXECUTABLE_STATE: u32 = 2;

/// What is being listed.
struct List {
    agent: Agent,
    constants: Constants,
    variables: Vec<ModuleVariable>,
}

/// The variables of every code object on an agent. No executable is created or destroyed meanwhile.
pub(crate) fn variables(agent: Agent) -> Result<Vec<ModuleVariable>, Status> {
    let iterate = machine().loader.iterate_executables.ok_or(Status::ERROR)?;
    let mut list = List { agent, constants: Constants::default(), variables: Vec::new() };
    // SAFETY: the callback is called during this call only, with the list.
    unsafe { iterate(Some(add_executable), (&raw mut list).cast()) }.into_result()?;
    Ok(list.variables)
}

unsafe extern "C" fn add_executable(executable: Executable, data: *mut c_void) -> Status {
    let Machine { api, loader, .. } = machine();
    let mut state = executable_state::UNFROZEN;
    // SAFETY: alive during the iteration; its state is a `u32`.
    let asked =
        unsafe { (api.core.executable_get_info)(executable, EXECUTABLE_STATE, (&raw mut state).cast()) };
    if asked != Status::SUCCESS || state != executable_state::FROZEN {
        return Status::SUCCESS;
    }
    // SAFETY: the list that the iteration began with, which nothing else refers to now.
    let list = unsafe { &mut *data.cast::<List>() };
    list.constants = Constants::of(loader, executable);
    let agent = list.agent;
    // SAFETY: alive during the iteration, and the callback is called during this call only.
    unsafe { (api.core.executable_iterate_agent_symbols)(executable, agent, Some(add_symbol), data) }
}

unsafe extern "C" fn add_symbol(
    executable: Executable,
    _: Agent,
    symbol: ExecutableSymbol,
    data: *mut c_void,
) -> Status {
    // SAFETY: the list that the iteration began with, which nothing else refers to now.
    let List { constants, variables, .. } = unsafe { &mut *data.cast::<List>() };
    let region = || {
        if ask::<u32>(symbol, symbol_info::TYPE)? != symbol_kind::VARIABLE {
            return None;
        }
        let base = ask::<u64>(symbol, symbol_info::VARIABLE_ADDRESS)?;
        Some(Region { base, bytes: ask::<u32>(symbol, symbol_info::VARIABLE_SIZE)?.into() })
    };
    variables.extend(region().map(|region| ModuleVariable {
        executable: ExecutableId(executable.0),
        region,
        constant: constants.hold(region),
    }));
    Status::SUCCESS
}

/// A value that a symbol has.
fn ask<T: Default>(symbol: ExecutableSymbol, attribute: u32) -> Option<T> {
    let mut value = T::default();
    // SAFETY: every attribute is asked for with the type that it has.
    let status = unsafe {
        (machine().api.core.executable_symbol_get_info)(symbol, attribute, (&raw mut value).cast())
    };
    (status == Status::SUCCESS).then_some(value)
}
