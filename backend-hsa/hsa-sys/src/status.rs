//! What a function answers.

use std::error::Error;
use std::fmt;

macro_rules! statuses {
    ($($(#[$doc:meta])* $name:ident = $value:literal,)+) => {
        impl Status {
            $(
                #[doc = concat!("`HSA_STATUS_", stringify!($name), "`.")]
                $(#[$doc])*
                pub const $name: Self = Self($value);
            )+

            /// Its C name, if it is one that this crate knows.
            pub const fn name(self) -> Option<&'static str> {
                match self.0 {
                    $($value => Some(concat!("HSA_STATUS_", stringify!($name))),)+
                    _ => None,
                }
            }
        }

        #[cfg(test)]
        pub(crate) fn constants() -> Vec<(&'static str, i128)> {
            vec![$((concat!("HSA_STATUS_", stringify!($name)), $value)),+]
        }
    };
}

/// What a function answers (`hsa_status_t`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
#[must_use]
pub struct Status(pub u32);

statuses! {
    SUCCESS = 0,
    /// A callback ended an iteration.
    INFO_BREAK = 1,
    ERROR = 0x1000,
    ERROR_INVALID_ARGUMENT = 0x1001,
    ERROR_INVALID_QUEUE_CREATION = 0x1002,
    ERROR_INVALID_ALLOCATION = 0x1003,
    ERROR_INVALID_AGENT = 0x1004,
    ERROR_INVALID_REGION = 0x1005,
    ERROR_INVALID_SIGNAL = 0x1006,
    ERROR_INVALID_QUEUE = 0x1007,
    ERROR_OUT_OF_RESOURCES = 0x1008,
    ERROR_INVALID_PACKET_FORMAT = 0x1009,
    ERROR_RESOURCE_FREE = 0x100a,
    ERROR_NOT_INITIALIZED = 0x100b,
    ERROR_REFCOUNT_OVERFLOW = 0x100c,
    ERROR_INCOMPATIBLE_ARGUMENTS = 0x100d,
    ERROR_INVALID_INDEX = 0x100e,
    ERROR_INVALID_ISA = 0x100f,
    ERROR_INVALID_CODE_OBJECT = 0x1010,
    ERROR_INVALID_EXECUTABLE = 0x1011,
    ERROR_FROZEN_EXECUTABLE = 0x1012,
    ERROR_INVALID_SYMBOL_NAME = 0x1013,
    ERROR_VARIABLE_ALREADY_DEFINED = 0x1014,
    ERROR_VARIABLE_UNDEFINED = 0x1015,
    ERROR_EXCEPTION = 0x1016,
    ERROR_INVALID_ISA_NAME = 0x1017,
    ERROR_INVALID_CODE_SYMBOL = 0x1018,
    ERROR_INVALID_EXECUTABLE_SYMBOL = 0x1019,
    ERROR_INVALID_FILE = 0x1020,
    ERROR_INVALID_CODE_OBJECT_READER = 0x1021,
    ERROR_INVALID_CACHE = 0x1022,
    ERROR_INVALID_WAVEFRONT = 0x1023,
    ERROR_INVALID_SIGNAL_GROUP = 0x1024,
    ERROR_INVALID_RUNTIME_STATE = 0x1025,
    ERROR_FATAL = 0x1026,
    ERROR_INVALID_MEMORY_POOL = 40,
    ERROR_MEMORY_APERTURE_VIOLATION = 41,
    ERROR_ILLEGAL_INSTRUCTION = 42,
    ERROR_MEMORY_FAULT = 43,
    /// Done, but with fewer compute units than were asked for.
    CU_MASK_REDUCED = 44,
}

impl Status {
    /// `Ok` for [`Status::SUCCESS`] alone.
    pub const fn into_result(self) -> Result<(), Self> {
        match self {
            Self::SUCCESS => Ok(()),
            _ => Err(self),
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.name() {
            Some(name) => write!(f, "{name} ({:#x})", self.0),
            None => write!(f, "hsa_status_t {:#x}", self.0),
        }
    }
}

impl Error for Status {}
