//! A file that is almost right is judged, never a panic.

use super::files;
use crate::workload::check::check;
use crate::workload::plan::plan;
use crate::workload::run::run;
use std::fs;
use std::sync::Arc;

/// Enough for every shipped file.
const STEPS: u64 = 20_000;

#[test]
fn a_shipped_file_without_one_of_its_lines() {
    for path in files() {
        let text = fs::read_to_string(&path).expect("readable");
        let lines: Vec<&str> = text.lines().collect();
        for missing in 0..lines.len() {
            let kept: Vec<&str> =
                lines.iter().enumerate().filter(|(i, _)| *i != missing).map(|(_, line)| *line).collect();
            match check("almost", &kept.join("\n")) {
                Ok(mut program) => {
                    program.max_steps = program.max_steps.min(STEPS);
                    let _ = plan(&program);
                    let _ = run(&Arc::new(program), Some(missing as u64));
                }
                Err(mistake) => assert!(!mistake.message.is_empty()),
            }
        }
    }
}

proptest::proptest! {
    #[test]
    fn a_shipped_file_with_a_few_other_characters(which in 0_usize..100, edits in proptest::collection::vec((0_usize..5000, "[ -~]"), 1..4)) {
        let files = files();
        let mut text = fs::read_to_string(&files[which % files.len()]).expect("readable");
        for (at, with) in edits {
            let at = at % text.len();
            if text.is_char_boundary(at) && text.is_char_boundary(at + 1) {
                text.replace_range(at..=at, &with);
            }
        }
        if let Ok(program) = check("almost", &text) {
            let _ = plan(&program);
        }
    }
}
