//! Names of kernels. The loader copies whole segments, so that a code object in memory still begins with its ELF header,
//! and its dynamic symbols name the descriptors.

use crate::memory::View;
use kreplay_core::ids::Address;
use kreplay_sim::{Memory, Violation};

const PAGE: u64 = 4096;
/// How far before a descriptor its code object may begin.
const FARTHEST: u64 = 16 << 20;
/// Bytes of the longest name.
const LONGEST: u64 = 4096;

/// The first words of 64-bit little-endian ELF of `amdgcn-amd-amdhsa`, but for the versions of the ABI and the file.
const MAGIC: u64 = 0x4001_0102_464c_457f;
/// Places in the header: the program headers, their size and their number.
const HEADERS: u64 = 32;
const HEADER_SIZES: u64 = 52;

/// Places in a program header, and the type that leads to the dynamic section.
const START: u64 = 16;
const BYTES: u64 = 40;
const DYNAMIC: u32 = 2;

/// Tags of the dynamic section, and the bytes of an entry.
const HASH: u64 = 4;
const NAMES: u64 = 5;
const SYMBOLS: u64 = 6;
const ENTRY: u64 = 16;

/// The place of a symbol's value, and the bytes of a symbol.
const VALUE: u64 = 8;
const SYMBOL: u64 = 24;

/// A code object in memory.
struct Loaded<'a> {
    memory: &'a View,
    base: Address,
}

/// The symbol of a kernel, by its descriptor. None if no code object is found around it, or if it has no such symbol.
pub(crate) fn kernel_name(memory: &View, descriptor: Address) -> Option<String> {
    let loaded = Loaded::around(memory, descriptor)?;
    let symbol = loaded.name_of(descriptor - loaded.base).ok().flatten()?;
    symbol.strip_suffix(".kd").map(str::to_owned)
}

impl<'a> Loaded<'a> {
    fn around(memory: &'a View, at: Address) -> Option<Self> {
        let first = at & !(PAGE - 1);
        let pages = (first.saturating_sub(FARTHEST)..=first).rev().step_by(PAGE as usize);
        let headers = pages.map_while(|page| Some((page, memory.load_u64(page).ok()?)));
        let base = { headers }.find(|(_, header)| *header == MAGIC)?.0;
        Some(Self { memory, base })
    }

    /// The name of the symbol with a value.
    fn name_of(&self, value: u64) -> Result<Option<String>, Violation> {
        let [hash, names, symbols] = [HASH, NAMES, SYMBOLS].map(|tag| self.dynamic(tag));
        let (Some(hash), Some(names), Some(symbols)) = (hash?, names?, symbols?) else { return Ok(None) };
        // The second word of the hash table is the number of symbols.
        let number = self.word(hash, 4)?;
        for symbol in (0..u64::from(number)).map(|index| index * SYMBOL) {
            if self.double(symbols, symbol + VALUE)? == value {
                return self.text(names, self.word(symbols, symbol)?.into());
            }
        }
        Ok(None)
    }

    /// An entry of the dynamic section.
    fn dynamic(&self, tag: u64) -> Result<Option<u64>, Violation> {
        let Some((section, bytes)) = self.dynamic_section()? else { return Ok(None) };
        for entry in (0..bytes).step_by(ENTRY as usize) {
            if self.double(section, entry)? == tag {
                return self.double(section, entry + 8).map(Some);
            }
        }
        Ok(None)
    }

    /// Its start and its bytes.
    fn dynamic_section(&self) -> Result<Option<(u64, u64)>, Violation> {
        let (headers, sizes) = (self.double(0, HEADERS)?, self.double(0, HEADER_SIZES)?);
        let (size, number) = (sizes >> 16 & 0xffff, sizes >> 32 & 0xffff);
        for header in (0..number).map(|index| index * size) {
            if self.word(headers, header)? == DYNAMIC {
                let (start, bytes) = (header + START, header + BYTES);
                return Ok(Some((self.double(headers, start)?, self.double(headers, bytes)?)));
            }
        }
        Ok(None)
    }

    /// Text up to its 0, if it ends and is text.
    fn text(&self, table: u64, place: u64) -> Result<Option<String>, Violation> {
        let mut text = Vec::new();
        for place in place..place + LONGEST {
            let mut byte = [0];
            self.memory.load(self.address(table, place), &mut byte)?;
            if byte == [0] {
                return Ok(String::from_utf8(text).ok());
            }
            text.extend(byte);
        }
        Ok(None)
    }

    fn word(&self, table: u64, place: u64) -> Result<u32, Violation> {
        self.memory.load_u32(self.address(table, place))
    }

    fn double(&self, table: u64, place: u64) -> Result<u64, Violation> {
        self.memory.load_u64(self.address(table, place))
    }

    /// Where something is in a table of the code object, which may name any place.
    fn address(&self, table: u64, place: u64) -> Address {
        self.base.wrapping_add(table).wrapping_add(place)
    }
}

#[cfg(test)]
mod tests;
