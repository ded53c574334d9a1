use super::{NoMatch, glob, select};
use crate::case::Case;
use proptest::prelude::*;

const CASES: [Case; 6] = [
    Case::new("config/once", &[], |_| Ok(())),
    Case::new("config/once-more", &[], |_| Ok(())),
    Case::new("counting/fixed:2", &[], |_| Ok(())),
    Case::new("counting/fixed:3", &[], |_| Ok(())),
    Case::new("memory/fixed", &[], |_| Ok(())),
    Case::new("memory/restore", &[], |_| Ok(())),
];

fn ids(query: &str) -> Vec<&'static str> {
    select(&CASES, query).unwrap().iter().map(|case| case.id).collect()
}

#[test]
fn an_exact_id_means_that_case_alone() {
    assert_eq!(ids("config/once"), ["config/once"]);
}

#[test]
fn an_area_means_its_cases() {
    assert_eq!(ids("memory"), ["memory/fixed", "memory/restore"]);
    assert_eq!(ids("memory/"), ["memory/fixed", "memory/restore"]);
}

#[test]
fn a_name_without_parameter_means_every_parameter() {
    assert_eq!(ids("counting/fixed"), ["counting/fixed:2", "counting/fixed:3"]);
}

#[test]
fn a_prefix_means_what_begins_with_it() {
    assert_eq!(ids("co"), ["config/once", "config/once-more", "counting/fixed:2", "counting/fixed:3"]);
}

#[test]
fn a_star_stands_for_anything() {
    assert_eq!(ids("*/fixed*"), ["counting/fixed:2", "counting/fixed:3", "memory/fixed"]);
    assert_eq!(ids("*re"), ["config/once-more", "memory/restore"]);
    assert_eq!(ids("*").len(), CASES.len());
}

#[test]
fn an_unknown_query_is_told_what_there_is() {
    let told = ["memory/restor*e2", "fixd:2", "memry", "Memory", "Config/Once", "", "zzz*"]
        .map(|q| select(&CASES, q).unwrap_err().to_string());
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn requirements_are_suggested_to_who_asks_for_them() {
    let ids = ["identical-inputs", "inputs-restored"];
    let told =
        ["identicl-inputs", "memry", "zzz"].map(|q| NoMatch::among_requirements(&CASES, &ids, q).to_string());
    insta::assert_snapshot!(told.join("\n"));
}

proptest! {
    #[test]
    fn a_pattern_cut_out_of_a_text_matches_it(text in "[a-c/*]{0,12}", from in 0usize..13, to in 0usize..13) {
        let (from, to) = (from.min(text.len()), to.min(text.len()));
        let pattern = format!("{}*{}", &text[..from.min(to)], &text[from.max(to)..]);
        prop_assert!(glob(&pattern, &text));
    }
}
