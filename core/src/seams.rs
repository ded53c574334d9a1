//! The engine's decisions, one method each, so that a broken engine can be put together around a whole one.
//!
//! The product uses [`Shipped`], which adds nothing. Memory and device are seams already: `Interceptor` and `Backend`.

use crate::context::{Approach, ContextSet, Frames, Overrides};
use crate::gate::Access;
use crate::ids::{ContextId, DispatchId, UserData};
use crate::replay::{Input, Next, ProtocolError, Replay};
use crate::status::Status;

/// Every decision that the driver asks for. The defaults are the engine.
pub trait Seams: Send + Sync {
    /// What follows an answer.
    fn step(&self, machine: Replay, input: Input) -> Result<Next, ProtocolError> {
        machine.step(input)
    }

    /// The contexts that take part in a submit: of a loop with these overrides, or of a plain run.
    fn participants(&self, overrides: Option<Overrides>, active: ContextSet) -> ContextSet {
        overrides.map_or(active, |overrides| overrides.effective(active))
    }

    /// Whether a toggle at this callback depth is one from inside the PASS enter that was armed at a depth.
    fn armed(&self, armed: Option<u8>, depth: u8) -> bool {
        armed == Some(depth)
    }

    /// Records a toggle.
    fn toggle(&self, overrides: &mut Overrides, context: ContextId, on: bool) -> Result<(), Status> {
        overrides.toggle(context, on)
    }

    /// How a thread may approach the gate of an agent.
    fn approach(&self, frames: &Frames, agent: usize, _access: Access, nested: bool) -> Approach {
        frames.approach(agent, nested)
    }

    /// Which agent's gate guards an agent.
    fn gate_of(&self, agent: usize) -> usize {
        agent
    }

    /// The dispatch id of a submit; `pass` is none for a plain run.
    fn dispatch_of(&self, reserved: DispatchId, _pass: Option<u64>) -> DispatchId {
        reserved
    }

    /// The internal correlation id of a submit, captured before CONFIG; `now` is the thread's at the submit.
    fn internal(&self, captured: u64, _now: &dyn Fn() -> u64) -> u64 {
        captured
    }

    /// The passes that PASS payloads report, of those that the tool asked for.
    fn reported_total(&self, requested: u64) -> u64 {
        requested
    }

    /// The user data of a pass; `last` is what the pass before left.
    fn pass_data(&self, config: UserData, _last: UserData) -> UserData {
        config
    }
}

/// The engine as it is shipped.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shipped;

impl Seams for Shipped {}
