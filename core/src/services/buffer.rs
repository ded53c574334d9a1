//! Record buffers.

use super::CounterRecord;
use crate::backend::PcSample;
use crate::ids::{BufferId, ContextId, ThreadId, Timestamp};
use crate::status::Status;
use crate::tracing::{CallbackArgs, CorrelationId, DispatchInfo};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What happens to a record for which a buffer has no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferPolicy {
    /// It is dropped and counted.
    Discard,
    /// The buffer is flushed first.
    Lossless,
}

/// Receives the records of a flush, in order: context, buffer, records, args, records dropped since the last flush.
pub type BufferCallback = Arc<dyn Fn(ContextId, BufferId, &[BufferRecord], CallbackArgs, u64) + Send + Sync>;

/// A buffered record.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BufferRecord {
    /// Kernel dispatch tracing.
    Dispatch(DispatchRecord),
    /// Dispatch counting.
    Counting(CountingRecord),
    /// PC sampling.
    PcSample(PcSamplingRecord),
}

/// A kernel dispatch tracing record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct DispatchRecord {
    /// The thread that submitted the dispatch.
    pub thread_id: ThreadId,
    /// Internal id captured before CONFIG, external id of this submit.
    pub correlation_id: CorrelationId,
    /// Kernel start.
    pub start_timestamp: Timestamp,
    /// Kernel end.
    pub end_timestamp: Timestamp,
    /// The dispatch.
    pub dispatch_info: DispatchInfo,
    /// The pass; none for a plain run.
    pub replay_pass: Option<u64>,
}

/// A dispatch counting record.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CountingRecord {
    /// The dispatch and its times.
    pub dispatch: DispatchRecord,
    /// The values.
    pub counters: Vec<CounterRecord>,
}

/// A PC sample and the dispatch that was running.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PcSamplingRecord {
    /// The dispatch and its times.
    pub dispatch: DispatchRecord,
    /// The sample.
    pub sample: PcSample,
}

/// A buffer of records.
pub(crate) struct Buffer {
    context: ContextId,
    capacity: usize,
    watermark: usize,
    policy: BufferPolicy,
    callback: BufferCallback,
    args: CallbackArgs,
    records: Vec<BufferRecord>,
    dropped: u64,
}

/// What a flush hands to the tool.
pub(crate) struct Flush {
    pub(crate) context: ContextId,
    buffer: BufferId,
    records: Vec<BufferRecord>,
    dropped: u64,
    callback: BufferCallback,
    args: CallbackArgs,
}

impl Flush {
    pub(crate) fn call(&self) {
        (self.callback)(self.context, self.buffer, &self.records, self.args, self.dropped);
    }
}

impl Buffer {
    pub(crate) fn new(
        context: ContextId,
        (capacity, watermark): (usize, usize),
        policy: BufferPolicy,
        callback: BufferCallback,
        args: CallbackArgs,
    ) -> Result<Self, Status> {
        if capacity == 0 || watermark > capacity {
            return Err(Status::InvalidArgument);
        }
        Ok(Self { context, capacity, watermark, policy, callback, args, records: Vec::new(), dropped: 0 })
    }

    /// Adds a record; hands back what has to be flushed because of it.
    fn push(&mut self, id: BufferId, record: BufferRecord) -> Option<Flush> {
        let full = self.records.len() == self.capacity;
        if full && self.policy == BufferPolicy::Discard {
            self.dropped += 1;
            return None;
        }
        let flush = full.then(|| self.flush(id));
        self.records.push(record);
        let due = self.watermark != 0 && self.records.len() >= self.watermark;
        if due && flush.is_none() { Some(self.flush(id)) } else { flush }
    }

    fn flush(&mut self, buffer: BufferId) -> Flush {
        Flush {
            context: self.context,
            buffer,
            records: std::mem::take(&mut self.records),
            dropped: std::mem::take(&mut self.dropped),
            callback: Arc::clone(&self.callback),
            args: self.args,
        }
    }
}

/// Every buffer.
#[derive(Default)]
pub(crate) struct Buffers {
    by_id: BTreeMap<BufferId, Buffer>,
    last: u64,
}

impl Buffers {
    pub(crate) fn create(&mut self, buffer: Buffer) -> BufferId {
        self.last += 1;
        self.by_id.insert(BufferId(self.last), buffer);
        BufferId(self.last)
    }

    pub(crate) fn contains(&self, buffer: BufferId) -> bool {
        self.by_id.contains_key(&buffer)
    }

    pub(crate) fn push(&mut self, buffer: BufferId, record: BufferRecord) -> Option<Flush> {
        self.by_id.get_mut(&buffer)?.push(buffer, record)
    }

    pub(crate) fn flush(&mut self, buffer: BufferId) -> Result<Flush, Status> {
        Ok(self.by_id.get_mut(&buffer).ok_or(Status::BufferNotFound)?.flush(buffer))
    }

    pub(crate) fn destroy(&mut self, buffer: BufferId) -> Result<Buffer, Status> {
        self.by_id.remove(&buffer).ok_or(Status::BufferNotFound)
    }

    /// Takes out the buffers of a context.
    pub(crate) fn release(&mut self, context: ContextId) -> Vec<Buffer> {
        let owned = self.by_id.iter().filter(|(_, buffer)| buffer.context == context);
        let owned: Vec<BufferId> = owned.map(|(id, _)| *id).collect();
        owned.iter().filter_map(|id| self.by_id.remove(id)).collect()
    }
}

#[cfg(test)]
mod tests;
