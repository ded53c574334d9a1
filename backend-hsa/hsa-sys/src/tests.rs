//! Layouts, numbers and signatures, compared with the headers that a runtime was compiled with.

use crate::table::{AmdExtTable, CoreApiTable, Table};
use crate::{constants, handles, loader, status, structs, table};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const RUNTIME: &str = "/usr/lib/x86_64-linux-gnu/libhsa-runtime64.so.1";
const HEADER: &str = "/usr/include/hsa/hsa_api_trace.h";

/// What the checks are written in: the headers, and a function that compares a signature's types.
const PRELUDE: &str = include_str!("tests/prelude.hpp");

/// A struct, in the headers' words.
pub(crate) struct Layout {
    pub(crate) name: &'static str,
    pub(crate) size: usize,
    /// Name, offset and size of each field.
    pub(crate) fields: Vec<(&'static str, usize, usize)>,
}

/// A function: name, then Rust's name and the size of the result and of each parameter.
pub(crate) struct Signature {
    pub(crate) name: &'static str,
    pub(crate) types: Vec<(&'static str, usize)>,
}

/// Says that a test is skipped if the packages are missing; fails where skipping is forbidden.
fn is_there(path: &str, package: &str) -> bool {
    let there = Path::new(path).exists();
    if !there {
        let required = std::env::var_os("KREPLAY_REQUIRE_TOOLS").is_some();
        assert!(
            !required,
            "needs {package} (apt-get install {package}), and KREPLAY_REQUIRE_TOOLS forbids to skip"
        );
        eprintln!("skipped: needs {package} (apt-get install {package})");
    }
    there
}

pub(crate) fn has_runtime() -> bool {
    is_there(RUNTIME, "libhsa-runtime64-1")
}

fn has_headers() -> bool {
    is_there(HEADER, "libhsa-runtime-dev") && is_there("/usr/bin/c++", "g++")
}

fn compile(checks: &str) -> Output {
    let mut compiler = Command::new("c++");
    compiler.args([
        "-std=c++17",
        "-x",
        "c++",
        "-fsyntax-only",
        "-DAMD_INTERNAL_BUILD",
        "-I/usr/include/hsa",
        "-",
    ]);
    let compiler = compiler.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut compiler = compiler.expect("c++ is installed");
    let program = format!("{PRELUDE}{checks}");
    std::io::Write::write_all(&mut compiler.stdin.take().expect("piped"), program.as_bytes())
        .expect("c++ reads");
    compiler.wait_with_output().expect("c++ ends")
}

fn compiles(checks: &str) {
    assert!(!checks.is_empty());
    let output = compile(checks);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn check(condition: impl AsRef<str>) -> String {
    let condition = condition.as_ref();
    format!("static_assert({condition}, \"{}\");\n", condition.replace('"', "'"))
}

fn layout_checks(Layout { name, size, fields }: &Layout) -> String {
    let mut checks = check(format!("sizeof({name}) == {size}"));
    for (field, offset, bytes) in fields {
        checks += &check(format!("offsetof({name}, {field}) == {offset}"));
        checks += &check(format!("sizeof((({name} *)0)->{field}) == {bytes}"));
    }
    checks
}

/// The headers' own fields of a table, in order: what begins with `hsa_` and ends with `_fn`.
fn header_entries(table: &str) -> Vec<String> {
    let header = std::fs::read_to_string(HEADER).expect("it is there");
    let (_, declared) = header.split_once(&format!("struct {table} {{")).expect("it is declared");
    let (declared, _) = declared.split_once("};").expect("it ends");
    let words = declared.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter_map(|word| word.strip_suffix("_fn")).map(str::to_owned).collect()
}

/// A kind of type, as `prelude.hpp` tells it: integer, handle, function, pointer to const or not, nothing.
fn kind(name: &str) -> char {
    match name {
        "()" => 'v',
        "Status" | "bool" | "i32" | "i64" | "u16" | "u32" | "u64" | "usize" => 'i',
        "Agent" | "CodeObjectReader" | "Executable" | "ExecutableSymbol" | "Isa" | "LoadedCodeObject"
        | "MemoryPool" | "Region" | "Signal" => 's',
        _ if name.starts_with("*const ") => 'c',
        _ if name.starts_with("*mut ") => 'm',
        _ if name.starts_with("Option<") => 'f',
        _ => panic!("'{name}' is of no kind that is known here"),
    }
}

fn signature_check(Signature { name, types }: &Signature) -> String {
    let types = types.iter().fold(String::new(), |mut text, (name, size)| {
        write!(text, "{}{size}", kind(name)).expect("a string grows");
        text
    });
    check(format!("is({name}, \"{types}\")"))
}

#[test]
fn layouts_are_the_headers() {
    if !has_headers() {
        return;
    }
    let layouts = [handles::layouts(), structs::layouts(), loader::layouts(), table::layouts()];
    compiles(&layouts.iter().flatten().map(layout_checks).collect::<String>());
}

#[test]
fn numbers_are_the_headers() {
    if !has_headers() {
        return;
    }
    let numbers = [constants::constants(), status::constants()].concat();
    compiles(
        &numbers
            .iter()
            .map(|(name, value)| check(format!("uint32_t({name}) == uint32_t({value})")))
            .collect::<String>(),
    );
}

#[test]
fn signatures_are_the_headers() {
    if !has_headers() {
        return;
    }
    let known: BTreeSet<_> =
        [header_entries("CoreApiTable"), header_entries("AmdExtTable")].concat().into_iter().collect();
    let signatures = CoreApiTable::signatures().into_iter().chain(AmdExtTable::signatures());
    let (here, newer): (Vec<_>, Vec<_>) = signatures.partition(|signature| known.contains(signature.name));
    assert!(newer.iter().all(|Signature { name, .. }| name.contains("_vmem_") || name.contains("_async_")));
    compiles(&here.iter().map(signature_check).collect::<String>());
}

#[test]
fn entries_are_where_the_headers_have_them() {
    if !has_headers() {
        return;
    }
    compiles(&(table_checks::<CoreApiTable>() + &table_checks::<AmdExtTable>()));
}

/// Each entry of the headers' table is where a table of its version and size is said to have it.
fn table_checks<T: Table>() -> String {
    let fields = header_entries(T::NAME);
    let bytes = u32::try_from(16 + 8 * fields.len()).expect("small");
    let version = table::version(1, bytes);
    let mut checks = check(format!("sizeof({}) == {bytes}", T::NAME));
    for field in fields {
        let place = table::place_of::<T>(version, &field).unwrap_or_else(|| panic!("{field} has no place"));
        checks += &check(format!("offsetof({}, {field}_fn) == {place}", T::NAME));
    }
    checks
}

#[test]
fn a_false_check_is_noticed() {
    if !has_headers() {
        return;
    }
    for check in [
        check("sizeof(hsa_agent_t) == 4"),
        check("is(hsa_agent_get_info, \"i4s8i4c8\")"),
        check("is(hsa_agent_get_info, \"i4s8i4\")"),
        check("is(hsa_signal_store_relaxed, \"i4s8i8\")"),
    ] {
        assert!(!compile(&check).status.success(), "{check}");
    }
    compiles(&check("is(hsa_agent_get_info, \"i4s8i4m8\")"));
}
