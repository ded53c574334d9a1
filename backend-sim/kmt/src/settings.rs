//! What the environment says of a run, but for the machine that it is on.

use crate::log::Log;
use std::ffi::OsString;

/// The variable with the seed of the order in which workgroups begin; without it they begin in ascending order.
pub const SEED_VARIABLE: &str = "KREPLAY_SEED";

/// The variable that asks for a log: `text` or `json`.
pub const LOG_VARIABLE: &str = "KREPLAY_LOG";

/// How queues do their work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Settings {
    pub(crate) seed: u64,
    pub(crate) log: Log,
}

/// A variable has no sensible value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SettingsError {
    #[error("{SEED_VARIABLE}: expected a number of 64 bits, got '{0}'")]
    Seed(String),
    #[error("{LOG_VARIABLE}: expected 'text' or 'json', got '{0}'")]
    Log(String),
}

impl Settings {
    pub(crate) fn from_environment() -> Result<Self, SettingsError> {
        Self::new(std::env::var_os(SEED_VARIABLE), std::env::var_os(LOG_VARIABLE))
    }

    fn new(seed: Option<OsString>, log: Option<OsString>) -> Result<Self, SettingsError> {
        let (seed, log) = (seed.map(text), log.map(text));
        Ok(Self {
            seed: seed.map_or(Ok(0), |seed| seed.parse().map_err(|_| SettingsError::Seed(seed)))?,
            log: match log.as_deref() {
                None => Log::Off,
                Some("text") => Log::Text,
                Some("json") => Log::Json,
                Some(other) => return Err(SettingsError::Log(other.into())),
            },
        })
    }
}

fn text(value: OsString) -> String {
    value.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_read_or_refused() {
        let new = |seed: &str, log: &str| Settings::new(Some(seed.into()), Some(log.into()));
        assert_eq!(Settings::new(None, None), Ok(Settings::default()));
        assert_eq!(new("7", "json"), Ok(Settings { seed: 7, log: Log::Json }));
        assert_eq!(new("0", "text"), Ok(Settings { seed: 0, log: Log::Text }));
        assert_eq!(new("-1", "text"), Err(SettingsError::Seed("-1".into())));
        assert_eq!(new("1", "JSON"), Err(SettingsError::Log("JSON".into())));
    }
}
