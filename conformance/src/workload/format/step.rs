//! What an application thread does.

use super::{Contents, Name};
use crate::workload::at::At;
use serde::Deserialize;

/// One step of a thread: one key, which says what is done.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Step {
    /// Launches a kernel: `dst[i] = value`.
    Fill(Fill),
    /// Launches a kernel: `dst[i] = src[i]`.
    Copy(Copy),
    /// Launches a kernel: `dst[i] = a[i] + b[i]`.
    VectorAdd(VectorAdd),
    /// Launches a kernel: `y[i] = a * x[i] + y[i]` in place; each workgroup adds 1 to `counter`.
    Saxpy(Saxpy),
    /// Launches a kernel: `times` work-items add 1 each to the first element of `counter`.
    Bump(Bump),
    /// Launches a kernel that spins until the first element of `word` equals `value`.
    SpinUntil(SpinUntil),
    /// Launches a kernel that writes past the end of `dst`, which stops its queue for good.
    OutOfRange(OutOfRange),
    /// Launches a kernel that never ends.
    Forever(Forever),
    /// Launches several kernels on one queue with one doorbell.
    Together(Vec<At<Step>>),
    /// Launches kernels on one queue as a graph.
    Graph(Vec<At<Step>>),
    /// Starts a copy on an SDMA engine.
    Transfer(Transfer),
    /// Waits for what this thread submitted to a queue; for its transfers (`sdma`); for all of that (`all`); or for a
    /// signal.
    Wait(Name),
    /// Holds a queue until what this thread launched last on another one is done, or until a signal is posted.
    Barrier(Barrier),
    /// Posts a signal.
    Post(Name),
    /// Writes a buffer by host stores.
    Write(Write),
    /// Frees a buffer.
    Free(Name),
    /// Allocates a buffer that was freed, or is declared with `later`.
    Allocate(Name),
    /// Does steps several times.
    Repeat(Repeat),
}

macro_rules! kernels {
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* })+) => {$(
        $(#[$doc])*
        #[derive(Debug, Deserialize)]
        #[cfg_attr(test, derive(schemars::JsonSchema))]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            /// The queue.
            pub queue: Name,
            $($(#[$field_doc])* pub $field: $type,)*
            /// Work-items of a workgroup: 64 unless set.
            pub workgroup: Option<At<u16>>,
            /// The barrier bit is clear: the kernel can overlap with earlier ones of its queue.
            #[serde(default)]
            pub overlap: bool,
            /// It has no completion signal.
            #[serde(default)]
            pub silent: bool,
        }
    )+};
}

kernels! {
    /// A fill.
    Fill {
        /// Written.
        dst: Name,
        /// The value.
        value: u32,
        /// Elements to work on: all of `dst` unless set.
        items: Option<At<u32>>,
    }
    /// A copy.
    Copy {
        /// Written.
        dst: Name,
        /// Read.
        src: Name,
        /// Elements to work on: all of `dst` unless set.
        items: Option<At<u32>>,
    }
    /// A sum of vectors.
    VectorAdd {
        /// Written.
        dst: Name,
        /// Read.
        a: Name,
        /// Read.
        b: Name,
        /// Elements to work on: all of `dst` unless set.
        items: Option<At<u32>>,
    }
    /// A saxpy.
    Saxpy {
        /// Read and written.
        y: Name,
        /// Read.
        x: Name,
        /// The factor.
        a: u32,
        /// Counts workgroups in its first element.
        counter: Name,
        /// Elements to work on: all of `y` unless set.
        items: Option<At<u32>>,
    }
    /// An atomic counter.
    Bump {
        /// Its first element is the counter.
        counter: Name,
        /// Work-items that add 1.
        times: At<u32>,
    }
    /// A wait on the device.
    SpinUntil {
        /// Its first element is polled.
        word: Name,
        /// The value waited for.
        value: u32,
    }
    /// A memory violation.
    OutOfRange {
        /// Written past its end.
        dst: Name,
    }
    /// An endless kernel.
    Forever {}
}

/// A copy on an SDMA engine.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Transfer {
    /// Written.
    pub to: Name,
    /// Read.
    pub from: Name,
}

/// A barrier between queues.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Barrier {
    /// The queue that is held.
    pub queue: Name,
    /// The queue or signal that it is held for.
    pub after: Name,
}

/// Host stores.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Write {
    /// Written.
    pub buffer: Name,
    /// What is written.
    pub contents: At<Contents>,
}

/// Steps done several times.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Repeat {
    /// How often.
    pub times: u32,
    /// The steps.
    pub steps: Vec<At<Step>>,
}
