//! Every input of the corpus again, and as many that are made from them.

use kreplay_fuzz::{machine, packets, queries, workloads, worlds};
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::fs;
use std::panic::catch_unwind;
use std::path::Path;

type Target = fn(&[u8]);

/// The inputs of a target with their names, in order.
fn corpus(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target);
    let entries = fs::read_dir(&folder).expect("the corpus is there");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "{} is empty", folder.display());
    paths.into_iter().map(|path| (path.display().to_string(), fs::read(&path).expect("readable"))).collect()
}

fn replay(name: &str, target: Target) {
    for (path, input) in corpus(name) {
        assert!(catch_unwind(|| target(&input)).is_ok(), "it was {path}");
    }
}

/// Runs a target on inputs that differ from those of the corpus in a few places, the same ones each time.
fn vary(name: &str, target: Target, times: usize) {
    let corpus = corpus(name);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(0);
    for _ in 0..times {
        let mut input = corpus[rng.random_range(0..corpus.len())].1.clone();
        for _ in 0..rng.random_range(1..4) {
            edit(&mut input, &corpus[rng.random_range(0..corpus.len())].1, &mut rng);
        }
        let text = String::from_utf8_lossy(&input);
        assert!(catch_unwind(|| target(&input)).is_ok(), "it was {input:?}, that is {text:?}");
    }
}

/// Puts a byte, or a piece of another input, in the place of a piece of an input.
fn edit(input: &mut Vec<u8>, other: &[u8], rng: &mut impl Rng) {
    let mut piece = |of: &[u8]| {
        let from = rng.random_range(0..=of.len());
        from..rng.random_range(from..=of.len().min(from + 32))
    };
    let (replaced, copied) = (piece(input), piece(other));
    if rng.random() {
        input.splice(replaced, other[copied].iter().copied());
    } else if let Some(byte) = input.get_mut(replaced.start) {
        *byte = rng.random();
    }
}

#[test]
fn machine_corpus() {
    replay("machine", machine);
}

#[test]
fn machine_variations() {
    vary("machine", machine, 50_000);
}

#[test]
fn packets_corpus() {
    replay("packets", packets);
}

#[test]
fn packets_variations() {
    vary("packets", packets, 50_000);
}

#[test]
fn queries_corpus() {
    replay("queries", queries);
}

#[test]
fn queries_variations() {
    vary("queries", queries, 500);
}

#[test]
fn workloads_corpus() {
    replay("workloads", workloads);
}

#[test]
fn workloads_variations() {
    vary("workloads", workloads, 2_000);
}

#[test]
fn worlds_corpus() {
    replay("worlds", worlds);
}

#[test]
fn worlds_variations() {
    vary("worlds", worlds, 3_000);
}
