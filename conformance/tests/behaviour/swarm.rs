//! The swarm: seeded mixes of a generated program, a tool, faults and a thread that meddles.
//!
//! A mix has two phases. While things go wrong, everything must be safe; then the faults are healed, and everything
//! must finish. `docs/testing.md` says how to run many of them, and how to repeat one.

mod mix;
mod run;

use crate::oracle::script::BUG;
use mix::{Mix, mixes};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use run::{Tally, face};
use std::fmt::Write;
use std::str::FromStr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

/// Mixes of a test run that asks for no other number.
const MIXES: u64 = 2_000;
/// Runs that are spent on making a failing mix smaller.
const SHRINKING: u32 = 400;
const JOBS: usize = 2;

#[test]
fn a_swarm_of_mixes_is_safe_and_then_finishes() {
    ignore_bugs_of_tools();
    if let Some(seed) = variable("KREPLAY_SWARM_SEED") {
        match judge(seed) {
            Ok(tally) => return println!("mix {seed} ended well: {tally:?}"),
            Err(report) => panic!("{report}"),
        }
    }
    let (mixes, first) = (variable("KREPLAY_SWARM_MIXES").unwrap_or(MIXES), variable("KREPLAY_SWARM_FIRST"));
    let first = first.unwrap_or(0);
    match swarm(first, mixes) {
        Ok(tally) => {
            println!("{mixes} mixes ended well: {tally:#?}");
            assert!(mixes < MIXES || tally.is_varied(), "{tally:#?}");
        }
        Err(report) => panic!("{report}"),
    }
}

/// Runs that many mixes; the report of the first that fails.
fn swarm(first: u64, mixes: u64) -> Result<Tally, String> {
    let (next, failed) = (AtomicU64::new(0), AtomicBool::new(false));
    let (total, report) = (Mutex::new(Tally::default()), Mutex::new(None));
    let work = || {
        let mut mine = Tally::default();
        while !failed.load(Ordering::Relaxed) {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= mixes {
                break;
            }
            match judge(first + index) {
                Ok(tally) => mine.add(&tally),
                Err(found) => {
                    failed.store(true, Ordering::Relaxed);
                    report.lock().expect("no worker panicked").get_or_insert(found);
                }
            }
        }
        total.lock().expect("no worker panicked").add(&mine);
    };
    thread::scope(|scope| {
        (0..JOBS).for_each(|_| drop(scope.spawn(work)));
    });
    match report.into_inner().expect("no worker panicked") {
        Some(report) => Err(report),
        None => Ok(total.into_inner().expect("no worker panicked")),
    }
}

/// Runs one mix; if it fails, makes it smaller and says how to repeat it.
fn judge(seed: u64) -> Result<Tally, String> {
    let mut tree = mixes().new_tree(&mut runner(seed)).expect("nothing is filtered");
    let first = match face(&tree.current()) {
        Ok(tally) => return Ok(tally),
        Err(why) => why,
    };
    let (small, why) = shrink(&mut tree, &first);
    let mut report = format!("mix {seed}: {first}\n");
    let _ = writeln!(report, "smallest mix that was found: {why}\n{small:#?}");
    let _ = writeln!(
        report,
        "repeat: KREPLAY_SWARM_SEED={seed} cargo test -p kreplay-conformance --test behaviour swarm"
    );
    Err(report)
}

/// The smallest mix that fails in some way, and how.
fn shrink(tree: &mut impl ValueTree<Value = Mix>, first: &str) -> (Mix, String) {
    let mut smallest = (tree.current(), first.to_owned());
    let mut simpler = tree.simplify();
    for _ in 0..SHRINKING {
        if !simpler {
            break;
        }
        let mix = tree.current();
        simpler = match face(&mix) {
            Err(why) => {
                smallest = (mix, why);
                tree.simplify()
            }
            Ok(_) => tree.complicate(),
        };
    }
    smallest
}

fn runner(seed: u64) -> TestRunner {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let config = Config { failure_persistence: None, ..Config::with_cases(1) };
    TestRunner::new_with_rng(config, rng)
}

#[expect(clippy::disallowed_methods, reason = "how many mixes run is asked for from outside")]
fn variable<T: FromStr>(name: &str) -> Option<T> {
    let value = std::env::var(name).ok()?;
    Some(value.parse().unwrap_or_else(|_| panic!("expected {name} to be a number, got '{value}'")))
}

/// Panics that a mix asks for say nothing; all others speak as before.
fn ignore_bugs_of_tools() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let said = info.payload().downcast_ref::<String>();
        if said.is_none_or(|said| said != BUG) {
            usual(info);
        }
    }));
}
