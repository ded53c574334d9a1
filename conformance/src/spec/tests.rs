use super::{Problem, SPEC, Source, Spec, SpecError};

const GOOD: &str = "# Title\n\nWords.\n\n* a list: before.\n\n## one\n\nAbout it.\n\n### first\n\
    *Seed: callback API, Payload.*\n*Checker: watcher.*\n\nSays this\nand that.\n\n\
    ### second-2\n*Ruling: tool library, Tool finalization.*\n*Planned: waits for it.*\n\nText.\n\n\
    ## two\n\n### third\n*Ruling: beyond the seeds.*\n\nText.\n";

#[test]
fn a_list_is_read_by_area() {
    insta::assert_debug_snapshot!(Spec::parse(GOOD).unwrap());
}

#[test]
fn sources_are_told_in_words() {
    let spec = Spec::parse(GOOD).unwrap();
    let sources: Vec<String> = spec.requirements().map(|(_, found)| found.source.to_string()).collect();
    assert_eq!(
        sources,
        ["callback API, Payload", "ruling on tool library, Tool finalization", "ruling beyond the seeds"]
    );
}

#[test]
fn each_mistake_is_named_with_its_line() {
    let mistakes = [
        "### lost\n*Seed: callback API, Payload.*\n\nText.\n",
        "## Upper\n",
        "## a\n\n## a\n",
        "## a\n\n### b--c\n",
        "## a\n\n### b\n*Seed: callback API, Payload.*\n\nText.\n\n### b\n",
        "## a\n\n### b\n*Source: callback API, Payload.*\n",
        "## a\n\n### b\n*Seed: callback API, Payload*\n",
        "## a\n\n### b\n*Seed: somewhere, Payload.*\n",
        "## a\n\n### b\n*Seed: callback API.*\n",
        "## a\n\n### b\n*Seed: callback API, Payload.*\n*Ruling: beyond the seeds.*\n",
        "## a\n\n### b\n\nText.\n",
        "## a\n\n### b\n*Seed: callback API, Payload.*\n",
    ];
    let told: Vec<String> = mistakes.iter().map(|text| Spec::parse(text).unwrap_err().to_string()).collect();
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn a_mistake_at_the_end_is_found() {
    let end = Spec::parse("## a\n\n### b\n\nText.").unwrap_err();
    assert_eq!(end, SpecError { line: 3, problem: Problem::NoSource("b".to_owned()) });
}

#[test]
fn invariants_are_watched_by_the_checker_of_their_name() {
    let invariants = SPEC.areas.iter().find(|area| area.name == "invariants").unwrap();
    for found in &invariants.requirements {
        assert_eq!(found.checker.as_ref(), Some(&found.id));
    }
}

#[test]
fn both_documents_and_rulings_are_in_the_list() {
    let count = |wanted: fn(&Source) -> bool| SPEC.requirements().filter(|(_, r)| wanted(&r.source)).count();
    let of = |source: &Source, document: &str| matches!(source, Source::Seed(s) if s.document == document);
    assert!(SPEC.requirements().any(|(_, found)| of(&found.source, "callback API")));
    assert!(SPEC.requirements().any(|(_, found)| of(&found.source, "tool library")));
    assert!(count(|source| matches!(source, Source::Ruling(_))) > 0);
    assert!(count(|source| matches!(source, Source::Beyond)) > 0);
}
