//! What `--list` and `--requirements` print.

use crate::case::Case;
use crate::coverage::Covered;
use crate::report::json::line;
use serde_json::json;
use std::io::{self, Write};

/// One id a line.
pub fn cases(out: &mut impl Write, cases: &[Case]) -> io::Result<()> {
    cases.iter().try_for_each(|case| writeln!(out, "{}", case.id))
}

/// One object a case.
pub fn cases_as_json(out: &mut impl Write, cases: &[Case]) -> io::Result<()> {
    let object = |case: &Case| json!({"case": case.id, "cites": case.cites, "needs": case.needs});
    cases.iter().try_for_each(|case| line(out, &object(case)))
}

/// By area: each requirement with its source, and below it the cases or what it waits for.
pub fn requirements(out: &mut impl Write, covered: &[Covered<'_>]) -> io::Result<()> {
    let mut area = "";
    for entry in covered {
        if entry.area != area {
            area = entry.area;
            writeln!(out, "{area}")?;
        }
        writeln!(out, "  {}  ({})", entry.requirement.id, entry.requirement.source)?;
        writeln!(out, "    {}", judged_by(entry))?;
    }
    let planned = covered.iter().filter(|entry| entry.requirement.planned.is_some()).count();
    let judged = covered.iter().filter(|entry| !entry.cases.is_empty()).count();
    writeln!(out, "{} requirements: {judged} with cases, {planned} planned", covered.len())
}

/// One object a requirement.
pub fn requirements_as_json(out: &mut impl Write, covered: &[Covered<'_>]) -> io::Result<()> {
    covered.iter().try_for_each(|entry| {
        let requirement = entry.requirement;
        let object = json!({
            "requirement": requirement.id,
            "area": entry.area,
            "source": requirement.source.to_string(),
            "planned": requirement.planned,
            "checker": requirement.checker,
            "text": requirement.text,
            "cases": entry.cases,
        });
        line(out, &object)
    })
}

fn judged_by(entry: &Covered<'_>) -> String {
    match &entry.requirement.planned {
        Some(what) => format!("planned: {what}"),
        None if entry.cases.is_empty() => "no case".to_owned(),
        None => entry.cases.join(", "),
    }
}
