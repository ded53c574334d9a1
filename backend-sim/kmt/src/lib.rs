//! A simulated MI200 under the genuine ROCm runtime: a stand-in for the driver library `libhsakmt.so.1`.
//!
//! ```text
//!   program -- HIP, HSA -- libhsa-runtime64.so.1 --C ABI--> abi --> Process
//!      |                                                              |- Topology   what nodes there are
//!      |  rings, doorbells, signals                                   |- Space      regions, and who may access them
//!      '----------- memory of the process <-----View----- Queue ------|- Events     what wakes waiting threads
//!                                                           |         |- Watch      engines that wait for signals
//!                                                           |         '- Faults     what tests have go wrong
//!                                                           '-- Kernels <-- Interpreter
//! ```
//!
//! Each queue is a thread. It sleeps while there is nothing to do, and no lock is held while a kernel runs. What blocks:
//! `hsaKmtWaitOnEvent`, `hsaKmtWaitOnMultipleEvents`, and `hsaKmtDestroyQueue` until the queue's thread has ended.

pub mod abi;
mod clock;
pub mod driver;
mod events;
mod faults;
mod interpreter;
pub mod kernels;
mod log;
mod memory;
mod process;
mod queue;
pub mod settings;
mod symbols;
#[cfg(test)]
mod testing;
pub mod thunk;
pub mod topology;
pub mod types;

pub use memory::View;
