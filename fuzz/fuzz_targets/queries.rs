//! Any text as a query for cases.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kreplay_fuzz::queries(data));
