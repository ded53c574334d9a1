//! A queue slot with anything in it.

use crate::assert_sentence;
use kreplay_core::aql::{Packet, Parsed};

/// Takes the first 64 bytes, or as many as there are before zeros, for a packet.
pub fn packets(data: &[u8]) {
    let mut bytes = [0; 64];
    let given = data.len().min(64);
    bytes[..given].copy_from_slice(&data[..given]);
    let packet = Packet(bytes);
    parse(&packet);
    replace_signal(packet);
}

fn parse(packet: &Packet) {
    let parsed = packet.parse();
    assert_eq!(parsed.is_ok(), is_acceptable(&packet.0), "{parsed:?}");
    match parsed {
        Ok(Parsed::KernelDispatch(dispatch)) => {
            assert!(packet.is_dispatch() && dispatch.work_items() > 0);
            assert_eq!(Packet::from(dispatch), *packet);
        }
        Ok(Parsed::BarrierAnd(barrier) | Parsed::BarrierOr(barrier)) => {
            assert_eq!(Packet::from(barrier), *packet);
            let named = (0..5).filter(|slot| packet.0[8 + 8 * slot..][..8] != [0; 8]).count();
            assert_eq!(barrier.dependencies().count(), named);
        }
        Ok(Parsed::Vendor) => assert!(!packet.is_dispatch()),
        Err(error) => assert_sentence(&error.to_string()),
    }
}

/// The rules of HSA 1.2, 2.9, read from the bytes.
fn is_acceptable(bytes: &[u8; 64]) -> bool {
    let short = |at: usize| u64::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
    match bytes[0] {
        0 => true,
        2 => {
            let workgroup = short(4) * short(6) * short(8);
            let grid = bytes[12..24].chunks(4).all(|size| size != [0; 4]);
            (1..=3).contains(&short(2)) && (1..=1024).contains(&workgroup) && grid && short(10) == 0
        }
        3 | 5 => bytes[2..8] == [0; 6] && bytes[48..56] == [0; 8],
        _ => false,
    }
}

fn replace_signal(packet: Packet) {
    let signal = packet.completion_signal();
    assert_eq!(packet.with_completion_signal(signal), packet);
    let silent = packet.with_completion_signal(None);
    assert_eq!((silent.completion_signal(), &silent.0[..56]), (None, &packet.0[..56]));
    assert_eq!(silent.with_completion_signal(signal), packet);
}
