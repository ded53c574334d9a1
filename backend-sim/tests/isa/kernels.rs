//! Kernels of `tests/kernels`, as clang compiles them: every instruction, and what the code object says of each kernel.

use super::llvm::{self, Scratch};
use kreplay_sim::isa::object::{CodeObject, DESCRIPTOR_SIZE, WorkItemIds};
use kreplay_sim::isa::{Instruction, Op, Target, decode};
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn gfx90a_optimized() {
    check(Target::Gfx90a, "-O2");
}

#[test]
fn gfx90a_plain() {
    check(Target::Gfx90a, "-O0");
}

#[test]
fn gfx942_optimized() {
    check(Target::Gfx942, "-O2");
}

#[test]
fn descriptors_say_how_to_launch() {
    if llvm::is_missing() {
        return;
    }
    let scratch = Scratch::new("descriptors");
    let bytes =
        std::fs::read(compile(&scratch, Target::Gfx90a, "-O2", &kernels().join("vector_add.cl"))).unwrap();
    let object = CodeObject::parse(&bytes).unwrap();
    assert_eq!(object.target(), Target::Gfx90a);
    let kernel = |name: &str| object.kernels().iter().find(|kernel| kernel.name == name).unwrap().descriptor;
    let (vector_add, grid) = (kernel("vector_add"), kernel("grid"));
    assert_eq!((vector_add.kernarg_size, grid.kernarg_size), (24, 16));
    assert_eq!((vector_add.work_item_ids, grid.work_item_ids), (WorkItemIds::X, WorkItemIds::Xyz));
    assert_eq!((vector_add.workgroup_ids, grid.workgroup_ids), ([true, false, false], [true; 3]));
    assert!(vector_add.user_sgprs.kernarg_segment_ptr && !vector_add.user_sgprs.dispatch_ptr);
    assert_eq!(object.kernels().len(), 2);
}

#[test]
fn a_code_object_that_is_cut_off_is_refused() {
    if llvm::is_missing() {
        return;
    }
    let scratch = Scratch::new("cut");
    let bytes =
        std::fs::read(compile(&scratch, Target::Gfx90a, "-O2", &kernels().join("vector_add.cl"))).unwrap();
    for size in 0..bytes.len() {
        assert!(CodeObject::parse(&bytes[..size]).is_err(), "{size} of {} bytes", bytes.len());
    }
}

#[test]
fn a_kernel_without_code_is_refused() {
    if llvm::is_missing() {
        return;
    }
    let scratch = Scratch::new("entry");
    let mut bytes =
        std::fs::read(compile(&scratch, Target::Gfx90a, "-O2", &kernels().join("vector_add.cl"))).unwrap();
    let object = CodeObject::parse(&bytes).unwrap();
    let descriptor = &object.bytes(object.kernels()[0].address).unwrap()[..DESCRIPTOR_SIZE];
    let place = bytes.windows(DESCRIPTOR_SIZE).position(|window| window == descriptor).unwrap();
    let name = object.kernels()[0].name.clone();
    bytes[place + 19] = 0x7f;
    let refused = CodeObject::parse(&bytes).unwrap_err().to_string();
    assert!(refused.starts_with(&format!("expected code of {name} at 0x7f0")), "{refused}");
}

/// Compares all code of all kernels, and walks from each entry to the kernel's end.
fn check(target: Target, optimization: &str) {
    if llvm::is_missing() {
        return;
    }
    let scratch = Scratch::new(&format!("kernels-{target}{optimization}"));
    let mut instructions = 0;
    for source in sources() {
        let path = compile(&scratch, target, optimization, &source);
        let bytes = std::fs::read(&path).unwrap();
        let object =
            CodeObject::parse(&bytes).unwrap_or_else(|error| panic!("{}: {error}", source.display()));
        assert_eq!(object.target(), target);
        let lines = llvm::objdump(target, &path);
        let start = *lines.keys().next().unwrap();
        let code = object.words(start).unwrap();
        let words = |address: u64| &code[(address - start) as usize / 4..];
        for (address, line) in &lines {
            let decoded =
                decode(words(*address), target).unwrap_or_else(|error| panic!("{}: {error}", line.text));
            assert_eq!(decoded.to_string(), line.text, "{} at {address:#x}", source.display());
            assert_eq!(words(*address)[..usize::from(decoded.size) / 4], line.words);
        }
        for kernel in object.kernels() {
            let mut address = kernel.entry();
            while let Some(next) = step(decode(words(address), target).unwrap()) {
                address += next;
                assert!(
                    lines.contains_key(&address),
                    "{} of {} at {address:#x}",
                    kernel.name,
                    source.display()
                );
            }
        }
        instructions += lines.len();
    }
    println!("{instructions} instructions of {target} {optimization}");
    assert!(instructions > 1000, "got {instructions} instructions");
}

/// The length of an instruction that does not end the program.
fn step(decoded: Instruction) -> Option<u64> {
    (decoded.op != Op::s_endpgm).then_some(decoded.size.into())
}

fn kernels() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernels")
}

fn sources() -> Vec<PathBuf> {
    let files = std::fs::read_dir(kernels()).unwrap().map(|entry| entry.unwrap().path());
    let mut sources: Vec<_> =
        files.filter(|path| path.extension().is_some_and(|kind| kind == "cl")).collect();
    sources.sort();
    sources
}

fn compile(scratch: &Scratch, target: Target, optimization: &str, source: &Path) -> PathBuf {
    let object = scratch.path(&format!("{}.co", source.file_stem().unwrap().display()));
    let mut command = Command::new("clang-19");
    command.args(["-x", "cl", "-cl-std=CL2.0", "--target=amdgcn-amd-amdhsa", "-nogpulib", optimization]);
    llvm::run(command.arg(format!("-mcpu={target}")).arg(source).arg("-o").arg(&object));
    object
}
