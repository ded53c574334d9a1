//! Any answers to the replay machine.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kreplay_fuzz::machine(data));
