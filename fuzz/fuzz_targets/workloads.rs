//! Any text as a workload.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kreplay_fuzz::workloads(data));
