//! Numbers on the command line.

use std::time::Duration;

/// A longer limit is none.
const YEAR: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// A seed.
pub(super) fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("expected a whole number from 0 to {}", u64::MAX))
}

/// A limit of time.
pub(super) fn seconds(text: &str) -> Result<Duration, &'static str> {
    let expected = "expected a number of seconds greater than 0 and at most 31536000, a year, as in 2.5";
    let seconds: f64 = text.parse().map_err(|_| expected)?;
    let duration = Duration::try_from_secs_f64(seconds).map_err(|_| expected)?;
    if duration.is_zero() || duration > YEAR { Err(expected) } else { Ok(duration) }
}
