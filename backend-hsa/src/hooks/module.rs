//! Code objects.

use crate::machine::{Machine, machine};
use crate::module::constants;
use hsa_sys::{Agent, CodeObjectReader, Executable, LoadedCodeObject, Status};
use std::ffi::c_char;

/// `hsa_executable_load_agent_code_object`.
pub(super) unsafe extern "C" fn load(
    executable: Executable,
    agent: Agent,
    reader: CodeObjectReader,
    options: *const c_char,
    object: *mut LoadedCodeObject,
) -> Status {
    let Machine { api, loader, .. } = machine();
    let mut loaded = LoadedCodeObject::default();
    // SAFETY: the application's own arguments, but for the place of the answer.
    let status = unsafe {
        (api.core.executable_load_agent_code_object)(executable, agent, reader, options, &raw mut loaded)
    };
    if status == Status::SUCCESS {
        constants::loaded(loader, executable, loaded);
        if !object.is_null() {
            // SAFETY: not null, and the application's to be written.
            unsafe { object.write(loaded) };
        }
    }
    status
}

/// `hsa_executable_destroy`.
pub(super) unsafe extern "C" fn destroy(executable: Executable) -> Status {
    constants::destroyed(executable);
    // SAFETY: the application's own argument.
    unsafe { (machine().api.core.executable_destroy)(executable) }
}
