//! Every kernel of `tests/execute/kernels`, without optimization and with it, there in a shuffled order of workgroups.

use std::path::Path;
use std::process::Command;

use kreplay_sim::isa::execute::{Access, Stop};

use crate::code_object::CodeObject;
use crate::compiler::{Built, Device, build};
use crate::data::{BYTES, Kind};
use crate::machine::{Machine, Shape};
use Kind::{F16, F32, F64, U8, U16, U32, U64};

/// A kernel, what its three buffers hold, and whether `out` is read.
struct Case<'a>(&'a str, Kind, Kind, Kind, Start);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    Zero,
    Random,
}
use Start::{Random, Zero};

#[test]
fn simple() {
    check(
        "simple",
        &[
            Case("fill", U32, U32, U32, Zero),
            Case("copy", U32, U32, U32, Zero),
            Case("vector_add", F32, F32, F32, Zero),
            Case("saxpy_count", U32, U32, U32, Zero),
            Case("bump", U32, U32, U32, Random),
            Case("wait_for_word", U32, U32, U32, Zero),
        ],
    );
}

#[test]
fn kernels_that_go_wrong() {
    let Some(built) = build("simple") else { return };
    for device in &built.device {
        let stop = |kernel| run(device, kernel, [vec![0; BYTES], vec![0; BYTES], vec![0; BYTES]], 0, 20_000);
        let beyond = stop("write_beyond").expect_err("a store behind the buffer");
        let expected = OUT + BYTES as u64;
        assert!(
            matches!(beyond, Stop::Memory { access: Access::Store, address, lane: Some(0), .. } if address == expected),
            "{beyond}"
        );
        let endless = stop("endless").expect_err("no end");
        assert_eq!(endless, Stop::Budget { instructions: 20_000 });
    }
}

#[test]
fn int32() {
    check(
        "int32",
        &[
            Case("add_mul_u32", U32, U32, U32, Zero),
            Case("shift_u32", U32, U32, U32, Zero),
            Case("bits_u32", U32, U32, U32, Zero),
            Case("signed_i32", U32, U32, U32, Zero),
            Case("compare_i32", U32, U32, U32, Zero),
            Case("div_u32", U32, U32, U32, Zero),
            Case("div_i32", U32, U32, U32, Zero),
            Case("div_constant_u32", U32, U32, U32, Zero),
            Case("mul_high", U32, U32, U32, Zero),
            Case("mul_24", U32, U32, U32, Zero),
            Case("bytes_u32", U32, U32, U32, Zero),
            Case("load_sizes", U32, U8, U16, Zero),
            Case("store_bytes", U8, U32, U32, Zero),
            Case("store_shorts", U16, U32, U32, Zero),
            Case("vectors_u32", U32, U32, U32, Zero),
        ],
    );
}

#[test]
fn int64() {
    check(
        "int64",
        &[
            Case("add_mul_u64", U64, U64, U64, Zero),
            Case("shift_u64", U64, U64, U64, Zero),
            Case("bits_u64", U64, U64, U64, Zero),
            Case("compare_i64", U64, U64, U64, Zero),
            Case("div_u64", U64, U64, U64, Zero),
            Case("div_i64", U64, U64, U64, Zero),
            Case("mul_high_64", U64, U64, U64, Zero),
            Case("widen", U64, U32, U32, Zero),
        ],
    );
}

#[test]
fn int16() {
    check(
        "int16",
        &[
            Case("short_arithmetic", U16, U16, U16, Zero),
            Case("packed_short", U16, U16, U16, Zero),
            Case("packed_minmax", U16, U16, U16, Zero),
            Case("char_arithmetic", U8, U8, U8, Zero),
            Case("packed_char", U8, U8, U8, Zero),
            Case("div_i16", U16, U16, U16, Zero),
            Case("saturate_u32", U32, U32, U32, Zero),
            Case("saturate_u16", U16, U16, U16, Zero),
        ],
    );
}

#[test]
fn control() {
    check(
        "control",
        &[
            Case("nested_branches", U32, U32, U32, Zero),
            Case("collatz", U32, U32, U32, Zero),
            Case("breaks", U32, U32, U32, Zero),
            Case("switches", U32, U32, U32, Zero),
            Case("early_return", U32, U32, U32, Zero),
            Case("uniform_loop", U32, U32, U32, Zero),
            Case("stride_loop", U32, U32, U32, Zero),
            Case("constant_table", U32, U32, U32, Zero),
        ],
    );
}

