//! Instructions one by one: what compilers rely on and what they never emit.

mod gfx942;
mod lanes;
mod launches;
mod memory;
mod rig;
mod scalar;
mod vector;
mod waves;
