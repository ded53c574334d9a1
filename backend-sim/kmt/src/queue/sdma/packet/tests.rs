//! Packets as the runtime builds them.

use super::{Command, Compare, MAX_WORDS, Plane, Unknown, decode};

fn read(words: &[u32]) -> Result<(u64, Command), Unknown> {
    let mut padded = [0; MAX_WORDS];
    padded[..words.len()].copy_from_slice(words);
    decode(&padded)
}

#[test]
fn packets_have_their_length_and_meaning() {
    let far = 0x1_0000_0000;
    let cases: &[(&[u32], u64, Command)] = &[
        (&[0], 1, Command::Nothing),
        (&[5 << 16], 6, Command::Nothing),
        (&[1, 0xff, 0, 8, 1, 16, 1], 7, Command::Copy { from: far + 8, to: far + 16, bytes: 256 }),
        (&[1, 0x3f_ffff, 0, 8, 0, 16, 0], 7, Command::Copy { from: 8, to: 16, bytes: 1 << 22 }),
        (&[5, 8, 1, 77], 4, Command::Fence { at: far + 8, value: 77 }),
        (&[6, 0xf000_0007], 2, Command::Trap { event: 7 }),
        (&[8, 0, 0x8000_0000], 6, Command::Nothing),
        (&[0xa | 47 << 25, 8, 1, 1, 2], 8, Command::Add { at: far + 8, value: 2 << 32 | 1 }),
        (&[0xb | 2 << 30, 8, 1, 77, 12], 5, Command::Fill { at: far + 8, value: 77, bytes: 16 }),
        (&[0xd | 2 << 8, 8, 1], 3, Command::Timestamp { at: far + 8 }),
        (&[0x11 | 1 << 8, 1, 2, 3, 4], 5, Command::Nothing),
    ];
    for (words, length, command) in cases {
        assert_eq!(read(words), Ok((*length, *command)), "{words:x?}");
    }
}

#[test]
fn a_box_counts_elements() {
    // Elements of 4 bytes: 3 by 2 by 2, from (1, 2, 3) to (4, 0, 0).
    let source = [0x1000, 1, 2 << 16 | 1, 15 << 13 | 3, 63];
    let target = [0x2000, 1, 4, 31 << 13, 255];
    let words: Vec<u32> = [&[1 | 4 << 8 | 2 << 29], &source[..], &target[..], &[1 << 16 | 2, 1]].concat();
    let from = Plane { start: 0x1_0000_1000 + 4 * (1 + 2 * 16 + 3 * 64), pitch: 64, slice: 256 };
    let to = Plane { start: 0x1_0000_2010, pitch: 128, slice: 1024 };
    assert_eq!(read(&words), Ok((13, Command::CopyBox { from, to, extent: [3, 2, 2], element: 4 })));
}

#[test]
fn a_poll_compares_as_it_says() {
    let holds = |function: u32, found| {
        let Ok((6, Command::Poll { at: 8, mask: 0xff, compare, value: 5 })) =
            read(&[8 | function << 28 | 1 << 31, 8, 0, 5, 0xff, 0])
        else {
            panic!("function {function} is no poll")
        };
        compare.holds(found, 5)
    };
    let table: [[bool; 3]; 7] =
        std::array::from_fn(|function| [4, 5, 6].map(|found| holds(function as u32, found)));
    assert_eq!(table[Compare::Always as usize], [true, true, true]);
    assert_eq!(table[1..4], [[true, false, false], [true, true, false], [false, true, false]]);
    assert_eq!(table[4..7], [[true, false, true], [false, true, true], [false, false, true]]);
}

#[test]
fn what_no_engine_executes_is_refused() {
    let unknown: [&[u32]; 8] = [
        &[1 | 3 << 8],
        &[2],
        &[8 | 1 << 8 | 1 << 31],
        &[8 | 7 << 28 | 1 << 31],
        &[0xa | 46 << 25],
        &[11],
        &[13],
        &[0xff],
    ];
    for words in unknown {
        assert_eq!(read(words), Err(Unknown), "{words:x?}");
    }
}
