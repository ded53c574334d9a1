//! The prebuilt kernels of the conformance suite: they are what their source gives, and do what they are said to do.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use kreplay_sim::isa::Target;
use kreplay_sim::isa::execute::{Access, Dispatch, Launch, Packet, Program, Stop};
use object::{Object, ObjectSection, ObjectSymbol, SectionFlags};

use crate::code_object::CodeObject;
use crate::compiler::has_tools;
use crate::machine::Machine;

/// The GPUs that the interpreter executes code of.
const ISAS: [(&str, Target); 2] = [("gfx90a", Target::Gfx90a), ("gfx942", Target::Gfx942)];

const CODE: u64 = 0x7000_0000_0000;
const PACKET: u64 = 0x7100_0000_0000;
const KERNARG: u64 = 0x7200_0000_0000;
const OUT: u64 = 0x7300_0000_0000;
const IN: [u64; 2] = [0x7400_0000_0000, 0x7500_0000_0000];
const COUNTER: u64 = 0x7600_0000_0000;
const BUDGET: u64 = 100_000;

/// Work-items of a workgroup, and of the grid: the last workgroup is not full.
const GROUP: u16 = 96;
const ITEMS: u32 = 1000;
const GROUPS: u32 = 11;
/// Elements that kernels handle, and elements of each buffer.
const N: usize = 900;
const LENGTH: usize = 1024;
/// What elements hold that nobody wrote.
const UNTOUCHED: u32 = 0xdead_beef;

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../backend-hsa/kernels")
}

fn prebuilt(isa: &str) -> Vec<u8> {
    std::fs::read(sources().join("prebuilt").join(isa).join("conformance.co"))
        .expect("a prebuilt code object")
}

/// Every file below a folder: its path from there, and its bytes.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = |folder: &Path| {
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path())
    };
    let files = entries(folder).flat_map(|isa| entries(&isa).collect::<Vec<_>>());
    files
        .map(|file| {
            let bytes = std::fs::read(&file).expect("a file");
            (file.strip_prefix(folder).expect("it is inside").to_owned(), bytes)
        })
        .collect()
}

/// What compiled and linked a code object.
fn made_by(code_object: &[u8]) -> String {
    let elf = object::File::parse(code_object).expect("an ELF file");
    let comment = elf.section_by_name(".comment").expect("compilers leave their names");
    String::from_utf8_lossy(comment.data().expect("its bytes")).into_owned()
}

