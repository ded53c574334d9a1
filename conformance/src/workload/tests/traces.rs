//! Traces have the structure that the Perfetto UI reads.

use super::{ran, shipped};
use crate::trace::chrome;
use kreplay_core::event::Event;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;

type Track = (u64, u64);

fn events(trace: &Value) -> impl Iterator<Item = &Value> {
    trace["traceEvents"].as_array().expect("a list").iter()
}

fn track(event: &Value) -> Track {
    (event["pid"].as_u64().expect("a number"), event["tid"].as_u64().expect("a number"))
}

fn named(trace: &Value) -> BTreeMap<Track, &str> {
    let names = events(trace).filter(|event| event["name"] == "thread_name");
    names.map(|event| (track(event), event["args"]["name"].as_str().expect("a name"))).collect()
}

#[test]
fn slices_nest_and_times_rise() {
    for program in shipped() {
        let trace = chrome(&ran(&program, None));
        let names = named(&trace);
        let mut open: BTreeMap<Track, (usize, f64)> = BTreeMap::new();
        for event in events(&trace) {
            let change = match event["ph"].as_str().expect("a phase") {
                "B" => 1,
                "E" => -1,
                "M" | "i" => continue,
                other => panic!("{}: phase {other}", program.name),
            };
            assert!(names.contains_key(&track(event)), "{}: a track without a name", program.name);
            let (depth, time) = open.entry(track(event)).or_default();
            let now = event["ts"].as_f64().expect("a time");
            assert!(now >= *time, "{}: {event} after {time}", program.name);
            *time = now;
            *depth = depth.checked_add_signed(change).expect("an end has a begin");
        }
        assert!(open.values().all(|(depth, _)| *depth == 0), "{}: open slices", program.name);
    }
}

#[test]
fn every_submitted_pass_is_a_slice_and_a_kernel() {
    for program in shipped() {
        let ran = ran(&program, None);
        let trace = chrome(&ran);
        let count = |wanted: &dyn Fn(&str) -> bool| {
            let begun = events(&trace).filter(|event| event["ph"] == "B");
            begun.filter(|event| wanted(event["name"].as_str().unwrap_or_default())).count()
        };
        let passes = ran
            .log
            .iter()
            .filter(|entry| matches!(entry.event, Event::Submitted { pass: Some(_), .. }))
            .count();
        let numbered = |name: &str| name.rsplit(' ').next().is_some_and(|last| last.parse::<u64>().is_ok());
        assert_eq!(count(&|name| name.starts_with("pass ") && numbered(name)), passes, "{}", program.name);
        assert_eq!(count(&|name| name.contains(" pass ") && numbered(name)), passes, "{}", program.name);
    }
}

/// A trace as an outline: a line a slice, indented, with begin and end in nanoseconds, and its arguments.
fn outline(trace: &Value) -> String {
    let mut out = String::new();
    for (track_of, name) in named(trace) {
        writeln!(out, "{name}").expect("memory has room");
        let own: Vec<&Value> = events(trace).filter(|event| track(event) == track_of).collect();
        let mut depth = 1;
        for (index, event) in own.iter().enumerate() {
            match event["ph"].as_str() {
                Some("B") => {
                    writeln!(out, "{:width$}{}", "", line(event, &own[index + 1..]), width = 2 * depth)
                        .expect("memory has room");
                    depth += 1;
                }
                Some("E") => depth -= 1,
                _ => {}
            }
        }
    }
    out
}

fn line(begin: &Value, rest: &[&Value]) -> String {
    let mut depth = 1;
    let end = rest.iter().find(|event| {
        depth += if event["ph"] == "B" { 1 } else { -1 };
        depth == 0
    });
    let time = |event: &Value| (event["ts"].as_f64().unwrap_or_default() * 1e3).round();
    let (name, args) = (begin["name"].as_str().unwrap_or_default(), &begin["args"]);
    let args = if name.starts_with("dispatch") { "{…}".to_owned() } else { args.to_string() };
    format!("{name} {}..{} {args}", time(begin), end.map_or(0.0, |end| time(end)))
}

#[test]
fn outlines() {
    for program in shipped() {
        if ["services_by_pass", "torn_restore"].contains(&program.name.as_str()) {
            insta::assert_snapshot!(
                format!("trace_{}", program.name),
                outline(&chrome(&ran(&program, None)))
            );
        }
    }
}
