//! The seam to what executes kernels.

use crate::events::Events;
use crate::memory::View;
use crate::types::Node;
use kreplay_core::aql::KernelDispatch;
use kreplay_core::ids::Address;
use kreplay_sim::Violation;
use std::sync::atomic::{AtomicBool, Ordering};

/// What executes kernels. Every compute queue has its own.
pub trait Kernels: Send {
    /// Runs one dispatch to its end, or to its fault; the instructions that its waves executed. A kernel that waits
    /// looks at [`Dispatch::is_cancelled`] and returns when it says so.
    fn run(&mut self, dispatch: &Dispatch<'_>) -> Result<u64, QueueFault>;
}

/// A dispatch, as the packet processor hands it over.
pub struct Dispatch<'a> {
    /// The packet.
    pub packet: &'a KernelDispatch,
    /// Where it lies in its ring, readable until the dispatch ends.
    pub packet_at: Address,
    /// Where the queue's `amd_queue_t` is; its scratch is large enough for the packet.
    pub queue_at: Address,
    /// Index of the packet in its queue.
    pub index: u64,
    /// The node that it runs on.
    pub node: Node,
    /// The order in which its workgroups begin; 0 is ascending.
    pub seed: u64,
    /// Memory, as the node accesses it.
    pub memory: &'a View,
    pub(crate) events: &'a Events,
    pub(crate) cancelled: &'a AtomicBool,
}

impl Dispatch<'_> {
    /// Whether the queue is being destroyed: the dispatch is to end without having finished.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// The message `MSG_INTERRUPT`: sets the events whose numbers end in these bits.
    pub fn interrupt(&self, low_bits: u8) {
        self.events.interrupt_partly(low_bits);
    }
}

/// Why a queue stops for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueueFault {
    /// A wave ended itself abnormally.
    #[error("a wave aborted")]
    Abort,
    /// `s_trap 2`.
    #[error("a wave trapped")]
    Trap,
    /// A floating-point exception that the kernel enabled.
    #[error("a wave raised a floating-point exception")]
    Math,
    /// An instruction that the target does not have, or that is not executed.
    #[error("a wave met an illegal instruction")]
    IllegalInstruction,
    /// An access that no mapped region allows.
    #[error(transparent)]
    Memory(#[from] Violation),
    /// An access outside an aperture.
    #[error("a wave accessed memory outside an aperture")]
    Aperture,
    /// The grid or workgroup is not one.
    #[error("the packet's dimensions are invalid")]
    Dimensions,
    /// More LDS than there is.
    #[error("the packet's group segment is too large")]
    GroupSegment,
    /// The kernel object is none.
    #[error("the packet's kernel object is invalid")]
    Code,
    /// The packet is none that a queue executes.
    #[error("the packet is not supported")]
    Packet,
    /// The workgroup is larger than a compute unit.
    #[error("the packet's workgroup is too large")]
    Workgroup,
    /// More registers than there are.
    #[error("the kernel needs too many registers")]
    Registers,
    /// A vendor packet of an unknown format.
    #[error("the vendor packet is not supported")]
    VendorPacket,
}

impl QueueFault {
    /// The driver's number for it, whose bit (number - 1) the runtime is told.
    pub(crate) const fn code(self) -> u32 {
        match self {
            Self::Abort => 1,
            Self::Trap => 2,
            Self::Math => 3,
            Self::IllegalInstruction => 4,
            Self::Memory(_) => 5,
            Self::Aperture => 6,
            Self::Dimensions => 16,
            Self::GroupSegment => 17,
            Self::Code => 18,
            Self::Packet => 20,
            Self::Workgroup => 21,
            Self::Registers => 22,
            Self::VendorPacket => 23,
        }
    }
}

/// A device without shader engines: it copies memory and orders packets, and any kernel is an illegal instruction to it.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoKernels;

impl Kernels for NoKernels {
    fn run(&mut self, _: &Dispatch<'_>) -> Result<u64, QueueFault> {
        Err(QueueFault::IllegalInstruction)
    }
}
