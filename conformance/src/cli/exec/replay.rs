//! Replaying the program: the tool library, and what its environment tells it.

use super::ExecError;
use clap::Args;
use std::num::NonZeroU64;
use std::process::Command;

/// How the program's dispatches are replayed.
#[derive(Debug, Args)]
pub(super) struct Replay {
    /// Replay each dispatch with N passes, and say on the standard error what came of it; 0 is a loop that only
    /// --continue-after ends
    #[arg(long, value_name = "N")]
    passes: Option<u64>,
    /// End the loop of each dispatch after K passes, by the tool's continue callback
    #[arg(long, requires = "passes", value_name = "K")]
    continue_after: Option<NonZeroU64>,
    /// Compare the captured memory after each pass with that after the first, which is what a plain run leaves, and say on
    /// the standard error where it differs; the exit code stays the program's own
    #[arg(long, requires = "passes")]
    verify: bool,
}

impl Replay {
    /// Has a program replayed, if that is asked for; whether it is.
    pub(super) fn prepare(&self, program: &mut Command) -> Result<bool, ExecError> {
        match (self.passes, self.continue_after) {
            (None, _) => Ok(false),
            (Some(0), None) => Err(ExecError::Endless),
            (Some(passes), _) => self.load_tool(program, passes).map(|()| true),
        }
    }

    #[cfg(feature = "hsa")]
    fn load_tool(&self, program: &mut Command, passes: u64) -> Result<(), ExecError> {
        use kreplay_conformance::machine::MachineError;
        use kreplay_hsa::tool::settings;
        let library = kreplay_hsa::tool_library().map_err(MachineError::from)?;
        program.env("HSA_TOOLS_LIB", library);
        program.env(settings::PASSES_VARIABLE, passes.to_string());
        if let Some(after) = self.continue_after {
            program.env(settings::CONTINUE_AFTER_VARIABLE, after.to_string());
        }
        if self.verify {
            program.env(settings::VERIFY_VARIABLE, "1");
        }
        Ok(())
    }

    #[cfg(not(feature = "hsa"))]
    #[allow(clippy::unused_self)] // as with the feature
    fn load_tool(&self, _: &mut Command, _: u64) -> Result<(), ExecError> {
        Err(kreplay_conformance::machine::MachineError::NotBuilt.into())
    }
}
