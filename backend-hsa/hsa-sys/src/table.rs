//! The tables of functions that a runtime hands to a tool library, whose entries the tool may replace.
//!
//! A runtime's table may be shorter or longer than this crate's, and [`AmdExtTable`]'s order has changed between
//! releases. So a runtime's table is never looked at through a reference: [`Api::read`] copies it entry by entry into
//! this crate's order, and [`Api::write`] puts entries back where that runtime has them.

mod amd_ext;
mod core;
#[cfg(test)]
mod tests;

pub use amd_ext::{
    AmdExtTable, AsyncCallback, DeallocationCallback, InterceptHandler, MemoryPoolCallback, PacketWriter,
    PointerInfoAllocator, QueueNotifier, SignalHandler, SystemEventCallback,
};
pub use core::{
    AgentCallback, CoreApiTable, IsaCallback, QueueErrorCallback, RegionCallback, SymbolCallback,
};

use std::mem::MaybeUninit;

layouts! {
    /// What a runtime says of a table.
    #[derive(Default, PartialEq, Eq)]
    pub struct Version = "ApiTableVersion" {
        /// Changes with the order of entries.
        pub major_id: u32 = "major_id",
        /// Bytes of the table.
        pub minor_id: u32 = "minor_id",
        /// Grows with the entries.
        pub step_id: u32 = "step_id",
        reserved: u32 = "reserved",
    }

    /// What a runtime passes to a tool library's `OnLoad`. Each table begins with its version.
    pub struct ApiTable = "HsaApiTable" {
        /// Of this table.
        pub version: Version = "version",
        /// A [`CoreApiTable`] in the runtime's own order.
        pub core: *mut Version = "core_",
        /// An [`AmdExtTable`] in the runtime's own order.
        pub amd_ext: *mut Version = "amd_ext_",
        /// Of the finalizer extension.
        pub finalizer_ext: *mut Version = "finalizer_ext_",
        /// Of the image extension.
        pub image_ext: *mut Version = "image_ext_",
    }
}

/// The functions of a runtime.
#[derive(Clone, Copy, Debug)]
pub struct Api {
    /// HSA's own.
    pub core: CoreApiTable,
    /// AMD's extension.
    pub amd_ext: AmdExtTable,
}

/// Why a runtime's tables cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TableError {
    /// There is none.
    #[error("the runtime passed no {table}: load this library with HSA_TOOLS_LIB")]
    Null {
        /// Its C name.
        table: &'static str,
    },
    /// Its order is not known.
    #[error(
        "the runtime's {table} has version {major} and {bytes} bytes, which is not known here: \
         use a ROCm release from 5.0 to 7"
    )]
    Unknown {
        /// Its C name.
        table: &'static str,
        /// Its major version.
        major: u32,
        /// Its size.
        bytes: u32,
    },
    /// An entry is missing that every runtime has.
    #[error("the runtime's {table} has no '{entry}' in its {bytes} bytes: use a ROCm release from 5.0 to 7")]
    Missing {
        /// C name of the table.
        table: &'static str,
        /// C name of the function.
        entry: &'static str,
        /// Size of the table.
        bytes: u32,
    },
}

/// A function in a table.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its C name.
    pub name: &'static str,
    /// Whether every runtime has it.
    pub required: bool,
}

/// A table of functions.
///
/// # Safety
/// The type is `repr(C)`: a [`Version`], then one function pointer an entry, which may be null if it is not required.
pub unsafe trait Table: Copy {
    /// Its C name.
    const NAME: &'static str;
    /// Its functions.
    const ENTRIES: &'static [Entry];

    /// The entries that a runtime's table does not have between others; `None` if its order is not known.
    fn gaps(version: Version) -> Option<&'static [usize]>;
    /// What the runtime says of it.
    fn version(&self) -> Version;
}

impl Api {
    /// Copies a runtime's tables.
    ///
    /// # Safety
    /// `from` is null or what a runtime passed to `OnLoad`, and nobody writes to it meanwhile.
    pub unsafe fn read(from: *const ApiTable) -> Result<Self, TableError> {
        // SAFETY: null or valid, by this function's contract.
        let root = unsafe { from.as_ref() }.ok_or(TableError::Null { table: "HsaApiTable" })?;
        let Version { major_id: major, minor_id: bytes, .. } = root.version;
        if !(1..=3).contains(&major) || (bytes as usize) < size_of::<ApiTable>() {
            return Err(TableError::Unknown { table: "HsaApiTable", major, bytes });
        }
        // SAFETY: a runtime's tables, by this function's contract.
        unsafe { Ok(Self { core: read(root.core)?, amd_ext: read(root.amd_ext)? }) }
    }

