//! Application threads under one baton.

use crate::rig::{FIRST, Rig, packet};
use kreplay_core::aql::Packet;
use kreplay_core::event::text;
use kreplay_core::fixture::{Fixture, ToyKernel};
use kreplay_core::ids::ThreadId;
use kreplay_core::memory::MemoryClass;
use kreplay_sim::{Sim, SimConfig};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

/// Four threads, each with a queue and three kernels on one counter; the log and the order of their turns.
fn crowd(seed: u64) -> (String, Vec<u64>) {
    let sim = Sim::new(SimConfig::seeded(seed));
    let counter = sim.allocate(FIRST, MemoryClass::Coarse, 4).expect("memory");
    let turns = Arc::new(Mutex::new(Vec::new()));
    for _ in 0..4 {
        let (sim_, turns) = (sim.clone(), turns.clone());
        sim.spawn(Box::new(move || {
            let queue = sim_.create_queue(FIRST, 16).expect("a queue");
            for _ in 0..3 {
                let bump = packet(&sim_, FIRST, ToyKernel::AtomicBump, &[counter, 64], 64, 16);
                let done = sim_.create_signal(1);
                let bump = Packet::from(bump).with_completion_signal(Some(done));
                sim_.submit(queue, &[bump]).expect("room");
                turns.lock().expect("no panic").push(sim_.backend().caller().thread.0);
                sim_.wait_signal(done, 0).expect("completes");
            }
        }));
    }
    sim.join().expect("all end");
    assert_eq!(sim.read(counter, 4), Ok(768_u32.to_le_bytes().to_vec()));
    let turns = turns.lock().expect("no panic").clone();
    (text(&sim.log()), turns)
}

#[test]
fn the_same_seed_is_the_same_log_whatever_the_host_does() {
    for seed in 0..5 {
        assert_eq!(crowd(seed).0, crowd(seed).0, "seed {seed}");
    }
}

#[test]
fn different_seeds_are_different_schedules() {
    let orders: BTreeSet<Vec<u64>> = (0..10).map(|seed| crowd(seed).1).collect();
    assert!(orders.len() >= 8, "{} different orders of 10", orders.len());
}

#[test]
fn threads_take_turns_before_they_end() {
    let (_, turns) = crowd(1);
    let switches = turns.windows(2).filter(|pair| pair[0] != pair[1]).count();
    assert!(switches > 3, "{turns:?}");
}

#[test]
fn threads_are_numbered_from_the_first() {
    let sim = Sim::default();
    assert_eq!(sim.backend().caller().thread, ThreadId(1));
    let seen = Arc::new(Mutex::new(None));
    let (cell, inner) = (seen.clone(), sim.clone());
    let id = sim.spawn(Box::new(move || {
        *cell.lock().expect("no panic") = Some(inner.backend().caller().thread);
    }));
    sim.join().expect("it ends");
    assert_eq!((id, *seen.lock().expect("no panic")), (ThreadId(2), Some(ThreadId(2))));
}

#[test]
fn a_single_thread_never_leaves_its_os_thread() {
    let rig = Rig::default();
    let me = std::thread::current().id();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let dst = rig.buffer(4);
    for _ in 0..20 {
        let seen = seen.clone();
        let handler = Box::new(move |_| seen.lock().expect("no panic").push(std::thread::current().id()));
        rig.backend.submit(rig.submission(rig.fill(dst, 1, 1)), handler).expect("accepted");
    }
    rig.sim.settle();
    assert_eq!(*seen.lock().expect("no panic"), vec![me; 20]);
}

#[test]
fn a_panic_in_a_thread_comes_out_of_join() {
    let sim = Sim::default();
    sim.spawn(Box::new(|| std::panic::resume_unwind(Box::new("seven"))));
    let panic = catch_unwind(AssertUnwindSafe(|| sim.join())).expect_err("it panics");
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"seven"));
    sim.join().expect("once only");
}

#[test]
fn a_thread_can_be_released_by_another() {
    let sim = Sim::default();
    let flag = sim.create_signal(1);
    let inner = sim.clone();
    sim.spawn(Box::new(move || inner.store_signal(flag, 0).expect("live")));
    sim.wait_signal(flag, 0).expect("released");
    sim.join().expect("it ends");
}

#[test]
fn breathing_in_turns_makes_progress() {
    let sim = Sim::default();
    let flag = sim.create_signal(2);
    for _ in 0..2 {
        let inner = sim.clone();
        sim.spawn(Box::new(move || {
            let value = inner.signal(flag).expect("live");
            inner.store_signal(flag, value - 1).expect("live");
            while inner.signal(flag).expect("live") > 0 {
                inner.breathe();
            }
        }));
        sim.breathe();
    }
    sim.join().expect("both end");
}

#[test]
fn settling_does_not_move_threads() {
    let rig = Rig::default();
    let (dst, moved) = (rig.buffer(4), Arc::new(Mutex::new(false)));
    let cell = moved.clone();
    let rival = rig.sim.create_signal(1);
    let (sim, gate) = (rig.sim.clone(), rig.sim.create_signal(1));
    rig.sim.spawn(Box::new(move || {
        sim.wait_signal(gate, 0).expect("released");
        *cell.lock().expect("no panic") = true;
        sim.store_signal(rival, 0).expect("live");
    }));
    rig.sim.breathe();
    let packet = Packet::from(rig.fill(dst, 1, 1)).with_completion_signal(Some(gate));
    rig.backend.forward(rig.queue, &[packet]).expect("taken");
    rig.sim.settle();
    assert!(!*moved.lock().expect("no panic"));
    rig.sim.join().expect("now it may");
    assert!(*moved.lock().expect("no panic"));
}
