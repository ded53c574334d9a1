//! Reading and writing the tables of runtimes of several releases.

use super::{AmdExtTable, Api, ApiTable, CoreApiTable, Table, TableError, Version, place_of, version};

/// A runtime's tables: each entry holds the address of an own byte.
struct Tables {
    core: Vec<u64>,
    amd_ext: Vec<u64>,
    root: ApiTable,
}

const CORE_BYTES: u32 = 16 + 8 * 125;

/// A table of a version and size, whose entry at byte offset `place` is `mark + place`.
fn table(major: u32, bytes: u32, mark: u64) -> Vec<u64> {
    let header = [u64::from(bytes) << 32 | u64::from(major), 0];
    let entries = (16..u64::from(bytes)).step_by(8).map(|place| mark + place);
    header.into_iter().chain(entries).collect()
}

impl Tables {
    fn new(core: (u32, u32), amd_ext: (u32, u32)) -> Self {
        let (core, amd_ext) = (table(core.0, core.1, 0x1000), table(amd_ext.0, amd_ext.1, 0x10_0000));
        let null = std::ptr::null_mut();
        let root = ApiTable {
            version: version(1, 48),
            core: null,
            amd_ext: null,
            finalizer_ext: null,
            image_ext: null,
        };
        let mut tables = Self { core, amd_ext, root };
        tables.root.core = tables.core.as_mut_ptr().cast();
        tables.root.amd_ext = tables.amd_ext.as_mut_ptr().cast();
        tables
    }

    fn read(&self) -> Result<Api, TableError> {
        // SAFETY: these tables are laid out as a runtime's, and nothing in them is called.
        unsafe { Api::read(&raw const self.root) }
    }

    /// Replaces an entry as a tool does.
    fn write(&mut self, api: &Api) {
        // SAFETY: what was read from these tables; nothing in them is called.
        unsafe { api.write(&raw mut self.root) }
    }
}

fn amd_ext_of(major: u32, bytes: u32) -> AmdExtTable {
    Tables::new((1, CORE_BYTES), (major, bytes)).read().expect("a known release").amd_ext
}

/// Where the copied function was in the runtime's table.
macro_rules! place {
    ($function:expr) => {
        $function as usize - 0x10_0000
    };
}

#[test]
fn entries_of_rocm_5_2_are_read_from_their_places() {
    let table = amd_ext_of(1, 400);
    assert_eq!(place!(table.memory_async_copy), 16 + 15 * 8);
    assert!(table.memory_async_copy_on_engine.is_none());
    assert_eq!(place!(table.agent_memory_pool_get_info), 16 + 16 * 8);
    assert_eq!(place!(table.signal_value_pointer), 16 + 43 * 8);
    assert!(table.spm_acquire.is_none());
    assert_eq!(place!(table.queue_cu_get_mask.expect("it is the last one")), 16 + 47 * 8);
    assert!(table.vmem_map.is_none());
}

#[test]
fn entries_of_rocm_5_5_are_read_from_their_places() {
    let table = amd_ext_of(1, 424);
    assert!(table.memory_async_copy_on_engine.is_none());
    assert_eq!(place!(table.agent_memory_pool_get_info), 16 + 16 * 8);
    assert_eq!(place!(table.spm_acquire.expect("new here")), 16 + 47 * 8);
    assert_eq!(place!(table.queue_cu_get_mask.expect("it is the last one")), 16 + 50 * 8);
}

#[test]
fn entries_of_rocm_6_2_are_read_from_their_places() {
    let table = amd_ext_of(2, 16 + 70 * 8);
    assert_eq!(place!(table.memory_async_copy_on_engine.expect("since 5.6")), 16 + 16 * 8);
    assert_eq!(place!(table.agent_memory_pool_get_info), 16 + 18 * 8);
    assert_eq!(place!(table.vmem_address_reserve.expect("since 6.0")), 456);
    assert_eq!(place!(table.vmem_address_reserve_align.expect("since 6.2")), 16 + 69 * 8);
    assert!(table.enable_logging.is_none());
}

#[test]
fn entries_of_rocm_7_are_read_and_what_follows_is_left_alone() {
    let table = amd_ext_of(2, 16 + 90 * 8);
    assert_eq!(place!(table.memory_async_batch_copy.expect("since 7")), 640);
}

