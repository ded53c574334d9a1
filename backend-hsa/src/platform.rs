//! The runtime of this process as an application opens it, with this library between the two.

use crate::fixture::HsaFixture;
use crate::fixture::kernels::{KernelError, Kernels};
use crate::hooks;
use crate::machine::{Machine, MachineError};
use crate::tool::settings::PASSES_VARIABLE;
use hsa_sys::constants::system_info;
use hsa_sys::structs::Event;
use hsa_sys::{Api, ApiTable, Runtime, RuntimeError, Status};
use kreplay_core::fixture::Fixture;
use libc::{RTLD_LAZY, RTLD_NOLOAD};
use std::env;
use std::ffi::{CString, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

/// File name of the tool library.
const TOOL: &str = "libkreplay_tool.so";

/// The runtime of this process.
pub struct Platform {
    /// The functions that an application calls.
    pub(crate) api: Api,
    pub(crate) machine: &'static Machine,
    pub(crate) kernels: Kernels,
    agents: Vec<AgentInfo>,
    runtime: RuntimeInfo,
}

/// A GPU agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentInfo {
    /// Its target: `gfx90a`.
    pub name: String,
    /// What it is sold as.
    pub product: String,
}

/// The runtime.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuntimeInfo {
    /// Its file.
    pub library: PathBuf,
    /// Version of the interface: major and minor.
    pub version: (u16, u16),
    /// Version of the kernel driver, if it says one.
    pub driver: Option<String>,
}

/// Why there is nothing to run on.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// No runtime.
    #[error(transparent)]
    Runtime(#[from] RuntimeError),
    /// No tool library.
    #[error("{TOOL} is neither in '{}' nor in its folder 'deps': build it with cargo build --release --features hsa", .0.display())]
    NoTool(PathBuf),
    /// The runtime does not start.
    #[error(
        "hsa_init failed ({0}): check that the amdgpu driver is loaded and that this user may open /dev/kfd"
    )]
    Init(Status),
    /// The runtime has loaded no tool.
    #[error("the HSA runtime '{}' did not load '{}' from HSA_TOOLS_LIB: use a ROCm release from 5.0 to 7", .runtime.display(), .tool.display())]
    NotLoaded {
        /// The runtime's file.
        runtime: PathBuf,
        /// The tool library.
        tool: PathBuf,
    },
    /// The runtime cannot be used.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// No kernels.
    #[error(transparent)]
    Kernels(#[from] KernelError),
}

impl Platform {
    /// Opens the runtime, once a process. Call it before other threads are started: it sets an environment variable.
    pub fn open() -> Result<Arc<Self>, OpenError> {
        static OPENED: OnceLock<Arc<Platform>> = OnceLock::new();
        static OPENING: Mutex<()> = Mutex::new(());
        let _opening = crate::lock::lock(&OPENING);
        if let Some(platform) = OPENED.get() {
            return Ok(Arc::clone(platform));
        }
        let platform = Arc::new(Self::open_first()?);
        Ok(Arc::clone(OPENED.get_or_init(|| platform)))
    }

    fn open_first() -> Result<Self, OpenError> {
        let tool = tool_library()?;
        // SAFETY: the caller has started no other thread that could read the environment.
        unsafe {
            env::set_var("HSA_TOOLS_LIB", &tool);
            // The library is to keep the tables, and not to replay what the suite does.
            env::remove_var(PASSES_VARIABLE);
        }
        let runtime = Runtime::load()?;
        let api = runtime.api;
        // SAFETY: the runtime was just loaded.
        unsafe { (api.core.init)() }.into_result().map_err(OpenError::Init)?;
        let tables = tables(&tool)
            .ok_or_else(|| OpenError::NotLoaded { runtime: runtime.path.clone(), tool: tool.clone() })?;
        // SAFETY: the runtime is initialized, and nobody has put anything into its tables yet.
        let machine = unsafe { Machine::find(tables) }?;
        survive_faults(&api);
        let kernels = Kernels::load(machine)?;
        // SAFETY: no other thread uses the runtime yet.
        unsafe { hooks::install(machine, tables) };
        let agents =
            machine.gpus.iter().map(|gpu| AgentInfo { name: gpu.name.clone(), product: gpu.product.clone() });
        let runtime = RuntimeInfo { library: runtime.path, version: version(&api), driver: driver() };
        Ok(Self { api, machine, kernels, agents: agents.collect(), runtime })
    }

    /// The GPU agents.
    pub fn agents(&self) -> &[AgentInfo] {
        &self.agents
    }

    /// The runtime.
    pub const fn runtime(&self) -> &RuntimeInfo {
        &self.runtime
    }

    /// A fresh application, whose agent 0 is the GPU with that index.
    pub fn fixture(self: &Arc<Self>, first_agent: usize) -> Arc<dyn Fixture> {
        Arc::new(HsaFixture::new(Arc::clone(self), first_agent))
    }
}

/// The tool library: beside this program, or where cargo builds it.
pub fn tool_library() -> Result<PathBuf, OpenError> {
    let folder = env::current_exe().ok().and_then(|exe| exe.parent().map(Path::to_owned)).unwrap_or_default();
    let places = [folder.join(TOOL), folder.join("deps").join(TOOL)];
    places.into_iter().find(|place| place.exists()).ok_or(OpenError::NoTool(folder))
}

/// What the runtime has passed to the tool library.
fn tables(tool: &Path) -> Option<*mut ApiTable> {
    let name = CString::new(tool.as_os_str().as_bytes()).ok()?;
    // SAFETY: a name that ends in NUL; a library that is not loaded stays so.
    let library = unsafe { libc::dlopen(name.as_ptr(), RTLD_LAZY | RTLD_NOLOAD) };
    if library.is_null() {
        return None;
    }
    // SAFETY: a library that is loaded, and a name that ends in NUL.
    let symbol = unsafe { libc::dlsym(library, c"kreplay_hsa_tables".as_ptr()) };
    if symbol.is_null() {
        return None;
    }
    // SAFETY: that library's own function.
    let tables = unsafe { std::mem::transmute::<*mut c_void, extern "C" fn() -> *mut ApiTable>(symbol) }();
    (!tables.is_null()).then_some(tables)
}

/// Lets the process go on after a memory fault of a kernel: its queue stops, and that is told.
fn survive_faults(api: &Api) {
    unsafe extern "C" fn note(_: *const Event, _: *mut c_void) -> Status {
        Status::SUCCESS
    }
    // SAFETY: the callback uses nothing.
    let status = unsafe { (api.amd_ext.register_system_event_handler)(Some(note), std::ptr::null_mut()) };
    if status != Status::SUCCESS {
        tracing::warn!(
            "[kernel-replay] a memory fault will end this process: the runtime takes no handler ({status})"
        );
    }
}

fn version(api: &Api) -> (u16, u16) {
    let ask = |attribute| {
        let mut value = 0_u16;
        // SAFETY: both attributes are a `u16`.
        let status = unsafe { (api.core.system_get_info)(attribute, (&raw mut value).cast()) };
        if status == Status::SUCCESS { value } else { 0 }
    };
    (ask(system_info::VERSION_MAJOR), ask(system_info::VERSION_MINOR))
}

/// What the kernel driver says of itself.
fn driver() -> Option<String> {
    let version = std::fs::read_to_string("/sys/module/amdgpu/version").ok()?;
    Some(version.trim().to_owned())
}
