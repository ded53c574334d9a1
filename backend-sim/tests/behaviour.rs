//! What the simulated machine does, seen as an application and as an engine.

#[path = "behaviour/rig.rs"]
mod rig;

#[path = "behaviour/async_event.rs"]
mod async_event;
#[path = "behaviour/barriers.rs"]
mod barriers;
#[path = "behaviour/completion.rs"]
mod completion;
#[path = "behaviour/copies.rs"]
mod copies;
#[path = "behaviour/counters.rs"]
mod counters;
#[path = "behaviour/documented.rs"]
mod documented;
#[path = "behaviour/engine_side.rs"]
mod engine_side;
#[path = "behaviour/faults.rs"]
mod faults;
#[path = "behaviour/interleaving.rs"]
mod interleaving;
#[path = "behaviour/kernels.rs"]
mod kernels;
#[path = "behaviour/memory.rs"]
mod memory;
#[path = "behaviour/replay.rs"]
mod replay;
#[path = "behaviour/rings.rs"]
mod rings;
#[path = "behaviour/stuck.rs"]
mod stuck;
#[path = "behaviour/threads.rs"]
mod threads;
#[path = "behaviour/time.rs"]
mod time;
#[path = "behaviour/violations.rs"]
mod violations;
#[path = "behaviour/wrong_inputs.rs"]
mod wrong_inputs;
