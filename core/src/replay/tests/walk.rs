//! Every path of the lone machine, and what holds on each.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

type Path = Vec<(Effect, Input)>;

/// Every path to the end; indefinite loops are cut.
fn paths() -> Vec<(Path, Outcome)> {
    let mut ended = Vec::new();
    for candidacy in [Candidacy::Candidate, Candidacy::Bystander] {
        let (state, effect) = Replay::begin(candidacy);
        follow(state, effect, &mut Vec::new(), &mut ended);
    }
    ended
}

fn follow(state: Replay, effect: Effect, path: &mut Path, ended: &mut Vec<(Path, Outcome)>) {
    for input in answers(effect) {
        path.push((effect, input));
        match state.step(input).expect("the answers are those of the effect") {
            Next::Do(_, effect) if cut(effect) => {}
            Next::Do(state, effect) => follow(state, effect, path, ended),
            Next::Finished(outcome) => ended.push((path.clone(), outcome)),
        }
        path.pop();
    }
}

fn count(path: &Path, wanted: impl Fn(Effect, Input) -> bool) -> usize {
    path.iter().filter(|(effect, input)| wanted(*effect, *input)).count()
}

fn asked(path: &Path, wanted: impl Fn(Effect) -> bool) -> usize {
    count(path, |effect, _| wanted(effect))
}

/// The plan of the path, if its dispatch was counted.
fn plan(path: &Path) -> Option<Plan> {
    let consult = path.iter().any(|(_, input)| *input == Input::Installed { consult: true });
    path.iter().find_map(|(_, input)| match input {
        Input::Count(total) => Some(Plan { total: *total, consult }),
        _ => None,
    })
}

#[test]
fn the_number_of_states_transitions_and_paths_is_known() {
    let states = reachable();
    let transitions: usize = states.iter().map(|(_, effect)| answers(*effect).len()).sum();
    assert_eq!((states.len(), transitions, paths().len()), (212, 524, 955));
}

#[test]
fn exactly_one_effect_settles_the_completion() {
    for (path, outcome) in paths() {
        let settled = count(&path, |effect, input| match effect {
            Effect::RunOnce(_) | Effect::Complete(_) => input == Input::Done,
            Effect::Withhold => true,
            _ => false,
        });
        assert_eq!(settled, 1, "{outcome:?}: {path:?}");
    }
}

#[test]
fn only_refusals_and_torn_memory_withhold_the_completion() {
    for (path, outcome) in paths() {
        let refused = count(&path, |effect, input| {
            matches!(effect, Effect::RunOnce(_) | Effect::Complete(_)) && input == Input::Failed
        });
        let withheld = asked(&path, |effect| effect == Effect::Withhold) == 1;
        assert_eq!(withheld, refused == 1 || outcome == Outcome::Corrupt, "{path:?}");
    }
}

#[test]
fn enters_and_exits_balance() {
    for (path, _) in paths() {
        let passes = |wanted: fn(Effect) -> Option<u64>| -> Vec<u64> {
            path.iter().filter_map(|(effect, _)| wanted(*effect)).collect()
        };
        let entered = passes(|effect| if let Effect::PassEnter(pass) = effect { Some(pass) } else { None });
        let exited = passes(|effect| if let Effect::PassExit(pass) = effect { Some(pass) } else { None });
        assert_eq!(entered, exited, "{path:?}");
        assert_eq!(entered, (0..entered.len() as u64).collect::<Vec<_>>(), "{path:?}");
        let config_enter = asked(&path, |effect| effect == Effect::ConfigEnter);
        let config_exit = asked(&path, |effect| matches!(effect, Effect::ConfigExit(_)));
        assert_eq!(config_enter, config_exit, "{path:?}");
        assert!(config_exit <= 1, "{path:?}");
    }
}

#[test]
fn a_gate_is_given_back_exactly_if_it_was_taken() {
    for (path, outcome) in paths() {
        let locked = count(&path, |_, input| matches!(input, Input::Locked(_)));
        let unlocked: Vec<Condition> = path
            .iter()
            .filter_map(
                |(effect, _)| if let Effect::Unlock(condition) = effect { Some(*condition) } else { None },
            )
            .collect();
        assert_eq!(locked, unlocked.len(), "{path:?}");
        let poisoned = unlocked.contains(&Condition::Poisoned);
        assert_eq!(poisoned, outcome == Outcome::Corrupt, "{path:?}");
    }
}

