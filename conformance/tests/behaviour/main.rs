//! The engine, the simulated machine and the suite together: whole programs, hostile inputs, and what a run may depend on.

mod compare;
mod determinism;
mod docs;
mod future;
mod hardware;
mod hostility;
mod interruption;
mod oracle;
mod readme;
mod swarm;
