//! A deterministic simulated GPU.
