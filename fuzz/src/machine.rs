//! The replay machine, given any answers.

mod rules;

use arbitrary::{Result, Unstructured};
use kreplay_core::replay::{Candidacy, Condition, Effect, Halt, Input, Next, ProtocolError, Reason, Replay};
use rules::Rules;

/// Answers the machine until the bytes end or it finishes. An answer that the outstanding effect cannot have must be
/// rejected, and the machine is asked again.
pub fn machine(data: &[u8]) {
    let mut bytes = Unstructured::new(data);
    let candidacy = if bytes.ratio(1, 16) == Ok(true) { Candidacy::Bystander } else { Candidacy::Candidate };
    let (mut machine, mut effect) = Replay::begin(candidacy);
    let mut rules = Rules::default();
    while let Some(input) = answer(&mut bytes) {
        let next = machine.step(input);
        assert_eq!(next.is_ok(), can_have(effect, input), "{effect:?} answered with {input:?}");
        match next {
            Ok(Next::Do(next, following)) => {
                rules.performed(effect, input);
                (machine, effect) = (next, following);
            }
            Ok(Next::Finished(outcome)) => {
                rules.performed(effect, input);
                return rules.finished(outcome);
            }
            Err(error) => assert_eq!(error, ProtocolError { state: machine, input }),
        }
    }
}

/// The next answer; none when the bytes have ended.
fn answer(bytes: &mut Unstructured<'_>) -> Option<Input> {
    if bytes.is_empty() { None } else { input(bytes).ok() }
}

fn input(bytes: &mut Unstructured<'_>) -> Result<Input> {
    Ok(match bytes.int_in_range(0..=15)? {
        0 => Input::Installed { consult: bytes.arbitrary()? },
        1 => Input::OptedOut,
        2 => Input::Count(bytes.int_in_range(0..=4)?),
        3 => Input::Count(bytes.arbitrary()?),
        4 => Input::Panicked,
        5 => Input::Locked(*bytes.choose(&[Condition::Sound, Condition::Poisoned])?),
        6 => Input::Reentrant,
        7 => Input::Declined(*bytes.choose(&Reason::ALL)?),
        8 => Input::Expired,
        9 => Input::Failed,
        10 => Input::Exited(bytes.arbitrary::<bool>()?.then(|| halt(bytes)).transpose()?),
        11 => Input::Answered(if bytes.arbitrary()? { Ok(bytes.arbitrary()?) } else { Err(halt(bytes)?) }),
        12 => Input::Tainted,
        13 => Input::Torn,
        _ => Input::Done,
    })
}

fn halt(bytes: &mut Unstructured<'_>) -> Result<Halt> {
    bytes.choose(&[Halt::Tainted, Halt::Finalizing, Halt::Panicked, Halt::Watchdog]).copied()
}

/// Whether the contract knows an answer to an effect.
fn can_have(effect: Effect, answer: Input) -> bool {
    use Input as I;
    match effect {
        Effect::ConfigEnter => matches!(answer, I::Installed { .. } | I::OptedOut | I::Panicked),
        Effect::AskPassCount => matches!(answer, I::Count(_) | I::Panicked),
        Effect::Lock => matches!(answer, I::Locked(_) | I::Reentrant),
        Effect::Admit => match answer {
            I::Declined(reason) => {
                matches!(reason, Reason::UntrackedMemory | Reason::FootprintBudget | Reason::SnapshotFailed)
            }
            other => other == I::Done,
        },
        Effect::DrainQueue | Effect::DrainAgent | Effect::OpenFence | Effect::AwaitHandler(_) => {
            matches!(answer, I::Done | I::Expired)
        }
        Effect::Snapshot | Effect::Submit(_) | Effect::RunOnce(_) | Effect::Complete(_) => {
            matches!(answer, I::Done | I::Failed)
        }
        Effect::PassEnter(_) => matches!(answer, I::Done | I::Panicked),
        Effect::PassExit(_) => matches!(answer, I::Exited(_)),
        Effect::AskContinue(_) => matches!(answer, I::Answered(_)),
        Effect::Restore => matches!(answer, I::Done | I::Tainted | I::Torn),
        Effect::CloseFence | Effect::ConfigExit(_) | Effect::Withhold | Effect::Unlock(_) => {
            answer == I::Done
        }
    }
}
