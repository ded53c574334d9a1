//! The runtime, opened by an application while it runs.

use crate::table::{Api, Version, assemble};
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use std::ffi::{CStr, OsStr, OsString};
use std::fmt;
use std::mem::{MaybeUninit, forget};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// The library's name.
pub const LIBRARY: &str = "libhsa-runtime64.so.1";
/// The environment variable that may name another file.
pub const VARIABLE: &str = "KREPLAY_HSA_RUNTIME";

/// An opened runtime. It stays in the process until that ends: its threads do too.
#[derive(Clone, Debug)]
pub struct Runtime {
    /// Its functions, as it exports them. Those that only tools are handed are missing.
    pub api: Api,
    /// Its file.
    pub path: PathBuf,
}

/// Why there is no runtime.
#[derive(Debug, thiserror::Error)]
pub enum RuntimeError {
    /// No file could be opened.
    #[error(
        "no HSA runtime can be opened, tried {}: install ROCm (on Debian: apt-get install libhsa-runtime64-1) or \
         set KREPLAY_HSA_RUNTIME to the path of {LIBRARY}",
        listed(.0)
    )]
    NotFound(Vec<Attempt>),
    /// It lacks a function.
    #[error(
        "the HSA runtime '{path}' does not export '{symbol}': install ROCm 5.0 or newer, or set \
         KREPLAY_HSA_RUNTIME to the path of {LIBRARY}",
        path = path.display()
    )]
    NoSymbol {
        /// The runtime's file.
        path: PathBuf,
        /// C name of the function.
        symbol: &'static str,
    },
}

/// A file that could not be opened.
#[derive(Debug)]
pub struct Attempt {
    /// Its path, or its name where the system was to find it.
    pub file: PathBuf,
    /// What the system says.
    pub error: libloading::Error,
}

impl fmt::Display for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let place = if self.file.is_absolute() { "" } else { " in LD_LIBRARY_PATH and the system's folders" };
        write!(f, "'{}'{place} ({})", self.file.display(), self.error)
    }
}

fn listed(attempts: &[Attempt]) -> String {
    attempts.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

impl Runtime {
    /// Opens the runtime: the file that `KREPLAY_HSA_RUNTIME` names, or else the first of those that the system finds,
    /// that `ROCM_PATH` has and that `/opt/rocm` has.
    pub fn load() -> Result<Self, RuntimeError> {
        Self::open(&candidates(std::env::var_os(VARIABLE), std::env::var_os("ROCM_PATH")))
    }

    /// Opens the first of some files that can be opened.
    pub fn open(files: &[PathBuf]) -> Result<Self, RuntimeError> {
        let mut attempts = Vec::new();
        for file in files {
            // SAFETY: loading the runtime starts nothing; any other library is the caller's choice.
            match unsafe { Library::open(Some(file), RTLD_NOW | RTLD_LOCAL) } {
                Ok(library) => return Self::of(library, file.clone()),
                Err(error) => attempts.push(Attempt { file: file.clone(), error }),
            }
        }
        Err(RuntimeError::NotFound(attempts))
    }

    fn of(library: Library, file: PathBuf) -> Result<Self, RuntimeError> {
        let path = path_of(&library).unwrap_or(file);
        // SAFETY: the runtime exports functions of the interface's types under their names.
        let api = unsafe { exported(&library) }.map_err(|symbol| {
            let path = path.clone();
            RuntimeError::NoSymbol { path, symbol }
        })?;
        forget(library);
        Ok(Self { api, path })
    }
}

/// Where to look for the runtime, in this order.
fn candidates(named: Option<OsString>, rocm: Option<OsString>) -> Vec<PathBuf> {
    if let Some(named) = named {
        return vec![named.into()];
    }
    let folders = rocm.map(PathBuf::from).into_iter().chain([PathBuf::from("/opt/rocm")]);
    let files = folders.map(|folder| folder.join("lib").join(LIBRARY));
    std::iter::once(PathBuf::from(LIBRARY)).chain(files).collect()
}

/// Finds the functions of the interface by their names; gives the name of a required one that is missing.
///
/// # Safety
/// What the library exports under those names is of the interface's types.
unsafe fn exported(library: &Library) -> Result<Api, &'static str> {
    let find = |_, name| symbol(library, name);
    // SAFETY: by this function's contract.
    unsafe {
        Ok(Api { core: assemble(Version::default(), find)?, amd_ext: assemble(Version::default(), find)? })
    }
}

/// The address of an exported symbol, or null.
fn symbol(library: &Library, name: &str) -> *const () {
    // SAFETY: the type of a pointer fits whatever the symbol is, and it is not followed here.
    let symbol = unsafe { library.get::<*const ()>(name) };
    symbol.map_or(std::ptr::null(), |symbol| symbol.as_raw_ptr().cast_const().cast())
}

/// The file that a library was loaded from, if it has the first function of the interface.
fn path_of(library: &Library) -> Option<PathBuf> {
    let mut info = MaybeUninit::<libc::Dl_info>::uninit();
    // SAFETY: any address may be asked for; the answer is written before success is reported.
    let found = unsafe { libc::dladdr(symbol(library, "hsa_init").cast(), info.as_mut_ptr()) };
    if found == 0 {
        return None;
    }
    // SAFETY: written, since it was found; the name lives as long as the library is loaded.
    let name = unsafe { CStr::from_ptr(info.assume_init().dli_fname) };
    Some(OsStr::from_bytes(name.to_bytes()).into())
}

#[cfg(test)]
mod tests;
