//! Tests of the replay machine: its table, its graph, its paths and an exhaustive walk.

mod paths;
mod table;
mod walk;

use super::*;

const HALTS: [Halt; 4] = [Halt::Tainted, Halt::Finalizing, Halt::Panicked, Halt::Watchdog];
const COUNTS: [u64; 4] = [0, 1, 2, 3];
/// Where the walks cut indefinite loops.
const LAST_PASS: u64 = 3;

/// The answers that the contract knows for an effect, written down independently of the machine.
fn answers(effect: Effect) -> Vec<Input> {
    use Input as I;
    let halted = HALTS.map(Some);
    match effect {
        Effect::ConfigEnter => {
            let installed = [false, true].map(|consult| I::Installed { consult });
            [&installed[..], &[I::OptedOut, I::Panicked]].concat()
        }
        Effect::AskPassCount => [&COUNTS.map(I::Count)[..], &[I::Panicked]].concat(),
        Effect::Lock => vec![I::Locked(Condition::Sound), I::Locked(Condition::Poisoned), I::Reentrant],
        Effect::Admit => {
            let reasons = [Reason::UntrackedMemory, Reason::FootprintBudget, Reason::SnapshotFailed];
            [I::Done].into_iter().chain(reasons.map(I::Declined)).collect()
        }
        Effect::DrainQueue | Effect::DrainAgent | Effect::OpenFence | Effect::AwaitHandler(_) => {
            vec![I::Done, I::Expired]
        }
        Effect::Snapshot | Effect::Submit(_) | Effect::RunOnce(_) | Effect::Complete(_) => {
            vec![I::Done, I::Failed]
        }
        Effect::PassEnter(_) => vec![I::Done, I::Panicked],
        Effect::PassExit(_) => [&[I::Exited(None)][..], &halted.map(I::Exited)].concat(),
        Effect::AskContinue(_) => {
            let answered = HALTS.map(|halt| I::Answered(Err(halt)));
            [&[I::Answered(Ok(true)), I::Answered(Ok(false))][..], &answered].concat()
        }
        Effect::Restore => vec![I::Done, I::Tainted, I::Torn],
        Effect::CloseFence | Effect::ConfigExit(_) | Effect::Withhold | Effect::Unlock(_) => vec![I::Done],
    }
}

/// Every input there is, for the counts that the walks use.
fn inputs() -> Vec<Input> {
    let every = [
        Effect::ConfigEnter,
        Effect::AskPassCount,
        Effect::Lock,
        Effect::DrainQueue,
        Effect::Submit(0),
        Effect::PassExit(0),
        Effect::AskContinue(0),
        Effect::Restore,
    ];
    let mut inputs: Vec<Input> = Vec::new();
    let declined = Reason::ALL.map(Input::Declined);
    for input in every.into_iter().flat_map(answers).chain(declined) {
        if !inputs.contains(&input) {
            inputs.push(input);
        }
    }
    inputs
}

const fn cut(effect: Effect) -> bool {
    matches!(effect, Effect::PassEnter(LAST_PASS))
}

/// Every state that can be reached, with the effect that is outstanding in it, in the order in which it is found.
fn reachable() -> Vec<(Replay, Effect)> {
    let mut found = vec![Replay::begin(Candidacy::Candidate), Replay::begin(Candidacy::Bystander)];
    let mut next = 0;
    while let Some(&(state, effect)) = found.get(next) {
        next += 1;
        for input in answers(effect) {
            if let Ok(Next::Do(state, effect)) = state.step(input)
                && !cut(effect)
                && !found.contains(&(state, effect))
            {
                found.push((state, effect));
            }
        }
    }
    found
}

#[test]
fn each_state_accepts_exactly_the_answers_of_its_effect() {
    for (state, effect) in reachable() {
        for input in inputs() {
            let accepted = state.step(input).is_ok();
            assert_eq!(accepted, answers(effect).contains(&input), "{state:?} answered with {input:?}");
        }
    }
}

#[test]
fn a_rejection_names_the_state_and_the_answer() {
    let (state, _) = Replay::begin(Candidacy::Bystander);
    let error = state.step(Input::Torn).unwrap_err();
    assert_eq!(error, ProtocolError { state, input: Input::Torn });
    insta::assert_snapshot!(error, @"the replay machine in state RunningOnce(Bystander) cannot be answered with Torn");
}

#[test]
fn a_machine_is_small_enough_to_be_stored_by_the_million() {
    assert!(size_of::<Replay>() <= 32, "{} bytes", size_of::<Replay>());
}
