//! Layouts, compared with the header that the runtime was compiled with.

use super::layouts;
use std::fmt::Write;

const HEADER: &str = "/usr/include/hsakmttypes.h";

/// A C program that compiles only if its layouts are these.
fn assertions() -> String {
    let mut program = String::from("#include <stddef.h>\n#include <hsakmttypes.h>\n");
    for (name, size, fields) in layouts() {
        writeln!(program, "_Static_assert(sizeof({name}) == {size}, \"{name}\");").unwrap();
        for (field, offset, bytes) in fields {
            writeln!(program, "_Static_assert(offsetof({name}, {field}) == {offset}, \"{name}.{field}\");")
                .unwrap();
            writeln!(
                program,
                "_Static_assert(sizeof((({name} *)0)->{field}) == {bytes}, \"{name}.{field}\");"
            )
            .unwrap();
        }
    }
    program
}

#[test]
fn layouts_are_the_headers() {
    if !std::path::Path::new(HEADER).exists() {
        return crate::testing::skip("libhsakmt-dev");
    }
    crate::testing::compile_c(&assertions());
}
