//! Services that do not go together on one pass.

use super::*;

fn reported(configure: impl Fn(&Bench), at: SubmitInfo) -> Vec<Diagnostic> {
    let bench = Bench::new();
    configure(&bench);
    bench.submit(at);
    bench.diagnostics()
}

fn count(bench: &Bench) {
    bench.count(bench.config(AGENT, &[1]), 0);
}

fn sample_pcs(bench: &Bench) {
    bench.sample_pcs(bench.context(), AGENT);
}

fn stream(bench: &Bench) {
    bench.stream();
}

fn trace_threads(bench: &Bench) {
    bench.trace_threads(AGENT, TraceControl::StartAndStop);
}

#[test]
fn counters_and_pc_samples_of_one_pass_are_reported() {
    let both = |bench: &Bench| {
        count(bench);
        sample_pcs(bench);
    };
    let report = Diagnostic::CountersWithPcSampling { dispatch: DispatchId(5), pass: 1 };
    assert_eq!(reported(both, PASS), [report]);
    assert_eq!(reported(both, PLAIN), []);
    assert_eq!((reported(count, PASS), reported(sample_pcs, PASS)), (vec![], vec![]));
}

#[test]
fn thread_trace_and_spm_of_one_pass_are_reported() {
    let both = |bench: &Bench| {
        stream(bench);
        trace_threads(bench);
    };
    let report = Diagnostic::ThreadTraceWithSpm { dispatch: DispatchId(5), pass: 1 };
    assert_eq!(reported(both, PASS), [report]);
    assert_eq!(reported(both, PLAIN), []);
    assert_eq!((reported(stream, PASS), reported(trace_threads, PASS)), (vec![], vec![]));
}
