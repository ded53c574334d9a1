//! A code object in the machine's memory.

use object::{Object, ObjectSegment, ObjectSymbol, RelocationFlags, RelocationTarget};

use crate::machine::Machine;

/// A loaded code object.
pub(crate) struct CodeObject {
    base: u64,
    descriptors: Vec<(String, u64)>,
}

/// The types of relocation that have the whole 64-bit address.
const ABSOLUTE: u32 = 3;
const RELATIVE: u32 = 13;

impl CodeObject {
    /// Loads the file at `base`.
    pub(crate) fn load(machine: &mut Machine, file: &[u8], base: u64) -> CodeObject {
        let elf = object::File::parse(file).expect("an ELF file");
        let end = elf.segments().map(|segment| segment.address() + segment.size()).max().expect("segments");
        let mut image = vec![0; end as usize];
        for segment in elf.segments() {
            let data = segment.data().expect("a segment's bytes");
            image[segment.address() as usize..][..data.len()].copy_from_slice(data);
        }
        for (at, relocation) in elf.dynamic_relocations().into_iter().flatten() {
            let RelocationFlags::Elf { r_type } = relocation.flags() else { panic!("not an ELF relocation") };
            let symbol = match relocation.target() {
                RelocationTarget::Symbol(index) => {
                    let table = elf.dynamic_symbol_table().expect("a symbol table");
                    object::ObjectSymbolTable::symbol_by_index(&table, index).expect("a symbol").address()
                }
                _ => 0,
            };
            assert!(
                [ABSOLUTE, RELATIVE].contains(&r_type),
                "expected an absolute relocation, got type {r_type}"
            );
            let value = base.wrapping_add(symbol).wrapping_add_signed(relocation.addend());
            image[at as usize..][..8].copy_from_slice(&value.to_le_bytes());
        }
        machine.map(base, image);
        let named = elf.dynamic_symbols().filter_map(|symbol| {
            let kernel = symbol.name().ok()?.strip_suffix(".kd")?;
            Some((kernel.to_owned(), symbol.address()))
        });
        CodeObject { base, descriptors: named.collect() }
    }

    /// The address of a kernel's descriptor.
    pub(crate) fn kernel(&self, name: &str) -> u64 {
        let found = self.descriptors.iter().find(|(kernel, _)| kernel == name);
        self.base + found.unwrap_or_else(|| panic!("expected the kernel {name} in the code object")).1
    }
}
