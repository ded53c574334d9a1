//! What a machine consists of, as reports tell it.

use super::MachineError;
use serde::Serialize;
use std::fmt;

/// What is known of a machine. Of a simulated one there is nothing to tell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Facts {
    /// Its GPUs, in the order of the agents.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<Gpu>,
    /// The runtime that drives them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runtime: Option<Runtime>,
    /// The version of the kernel driver.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
}

/// A GPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Gpu {
    /// Its target, as in `gfx90a`.
    pub name: String,
    /// Its product name.
    pub product: String,
}

/// An HSA runtime.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Runtime {
    /// Its interface version, as in `1.1`.
    pub version: String,
    /// The library that was loaded.
    pub library: String,
}

impl Facts {
    /// What is known, as name and value.
    pub fn pairs(&self) -> Vec<(String, String)> {
        let agents = (0..).zip(&self.agents).map(|(index, gpu)| (format!("agent{index}"), gpu.to_string()));
        let runtime = self.runtime.iter().map(|runtime| ("runtime".to_owned(), runtime.to_string()));
        let driver = self.driver.iter().map(|driver| ("driver".to_owned(), driver.clone()));
        agents.chain(runtime).chain(driver).collect()
    }
}

impl fmt::Display for Gpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name, self.product)
    }
}

impl fmt::Display for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.version, self.library)
    }
}

/// The index of the GPU that is asked for by index or by name; of several with the name, the first. Without a wish it is
/// the first.
pub fn choose(gpus: &[Gpu], asked: Option<&str>) -> Result<usize, MachineError> {
    if gpus.is_empty() {
        return Err(MachineError::NoGpu);
    }
    let Some(asked) = asked else { return Ok(0) };
    let by_index = asked.parse().ok().filter(|&index: &usize| index < gpus.len());
    let chosen = by_index.or_else(|| gpus.iter().position(|gpu| gpu.name == asked));
    chosen.ok_or_else(|| MachineError::NoAgent { asked: asked.to_owned(), present: list(gpus) })
}

fn list(gpus: &[Gpu]) -> String {
    let numbered = gpus.iter().enumerate().map(|(index, gpu)| format!("{index}: {gpu}"));
    numbered.collect::<Vec<String>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::{Gpu, choose};

    fn gpus() -> Vec<Gpu> {
        ["gfx90a", "gfx942", "gfx942"].map(|name| Gpu { name: name.into(), product: "MI".into() }).into()
    }

    #[test]
    fn a_gpu_is_chosen_by_index_or_name() {
        assert_eq!(choose(&gpus(), None).unwrap(), 0);
        assert_eq!(choose(&gpus(), Some("2")).unwrap(), 2);
        assert_eq!(choose(&gpus(), Some("gfx942")).unwrap(), 1);
    }

    #[test]
    fn a_gpu_that_there_is_not_is_answered_with_those_that_there_are() {
        let said = |asked| choose(&gpus(), Some(asked)).unwrap_err().to_string();
        let present = "expected an index or a name of 0: gfx90a (MI), 1: gfx942 (MI), 2: gfx942 (MI)";
        assert_eq!(said("3"), format!("no GPU is '3', {present}"));
        assert_eq!(said("gfx9"), format!("no GPU is 'gfx9', {present}"));
        assert!(choose(&[], None).unwrap_err().to_string().starts_with("the HSA runtime shows no GPU"));
    }
}