#[test]
fn writing_replaces_an_entry_where_that_release_has_it_and_no_other() {
    for (major, bytes) in [(1, 400), (1, 424), (1, 456), (2, 576), (2, 800)] {
        let mut tables = Tables::new((1, CORE_BYTES), (major, bytes));
        let (core, mut expected) = (tables.core.clone(), tables.amd_ext.clone());
        let mut api = tables.read().expect("a known release");
        api.amd_ext.memory_unlock = unlock;
        api.amd_ext.vmem_unmap = Some(unmap);
        tables.write(&api);
        let replaced =
            [("hsa_amd_memory_unlock", unlock as *const ()), ("hsa_amd_vmem_unmap", unmap as *const ())];
        for (name, function) in replaced {
            if let Some(place) = place_of::<AmdExtTable>(version(major, bytes), name) {
                expected[place / 8] = function.addr() as u64;
            }
        }
        assert_eq!((&tables.core, &tables.amd_ext), (&core, &expected), "version {major}, {bytes} bytes");
    }
}

unsafe extern "C" fn unlock(_: *mut std::ffi::c_void) -> crate::Status {
    crate::Status::ERROR
}

unsafe extern "C" fn unmap(_: *mut std::ffi::c_void, _: usize) -> crate::Status {
    crate::Status::ERROR_FATAL
}

#[test]
fn a_core_table_that_grew_is_read() {
    for major in [1, 2] {
        let api = Tables::new((major, CORE_BYTES + 80), (1, 400)).read().expect("a known release");
        assert_eq!(api.core.init as usize, 0x1000 + 16);
        assert_eq!(api.core.version, version(major, CORE_BYTES + 80));
    }
}

#[test]
fn a_table_that_ends_before_a_required_entry_is_refused() {
    let error = Tables::new((1, 16 + 8 * 123), (1, 400)).read().unwrap_err();
    let expected = TableError::Missing {
        table: "CoreApiTable",
        entry: "hsa_executable_iterate_agent_symbols",
        bytes: 16 + 8 * 123,
    };
    assert_eq!(error, expected);
}

#[test]
fn a_required_entry_that_is_null_is_refused() {
    let mut tables = Tables::new((1, CORE_BYTES), (1, 400));
    let place = place_of::<CoreApiTable>(version(1, CORE_BYTES), "hsa_queue_create").expect("it has one");
    tables.core[place / 8] = 0;
    let error = tables.read().unwrap_err().to_string();
    assert!(error.contains("CoreApiTable has no 'hsa_queue_create'"), "{error}");
}

#[test]
fn an_order_that_is_not_known_is_refused() {
    for (major, bytes) in [(0, 0), (1, 392), (1, 408), (1, 448), (3, 800)] {
        let error = Tables::new((1, CORE_BYTES), (major, bytes.max(16))).read().unwrap_err();
        let expected = TableError::Unknown { table: "AmdExtTable", major, bytes: bytes.max(16) };
        assert_eq!(error, expected);
    }
    let error = Tables::new((3, CORE_BYTES), (2, 800)).read().unwrap_err();
    assert_eq!(error, TableError::Unknown { table: "CoreApiTable", major: 3, bytes: CORE_BYTES });
}

#[test]
fn tables_that_are_not_there_are_refused() {
    // SAFETY: null is allowed.
    let error = unsafe { Api::read(std::ptr::null()) }.unwrap_err();
    assert_eq!(error, TableError::Null { table: "HsaApiTable" });
    let mut tables = Tables::new((1, CORE_BYTES), (1, 400));
    tables.root.amd_ext = std::ptr::null_mut();
    assert_eq!(tables.read().unwrap_err(), TableError::Null { table: "AmdExtTable" });
    tables.root.version = Version::default();
    assert_eq!(tables.read().unwrap_err(), TableError::Unknown { table: "HsaApiTable", major: 0, bytes: 0 });
}

#[test]
fn every_entry_has_a_name_of_its_own() {
    let names = |entries: &[super::Entry]| {
        entries.iter().map(|entry| entry.name).collect::<std::collections::BTreeSet<_>>().len()
    };
    assert_eq!(names(CoreApiTable::ENTRIES), 125);
    assert_eq!(names(AmdExtTable::ENTRIES), 79);
}
