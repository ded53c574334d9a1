//! The machine as a table and as a graph.

use super::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Variant name and what of the fields decides the successor. The numbers of a loop matter only where a pass exits.
fn shape(state: Replay, effect: Effect) -> (String, String) {
    let text = format!("{state:?}");
    let (name, fields) = text.split_once(['(', ' ']).unwrap_or((&text, ""));
    let shape = match state {
        Replay::PassExiting(_) if fields.contains("doomed: true") => "doomed".into(),
        Replay::PassExiting(_) => {
            let next = state.step(Input::Exited(None));
            match next {
                Ok(Next::Do(_, Effect::CloseFence)) => "last pass".into(),
                Ok(Next::Do(_, Effect::AskContinue(_))) => "more, consult".into(),
                _ => "more, no consult".into(),
            }
        }
        Replay::Counting { consult } => if consult { "consult" } else { "no consult" }.into(),
        Replay::PassAbandoning(outcome)
        | Replay::ClosingFence(outcome)
        | Replay::ConfigExiting(outcome)
        | Replay::RunningOnce(outcome)
        | Replay::Completing(outcome)
        | Replay::Withholding(outcome)
        | Replay::Unlocking(outcome) => format!("{outcome:?}"),
        _ => String::new(),
    };
    assert!(!answers(effect).is_empty());
    (name.to_owned(), shape)
}

fn successor(shape: &str, input: Input, next: Next) -> String {
    let (text, outcome) = match next {
        Next::Do(_, Effect::ConfigExit(outcome)) => ("ConfigExit".to_owned(), Some(outcome)),
        Next::Do(_, effect) => (format!("{effect:?}"), None),
        Next::Finished(outcome) => ("finished".to_owned(), Some(outcome)),
    };
    let text =
        text.split_once(|c: char| c.is_ascii_digit()).map_or(text.clone(), |(head, _)| format!("{head}i)"));
    match outcome {
        None => text,
        Some(outcome) if format!("{outcome:?}") == shape => format!("{text}(same)"),
        Some(outcome) if format!("{outcome:?}") == format!("{input:?}") => format!("{text}(same)"),
        Some(outcome) => format!("{text}({outcome:?})"),
    }
}

#[test]
fn the_table_of_states_and_answers() {
    // (state, answers, successor) -> shapes; shapes whose rows are alike share a line.
    let mut cells: BTreeMap<(usize, String, String, String), String> = BTreeMap::new();
    let mut order: Vec<String> = Vec::new();
    let (mut accepted, mut rejected) = (BTreeSet::new(), BTreeSet::new());
    for (state, effect) in reachable() {
        let (name, shape) = shape(state, effect);
        let rank = order.iter().position(|known| *known == name).unwrap_or_else(|| {
            order.push(name.clone());
            order.len() - 1
        });
        for input in inputs() {
            let pair = (name.clone(), shape.clone(), format!("{input:?}"));
            let Ok(next) = state.step(input) else {
                rejected.insert(pair);
                continue;
            };
            let successor = successor(&shape, input, next);
            let key = (rank, pair.0.clone(), pair.1.clone(), pair.2.clone());
            let known = cells.entry(key).or_insert_with(|| successor.clone());
            assert_eq!(*known, successor, "{name} of shape '{shape}' is not one shape: {state:?}");
            accepted.insert(pair);
        }
    }
    assert!(accepted.is_disjoint(&rejected), "a shape both accepts and rejects an answer");
    let table = render(&cells, accepted.len(), rejected.len());
    insta::assert_snapshot!(table);
}

fn render(
    cells: &BTreeMap<(usize, String, String, String), String>,
    accepted: usize,
    rejected: usize,
) -> String {
    let mut by_shape: BTreeMap<(usize, &str, &str), BTreeMap<&str, Vec<&str>>> = BTreeMap::new();
    for ((rank, name, shape, input), successor) in cells {
        by_shape.entry((*rank, name, shape)).or_default().entry(successor).or_default().push(input);
    }
    let mut lines: BTreeMap<(usize, &str, String), Vec<&str>> = BTreeMap::new();
    for ((rank, name, shape), rows) in by_shape {
        let rows: Vec<String> = rows
            .iter()
            .map(|(successor, inputs)| format!("    {} -> {successor}\n", inputs.join(" | ")))
            .collect();
        lines.entry((rank, name, rows.concat())).or_default().push(shape);
    }
    let mut out = String::new();
    for ((_, name, rows), shapes) in lines {
        let shapes: Vec<&str> = shapes.into_iter().filter(|shape| !shape.is_empty()).collect();
        let _ = write!(out, "{name} {}", shapes.join(" | "));
        out.truncate(out.trim_end().len());
        let _ = write!(out, "\n{rows}");
    }
    let _ = write!(out, "\n{accepted} pairs of shape and answer accepted, {rejected} rejected");
    out
}

#[test]
fn the_graph_of_states() {
    let name = |state: Replay| {
        let text = format!("{state:?}");
        text.split(['(', ' ']).next().unwrap_or_default().to_owned()
    };
    let mut edges: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    for (state, effect) in reachable() {
        for input in answers(effect) {
            let to = match state.step(input) {
                Ok(Next::Do(next, _)) => name(next),
                Ok(Next::Finished(_)) => "Finished".to_owned(),
                Err(error) => panic!("{error}"),
            };
            let label = format!("{input:?}");
            let label = label.split(['(', ' ']).next().unwrap_or_default().to_owned();
            edges.entry((name(state), to)).or_default().insert(label);
        }
    }
    let mut dot = String::from("digraph replay {\n");
    for ((from, to), labels) in edges {
        let labels: Vec<String> = labels.into_iter().collect();
        let _ = writeln!(dot, "  {from} -> {to} [label=\"{}\"]", labels.join(", "));
    }
    dot.push('}');
    insta::assert_snapshot!(dot);
}
