//! Which cases judge which requirement, and where list and suite do not fit each other.

use crate::case::Case;
use crate::spec::{Requirement, Spec, is_kebab};
use std::collections::BTreeSet;

/// A requirement and the cases that cite it.
#[derive(Clone, Debug)]
pub struct Covered<'a> {
    /// Its area.
    pub area: &'a str,
    /// The requirement.
    pub requirement: &'a Requirement,
    /// Ids of the cases, in the order of the suite.
    pub cases: Vec<&'static str>,
}

/// Where list and suite do not fit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum Gap {
    /// A requirement that nobody judges.
    #[error("requirement '{0}' has no case: cite it in one, or mark it planned")]
    Uncovered(String),
    /// A planned requirement that is judged.
    #[error("requirement '{0}' is marked planned and has cases: delete the mark")]
    Planned(String),
    /// A case that cites an id that does not exist.
    #[error("case '{case}' cites '{cited}', which is not in docs/spec.md")]
    Unknown {
        /// The case.
        case: &'static str,
        /// What it cites.
        cited: &'static str,
    },
    /// A case that cites nothing.
    #[error("case '{0}' cites no requirement")]
    Idle(&'static str),
    /// Two cases with one id.
    #[error("case '{0}' occurs twice")]
    Repeated(&'static str),
    /// An id that is not `area/name` or `area/name:parameter` with an area of the list.
    #[error("case '{0}' is not named area/name or area/name:parameter after an area of docs/spec.md")]
    Name(&'static str),
}

/// Every requirement with its cases.
pub fn cover<'a>(spec: &'a Spec, cases: &[Case]) -> Vec<Covered<'a>> {
    let citing =
        |id: &str| cases.iter().filter(|case| case.cites.contains(&id)).map(|case| case.id).collect();
    let covered = |(area, requirement): (&'a str, &'a Requirement)| Covered {
        area,
        requirement,
        cases: citing(&requirement.id),
    };
    spec.requirements().map(covered).collect()
}

/// Everything that does not fit.
pub fn gaps(spec: &Spec, cases: &[Case]) -> Vec<Gap> {
    let of_requirements = cover(spec, cases).into_iter().filter_map(|covered| requirement_gap(&covered));
    let of_cases = cases.iter().flat_map(|case| case_gaps(spec, case));
    let mut seen = BTreeSet::new();
    let repeated = cases.iter().filter(move |case| !seen.insert(case.id)).map(|case| Gap::Repeated(case.id));
    of_requirements.chain(of_cases).chain(repeated).collect()
}

fn requirement_gap(covered: &Covered<'_>) -> Option<Gap> {
    let id = || covered.requirement.id.clone();
    match (&covered.requirement.planned, covered.cases.is_empty()) {
        (None, true) => Some(Gap::Uncovered(id())),
        (Some(_), false) => Some(Gap::Planned(id())),
        (None, false) | (Some(_), true) => None,
    }
}

fn case_gaps(spec: &Spec, case: &Case) -> Vec<Gap> {
    let unknown = case.cites.iter().filter(|cited| spec.requirement(cited).is_none());
    let mut gaps: Vec<Gap> = unknown.map(|cited| Gap::Unknown { case: case.id, cited }).collect();
    if case.cites.is_empty() {
        gaps.push(Gap::Idle(case.id));
    }
    if !is_well_named(spec, case) {
        gaps.push(Gap::Name(case.id));
    }
    gaps
}

fn is_well_named(spec: &Spec, case: &Case) -> bool {
    let Some((area, name)) = case.id.split_once('/') else { return false };
    let (name, parameter) = name.split_once(':').unwrap_or((name, "0"));
    spec.areas.iter().any(|known| known.name == area) && is_kebab(name) && is_kebab(parameter)
}

#[cfg(test)]
mod tests {
    use super::{Gap, cover, gaps};
    use crate::case::Case;
    use crate::cases;
    use crate::spec::{SPEC, Spec};

    fn spec() -> Spec {
        let entry =
            |id: &str, more: &str| format!("### {id}\n*Seed: callback API, Payload.*\n{more}\nText.\n\n");
        let text = format!("## a\n\n{}{}", entry("now", ""), entry("later", "*Planned: waits.*\n"));
        Spec::parse(&text).unwrap()
    }

    const fn case(id: &'static str, cites: &'static [&'static str]) -> Case {
        Case::new(id, cites, |_| Ok(()))
    }

    #[test]
    fn each_requirement_knows_its_cases() {
        let cases = [case("a/one", &["now"]), case("a/two:x", &["now"])];
        assert_eq!(cover(&spec(), &cases)[0].cases, ["a/one", "a/two:x"]);
        assert_eq!(gaps(&spec(), &cases), []);
    }

    #[test]
    fn a_requirement_is_judged_or_planned_and_not_both() {
        assert_eq!(gaps(&spec(), &[]), [Gap::Uncovered("now".into())]);
        assert_eq!(gaps(&spec(), &[case("a/both", &["now", "later"])]), [Gap::Planned("later".into())]);
    }

    #[test]
    fn a_case_cites_what_exists() {
        let cases = [case("a/one", &["now"]), case("a/odd", &["never"]), case("a/idle", &[])];
        let unknown = Gap::Unknown { case: "a/odd", cited: "never" };
        assert_eq!(gaps(&spec(), &cases), [unknown, Gap::Idle("a/idle")]);
    }

    #[test]
    fn ids_are_unique_and_well_formed() {
        let bad = ["a", "b/other-area", "a/Upper", "a/", "a/x:", "a/x:y:z", "a/x y"];
        for id in bad {
            assert_eq!(gaps(&spec(), &[case(id, &["now"])]), [Gap::Name(id)]);
        }
        let twice = [case("a/one", &["now"]), case("a/one", &["now"])];
        assert_eq!(gaps(&spec(), &twice), [Gap::Repeated("a/one")]);
    }

    #[test]
    fn the_suite_covers_its_requirements() {
        let found: Vec<String> = gaps(&SPEC, &cases::all()).iter().map(Gap::to_string).collect();
        assert!(found.is_empty(), "{} gaps:\n{}", found.len(), found.join("\n"));
    }
}
