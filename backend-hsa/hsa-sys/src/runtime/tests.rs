//! Opening the runtime, and what is said when it cannot be.

use super::{LIBRARY, Runtime, RuntimeError, candidates};
use crate::tests::has_runtime;
use std::path::{Path, PathBuf};

fn paths(paths: &[&str]) -> Vec<PathBuf> {
    paths.iter().map(PathBuf::from).collect()
}

#[test]
fn the_system_is_asked_first_then_rocm_path_then_opt_rocm() {
    let expected = paths(&[LIBRARY, "/r/lib/libhsa-runtime64.so.1", "/opt/rocm/lib/libhsa-runtime64.so.1"]);
    assert_eq!(candidates(None, Some("/r".into())), expected);
    assert_eq!(candidates(None, None), [expected[0].clone(), expected[2].clone()]);
}

#[test]
fn a_named_file_is_the_only_candidate() {
    assert_eq!(candidates(Some("/my/own.so".into()), Some("/r".into())), paths(&["/my/own.so"]));
}

#[test]
fn a_runtime_that_is_not_there_is_told_with_every_place() {
    let error = Runtime::open(&paths(&["no-such-runtime.so.1", "/no/such/runtime.so.1"])).unwrap_err();
    let said = error.to_string();
    for part in [
        "'no-such-runtime.so.1' in LD_LIBRARY_PATH and the system's folders (",
        "'/no/such/runtime.so.1' (",
        "apt-get install libhsa-runtime64-1",
        "KREPLAY_HSA_RUNTIME",
    ] {
        assert!(said.contains(part), "'{part}' is not in: {said}");
    }
}

#[test]
fn a_library_that_is_no_runtime_is_told_with_the_symbol_and_the_path() {
    let error = Runtime::open(&paths(&["libc.so.6"])).unwrap_err();
    let RuntimeError::NoSymbol { path, symbol } = error else { panic!("{error}") };
    assert_eq!((path.as_path(), symbol), (Path::new("libc.so.6"), "hsa_init"));
}

#[test]
fn the_runtime_exports_what_applications_need() {
    if !has_runtime() {
        return;
    }
    let runtime = Runtime::open(&paths(&[LIBRARY])).unwrap_or_else(|error| panic!("{error}"));
    assert!(runtime.path.is_absolute() && runtime.path.ends_with(LIBRARY), "{}", runtime.path.display());
    assert!(runtime.api.amd_ext.queue_intercept_create.is_none(), "only tools are handed it");
    let mut text = std::ptr::null();
    // SAFETY: this function needs no initialized runtime, and has room for its answer.
    let status =
        unsafe { (runtime.api.core.status_string)(crate::Status::ERROR_INVALID_AGENT, &raw mut text) };
    assert_eq!(status, crate::Status::SUCCESS);
    // SAFETY: the runtime's strings end and are never freed.
    let text = unsafe { std::ffi::CStr::from_ptr(text) }.to_string_lossy();
    assert!(text.contains("HSA_STATUS_ERROR_INVALID_AGENT"), "{text}");
}