#[test]
fn prebuilt_kernels_are_what_their_source_gives() {
    if !has_tools() {
        return;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("prebuilt");
    if folder.exists() {
        std::fs::remove_dir_all(&folder).expect("what a run before left");
    }
    let status = Command::new(sources().join("build.sh")).arg(&folder).status().expect("a shell");
    assert!(status.success(), "build.sh failed");
    let (built, committed) = (files(&folder), files(&sources().join("prebuilt")));
    let makers =
        [&built, &committed].map(|files| files.values().map(|file| made_by(file)).collect::<Vec<_>>());
    if makers[0].first() != makers[1].first() {
        let named = makers.map(|makers| makers.first().cloned().unwrap_or_default().replace('\0', " "));
        eprintln!("skipped: needs the compiler of the prebuilt kernels ({}), got {}", named[1], named[0]);
        return;
    }
    let differ =
        built.iter().filter(|(name, bytes)| committed.get(*name) != Some(bytes)).map(|(name, _)| name);
    let stale = committed.keys().filter(|name| !built.contains_key(*name));
    let wrong: Vec<_> = differ.chain(stale).collect();
    assert!(
        wrong.is_empty(),
        "expected what the source gives, got other {wrong:?}: run backend-hsa/kernels/build.sh"
    );
}

#[test]
fn every_code_object_has_the_variables_that_its_name_says() {
    let mut seen = 0;
    for (path, bytes) in files(&sources().join("prebuilt")) {
        let name = path.file_stem().expect("a name").to_str().expect("ASCII");
        let Some(sizes) = name.strip_prefix("variables-") else { continue };
        let said: Vec<_> = sizes
            .split('-')
            .enumerate()
            .map(|(index, size)| {
                (
                    format!("v{index}"),
                    size.trim_start_matches('c').parse().expect("a size"),
                    size.starts_with('c'),
                )
            })
            .collect();
        let elf = object::File::parse(&*bytes).expect("an ELF file");
        let mut found: Vec<_> = elf
            .symbols()
            .filter(object::ObjectSymbol::is_global)
            .map(|symbol| {
                let section =
                    elf.section_by_index(symbol.section_index().expect("a section")).expect("it exists");
                let SectionFlags::Elf { sh_flags } = section.flags() else { panic!("not an ELF section") };
                let constant = sh_flags & u64::from(object::elf::SHF_WRITE) == 0;
                (symbol.name().expect("a name").to_owned(), symbol.size(), constant)
            })
            .collect();
        found.sort();
        assert_eq!(found, said, "{}", path.display());
        seen += 1;
    }
    assert!(seen >= 18, "only {seen} code objects with variables");
}

/// A machine that runs the kernels of one GPU.
struct Rig {
    machine: Machine,
    code: CodeObject,
    program: Program,
}

/// Elements that differ from each other and from those of the other seed.
fn elements(seed: u32) -> Vec<u32> {
    (0..LENGTH as u32).map(|index| (index + seed).wrapping_mul(0x9e37_79b9)).collect()
}

fn bytes(elements: &[u32]) -> Vec<u8> {
    elements.iter().flat_map(|element| element.to_le_bytes()).collect()
}

impl Rig {
    fn new((isa, target): (&str, Target)) -> Self {
        let mut machine = Machine::new(target);
        let code = CodeObject::load(&mut machine, &prebuilt(isa), CODE);
        for (base, elements) in [
            (OUT, vec![UNTOUCHED; LENGTH]),
            (IN[0], elements(1)),
            (IN[1], elements(2000)),
            (COUNTER, vec![7]),
        ] {
            machine.map(base, bytes(&elements));
        }
        Self { machine, code, program: Program::new(target) }
    }

    fn run(&mut self, kernel: &str, arguments: &[u64]) -> Result<(), Stop> {
        let descriptor = self.code.kernel(kernel);
        self.machine.map(KERNARG, arguments.iter().flat_map(|argument| argument.to_le_bytes()).collect());
        let mut packet_bytes = vec![0; 64];
        packet_bytes[4..6].copy_from_slice(&GROUP.to_le_bytes());
        self.machine.map(PACKET, packet_bytes);
        let packet = Packet {
            workgroup: [GROUP, 1, 1],
            grid: [ITEMS, 1, 1],
            private_bytes: 0,
            group_bytes: 0,
            kernel_object: descriptor,
            kernarg: KERNARG,
        };
        let launch = Launch {
            packet,
            packet_address: PACKET,
            queue_address: PACKET,
            dispatch_id: 0,
            scratch: None,
            seed: 0,
        };
        let mut dispatch = Dispatch::new(launch, &mut self.machine).expect("a launch");
        dispatch.run(&mut self.program, &mut self.machine, BUDGET).map(drop)
    }

    fn elements(&self, base: u64) -> Vec<u32> {
        let words = self.machine.bytes(base).chunks_exact(4);
        words.map(|word| u32::from_le_bytes(word.try_into().expect("4 bytes"))).collect()
    }
}

/// Runs a kernel for each GPU to its end and compares `OUT`, whose first elements become `expected`, and the counter.
fn ends(kernel: &str, arguments: &[u64], expected: impl Fn(usize) -> u32, counter: u32) {
    for isa in ISAS {
        let mut rig = Rig::new(isa);
        rig.run(kernel, arguments).unwrap_or_else(|stop| panic!("{kernel} for {}: {stop}", isa.0));
        let all = (0..LENGTH).map(|index| if index < N { expected(index) } else { UNTOUCHED });
        assert!(rig.elements(OUT).into_iter().eq(all), "{kernel} for {}", isa.0);
        assert_eq!(rig.elements(COUNTER), [counter], "{kernel} for {}", isa.0);
        assert_eq!((rig.elements(IN[0]), rig.elements(IN[1])), (elements(1), elements(2000)), "{kernel}");
    }
}

#[test]
fn fill_stores_the_low_word_of_its_value() {
    ends("fill", &[OUT, 0xffff_ffff_1234_5678, N as u64], |_| 0x1234_5678, 7);
}

#[test]
fn copy_copies() {
    ends("copy", &[OUT, IN[0], N as u64], |index| elements(1)[index], 7);
}

#[test]
fn vector_add_wraps() {
    let sum = |index: usize| elements(1)[index].wrapping_add(elements(2000)[index]);
    ends("vector_add", &[OUT, IN[0], IN[1], N as u64], sum, 7);
}

#[test]
fn saxpy_works_in_place_and_counts_workgroups() {
    let factor = 0x0101_0101_u32;
    let result = |index: usize| factor.wrapping_mul(elements(1)[index]).wrapping_add(UNTOUCHED);
    ends("saxpy", &[OUT, IN[0], u64::from(factor) | 5 << 32, N as u64, COUNTER], result, 7 + GROUPS);
}

#[test]
fn atomic_bump_adds_1_a_work_item() {
    ends("atomic_bump", &[COUNTER, N as u64], |_| UNTOUCHED, 7 + N as u32);
    ends("atomic_bump", &[COUNTER, 1 << 40], |_| UNTOUCHED, 7 + ITEMS);
}

#[test]
fn spin_until_ends_if_the_word_is_so_and_only_then() {
    ends("spin_until", &[COUNTER, 7 | 9 << 32], |_| UNTOUCHED, 7);
    for isa in ISAS {
        let stop = Rig::new(isa).run("spin_until", &[COUNTER, 8]);
        assert_eq!(stop, Err(Stop::Budget { instructions: BUDGET }), "{}", isa.0);
    }
}

#[test]
fn out_of_range_writes_one_element_past_the_end() {
    for isa in ISAS {
        let mut rig = Rig::new(isa);
        let stop = rig.run("out_of_range", &[OUT, LENGTH as u64]).expect_err("nothing is mapped there");
        let Stop::Memory { access, address, bytes, .. } = stop else { panic!("{stop}") };
        assert_eq!((access, address, bytes), (Access::Store, OUT + 4 * LENGTH as u64, 4), "{}", isa.0);
        assert_eq!(rig.elements(OUT), [UNTOUCHED; LENGTH], "{}", isa.0);
        assert_eq!(rig.run("out_of_range", &[OUT, 5]), Ok(()), "{}", isa.0);
        let mut written = [UNTOUCHED; LENGTH];
        written[5] = u32::MAX;
        assert_eq!(rig.elements(OUT), written, "{}", isa.0);
    }
}

#[test]
fn forever_never_ends() {
    for isa in ISAS {
        let stop = Rig::new(isa).run("forever", &[]);
        assert_eq!(stop, Err(Stop::Budget { instructions: BUDGET }), "{}", isa.0);
    }
}