#[test]
fn floats() {
    check(
        "floats",
        &[
            Case("arithmetic_f32", F32, F32, F32, Zero),
            Case("fused_f32", F32, F32, F32, Zero),
            Case("div_f32", F32, F32, F32, Zero),
            Case("sqrt_f32", F32, F32, F32, Zero),
            Case("round_f32", F32, F32, F32, Zero),
            Case("compare_f32", U32, F32, F32, Zero),
            Case("select_f32", F32, F32, F32, Zero),
            Case("to_int_f32", U32, F32, F32, Zero),
            Case("from_int_f32", F32, U32, U32, Zero),
            Case("to_long_f32", U64, F32, F32, Zero),
            Case("from_long_f32", F32, U64, U64, Zero),
            Case("packed_f32", F32, F32, F32, Zero),
            Case("scale_f32", F32, F32, U32, Zero),
        ],
    );
}

#[test]
fn doubles() {
    check(
        "doubles",
        &[
            Case("arithmetic_f64", F64, F64, F64, Zero),
            Case("fused_f64", F64, F64, F64, Zero),
            Case("div_f64", F64, F64, F64, Zero),
            Case("sqrt_f64", F64, F64, F64, Zero),
            Case("round_f64", F64, F64, F64, Zero),
            Case("compare_f64", U64, F64, F64, Zero),
            Case("convert_f64", F64, F64, F32, Zero),
            Case("scale_f64", F64, F64, U64, Zero),
            Case("horner_f64", F64, F64, F64, Zero),
        ],
    );
}

#[test]
fn halves() {
    check(
        "halves",
        &[
            Case("arithmetic_f16", F16, F16, F16, Zero),
            Case("div_f16", F16, F16, F16, Zero),
            Case("packed_f16", F16, F16, F16, Zero),
            Case("compare_f16", U16, F16, F16, Zero),
            Case("convert_f16", F32, F16, F32, Zero),
            Case("integer_f16", F16, U16, U16, Zero),
        ],
    );
}

#[test]
fn shared() {
    check(
        "shared",
        &[
            Case("reduce_sum", U32, U32, U32, Zero),
            Case("scan_sum", U32, U32, U32, Zero),
            Case("reverse_types", U64, U64, U32, Zero),
            Case("reverse_vectors", U32, U32, U32, Zero),
            Case("transpose_f64", F64, F64, F64, Zero),
            Case("neighbours", U32, U32, U32, Zero),
        ],
    );
}

#[test]
fn atomics() {
    check(
        "atomics",
        &[
            Case("atomics_u32", U32, U32, U32, Random),
            Case("atomics_i32", U32, U32, U32, Random),
            Case("atomics_u64", U64, U64, U32, Random),
            Case("tickets", U32, U32, U32, Zero),
            Case("compare_swap", U32, U32, U32, Random),
            Case("histogram", U32, U32, U32, Random),
            Case("local_extremes", U32, U32, U32, Zero),
        ],
    );
}

#[test]
fn scratch() {
    check(
        "scratch",
        &[
            Case("private_array", U32, U32, U32, Zero),
            Case("private_bytes", U32, U32, U32, Zero),
            Case("private_longs", U64, U64, U32, Zero),
            Case("calls", U32, U32, U32, Zero),
            Case("recursion", U32, U32, U32, Zero),
            Case("generic_pointers", U32, U32, U32, Zero),
            Case("many_values", U32, U32, U32, Zero),
        ],
    );
}

#[test]
fn functions() {
    check(
        "functions",
        &[
            Case("pointers", U32, U32, U32, Zero),
            Case("objects", U32, U32, U32, Zero),
            Case("computed_jumps", U32, U32, U32, Zero),
        ],
    );
}

#[test]
fn math() {
    let Some(built) = build("math") else { return };
    let functions = ["sin", "cos", "tan", "exp", "log", "exp2", "log2", "cbrt", "atan", "erf", "tanh"];
    let names = functions.map(|function| [format!("{function}_f32"), format!("{function}_f64")]);
    let cases = names
        .iter()
        .flat_map(|[single, double]| [Case(single, F32, F32, F32, Zero), Case(double, F64, F64, F64, Zero)]);
    compare(&built, 4, &cases.collect::<Vec<_>>());
    compare(&built, 16, &[Case("pow_f32", F32, F32, F32, Zero), Case("pow_f64", F64, F64, F64, Zero)]);
    compare(&built, 1, &[Case("rsqrt_f32", F32, F32, F32, Zero)]);
    compare(&built, 0, &[Case("fmod_f32", F32, F32, F32, Zero)]);
}

