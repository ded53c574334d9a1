//! What of an executable is read-only, as the sections of its code objects say. The runtime's own answer
//! (`HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_IS_CONST`) is the opposite of the truth up to ROCm 6 at least.

use crate::lock::lock;
use hsa_sys::constants::{code_object_storage_type, loaded_code_object_info};
use hsa_sys::{Executable, LoadedCodeObject, LoaderTable, Status};
use kreplay_core::memory::Region;
use object::elf::{SHF_ALLOC, SHF_WRITE};
use object::{Object, ObjectSection, SectionFlags};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::sync::Mutex;

/// Loaded sections that nothing may write to.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Constants(Vec<Region>);

/// Of every code object that is loaded, what is read-only, as the code object says before it is loaded. Kept from the load
/// on, since its bytes may be gone any time afterwards.
static LOADED: Mutex<BTreeMap<u64, Loaded>> = Mutex::new(BTreeMap::new());

struct Loaded {
    executable: Executable,
    constants: Constants,
}

/// A code object was loaded just now.
pub(crate) fn loaded(loader: &LoaderTable, executable: Executable, object: LoadedCodeObject) {
    let constants = contents(loader, object).map(|elf| Constants::in_elf(&elf)).unwrap_or_default();
    lock(&LOADED).insert(object.0, Loaded { executable, constants });
}

/// An executable is about to be destroyed.
pub(crate) fn destroyed(executable: Executable) {
    lock(&LOADED).retain(|_, loaded| loaded.executable != executable);
}

impl Constants {
    /// Those of an executable, where they were loaded to.
    pub(super) fn of(loader: &LoaderTable, executable: Executable) -> Self {
        let all = lock(&LOADED);
        let ours = all.iter().filter(|(_, loaded)| loaded.executable == executable);
        let regions = ours.filter_map(|(&object, loaded)| {
            let delta: i64 = ask(loader, LoadedCodeObject(object), loaded_code_object_info::LOAD_DELTA)?;
            let place =
                move |region: &Region| Region { base: region.base.wrapping_add_signed(delta), ..*region };
            Some(loaded.constants.0.iter().map(place))
        });
        Self(regions.flatten().collect())
    }

    fn in_elf(elf: &[u8]) -> Self {
        let Ok(file) = object::File::parse(elf) else { return Self::default() };
        let read_only = |flags| match flags {
            SectionFlags::Elf { sh_flags } => {
                sh_flags & u64::from(SHF_ALLOC) != 0 && sh_flags & u64::from(SHF_WRITE) == 0
            }
            _ => false,
        };
        let sections = file.sections().filter(|section| read_only(section.flags()));
        Self(sections.map(|section| Region { base: section.address(), bytes: section.size() }).collect())
    }

    /// Whether a variable is one of them.
    pub(super) fn hold(&self, region: Region) -> bool {
        self.0.iter().any(|section| section.base <= region.base && region.end() <= section.end())
    }
}

/// The code object as it was before it was loaded.
fn contents<'a>(loader: &LoaderTable, object: LoadedCodeObject) -> Option<Cow<'a, [u8]>> {
    match ask::<u32>(loader, object, loaded_code_object_info::CODE_OBJECT_STORAGE_TYPE)? {
        code_object_storage_type::MEMORY => {
            let base: u64 = ask(loader, object, loaded_code_object_info::CODE_OBJECT_STORAGE_MEMORY_BASE)?;
            let bytes: u64 = ask(loader, object, loaded_code_object_info::CODE_OBJECT_STORAGE_MEMORY_SIZE)?;
            // SAFETY: it was loaded from there just now, so its reader and the bytes behind that are still there.
            Some(Cow::Borrowed(unsafe { std::slice::from_raw_parts(base as *const u8, bytes as usize) }))
        }
        code_object_storage_type::FILE => {
            let file: i32 = ask(loader, object, loaded_code_object_info::CODE_OBJECT_STORAGE_FILE)?;
            fs::read(format!("/proc/self/fd/{file}")).ok().map(Cow::Owned)
        }
        _ => None,
    }
}

/// A value that a loaded code object has.
fn ask<T: Default>(loader: &LoaderTable, object: LoadedCodeObject, attribute: u32) -> Option<T> {
    let mut value = T::default();
    // SAFETY: every attribute is asked for with the type that it has.
    let status = unsafe { loader.loaded_code_object_get_info?(object, attribute, (&raw mut value).cast()) };
    (status == Status::SUCCESS).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::{Constants, Region};

    const OBJECT: &[u8] = include_bytes!("../../kernels/prebuilt/gfx90a/variables-c16-4.co");

    /// Addresses of the constant `v0` and the variable `v1`.
    fn symbols() -> [Region; 2] {
        use object::{Object, ObjectSymbol};
        let file = object::File::parse(OBJECT).expect("an ELF file");
        ["v0", "v1"].map(|name| {
            let symbol = file.symbols().find(|symbol| symbol.name() == Ok(name)).expect("it is there");
            Region { base: symbol.address(), bytes: symbol.size() }
        })
    }

    #[test]
    fn a_constant_is_told_from_a_variable() {
        let [constant, variable] = symbols();
        let constants = Constants::in_elf(OBJECT);
        assert!(constants.hold(constant), "the constant");
        assert!(!constants.hold(variable), "the variable");
    }

    #[test]
    fn what_is_no_code_object_has_no_constants() {
        assert_eq!(Constants::in_elf(b"no ELF file"), Constants::default());
    }
}
