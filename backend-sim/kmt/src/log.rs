//! What the engines have run, a line each on the standard error.

use crate::clock;
use crate::types::Node;
use kreplay_core::ids::{Address, Timestamp};
use serde::Serialize;
use std::fmt;

/// How the log is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Log {
    #[default]
    Off,
    Text,
    /// An object a line.
    Json,
}

/// What a packet made its engine do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "ran", rename_all = "snake_case")]
pub(crate) enum Work {
    /// A kernel, by the address of its descriptor and its symbol, if it is known; bytes of LDS of a workgroup, and of
    /// scratch of a lane; what all waves executed.
    Kernel {
        kernel: Address,
        #[serde(skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        grid: [u32; 3],
        workgroup: [u16; 3],
        lds: u32,
        scratch: u32,
        instructions: u64,
    },
    /// A barrier, after this many signals.
    Barrier { signals: usize },
    /// Commands for caches.
    Caches,
    /// Bytes in a row.
    Copy { from: Address, to: Address, bytes: u64 },
    /// A box of elements of so many bytes.
    CopyBox { from: Address, to: Address, extent: [u64; 3], element: u64 },
    /// A word, stored over and over.
    Fill { at: Address, value: u32, bytes: u64 },
}

/// Which packet it was.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Place {
    pub(crate) node: Node,
    /// Address of the ring.
    pub(crate) queue: Address,
    /// AQL packets are counted; SDMA packets have the byte that they start at.
    pub(crate) packet: u64,
}

#[derive(Serialize)]
struct Line {
    #[serde(flatten)]
    place: Place,
    #[serde(flatten)]
    work: Work,
    start: Timestamp,
    end: Timestamp,
}

impl Log {
    /// Writes what has just ended. Only a log that is on asks what it was.
    pub(crate) fn write(self, place: Place, work: impl FnOnce() -> Work, start: Timestamp) {
        if self == Self::Off {
            return;
        }
        let line = Line { place, work: work(), start, end: clock::now() };
        match self {
            Self::Off => {}
            Self::Text => eprintln!("{line}"),
            Self::Json => eprintln!("{}", serde_json::to_string(&line).expect("a line is numbers and names")),
        }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { node, queue, packet } = self.place;
        let microseconds = (self.end - self.start) as f64 / 1e3;
        write!(f, "node {node} queue {queue:#x} packet {packet}: {} in {microseconds:.1} us", self.work)
    }
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kernel { kernel, name, grid, workgroup, lds, scratch, instructions } => {
                let name = name.as_deref().unwrap_or("without a name");
                write!(f, "kernel {name} at {kernel:#x}, grid {grid:?} of {workgroup:?}, LDS {lds}, ")?;
                write!(f, "scratch {scratch}, {instructions} instructions")
            }
            Self::Barrier { signals } => write!(f, "barrier after {signals} signals"),
            Self::Caches => f.write_str("cache commands"),
            Self::Copy { from, to, bytes } => write!(f, "copy of {bytes} bytes, {from:#x} to {to:#x}"),
            Self::CopyBox { from, to, extent, element } => {
                write!(f, "copy of {extent:?} elements of {element} bytes, {from:#x} to {to:#x}")
            }
            Self::Fill { at, value, bytes } => write!(f, "fill of {bytes} bytes with {value:#x} at {at:#x}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: Place = Place { node: 1, queue: 0x1000, packet: 3 };

    fn kernel(name: Option<&str>) -> Line {
        let work = Work::Kernel {
            kernel: 0x2000,
            name: name.map(str::to_owned),
            grid: [256, 2, 1],
            workgroup: [64, 1, 1],
            lds: 512,
            scratch: 0,
            instructions: 88,
        };
        Line { place: PLACE, work, start: 1000, end: 3500 }
    }

    #[test]
    fn a_line_as_text() {
        let expected = "node 1 queue 0x1000 packet 3: kernel square at 0x2000, grid [256, 2, 1] of [64, 1, 1], LDS 512, scratch 0, 88 instructions in 2.5 us";
        assert_eq!(kernel(Some("square")).to_string(), expected);
        assert_eq!(kernel(None).to_string(), expected.replace("square", "without a name"));
    }

    #[test]
    fn a_line_as_json() {
        let expected = r#"{"node":1,"queue":4096,"packet":3,"ran":"kernel","kernel":8192,"name":"square","grid":[256,2,1],"workgroup":[64,1,1],"lds":512,"scratch":0,"instructions":88,"start":1000,"end":3500}"#;
        let json = |line: &Line| serde_json::to_string(line).expect("it is JSON");
        assert_eq!(json(&kernel(Some("square"))), expected);
        assert_eq!(json(&kernel(None)), expected.replace(r#""name":"square","#, ""));
    }
}
