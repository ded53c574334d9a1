//! What the pages say about files, counts, counters and cases.

use kreplay_conformance::spec::{Area, SPEC};
use kreplay_core::fixture::Fixture;
use kreplay_core::ids::AgentId;
use kreplay_sim::Sim;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The workspace.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace is above the package")
}

fn text(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// README.md and every page of docs.
fn pages() -> Vec<PathBuf> {
    let docs = fs::read_dir(root().join("docs")).expect("docs exists");
    let pages = docs.map(|entry| entry.expect("docs can be listed").path());
    let mut pages: Vec<PathBuf> =
        pages.filter(|path| path.extension().is_some_and(|end| end == "md")).collect();
    pages.sort();
    pages.insert(0, root().join("README.md"));
    pages
}

/// Where the links of a page lead, but for other sites.
fn links(page: &str) -> Vec<&str> {
    let targets = page.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target);
    targets.filter(|target| !target.contains("://")).collect()
}

/// The anchors that a page's headings make.
fn anchors(page: &str) -> BTreeSet<String> {
    let headings =
        page.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    let kept = |letter: &char| letter.is_alphanumeric() || *letter == '-' || *letter == ' ';
    headings
        .map(|name| name.to_lowercase().chars().filter(kept).collect::<String>().replace(' ', "-"))
        .collect()
}

fn leads_somewhere(page: &Path, link: &str) -> bool {
    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
    let target = if file.is_empty() { page.to_owned() } else { page.with_file_name(file) };
    target.exists() && (anchor.is_empty() || anchors(&text(target)).contains(anchor))
}

#[test]
fn every_link_leads_somewhere() {
    let mut checked = 0;
    for page in pages() {
        for link in links(&text(&page)) {
            checked += 1;
            assert!(leads_somewhere(&page, link), "{}: nothing is at {link}", page.display());
        }
    }
    assert!(checked > 20, "{checked} links");
}

#[test]
fn a_link_that_leads_nowhere_is_found() {
    let page = root().join("README.md");
    for link in ["docs/none.md", "#none", "docs/spec.md#none"] {
        assert!(!leads_somewhere(&page, link), "{link}");
    }
    assert_eq!(links("[a](b.md) and [c](https://d) and [e](#f)"), ["b.md", "#f"]);
}

#[test]
fn the_list_of_requirements_begins_with_its_areas() {
    let line = |Area { name, requirements }: &Area| {
        let planned = requirements.iter().filter(|requirement| requirement.planned.is_some()).count();
        format!("| [{name}](#{name}) | {} | {planned} |", requirements.len())
    };
    let spec = text("docs/spec.md");
    let contents: Vec<&str> = spec.lines().filter(|line| line.starts_with("| [")).collect();
    assert_eq!(contents, SPEC.areas.iter().map(line).collect::<Vec<String>>());
}

/// Counter, block, and registers of the block on an agent.
fn documented(page: &str, agent: usize) -> BTreeSet<(String, String, u32)> {
    let mut counters = BTreeSet::new();
    for row in page.lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [block, names, registers @ ..] = cells.as_slice() else { continue };
        let Some(Ok(registers)) = registers.get(agent).map(|registers| registers.parse()) else { continue };
        let names = names.split(", ").map(|name| name.trim_matches('`').to_owned());
        counters.extend(names.map(|name| (name, (*block).to_owned(), registers)));
    }
    counters
}

#[test]
fn the_counters_are_those_of_the_machine() {
    let page = text("docs/simulation.md");
    let backend = Sim::new(kreplay_sim::SimConfig::default()).backend();
    for (index, agent) in [AgentId(0), AgentId(1)].into_iter().enumerate() {
        let counters = backend.counters(agent);
        let real =
            counters.iter().map(|one| (one.name.to_owned(), one.block.to_owned(), one.block_registers));
        assert_eq!(documented(&page, index), real.collect(), "{agent}");
    }
}

#[test]
fn the_case_of_the_documentation_is_in_the_suite() {
    let page = text("docs/contributing.md");
    let source = text("conformance/src/cases/counting/opting_out.rs");
    let shown =
        page.split("```rust\n").nth(1).and_then(|rest| rest.split("```").next()).expect("it shows a case");
    for part in shown.split("\n\n") {
        assert!(source.contains(part.trim_end()), "not in the source: {part}");
    }
}
