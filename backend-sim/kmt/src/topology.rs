//! The simulated machine: one CPU node and one to eight GPU nodes, from a small file.

pub(crate) mod properties;

use crate::types::{Node, Status};
use serde::Deserialize;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

/// Environment variable that names a topology file.
pub const FILE_VARIABLE: &str = "KREPLAY_TOPOLOGY";
/// Environment variable with the number of GPUs.
pub const GPUS_VARIABLE: &str = "KREPLAY_GPUS";
/// Most GPUs of a machine.
pub const MAX_GPUS: usize = 8;

/// The machine. Node 0 is the CPU, the GPUs follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    /// The CPU node.
    pub cpu: Cpu,
    /// The GPU nodes, from node 1 on.
    pub gpus: Vec<Gpu>,
}

/// A CPU node.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Cpu {
    /// Public name.
    pub name: String,
    /// Cores.
    pub cores: u32,
    /// Clock, MHz.
    pub clock_mhz: u32,
    /// Memory, MiB.
    pub memory_mib: u64,
}

/// A GPU node of target gfx90a.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Gpu {
    /// Public name.
    pub name: String,
    /// PCI device.
    pub device_id: u16,
    /// Compute units that work.
    pub compute_units: u32,
    /// Shader engines.
    pub shader_engines: u32,
    /// Clock, MHz.
    pub clock_mhz: u32,
    /// Device memory, MiB.
    pub memory_mib: u64,
    /// L2 cache, KiB.
    pub l2_kib: u32,
}

impl Default for Cpu {
    fn default() -> Self {
        Self { name: "Simulated CPU".into(), cores: 8, clock_mhz: 3000, memory_mib: 64 << 10 }
    }
}

/// The shape of an MI210.
impl Default for Gpu {
    fn default() -> Self {
        Self {
            name: "AMD Instinct MI210 (simulated)".into(),
            device_id: 0x740f,
            compute_units: 104,
            shader_engines: 8,
            clock_mhz: 1700,
            memory_mib: 64 << 10,
            l2_kib: 8 << 10,
        }
    }
}

/// What a file says.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct File {
    cpu: Cpu,
    gpu: Vec<Gpu>,
}

/// Why there is no machine.
#[derive(Debug, thiserror::Error)]
pub enum TopologyError {
    /// The file cannot be read.
    #[error("{FILE_VARIABLE}: '{path}' cannot be read: {error}")]
    Unreadable {
        /// Its path.
        path: String,
        /// Why.
        error: std::io::Error,
    },
    /// The file does not say what it should.
    #[error("{FILE_VARIABLE}: '{path}': {problem}")]
    Malformed {
        /// Its path.
        path: String,
        /// What is wrong, and where.
        problem: String,
    },
    /// The number of GPUs is none.
    #[error("{GPUS_VARIABLE}: expected a number from 1 to {MAX_GPUS}, got '{0}'")]
    Count(String),
    /// The number of GPUs contradicts the file.
    #[error(
        "{GPUS_VARIABLE} is {asked}, but the topology file lists {listed} GPUs: unset it, or list one GPU"
    )]
    Contradiction {
        /// Asked for.
        asked: usize,
        /// Listed.
        listed: usize,
    },
}

impl Topology {
    /// The machine that the environment asks for.
    pub fn from_environment() -> Result<Self, TopologyError> {
        Self::new(std::env::var_os(FILE_VARIABLE), std::env::var_os(GPUS_VARIABLE))
    }

    /// The machine of a file (none: the default one), with a number of GPUs (none: as listed, at least one).
    pub fn new(file: Option<OsString>, gpus: Option<OsString>) -> Result<Self, TopologyError> {
        let File { cpu, gpu: listed } = file.map_or_else(|| Ok(File::default()), read)?;
        let asked = gpus.map(count).transpose()?;
        let gpus = match (asked, listed.len()) {
            (None, 0) => vec![Gpu::default()],
            (None, _) => listed,
            (Some(asked), 0) => vec![Gpu::default(); asked],
            (Some(asked), 1) => vec![listed[0].clone(); asked],
            (Some(asked), number) if asked == number => listed,
            (Some(asked), listed) => return Err(TopologyError::Contradiction { asked, listed }),
        };
        Ok(Self { cpu, gpus })
    }

    /// All nodes.
    pub fn nodes(&self) -> u32 {
        1 + self.gpus.len() as u32
    }

    /// The GPU at a node.
    pub fn gpu(&self, node: Node) -> Option<&Gpu> {
        self.gpus.get((node as usize).checked_sub(1)?)
    }

    /// Whether a node exists.
    pub fn check(&self, node: Node) -> Result<(), Status> {
        if node < self.nodes() { Ok(()) } else { Err(Status::InvalidNodeUnit) }
    }
}

fn read(path: OsString) -> Result<File, TopologyError> {
    let path = PathBuf::from(path);
    let name = path.display().to_string();
    let text =
        fs::read_to_string(&path).map_err(|error| TopologyError::Unreadable { path: name.clone(), error })?;
    parse(&text).map_err(|problem| TopologyError::Malformed { path: name, problem })
}

/// Reads a file's text; what is wrong, in one line.
fn parse(text: &str) -> Result<File, String> {
    let file: File = toml::from_str(text).map_err(|error| one_line(&error, text))?;
    if file.gpu.len() > MAX_GPUS {
        return Err(format!("a machine has at most {MAX_GPUS} GPUs, got {}", file.gpu.len()));
    }
    in_range("cpu.cores", file.cpu.cores, 1, 1024)?;
    in_range("cpu.memory_mib", file.cpu.memory_mib, 1, 1 << 20)?;
    file.gpu.iter().try_for_each(check_gpu)?;
    Ok(file)
}

fn check_gpu(gpu: &Gpu) -> Result<(), String> {
    in_range("gpu.shader_engines", gpu.shader_engines, 1, 32)?;
    in_range("gpu.compute_units", gpu.compute_units, 1, 512)?;
    in_range("gpu.memory_mib", gpu.memory_mib, 1, 1 << 20)?;
    if !gpu.compute_units.is_multiple_of(gpu.shader_engines) {
        return Err(format!(
            "gpu.compute_units: expected a multiple of the {} shader engines, got {}",
            gpu.shader_engines, gpu.compute_units
        ));
    }
    Ok(())
}

fn in_range<T: PartialOrd + std::fmt::Display>(key: &str, value: T, least: T, most: T) -> Result<(), String> {
    if value >= least && value <= most {
        return Ok(());
    }
    Err(format!("{key}: expected {least} to {most}, got {value}"))
}

fn one_line(error: &toml::de::Error, text: &str) -> String {
    let line = error.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
    format!("line {line}: {}", error.message().replace('\n', " "))
}

fn count(gpus: OsString) -> Result<usize, TopologyError> {
    let text = gpus.to_string_lossy().into_owned();
    match text.parse() {
        Ok(number) if (1..=MAX_GPUS).contains(&number) => Ok(number),
        _ => Err(TopologyError::Count(text)),
    }
}

#[cfg(test)]
mod tests;
