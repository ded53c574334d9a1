//! The process's memory and the host's events, as a dispatch reaches them.

use crate::clock;
use crate::kernels::Dispatch;
use crate::memory::Window;
use kreplay_sim::isa::execute::{Denied, Memory};
use std::sync::atomic::{Ordering, fence};

/// What one dispatch reaches.
pub(super) struct DeviceMemory<'a> {
    dispatch: &'a Dispatch<'a>,
    window: Window,
}

/// Cycles of the shader's clock of 1.7 GHz, in ten of the machine's.
const CYCLES: u64 = 17;

impl<'a> DeviceMemory<'a> {
    pub(super) fn new(dispatch: &'a Dispatch<'a>) -> Self {
        Self { dispatch, window: Window::new(dispatch.memory) }
    }

    #[cold]
    fn why_not_written(&self, address: u64) -> Denied {
        if self.window.is_read_only(address) { Denied::ReadOnly } else { Denied::Unmapped }
    }
}

impl Memory for DeviceMemory<'_> {
    #[inline]
    fn load(&mut self, address: u64, bytes: u32) -> Result<u64, Denied> {
        self.window.load(address, bytes).map_err(|_| Denied::Unmapped)
    }

    #[inline]
    fn store(&mut self, address: u64, bytes: u32, value: u64) -> Result<(), Denied> {
        self.window.store(address, bytes, value).map_err(|_| self.why_not_written(address))
    }

    fn atomic(&mut self, address: u64, bytes: u32, update: impl Fn(u64) -> u64) -> Result<u64, Denied> {
        if !address.is_multiple_of(bytes.into()) {
            return Err(Denied::Misaligned);
        }
        self.window.update(address, bytes, update).map_err(|_| self.why_not_written(address))
    }

    fn fence(&mut self) {
        fence(Ordering::SeqCst);
    }

    fn interrupt(&mut self, event: u8) {
        self.dispatch.interrupt(event);
    }

    fn clock(&mut self, _: u64) -> u64 {
        clock::now() / 10 * CYCLES
    }
}
