//! SDMA packets as gfx9 engines read them: words in, a command out.

use kreplay_core::ids::Address;

/// Words of the longest packet.
pub(super) const MAX_WORDS: usize = 13;

/// What a packet says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Command {
    /// Nothing, or something without an effect here: no operation, cache control.
    Nothing,
    /// Copies bytes in a row.
    Copy { from: Address, to: Address, bytes: u64 },
    /// Copies a box.
    CopyBox { from: Plane, to: Plane, extent: [u64; 3], element: u64 },
    /// Stores a word.
    Fence { at: Address, value: u32 },
    /// Sets an event.
    Trap { event: u32 },
    /// Waits until a word, masked, compares with a value.
    Poll { at: Address, mask: u32, compare: Compare, value: u32 },
    /// Adds to a double word.
    Add { at: Address, value: u64 },
    /// Stores a word over and over.
    Fill { at: Address, value: u32, bytes: u64 },
    /// Stores the clock.
    Timestamp { at: Address },
}

/// A three-dimensional array: its first element in the box, and the bytes from row to row and slice to slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plane {
    pub(super) start: Address,
    pub(super) pitch: u64,
    pub(super) slice: u64,
}

/// How a poll compares what it finds with its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compare {
    Always,
    Less,
    LessOrEqual,
    Equal,
    NotEqual,
    GreaterOrEqual,
    Greater,
}

/// A packet that no engine executes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unknown;

mod op {
    pub(super) const NOP: u32 = 0;
    pub(super) const COPY: u32 = 1;
    pub(super) const FENCE: u32 = 5;
    pub(super) const TRAP: u32 = 6;
    pub(super) const POLL: u32 = 8;
    pub(super) const ATOMIC: u32 = 10;
    pub(super) const FILL: u32 = 11;
    pub(super) const TIMESTAMP: u32 = 13;
    pub(super) const CACHE_CONTROL: u32 = 17;
}

const COPY_LINEAR: u32 = 0;
const COPY_BOX: u32 = 4;
const ADD_64: u32 = 47;
const GLOBAL_TIMESTAMP: u32 = 2;

/// Reads the packet that begins with the first word; the words it takes, and what it says.
pub(super) fn decode(words: &[u32; MAX_WORDS]) -> Result<(u64, Command), Unknown> {
    let header = words[0];
    match (header & 0xff, header >> 8 & 0xff) {
        (op::NOP, _) => Ok((1 + u64::from(header >> 16 & 0x3fff), Command::Nothing)),
        (op::COPY, COPY_LINEAR) => Ok((
            7,
            Command::Copy { from: address(words, 3), to: address(words, 5), bytes: count(words[1]) + 1 },
        )),
        (op::COPY, COPY_BOX) => Ok((13, copy_box(words))),
        (op::FENCE, _) => Ok((4, Command::Fence { at: address(words, 1), value: words[3] })),
        (op::TRAP, _) => Ok((2, Command::Trap { event: words[1] & 0xfff_ffff })),
        (op::POLL, 0) => Ok((6, poll(words)?)),
        (op::ATOMIC, _) if header >> 25 == ADD_64 => {
            Ok((8, Command::Add { at: address(words, 1), value: address(words, 3) }))
        }
        (op::FILL, _) if header >> 30 == 2 => Ok((
            5,
            Command::Fill { at: address(words, 1), value: words[3], bytes: (count(words[4]) & !3) + 4 },
        )),
        (op::TIMESTAMP, GLOBAL_TIMESTAMP) => Ok((3, Command::Timestamp { at: address(words, 1) })),
        (op::CACHE_CONTROL, _) => Ok((5, Command::Nothing)),
        _ => Err(Unknown),
    }
}

fn address(words: &[u32; MAX_WORDS], at: usize) -> u64 {
    u64::from(words[at]) | u64::from(words[at + 1]) << 32
}

fn count(word: u32) -> u64 {
    u64::from(word & 0x3f_ffff)
}

fn bits(word: u32, from: u32, number: u32) -> u64 {
    u64::from(word >> from & ((1 << number) - 1))
}

/// A poll of a register only flushes caches.
fn poll(words: &[u32; MAX_WORDS]) -> Result<Command, Unknown> {
    let header = words[0];
    if header >> 31 == 0 {
        return Ok(Command::Nothing);
    }
    let compare = match header >> 28 & 7 {
        0 => Compare::Always,
        1 => Compare::Less,
        2 => Compare::LessOrEqual,
        3 => Compare::Equal,
        4 => Compare::NotEqual,
        5 => Compare::GreaterOrEqual,
        6 => Compare::Greater,
        _ => return Err(Unknown),
    };
    Ok(Command::Poll { at: address(words, 1), value: words[3], mask: words[4], compare })
}

/// Sizes and offsets count elements of 1 to 16 bytes, and sizes are one less than what is meant.
fn copy_box(words: &[u32; MAX_WORDS]) -> Command {
    let element = 1 << (words[0] >> 29);
    let plane = |first: usize| {
        let (pitch, slice) = (bits(words[first + 3], 13, 19) + 1, bits(words[first + 4], 0, 28) + 1);
        let (x, y) = (bits(words[first + 2], 0, 14), bits(words[first + 2], 16, 14));
        let offset = x + y * pitch + bits(words[first + 3], 0, 11) * slice;
        let start = address(words, first).wrapping_add(offset * element);
        Plane { start, pitch: pitch * element, slice: slice * element }
    };
    let extent = [bits(words[11], 0, 14) + 1, bits(words[11], 16, 14) + 1, bits(words[12], 0, 11) + 1];
    Command::CopyBox { from: plane(1), to: plane(6), extent, element }
}

impl Compare {
    /// Whether what was found satisfies the poll.
    pub(super) const fn holds(self, found: u32, value: u32) -> bool {
        match self {
            Self::Always => true,
            Self::Less => found < value,
            Self::LessOrEqual => found <= value,
            Self::Equal => found == value,
            Self::NotEqual => found != value,
            Self::GreaterOrEqual => found >= value,
            Self::Greater => found > value,
        }
    }
}

#[cfg(test)]
mod tests;