#[test]
fn lanes() {
    check(
        "lanes",
        &[
            Case("permutes", U32, U32, U32, Zero),
            Case("votes", U64, U32, U32, Zero),
            Case("dpp_rows", U32, U32, U32, Zero),
            Case("dpp_waves", U32, U32, U32, Zero),
            Case("dpp_sum", U32, U32, U32, Zero),
        ],
    );
}

const SHAPE: Shape = Shape { group: 256, groups: 4 };
const CODE: u64 = 0x7000_0000_0000;
const OUT: u64 = 0x7300_0000_0000;
const A: u64 = 0x7400_0000_0000;
const B: u64 = 0x7500_0000_0000;
const BUDGET: u64 = 50_000_000;

/// Runs kernels of one source on both machines and compares what they leave in `out`, bit for bit.
fn check(source: &str, cases: &[Case]) {
    let Some(built) = build(source) else { return };
    compare(&built, 0, cases);
}

/// Runs kernels on both machines; floating point numbers may be this many units in the last place apart.
fn compare(built: &Built, units: u64, cases: &[Case]) {
    let failures: Vec<String> = cases.iter().flat_map(|case| failures(built, units, case)).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn failures(built: &Built, units: u64, case: &Case) -> Vec<String> {
    let Case(name, out, a, b, start) = case;
    let (a, b) = (a.buffer(1), b.buffer(2));
    let before = if *start == Random { out.buffer(3) } else { vec![0; BYTES] };
    let expected = on_host(&built.host, name, SHAPE, [&a, &b, &before]);
    let failed = built.device.iter().filter_map(|device| {
        let seed = if device.level == "-O0" { 0 } else { 0x1234_5678_9abc };
        let failure = match run(device, name, [before.clone(), a.clone(), b.clone()], seed, BUDGET) {
            Ok(got) => difference(*out, units, &got, &expected)?,
            Err(stop) => stop.to_string(),
        };
        Some(format!("{name} {} {}: {failure}", device.target, device.level))
    });
    failed.collect()
}

/// What a kernel leaves in the first of its buffers.
fn run(
    device: &Device,
    kernel: &str,
    buffers: [Vec<u8>; 3],
    seed: u64,
    budget: u64,
) -> Result<Vec<u8>, Stop> {
    let mut machine = Machine::new(device.target);
    let code = CodeObject::load(&mut machine, &std::fs::read(&device.path).expect("a code object"), CODE);
    for (base, bytes) in [OUT, A, B].into_iter().zip(buffers) {
        machine.map(base, bytes);
    }
    let items = u64::from(SHAPE.group) * u64::from(SHAPE.groups);
    machine.run(code.kernel(kernel), SHAPE, [OUT, A, B, items], seed, budget)?;
    Ok(machine.bytes(OUT).to_vec())
}

/// What a kernel leaves in the last of its buffers on the host.
pub(crate) fn on_host(program: &Path, kernel: &str, shape: Shape, buffers: [&[u8]; 3]) -> Vec<u8> {
    let files = ["a", "b", "out"].map(|buffer| program.with_extension(format!("{kernel}.{buffer}")));
    for (file, bytes) in files.iter().zip(buffers) {
        std::fs::write(file, bytes).expect("a file for a buffer");
    }
    let [a, b, out] = &files;
    let items = u32::from(shape.group) * shape.groups;
    let shape = [u32::from(shape.group), shape.groups, items].map(|number| number.to_string());
    let status = Command::new(program).arg(kernel).args([a, b, out]).args(shape).status();
    assert!(status.expect("the host's program runs").success(), "expected {kernel} to run on the host");
    std::fs::read(out).expect("the buffer that the host's program wrote")
}

/// The first element that differs, if any.
fn difference(kind: Kind, units: u64, got: &[u8], expected: &[u8]) -> Option<String> {
    let values = |bytes: &[u8]| bytes.chunks_exact(kind.bytes()).map(little_endian).collect::<Vec<_>>();
    let pairs = values(got).into_iter().zip(values(expected));
    let wrong: Vec<_> =
        pairs.enumerate().filter(|(_, (got, expected))| !kind.same(*got, *expected, units)).collect();
    wrong.first().map(|(at, (got, expected))| {
        format!("{} differ, first {kind:?} {at}: expected {expected:#x}, got {got:#x}", wrong.len())
    })
}

pub(crate) fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
}
