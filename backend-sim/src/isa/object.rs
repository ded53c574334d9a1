//! Code objects: the ELF files that hold kernels, their descriptors and their code.

mod descriptor;

use super::instruction::Target;
use object::elf::{EM_AMDGPU, FileHeader64};
use object::read::elf::{ElfFile64, FileHeader, ProgramHeader};
use object::{LittleEndian, Object, ObjectSegment, ObjectSymbol};

pub use descriptor::{DESCRIPTOR_SIZE, Denormals, Descriptor, Rounding, UserSgprs, WorkItemIds};

/// The ELF operating system ABI of code objects for HSA.
const ABI_HSA: u8 = 64;

/// The part of the ELF flags that numbers the processor.
const PROCESSOR: u32 = 0xff;

/// A code object. Addresses in it are those that the file asks for, before it is loaded anywhere.
#[derive(Debug)]
pub struct CodeObject<'data> {
    file: ElfFile64<'data, LittleEndian>,
    target: Target,
    kernels: Vec<Kernel>,
}

/// A kernel of a code object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Its name, without the `.kd` of its descriptor's symbol.
    pub name: String,
    /// Where its descriptor is: what a packet has as kernel object, once loaded.
    pub address: u64,
    /// Its descriptor.
    pub descriptor: Descriptor,
}

/// Why a file is not a code object that can be run.
#[derive(Debug, thiserror::Error)]
pub enum ObjectError {
    /// The file is not ELF, or its tables are cut off.
    #[error("expected a code object, got a file that is not whole 64-bit ELF: {0}")]
    Elf(#[from] object::Error),
    /// The file is for another machine.
    #[error("expected a code object of amdgcn-amd-amdhsa, got ELF for machine {machine} and ABI {abi}")]
    Machine {
        /// The ELF machine.
        machine: u16,
        /// The ELF operating system ABI.
        abi: u8,
    },
    /// The code is for another processor.
    #[error(
        "expected code of gfx90a or gfx942, got processor {processor:#04x}: compile with --offload-arch=gfx90a"
    )]
    Processor {
        /// The number of the processor in the ELF flags.
        processor: u32,
    },
    /// A descriptor is not in the file.
    #[error(
        "expected {DESCRIPTOR_SIZE} bytes of descriptor of {kernel} at {address:#x}, got none in the file"
    )]
    Descriptor {
        /// The kernel's name.
        kernel: String,
        /// Where its descriptor should be.
        address: u64,
    },
    /// A kernel's code is not in the file.
    #[error("expected code of {kernel} at {address:#x}, got none in the file")]
    Entry {
        /// The kernel's name.
        kernel: String,
        /// Where it should begin.
        address: u64,
    },
}

impl<'data> CodeObject<'data> {
    /// Reads a code object and the descriptors of all its kernels.
    ///
    /// # Errors
    /// When the file is not ELF, is for another machine or processor, or lacks a descriptor or code.
    pub fn parse(bytes: &'data [u8]) -> Result<CodeObject<'data>, ObjectError> {
        let file = ElfFile64::parse(bytes)?;
        let target = target(file.elf_header())?;
        let mut object = CodeObject { file, target, kernels: Vec::new() };
        object.kernels = object.read_kernels()?;
        Ok(object)
    }

    /// The processor that its code is for.
    pub fn target(&self) -> Target {
        self.target
    }

    /// Its kernels, in the order of its symbols.
    pub fn kernels(&self) -> &[Kernel] {
        &self.kernels
    }

    /// The bytes of the file from an address to the end of its segment.
    pub fn bytes(&self, address: u64) -> Option<&'data [u8]> {
        self.file.segments().find_map(|segment| {
            let end = segment.address() + segment.elf_program_header().p_filesz(LittleEndian);
            let size = end.checked_sub(address).filter(|size| *size > 0)?;
            segment.data_range(address, size).ok()?
        })
    }

    /// The dwords from an address to the end of its segment, for [`decode`](super::decode).
    pub fn words(&self, address: u64) -> Option<Vec<u32>> {
        let (words, _) = self.bytes(address)?.as_chunks();
        Some(words.iter().map(|word| u32::from_le_bytes(*word)).collect())
    }

    fn read_kernels(&self) -> Result<Vec<Kernel>, ObjectError> {
        let symbols =
            self.file.dynamic_symbols().filter_map(|symbol| Some((symbol.name().ok()?, symbol.address())));
        let descriptors = symbols.filter_map(|(name, address)| Some((name.strip_suffix(".kd")?, address)));
        descriptors.map(|(name, address)| self.read_kernel(name, address)).collect()
    }

    fn read_kernel(&self, name: &str, address: u64) -> Result<Kernel, ObjectError> {
        let lost = || ObjectError::Descriptor { kernel: name.to_owned(), address };
        let bytes = self.bytes(address).and_then(<[u8]>::first_chunk).ok_or_else(lost)?;
        let kernel = Kernel { name: name.to_owned(), address, descriptor: Descriptor::read(bytes) };
        match self.bytes(kernel.entry()) {
            Some(_) => Ok(kernel),
            None => Err(ObjectError::Entry { address: kernel.entry(), kernel: kernel.name }),
        }
    }
}

impl Kernel {
    /// Where its first instruction is.
    pub fn entry(&self) -> u64 {
        self.address.wrapping_add_signed(self.descriptor.entry_offset)
    }
}

fn target(header: &FileHeader64<LittleEndian>) -> Result<Target, ObjectError> {
    let (machine, abi) = (header.e_machine(LittleEndian), header.e_ident().os_abi);
    if machine != EM_AMDGPU || abi != ABI_HSA {
        return Err(ObjectError::Machine { machine, abi });
    }
    match header.e_flags(LittleEndian) & PROCESSOR {
        0x3f => Ok(Target::Gfx90a),
        0x4c => Ok(Target::Gfx942),
        processor => Err(ObjectError::Processor { processor }),
    }
}

#[cfg(test)]
mod tests;