#[test]
fn a_fence_is_closed_exactly_if_it_was_opened() {
    for (path, _) in paths() {
        let opened = asked(&path, |effect| effect == Effect::OpenFence);
        let closed = asked(&path, |effect| effect == Effect::CloseFence);
        assert_eq!(opened, closed, "{path:?}");
    }
}

#[test]
fn a_restore_leads_to_another_pass_unless_it_is_torn_or_the_window_is_tainted() {
    for (path, _) in paths() {
        let restores = count(&path, |effect, input| effect == Effect::Restore && input == Input::Done);
        let passes = asked(&path, |effect| matches!(effect, Effect::PassEnter(_)));
        assert_eq!(restores, passes.saturating_sub(1), "{path:?}");
    }
}

#[test]
fn continue_is_asked_only_while_the_plan_allows_a_further_pass() {
    for (path, _) in paths() {
        let Some(plan) = plan(&path) else { continue };
        for (effect, _) in &path {
            if let Effect::AskContinue(pass) = effect {
                assert!(plan.consult, "{path:?}");
                assert!(plan.total == 0 || pass + 1 < plan.total, "{path:?}");
            }
        }
    }
}

#[test]
fn continue_is_asked_after_each_pass_before_the_next_one() {
    for (path, _) in paths() {
        let Some(Plan { consult: true, .. }) = plan(&path) else { continue };
        let restores = asked(&path, |effect| effect == Effect::Restore);
        let continued = count(&path, |_, input| input == Input::Answered(Ok(true)));
        assert_eq!(continued, restores, "{path:?}");
    }
}

#[test]
fn every_outcome_and_reason_is_reached() {
    let outcomes: BTreeSet<&str> = paths().iter().filter_map(|(_, outcome)| outcome.name()).collect();
    assert_eq!(outcomes, BTreeSet::from(["corrupt", "declined", "replayed", "stuck"]));
    let reasons: BTreeSet<Reason> = paths().iter().map(|(_, outcome)| outcome.reason()).collect();
    assert_eq!(reasons, BTreeSet::from(Reason::ALL));
}

#[test]
fn an_indefinite_loop_folds_into_its_last_pass() {
    let mut machine = Replay::begin(Candidacy::Candidate).0;
    let answers = [Input::Installed { consult: true }, Input::Count(0), Input::Locked(Condition::Sound)];
    let window = [Input::Done; 5];
    let pass =
        [Input::Done, Input::Done, Input::Done, Input::Exited(None), Input::Answered(Ok(true)), Input::Done];
    let mut entered = Vec::new();
    for input in answers.into_iter().chain(window).chain(pass.repeat(4)) {
        let Ok(Next::Do(next, effect)) = machine.step(input).map(|next| next.folded(2)) else { panic!() };
        if let Effect::PassEnter(pass) = effect {
            entered.push(pass);
        }
        machine = next;
    }
    assert_eq!(entered, [0, 1, 2, 2, 2]);
}

proptest! {
    #[test]
    fn any_answers_end_a_fixed_plan(
        total in 1_u64..40,
        consult: bool,
        choices in proptest::collection::vec(any::<prop::sample::Index>(), 1..64),
        plain in 0_usize..64,
    ) {
        let (mut state, mut effect) = Replay::begin(Candidacy::Candidate);
        let bound = 16 + 6 * usize::try_from(total).expect("small");
        for step in 0..bound {
            let input = match effect {
                Effect::ConfigEnter => Input::Installed { consult },
                Effect::AskPassCount => Input::Count(total),
                _ if step < plain => answers(effect)[0],
                _ => { let answers = answers(effect); answers[choices[step % choices.len()].index(answers.len())] }
            };
            match state.step(input)? {
                Next::Do(next, following) => (state, effect) = (next, following),
                Next::Finished(_) => return Ok(()),
            }
        }
        prop_assert!(false, "still in {state:?} after {bound} steps");
    }
}
