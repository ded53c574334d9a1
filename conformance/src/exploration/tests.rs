use super::*;

fn counterexample(mutant: &'static Explored) -> Token {
    let world = mutant.shown_in().expect("a world");
    let exploration = Exploration { mutant: Some(mutant), ..Exploration::of(world) };
    let found = exploration.counterexample().unwrap_or_else(|| panic!("{} is not found", mutant.name));
    assert_eq!(found.broken.0, mutant.invariant, "{}", mutant.name);
    Token { exploration, moves: found.moves }
}

#[test]
fn every_broken_engine_is_found_and_its_token_repeats_it() {
    for mutant in explored::ALL {
        let token = counterexample(mutant);
        let again: Token = token.to_string().parse().unwrap();
        assert_eq!(again.moves, token.moves, "{}", mutant.name);
        let told = again.exploration.tell(&again.moves);
        assert_eq!(told.broken.map(|broken| broken.0), Some(mutant.invariant), "{}", mutant.name);
        assert_eq!(told.lines.len(), token.moves.len());
    }
}

#[test]
fn each_world_of_a_broken_engine_is_sound_with_the_whole_one() {
    let mut worlds: Vec<&Named> = explored::ALL.iter().filter_map(Explored::shown_in).collect();
    worlds.dedup_by_key(|world| world.name);
    for world in worlds {
        assert_eq!(Exploration::of(world).counterexample(), None, "{}", world.name);
    }
}

/// Tokens that were printed once are repeated for as long as their version is the current one.
#[test]
fn old_tokens_are_still_repeated() {
    let tokens = [
        ("k1:two-replays:no-gate:-:AAABBBAB", "one-window-per-agent"),
        ("k1:two-threads:no-agent-drain:-:BBBBBBAAAAAAAAAC", "no-foreign-write"),
        ("k1:copies:no-copy-fence:-:AAAAAAAABC", "no-foreign-write"),
        ("k1:faults:complete-torn:-:AAAAAAAAAAAAAAACCCCCCAAAABAAA", "exactly-one-completion"),
        ("k1:toggles:share-overrides:-:BBBBBBBBBBBAAAAAAAAAAAABA", "sticky-overrides"),
        ("k1:reuse:unlocked-restore:-:AAAAAAAAAAAAAAABBBBBAAAAAAABBA", "restore-only-live"),
        ("k1:handler-dispatch:wait-on-async-events:-:BBBBBBBAAAAABBAAAAAAAAAAABBB", "no-deadlock"),
        (
            "k1:crossed:restore-tainted:-:\
             AAAAAAAAAAAAAABBBBBABBBBBBBAAAAAABBBBBBBBBBBBBBAABBBBBBBBBBBBAAAAAAAAAAAAAAAAAAABBA",
            "final-state",
        ),
    ];
    for (token, invariant) in tokens {
        let token: Token = token.parse().unwrap();
        let told = token.exploration.tell(&token.moves);
        assert_eq!(told.broken.map(|broken| broken.0), Some(invariant));
    }
}

#[test]
fn a_run_whose_faults_are_healed_is_told_and_repeated() {
    let mutant = Explored::named("complete-stuck-now").unwrap();
    let exploration = Exploration { mutant: Some(mutant), ..Exploration::of(world("faults").unwrap()) };
    let healed = "k1:faults:complete-stuck-now:-:_AAA";
    let token: Token = healed.parse().unwrap();
    assert_eq!(token.moves[0], Move::HEAL);
    assert_eq!(Token { exploration, moves: token.moves.clone() }.to_string(), healed);
    let told = token.exploration.tell(&token.moves);
    assert_eq!(told.lines[0].silent.as_deref(), Some("the faults are healed"));
    assert_eq!((told.lines[0].mover, told.lines.len(), told.broken), (None, 4, None));
}

#[test]
fn bad_tokens_are_refused_in_a_sentence() {
    let refused = |text: &str| text.parse::<Token>().map(drop).unwrap_err().to_string();
    insta::assert_snapshot!(
        [
            "",
            "two-replays",
            "k2:two-replays:-:-:AAA",
            "k1:two-replays:-:AAA",
            "k1:mars:-:-:AAA",
            "k1:two-replays:no-brain:-:AAA",
            "k1:two-replays:-:1*flood:AAA",
            "k1:two-replays:-:lots:AAA",
            "k1:two-replays:-:-:AA?",
            "k1:two-replays:-:-:AAZ",
            "k1:one-replay:exit-before-handler:-:AAAAAAAAAAAAAAAAAAAAAAAAA",
        ]
        .map(refused)
        .join("\n")
    );
}
