//! The schema is that of the code, and every shipped file names it.

use super::{files, folder};
use crate::workload::format::Workload;
use std::fs;

const NAME: &str = "workload.schema.json";

#[test]
fn the_schema_is_fresh() {
    let schema =
        serde_json::to_string_pretty(&schemars::schema_for!(Workload)).expect("a schema is JSON") + "\n";
    let path = folder().join(NAME);
    if fs::read_to_string(&path).ok().as_ref() != Some(&schema) {
        fs::write(&path, schema).expect("the folder is there");
        panic!("{NAME} was not that of the format: it is now, commit it");
    }
}

#[test]
fn the_documentation_names_every_table_and_step() {
    let page = fs::read_to_string(folder().join("../../docs/workloads.md")).expect("the page is there");
    let schema = schemars::schema_for!(Workload);
    let tables = schema.as_value()["properties"].as_object().expect("tables").keys();
    let steps = schema.as_value()["$defs"]["Step"]["oneOf"].as_array().expect("steps");
    let steps = steps.iter().flat_map(|step| step["properties"].as_object().expect("one key").keys());
    let classes = schema.as_value()["$defs"]["Class"]["oneOf"].as_array().expect("classes");
    let classes = classes.iter().map(|class| class["const"].as_str().expect("a name"));
    for key in tables.chain(steps).map(String::as_str).chain(classes) {
        assert!(page.contains(&format!("`{key}`")), "docs/workloads.md does not name `{key}`");
    }
}

#[test]
fn every_workload_names_the_schema() {
    for path in files() {
        let text = fs::read_to_string(&path).expect("readable");
        assert!(text.starts_with(&format!("#:schema ./{NAME}\n")), "{}", path.display());
    }
}
