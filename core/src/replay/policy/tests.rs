use super::*;

const BYTES: u64 = 1 << 20;

fn footprint() -> Footprint {
    Footprint { bytes: BYTES, regions: 3, ..Footprint::default() }
}

fn policy(variables: &[(&str, &str)]) -> Result<Policy, PolicyError> {
    Policy::from_env(|name| {
        let name = name.strip_prefix("ROCPROFILER_KERNEL_REPLAY_").expect("every variable has the prefix");
        variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
    })
}

#[test]
fn a_footprint_without_untracked_memory_is_admitted() {
    assert_eq!(Policy::default().admit(&footprint(), Some(u64::MAX)), Ok(()));
}

#[test]
fn an_empty_footprint_is_admitted() {
    assert_eq!(Policy::default().admit(&Footprint::default(), Some(0)), Ok(()));
}

#[test]
fn a_live_mapping_declines_unless_the_policy_allows_it() {
    let mapped = Footprint { vmem_bytes: 4096, vmem_regions: 1, ..footprint() };
    assert_eq!(Policy::default().admit(&mapped, None), Err(Reason::UntrackedMemory));
    let lenient = Policy { decline_on_vmem: false, ..Policy::default() };
    assert_eq!(lenient.admit(&mapped, None), Ok(()));
}

#[test]
fn pool_memory_that_a_snapshot_misses_declines_only_under_the_strict_policy() {
    let missed = Footprint { pool_bytes: 4096, pool_regions: 1, ..footprint() };
    assert_eq!(Policy::default().admit(&missed, None), Ok(()));
    let strict = Policy { decline_on_untracked_pool: true, ..Policy::default() };
    assert_eq!(strict.admit(&missed, None), Err(Reason::UntrackedMemory));
}

#[test]
fn the_number_of_mappings_is_the_evidence_and_not_their_size() {
    let policy = Policy { decline_on_untracked_pool: true, ..Policy::default() };
    let empty_mapping = Footprint { vmem_regions: 1, ..footprint() };
    assert_eq!(policy.admit(&empty_mapping, None), Err(Reason::UntrackedMemory));
    let empty_pool = Footprint { pool_regions: 1, ..footprint() };
    assert_eq!(policy.admit(&empty_pool, None), Err(Reason::UntrackedMemory));
    let bytes_only = Footprint { vmem_bytes: 4096, pool_bytes: 4096, ..footprint() };
    assert_eq!(policy.admit(&bytes_only, None), Ok(()));
}

#[test]
fn a_footprint_exactly_at_the_budget_is_admitted_and_one_byte_more_is_not() {
    let policy = Policy::default();
    assert_eq!(policy.admit(&footprint(), Some(BYTES)), Ok(()));
    assert_eq!(policy.admit(&footprint(), Some(BYTES - 1)), Err(Reason::FootprintBudget));
}

#[test]
fn no_budget_means_no_limit() {
    let huge = Footprint { bytes: u64::MAX, ..footprint() };
    assert_eq!(Policy::default().admit(&huge, None), Ok(()));
}

#[test]
fn untracked_memory_is_named_before_the_budget() {
    let both = Footprint { vmem_regions: 1, ..footprint() };
    assert_eq!(Policy::default().admit(&both, Some(0)), Err(Reason::UntrackedMemory));
}

#[test]
fn the_default_budget_leaves_half_of_the_host_memory() {
    let policy = Policy::default();
    assert_eq!(policy.budget(Some(1000)), Some(500));
    assert_eq!(policy.budget(None), None);
}

#[test]
fn an_explicit_budget_does_not_depend_on_host_memory() {
    let policy = Policy { max_snapshot_bytes: 4096, ..Policy::default() };
    assert_eq!(policy.budget(Some(1000)), Some(4096));
    assert_eq!(policy.budget(None), Some(4096));
}

#[test]
fn a_projection_exactly_at_the_limit_does_not_warn_and_one_pass_more_does() {
    let ten_seconds = Footprint { bytes: 1_000_000_000, ..Footprint::default() };
    let plan = |total| Plan { total, consult: false };
    assert_eq!(Policy::default().slow(&ten_seconds, plan(40)), None);
    assert_eq!(Policy::default().slow(&ten_seconds, plan(41)), Some(11));
}

#[test]
fn an_indefinite_loop_is_projected_as_two_passes() {
    let large = Footprint { bytes: 40_000_000_000, ..Footprint::default() };
    let indefinite = Policy::default().slow(&large, Plan { total: 0, consult: true });
    assert_eq!(indefinite, Some(20));
    assert_eq!(indefinite, Policy::default().slow(&large, Plan { total: 2, consult: true }));
}

