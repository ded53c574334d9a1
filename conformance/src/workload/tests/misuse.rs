//! Panics, misdeeds and services that no shipped workload has.

use super::{bump_with, program, ran};
use crate::workload::run::{Ran, Seeing, Verdict};

fn clean(ran: &Ran) {
    assert_eq!(ran.verdict(), Verdict::AsExpected, "{ran}");
    assert_eq!(ran.seen, Seeing::Differences(vec![]), "{ran}");
    assert_eq!(ran.memory[0], Some(vec![12]), "{ran}");
}

#[test]
fn a_panic_in_any_callback_is_contained() {
    for moment in
        ["config_enter", "pass_count", "pass_enter", "choose", "pass_exit", "continue", "config_exit"]
    {
        let ran = ran(
            &bump_with(&format!(
                "[tool]\npasses = 3\ncontinue = {{ until_pass = 2 }}\ngroups = {{ gpu = [[\"SQ_WAVES\"]] }}\n\
                 panics = [{{ in = \"{moment}\" }}]"
            )),
            None,
        );
        clean(&ran);
        assert!(ran.to_string().contains("panicked at dispatch1: as the workload says"), "{moment}: {ran}");
    }
}

#[test]
fn any_misdeed_is_harmless() {
    let misdeeds = [
        "subscribe_twice",
        "oversized_group",
        "unknown_group",
        "toggle_unknown",
        "toggle_stopped",
        "toggle_late",
        "overwrite_payload",
        "stop_replay",
        "nested_dispatch",
        "finalize",
    ];
    for misdeed in misdeeds {
        clean(&ran(&bump_with(&format!("[tool]\npasses = 3\nmisdeeds = [\"{misdeed}\"]")), None));
    }
}

#[test]
fn every_service_delivers_its_records() {
    let ran = ran(
        &bump_with(
            r#"
[tool]
passes = 2
groups = { gpu = [["SQ_WAVES"], ["SQ_BUSY_CYCLES"]] }

[tool.contexts]
streamed = { service = "spm", stop = [1] }
traced = { service = "thread_trace", stop = [0], start = [1] }
timed = { service = "trace" }
sampled = { service = "pc_sampling" }
"#,
        ),
        None,
    );
    clean(&ran);
    let report = ran.to_string();
    for line in [
        "streamed of dispatch1: pass 0\n",
        "traced of dispatch1: pass 1\n",
        "timed of dispatch1: pass 0, 1\n",
        "sampled of dispatch1: pass 0, 1\n",
    ] {
        assert!(report.contains(line), "{report}");
    }
}

#[test]
fn an_endless_loop_is_not_a_hang() {
    let tool = "max_steps = 3000\n[tool]\npasses = \"indefinite\"\ncontinue = { until_pass = 1000000000 }";
    let ran = ran(&bump_with(tool), None);
    assert_eq!(ran.verdict(), Verdict::Endless, "{ran}");
    assert!(
        ran.to_string().ends_with("could not end: the run did not end within its bound of 3000 steps\n"),
        "{ran}"
    );
}

#[test]
fn the_watchdog_ends_a_loop() {
    let tool = "[tool]\npasses = \"indefinite\"\ncontinue = { until_pass = 1000000000 }\n[engine]\nwatchdog_passes = 9";
    let ran = ran(&bump_with(tool), None);
    clean(&ran);
    assert!(ran.to_string().contains("the watchdog ended the loop of dispatch1 after 9 passes"), "{ran}");
}

#[test]
fn an_application_without_a_tool_is_not_replayed() {
    let ran = ran(&bump_with(""), None);
    assert_eq!(ran.memory[0], Some(vec![12]));
    assert!(ran.to_string().ends_with("no tool, no replay\n"), "{ran}");
}

#[test]
fn transfers_signals_barriers_and_silent_work_are_waited_for() {
    let ran = ran(
        &program(
            r#"
about = "everything that can be waited for"
signals = ["ready"]
agents = { gpu = {} }
queues = { main = "gpu", side = "gpu" }
[buffers]
a = { elements = 8, contents = { from = 1, step = 1 } }
b = { elements = 8 }
c = { elements = 8 }
[threads]
first = [
  { transfer = { to = "b", from = "a" } },
  { wait = "sdma" },
  { fill = { queue = "main", dst = "a", value = 9, silent = true, items = 4, workgroup = 2, overlap = true } },
  { wait = "main" },
  { post = "ready" },
]
second = [
  { barrier = { queue = "side", after = "ready" } },
  { vector_add = { queue = "side", dst = "c", a = "a", b = "b", silent = true } },
  { barrier = { queue = "side", after = "side" } },
  { wait = "all" },
]
[tool]
passes = 2
[[faults]]
at = "sdma"
verdict = { delay_ns = 100 }
"#,
        ),
        None,
    );
    assert_eq!(ran.verdict(), Verdict::AsExpected, "{ran}");
    assert_eq!(ran.memory[2], Some(vec![10, 11, 12, 13, 10, 12, 14, 16]), "{ran}");
}

#[test]
fn a_race_of_the_application_is_not_blamed_on_the_replay() {
    let program = program(
        r#"
about = "two queues write the same element"
agents = { gpu = {} }
queues = { main = "gpu", side = "gpu" }
buffers = { y = { elements = 4096 } }
[threads]
first = [{ fill = { queue = "main", dst = "y", value = 1 } }]
second = [{ fill = { queue = "side", dst = "y", value = 2 } }]
[tool]
passes = 2
"#,
    );
    let runs: Vec<Ran> = (0..20).map(|seed| ran(&program, Some(seed))).collect();
    assert!(runs.iter().all(|ran| ran.verdict() == Verdict::AsExpected));
    assert!(runs.iter().any(|ran| ran.to_string().contains("the application races")));
}

#[test]
fn a_step_that_the_machine_refuses_names_its_line() {
    let text = "about = \"too much\"\nagents = { gpu = { memory_mib = 1 } }\nqueues = {}\n\
                buffers = { a = { elements = 262144 }, b = { elements = 1, later = true } }\n\
                threads = { host = [{ allocate = \"b\" }] }";
    let ran = ran(&program(text), None);
    assert_eq!(ran.verdict(), Verdict::Refused, "{ran}");
    assert!(ran.to_string().contains("the step in line 5 was refused: 4 bytes cannot be allocated"), "{ran}");
}
