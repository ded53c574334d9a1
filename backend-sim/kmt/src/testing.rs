//! What the tests of this crate share: packages that may be missing, and a machine with queues to be driven by hand.

use crate::clock;
use crate::kernels::Kernels;
use crate::memory::View;
use crate::process::{NewQueue, Process, QueueAddresses, QueueKind};
use crate::queue::Ring;
use crate::settings::Settings;
use crate::topology::Topology;
use crate::types::MemFlags;
use kreplay_core::aql::Packet;
use kreplay_core::ids::{Address, SignalId};
use kreplay_sim::Memory;
use std::io::Write;
use std::process::{Command, Stdio};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// Says that a test was skipped; fails where skipping is forbidden.
pub(crate) fn skip(package: &str) {
    assert!(
        std::env::var_os("KREPLAY_REQUIRE_TOOLS").is_none(),
        "needs {package} (apt-get install {package}), and KREPLAY_REQUIRE_TOOLS forbids to skip"
    );
    eprintln!("skipped: needs {package} (apt-get install {package})");
}

/// Compiles a C program; fails with the compiler's words.
pub(crate) fn compile_c(program: &str) {
    let mut compiler = Command::new("cc")
        .args(["-x", "c", "-fsyntax-only", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("cc is installed");
    compiler.stdin.take().expect("piped").write_all(program.as_bytes()).expect("cc reads");
    let output = compiler.wait_with_output().expect("cc ends");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A machine with one GPU.
pub(crate) struct Machine {
    pub(crate) process: Process,
    pub(crate) view: View,
}

/// A queue of it. AQL indices count packets, SDMA's count bytes.
#[derive(Clone, Copy)]
pub(crate) struct Driven {
    pub(crate) id: u64,
    pub(crate) ring: Address,
    pub(crate) read_index: Address,
    pub(crate) write_index: Address,
    /// Start of the `amd_queue_t` of an AQL queue.
    pub(crate) at: Address,
    /// The word that takes the bits of faults.
    pub(crate) reason: Address,
    /// The event that is set with it.
    pub(crate) event: u32,
    pub(crate) doorbell: Address,
}

pub(crate) const SLOTS: u64 = 64;
pub(crate) const SDMA_BYTES: u64 = 4096;

impl Machine {
    pub(crate) fn new(kernels: fn() -> Box<dyn Kernels>) -> Self {
        let topology = Topology::new(None, None).expect("the default machine");
        let process = Process::new(topology, Settings::default(), kernels).expect("there is memory");
        let view = View::new(Arc::clone(&process.space), 1);
        Self { process, view }
    }

    /// Zeroed memory that every node may access.
    pub(crate) fn memory(&self, bytes: u64) -> Address {
        let bytes = bytes.next_multiple_of(4096);
        let base = self.process.space.allocate(0, bytes, MemFlags::HOST_ACCESS, 0).expect("there is memory");
        self.process.space.map(base, bytes, None).expect("it can be mapped");
        base
    }

    pub(crate) fn load(&self, at: Address) -> u64 {
        self.view.load_u64(at).expect("mapped")
    }

    pub(crate) fn store(&self, at: Address, value: u64) {
        self.view.clone().store(at, &value.to_le_bytes()).expect("mapped");
    }

    /// A signal with a mailbox and an event.
    pub(crate) fn signal(&self, value: i64) -> (SignalId, u32) {
        let (at, event) = (self.memory(64), self.process.events.create(0, false, false).expect("an event"));
        self.store(at + 8, value.cast_unsigned());
        self.store(at + 16, self.process.mailbox(event));
        self.store(at + 24, event.into());
        (SignalId(at), event)
    }

    pub(crate) fn value(&self, signal: SignalId) -> i64 {
        self.load(signal.0 + 8).cast_signed()
    }

    pub(crate) fn aql(&self) -> Driven {
        let (at, ring) = (self.memory(256), self.memory(SLOTS * 64));
        for slot in 0..SLOTS {
            self.store(ring + slot * 64, 1);
        }
        self.store(at + 192, self.signal(0).0.0);
        let bytes = SLOTS * 64;
        self.create(
            QueueKind::Aql,
            at,
            Ring { base: ring, bytes, read_index: at + 128, write_index: at + 56 },
        )
    }

    pub(crate) fn sdma(&self) -> Driven {
        let base = self.memory(SDMA_BYTES);
        self.create(QueueKind::Sdma, 0, Ring { base, bytes: SDMA_BYTES, read_index: 0, write_index: 0 })
    }

    fn create(&self, kind: QueueKind, at: Address, ring: Ring) -> Driven {
        let (reason, event) =
            (self.memory(8), self.process.events.create(0, false, false).expect("an event"));
        let new = NewQueue { node: 1, kind, ring, error_reason: Some(reason), event: Some(event) };
        let QueueAddresses { id, doorbell, read_index, write_index } =
            self.process.create_queue(new).expect("a queue");
        Driven { id, ring: ring.base, read_index, write_index, at, reason, event, doorbell }
    }

    /// Writes a packet behind the others and rings.
    pub(crate) fn submit(&self, queue: Driven, packet: impl Into<Packet>) {
        let index = self.load(queue.write_index);
        self.store_bytes(queue.ring + index % SLOTS * 64, &packet.into().0);
        self.store(queue.write_index, index + 1);
        ring(queue.doorbell, index);
    }

    /// Writes SDMA words behind the others and rings.
    pub(crate) fn submit_words(&self, queue: Driven, words: &[u32]) {
        let index = self.load(queue.write_index);
        for (word, at) in words.iter().zip((index..).step_by(4)) {
            self.store_bytes(queue.ring + at % SDMA_BYTES, &word.to_le_bytes());
        }
        let end = index + 4 * words.len() as u64;
        self.store(queue.write_index, end);
        ring(queue.doorbell, end);
    }

    pub(crate) fn store_bytes(&self, at: Address, bytes: &[u8]) {
        self.view.clone().store(at, bytes).expect("mapped");
    }

    /// Waits until all that was submitted was worked off.
    pub(crate) fn drain(&self, queue: Driven) {
        eventually("the queue drains", || self.load(queue.read_index) == self.load(queue.write_index));
    }
}

/// Stores to a doorbell.
pub(crate) fn ring(doorbell: Address, value: u64) {
    let doorbell: *const AtomicU64 = ptr::with_exposed_provenance(doorbell as usize);
    // SAFETY: the page of a doorbell lives as long as its queue, which the caller has.
    unsafe { &*doorbell }.store(value, Ordering::Release);
}

/// Waits until something is so, at most 5 s.
pub(crate) fn eventually(what: &str, is_so: impl Fn() -> bool) {
    assert!(is_soon(is_so), "not within 5 s: {what}");
}

/// Whether something is so within 5 s.
pub(crate) fn is_soon(is_so: impl Fn() -> bool) -> bool {
    let deadline = clock::now() + 5 * clock::FREQUENCY;
    while !is_so() {
        if clock::now() > deadline {
            return false;
        }
        thread::sleep(Duration::from_micros(100));
    }
    true
}

/// Long enough for what should not happen to have happened.
pub(crate) fn pause() {
    thread::sleep(Duration::from_millis(20));
}