#[test]
fn a_slow_projection_never_declines_and_zero_seconds_never_warn() {
    let large = Footprint { bytes: 1 << 50, ..Footprint::default() };
    let plan = Plan { total: 100, consult: false };
    assert!(Policy::default().slow(&large, plan).is_some());
    assert_eq!(Policy::default().admit(&large, None), Ok(()));
    let silent = Policy { warn_seconds: 0.0, ..Policy::default() };
    assert_eq!(silent.slow(&large, plan), None);
}

#[test]
fn an_unusable_rate_is_projected_with_the_default_one() {
    let large = Footprint { bytes: 80_000_000_000, ..Footprint::default() };
    let plan = Plan { total: 2, consult: false };
    for rate in [0.0, -1.0, f64::NAN] {
        let policy = Policy { assumed_gbps: rate, ..Policy::default() };
        assert_eq!(policy.slow(&large, plan), Some(40), "{rate}");
    }
}

#[test]
fn an_empty_environment_is_the_default_policy() {
    assert_eq!(policy(&[]), Ok(Policy::default()));
}

#[test]
fn every_variable_can_be_set() {
    let set = policy(&[
        ("DECLINE_ON_VMEM", "0"),
        ("DECLINE_ON_UNTRACKED_POOL", "Yes"),
        ("MAX_SNAPSHOT_BYTES", " 4096 "),
        ("WARN_SECONDS", "2.5"),
        ("ASSUMED_GBPS", "16"),
    ]);
    let expected = Policy {
        decline_on_vmem: false,
        decline_on_untracked_pool: true,
        max_snapshot_bytes: 4096,
        warn_seconds: 2.5,
        assumed_gbps: 16.0,
    };
    assert_eq!(set, Ok(expected));
}

#[test]
fn flags_are_read_in_each_usual_spelling() {
    for (spelling, expected) in [
        ("1", true),
        ("true", true),
        ("YES", true),
        ("on", true),
        ("0", false),
        ("False", false),
        ("no", false),
        ("off", false),
    ] {
        let read = policy(&[("DECLINE_ON_VMEM", spelling)]).map(|policy| policy.decline_on_vmem);
        assert_eq!(read, Ok(expected), "{spelling}");
    }
}

#[test]
fn a_rate_that_is_not_positive_becomes_the_default() {
    for value in ["0", "-4"] {
        let read = policy(&[("ASSUMED_GBPS", value)]).map(|policy| policy.assumed_gbps);
        assert_eq!(read, Ok(ASSUMED_GBPS), "{value}");
    }
}

#[test]
fn values_that_cannot_be_read_are_refused_by_name() {
    let bad = [
        ("DECLINE_ON_VMEM", "maybe"),
        ("DECLINE_ON_VMEM", ""),
        ("DECLINE_ON_UNTRACKED_POOL", "2"),
        ("MAX_SNAPSHOT_BYTES", "-1"),
        ("MAX_SNAPSHOT_BYTES", "1e9"),
        ("MAX_SNAPSHOT_BYTES", "18446744073709551616"),
        ("WARN_SECONDS", "ten"),
        ("WARN_SECONDS", "inf"),
        ("ASSUMED_GBPS", "NaN"),
        ("ASSUMED_GBPS", "4 GB/s"),
    ];
    let refusals: Vec<String> = bad
        .iter()
        .map(|(variable, value)| {
            policy(&[(variable, value)])
                .map_or_else(|error| error.to_string(), |policy| format!("{policy:?}"))
        })
        .collect();
    let refusals = refusals.join("\n");
    insta::assert_snapshot!(refusals);
}

#[test]
fn a_watchdog_barks_at_its_limit_and_not_before() {
    let indefinite = Plan { total: 0, consult: true };
    let passes = Watchdog { passes: Some(10), time: None };
    assert!(!passes.barks(indefinite, 9, Duration::MAX));
    assert!(passes.barks(indefinite, 10, Duration::ZERO));
    let time = Watchdog { passes: None, time: Some(Duration::from_secs(1)) };
    assert!(!time.barks(indefinite, u64::MAX, Duration::from_millis(999)));
    assert!(time.barks(indefinite, 0, Duration::from_secs(1)));
}

#[test]
fn a_watchdog_leaves_fixed_loops_alone() {
    let watchdog = Watchdog { passes: Some(1), time: Some(Duration::ZERO) };
    assert!(!watchdog.barks(Plan { total: 3, consult: true }, 2, Duration::MAX));
}
