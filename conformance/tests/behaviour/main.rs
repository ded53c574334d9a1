//! The engine, the simulated machine and the suite together: whole programs, hostile inputs, and what a run may depend on.

mod determinism;
mod docs;
mod future;
mod hostility;
mod oracle;
mod readme;
mod swarm;
