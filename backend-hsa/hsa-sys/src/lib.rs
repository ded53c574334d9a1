//! The HSA runtime's C interface, as far as a replay backend, its fixture and a tool library need it.
//!
//! Nothing is linked: an application opens the runtime while it runs, a tool library is handed tables by the runtime
//! that loads it.
//!
//! ```text
//!   application --Runtime::load--> libhsa-runtime64.so.1 --ApiTable--> Api::read --> tool library
//!                                         |                            Api::write <------'
//!                                         '--LoaderTable::load--> code objects and their segments
//! ```
//!
//! Names are the headers' own without `hsa_` and `hsa_amd_`; each says its C name. What a function does, blocks on or
//! allows is said where it is not plain from the name.

#[macro_use]
mod macros;
pub mod constants;
pub mod handles;
pub mod loader;
pub mod runtime;
pub mod status;
pub mod structs;
pub mod table;
#[cfg(test)]
mod tests;

pub use handles::{
    Agent, CodeObjectReader, Executable, ExecutableSymbol, Isa, LoadedCodeObject, MemoryPool, Region, Signal,
    VmemHandle,
};
pub use loader::LoaderTable;
pub use runtime::{Runtime, RuntimeError};
pub use status::Status;
pub use structs::{AmdQueue, AmdSignal, PointerInfo, Queue};
pub use table::{AmdExtTable, Api, ApiTable, CoreApiTable, TableError, Version};
