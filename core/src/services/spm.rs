//! Streaming performance monitors, a dispatch at a time.

use super::CountingData;
use crate::backend::SpmSample;
use crate::ids::{CounterConfigId, UserData};
use crate::tracing::CallbackArgs;
use std::sync::Arc;

/// Chooses what to sample on a submit.
pub type SpmDispatchCallback =
    Arc<dyn Fn(CountingData, &mut UserData, CallbackArgs) -> Option<CounterConfigId> + Send + Sync>;

/// Receives the samples of a submit.
pub type SpmRecordCallback = Arc<dyn Fn(CountingData, &[SpmSample], UserData, CallbackArgs) + Send + Sync>;

/// An SPM service.
pub(crate) struct Spm {
    pub(crate) choose: SpmDispatchCallback,
    pub(crate) record: SpmRecordCallback,
    pub(crate) args: CallbackArgs,
}
