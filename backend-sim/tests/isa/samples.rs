//! Without LLVM: one line of each kind, and that nothing has changed in what LLVM has agreed to.

use super::opcodes::EACH;
use super::words::words;
use fnv::FnvHasher;
use kreplay_sim::isa::{Target, decode};
use std::hash::Hasher;

#[test]
fn each_kind_of_line_is_as_llvm_prints_it() {
    let mut target = Target::Gfx90a;
    for line in include_str!("samples.txt").lines() {
        match line {
            "# gfx90a" => target = Target::Gfx90a,
            "# gfx942" => target = Target::Gfx942,
            _ => {
                let (words, text) = line.split_at(18);
                let words = words.split_whitespace().map(|word| u32::from_str_radix(word, 16));
                let words: Vec<u32> = words.collect::<Result<_, _>>().unwrap();
                let decoded = decode(&words, target).unwrap_or_else(|error| panic!("{text}: {error}"));
                assert_eq!(
                    (decoded.to_string().as_str(), usize::from(decoded.size)),
                    (text, words.len() * 4)
                );
            }
        }
    }
}

/// A change of these numbers is right if the tests of `opcodes` pass with it.
#[test]
fn what_random_words_decode_to_has_not_changed() {
    assert_eq!(fingerprint(Target::Gfx90a), 2_730_396_735_206_564_225, "the fingerprint of gfx90a");
    assert_eq!(fingerprint(Target::Gfx942), 7_514_834_298_744_025_385, "the fingerprint of gfx942");
}

fn fingerprint(target: Target) -> u64 {
    let mut hasher = FnvHasher::default();
    for word in words(1, EACH) {
        let text =
            decode(&word, target).map_or_else(|_| "reserved".to_owned(), |decoded| decoded.to_string());
        hasher.write(text.as_bytes());
        hasher.write(b"\n");
    }
    hasher.finish()
}
