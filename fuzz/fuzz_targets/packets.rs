//! Any 64 bytes as a packet.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kreplay_fuzz::packets(data));
