//! Which operation a rule hits, and how.

use super::{Fault, Faults, Hold};
use crate::clock;
use kreplay_core::fixture::{FaultPoint, FaultRule, Verdict};

fn rule(point: FaultPoint, skip: u32, times: u32, verdict: Verdict) -> FaultRule {
    FaultRule { point, skip, times, verdict }
}

#[test]
fn a_rule_hits_its_point_after_what_it_skips_and_as_often_as_it_says() {
    let faults = Faults::default();
    faults.inject(rule(FaultPoint::Sdma, 2, 2, Verdict::Twice));
    faults.inject(rule(FaultPoint::Sdma, 0, 1, Verdict::Hang));
    assert_eq!(faults.strike(FaultPoint::Doorbell), None);
    let struck = [(); 6].map(|()| faults.strike(FaultPoint::Sdma));
    let (twice, held) = (Some(Fault::Twice), Some(Fault::Held(Hold::Healed(0))));
    assert_eq!(struck, [None, None, twice, twice, held, None]);
}

#[test]
fn what_cannot_fail_hangs_until_it_is_healed() {
    for verdict in [Verdict::Fail, Verdict::Tear, Verdict::Hang] {
        let faults = Faults::default();
        faults.inject(rule(FaultPoint::Doorbell, 0, 2, verdict));
        let Some(Fault::Held(hold)) = faults.strike(FaultPoint::Doorbell) else { panic!("not held") };
        assert!(!faults.is_over(hold));
        faults.heal();
        assert!(faults.is_over(hold));
        assert_eq!(faults.strike(FaultPoint::Doorbell), None);
        faults.inject(rule(FaultPoint::Doorbell, 0, 1, verdict));
        let Some(Fault::Held(hold)) = faults.strike(FaultPoint::Doorbell) else { panic!("not held") };
        assert!(!faults.is_over(hold), "an earlier heal does not count");
    }
}

#[test]
fn what_is_late_is_as_late_as_it_says() {
    let faults = Faults::default();
    let before = clock::now();
    faults.inject(rule(FaultPoint::Sdma, 0, 2, Verdict::Delay(3_600 * clock::FREQUENCY)));
    faults.inject(rule(FaultPoint::Doorbell, 0, 1, Verdict::Delay(0)));
    let Some(Fault::Held(Hold::Until(hour))) = faults.strike(FaultPoint::Sdma) else { panic!("not held") };
    assert!(hour >= before + 3_600 * clock::FREQUENCY && hour <= clock::now() + 3_600 * clock::FREQUENCY);
    faults.heal();
    assert!(!faults.is_over(Hold::Until(hour)));
    faults.inject(rule(FaultPoint::Doorbell, 0, 1, Verdict::Delay(0)));
    let Some(Fault::Held(hold)) = faults.strike(FaultPoint::Doorbell) else { panic!("not held") };
    assert!(faults.is_over(hold));
}