    /// Puts entries into a runtime's tables: those that the runtime has and that are not null here.
    ///
    /// # Safety
    /// `to` is what these tables were read from, and nobody reads or writes it meanwhile. The functions follow the
    /// interface and live as long as the runtime.
    pub unsafe fn write(&self, to: *mut ApiTable) {
        // SAFETY: valid, by this function's contract.
        unsafe {
            write(&self.core, (*to).core);
            write(&self.amd_ext, (*to).amd_ext);
        }
    }
}

/// Copies a table.
///
/// # Safety
/// `from` is null or a runtime's table of that kind.
unsafe fn read<T: Table>(from: *const Version) -> Result<T, TableError> {
    if from.is_null() {
        return Err(TableError::Null { table: T::NAME });
    }
    // SAFETY: not null, so valid by this function's contract.
    let version = unsafe { *from };
    let Version { major_id: major, minor_id: bytes, .. } = version;
    let gaps = T::gaps(version).ok_or(TableError::Unknown { table: T::NAME, major, bytes })?;
    let function = |index, _| match place(gaps, index, bytes) {
        // SAFETY: inside the table, by its size.
        Some(place) => unsafe { from.byte_add(place).cast::<*const ()>().read_unaligned() },
        None => std::ptr::null(),
    };
    // SAFETY: entries of the runtime's table have the interface's types.
    unsafe { assemble(version, function) }.map_err(|entry| TableError::Missing {
        table: T::NAME,
        entry,
        bytes,
    })
}

/// Puts entries back.
///
/// # Safety
/// `to` is the table that `table` was read from, and writable.
unsafe fn write<T: Table>(table: &T, to: *mut Version) {
    let Some(gaps) = T::gaps(table.version()) else { return };
    let functions = (&raw const *table).cast::<*const ()>();
    for index in 0..T::ENTRIES.len() {
        // SAFETY: entry `index`, by the contract of `Table`.
        let function = unsafe { functions.byte_add(size_of::<Version>()).add(index).read() };
        let place = place(gaps, index, table.version().minor_id);
        if let Some(place) = place.filter(|_| !function.is_null()) {
            // SAFETY: inside the table, by its size.
            unsafe { to.byte_add(place).cast::<*const ()>().write_unaligned(function) };
        }
    }
}

/// Makes a table of the functions that `find` finds by index and name; names the one that is required and missing.
///
/// # Safety
/// `find` gives functions of the interface's types, or null.
pub(crate) unsafe fn assemble<T: Table>(
    version: Version,
    find: impl Fn(usize, &'static str) -> *const (),
) -> Result<T, &'static str> {
    let mut table = MaybeUninit::<T>::uninit();
    let start = table.as_mut_ptr();
    // SAFETY: a table begins with its version.
    unsafe { start.cast::<Version>().write(version) };
    for (index, entry) in T::ENTRIES.iter().enumerate() {
        let function = find(index, entry.name);
        if function.is_null() && entry.required {
            return Err(entry.name);
        }
        // SAFETY: entry `index`, by the contract of `Table`.
        unsafe { start.byte_add(size_of::<Version>()).cast::<*const ()>().add(index).write(function) };
    }
    // SAFETY: all was written, and null only where it may be.
    Ok(unsafe { table.assume_init() })
}

/// Where a runtime's table has an entry of this crate's order, in bytes from its start.
fn place(gaps: &[usize], index: usize, bytes: u32) -> Option<usize> {
    let before = gaps.iter().filter(|&&gap| gap < index).count();
    let place = size_of::<Version>() + (index - before) * size_of::<*const ()>();
    (!gaps.contains(&index) && place + size_of::<*const ()>() <= bytes as usize).then_some(place)
}

/// Where a runtime's table of some version has a function.
#[cfg(test)]
pub(crate) fn place_of<T: Table>(version: Version, name: &str) -> Option<usize> {
    let index = T::ENTRIES.iter().position(|entry| entry.name == name)?;
    place(T::gaps(version)?, index, version.minor_id)
}

/// A version that a runtime could say.
#[cfg(test)]
pub(crate) fn version(major: u32, bytes: u32) -> Version {
    Version { major_id: major, minor_id: bytes, ..Version::default() }
}
