//! Any bytes as a world and a schedule of it.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kreplay_fuzz::worlds(data));
