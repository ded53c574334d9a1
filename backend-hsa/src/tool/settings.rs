//! What the environment says of a replay.

use kreplay_core::replay::{Policy, PolicyError};
use std::ffi::OsString;
use std::num::NonZeroU64;

/// The variable with the passes that each dispatch gets; without it nothing is replayed.
pub const PASSES_VARIABLE: &str = "KREPLAY_PASSES";

/// The variable with the passes after which `replay_continue` ends a loop; without it there is no such callback.
pub const CONTINUE_AFTER_VARIABLE: &str = "KREPLAY_CONTINUE_AFTER";

/// The variable that asks for a comparison of memory after each pass: `1`.
pub const VERIFY_VARIABLE: &str = "KREPLAY_VERIFY";

/// How dispatches are replayed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Settings {
    /// 0 for a loop that only [`Settings::continue_after`] ends.
    pub(crate) passes: u64,
    pub(crate) continue_after: Option<NonZeroU64>,
    pub(crate) verify: bool,
    pub(crate) policy: Policy,
}

/// A variable has no sensible value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SettingsError {
    #[error("{PASSES_VARIABLE}: expected a number of passes, got '{0}'")]
    Passes(String),
    #[error("{CONTINUE_AFTER_VARIABLE}: expected a number of passes from 1 on, got '{0}'")]
    ContinueAfter(String),
    #[error("{VERIFY_VARIABLE}: expected '1', got '{0}'")]
    Verify(String),
    #[error("{PASSES_VARIABLE}: 0 passes are a loop without end, set {CONTINUE_AFTER_VARIABLE}, too")]
    Endless,
    #[error(transparent)]
    Policy(#[from] PolicyError),
}

impl Settings {
    /// None if no replay is asked for.
    pub(crate) fn from_environment() -> Result<Option<Self>, SettingsError> {
        Self::new(|name| std::env::var_os(name))
    }

    fn new(variable: impl Fn(&str) -> Option<OsString>) -> Result<Option<Self>, SettingsError> {
        let text = |name: &str| variable(name).map(|value| value.to_string_lossy().into_owned());
        let Some(passes) = text(PASSES_VARIABLE) else { return Ok(None) };
        let passes = passes.parse().map_err(|_| SettingsError::Passes(passes))?;
        let continue_after = text(CONTINUE_AFTER_VARIABLE)
            .map(|after| after.parse().map_err(|_| SettingsError::ContinueAfter(after)))
            .transpose()?;
        let verify = match text(VERIFY_VARIABLE).as_deref() {
            None => false,
            Some("1") => true,
            Some(other) => return Err(SettingsError::Verify(other.into())),
        };
        if passes == 0 && continue_after.is_none() {
            return Err(SettingsError::Endless);
        }
        Ok(Some(Self { passes, continue_after, verify, policy: Policy::from_env(text)? }))
    }
}

#[cfg(test)]
mod tests {
    use super::{
        CONTINUE_AFTER_VARIABLE, NonZeroU64, PASSES_VARIABLE, Policy, Settings, SettingsError,
        VERIFY_VARIABLE,
    };

    fn read(set: &[(&str, &str)]) -> Result<Option<Settings>, SettingsError> {
        Settings::new(|asked| set.iter().find(|(name, _)| *name == asked).map(|(_, value)| value.into()))
    }

    #[test]
    fn without_passes_nothing_is_replayed() {
        assert_eq!(read(&[]), Ok(None));
        assert_eq!(read(&[(VERIFY_VARIABLE, "1"), (CONTINUE_AFTER_VARIABLE, "2")]), Ok(None));
    }

    #[test]
    fn all_that_is_asked_for_is_read() {
        let only = Settings { passes: 4, continue_after: None, verify: false, policy: Policy::default() };
        assert_eq!(read(&[(PASSES_VARIABLE, "4")]), Ok(Some(only)));
        let policy = Policy { decline_on_vmem: false, ..Policy::default() };
        let all = Settings { passes: 0, continue_after: NonZeroU64::new(3), verify: true, policy };
        let set = [
            (PASSES_VARIABLE, "0"),
            (CONTINUE_AFTER_VARIABLE, "3"),
            (VERIFY_VARIABLE, "1"),
            ("ROCPROFILER_KERNEL_REPLAY_DECLINE_ON_VMEM", "0"),
        ];
        assert_eq!(read(&set), Ok(Some(all)));
    }

    #[test]
    fn other_values_are_refused() {
        let beside = |name, value| read(&[(PASSES_VARIABLE, "2"), (name, value)]);
        assert_eq!(read(&[(PASSES_VARIABLE, "-1")]), Err(SettingsError::Passes("-1".into())));
        assert_eq!(beside(CONTINUE_AFTER_VARIABLE, "0"), Err(SettingsError::ContinueAfter("0".into())));
        assert_eq!(beside(VERIFY_VARIABLE, "yes"), Err(SettingsError::Verify("yes".into())));
        assert_eq!(read(&[(PASSES_VARIABLE, "0")]), Err(SettingsError::Endless));
        let refused = beside("ROCPROFILER_KERNEL_REPLAY_MAX_SNAPSHOT_BYTES", "much");
        assert!(matches!(refused, Err(SettingsError::Policy(_))), "{refused:?}");
    }
}
