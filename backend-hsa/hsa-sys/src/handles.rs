//! Handles: 64-bit names that only the runtime can resolve. 0 names nothing.

macro_rules! handles {
    ($($(#[$doc:meta])* pub struct $name:ident = $c:literal;)+) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
            #[repr(transparent)]
            pub struct $name(pub u64);
        )+

        #[cfg(test)]
        pub(crate) fn layouts() -> Vec<crate::tests::Layout> {
            vec![$(crate::tests::Layout {
                name: $c,
                size: size_of::<$name>(),
                fields: vec![("handle", 0, size_of::<u64>())],
            }),+]
        }
    };
}

handles! {
    /// A CPU or a GPU.
    pub struct Agent = "hsa_agent_t";
    /// A signal: the address of an [`AmdSignal`](crate::AmdSignal), unless it was made for processes to share.
    pub struct Signal = "hsa_signal_t";
    /// Memory of an agent that can be allocated.
    pub struct Region = "hsa_region_t";
    /// Memory of an agent that can be allocated and made accessible to others.
    pub struct MemoryPool = "hsa_amd_memory_pool_t";
    /// An instruction set.
    pub struct Isa = "hsa_isa_t";
    /// A code object, ready to be loaded.
    pub struct CodeObjectReader = "hsa_code_object_reader_t";
    /// Loaded code objects that belong together.
    pub struct Executable = "hsa_executable_t";
    /// A kernel or a variable of an executable.
    pub struct ExecutableSymbol = "hsa_executable_symbol_t";
    /// One of the code objects of an executable.
    pub struct LoadedCodeObject = "hsa_loaded_code_object_t";
}

/// Memory without an address, to be mapped (`hsa_amd_vmem_alloc_handle_t`, ROCm 6.0).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct VmemHandle(pub u64);
