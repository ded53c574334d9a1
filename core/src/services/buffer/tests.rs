use super::*;
use crate::ids::{AgentId, Dim3, DispatchId, KernelId, QueueId};
use crate::testing::no_flush;

const ID: BufferId = BufferId(1);

fn buffer(capacity: usize, watermark: usize, policy: BufferPolicy) -> Buffer {
    Buffer::new(ContextId(1), (capacity, watermark), policy, no_flush(), 0).unwrap()
}

/// The record of a dispatch.
fn record(dispatch: u64) -> BufferRecord {
    BufferRecord::Dispatch(DispatchRecord {
        thread_id: ThreadId(1),
        correlation_id: CorrelationId::default(),
        start_timestamp: 0,
        end_timestamp: 0,
        dispatch_info: DispatchInfo {
            size: 72,
            agent_id: AgentId(1),
            queue_id: QueueId(1),
            kernel_id: KernelId(1),
            dispatch_id: DispatchId(dispatch),
            private_segment_size: 0,
            group_segment_size: 0,
            workgroup_size: Dim3::linear(1),
            grid_size: Dim3::linear(1),
        },
        replay_pass: None,
    })
}

/// The dispatches of each flush that pushing `1..=pushed` causes, then those of a flush at the end and what was dropped.
fn flushes(buffer: &mut Buffer, pushed: u64) -> (Vec<Vec<u64>>, Vec<u64>, u64) {
    let caused = (1..=pushed).filter_map(|dispatch| buffer.push(ID, record(dispatch))).collect::<Vec<_>>();
    let caused = caused.iter().map(dispatches).collect();
    let last = buffer.flush(ID);
    (caused, dispatches(&last), last.dropped)
}

fn dispatches(flush: &Flush) -> Vec<u64> {
    let id = |record: &BufferRecord| match record {
        BufferRecord::Dispatch(record) => record.dispatch_info.dispatch_id.0,
        _ => 0,
    };
    flush.records.iter().map(id).collect()
}

#[test]
fn a_buffer_is_flushed_when_it_reaches_its_watermark_and_not_before() {
    let mut buffer = buffer(4, 2, BufferPolicy::Lossless);
    assert_eq!(flushes(&mut buffer, 5), (vec![vec![1, 2], vec![3, 4]], vec![5], 0));
}

#[test]
fn a_discarding_buffer_drops_and_counts_what_has_no_room() {
    let mut buffer = buffer(2, 0, BufferPolicy::Discard);
    assert_eq!(flushes(&mut buffer, 5), (vec![], vec![1, 2], 3));
}

#[test]
fn a_lossless_buffer_is_flushed_before_it_overflows() {
    let mut buffer = buffer(2, 0, BufferPolicy::Lossless);
    assert_eq!(flushes(&mut buffer, 5), (vec![vec![1, 2], vec![3, 4]], vec![5], 0));
}

#[test]
fn drops_are_counted_since_the_last_flush() {
    let mut buffer = buffer(1, 0, BufferPolicy::Discard);
    assert_eq!(flushes(&mut buffer, 3).2, 2);
    assert_eq!(flushes(&mut buffer, 1).2, 0);
}

#[test]
fn a_watermark_at_the_capacity_flushes_a_full_buffer() {
    for policy in [BufferPolicy::Discard, BufferPolicy::Lossless] {
        let mut buffer = buffer(2, 2, policy);
        assert_eq!(flushes(&mut buffer, 3), (vec![vec![1, 2]], vec![3], 0), "{policy:?}");
    }
}

#[test]
fn a_buffer_without_room_or_with_a_watermark_above_it_is_refused() {
    let new = |sizes| Buffer::new(ContextId(1), sizes, BufferPolicy::Discard, no_flush(), 0).err();
    assert_eq!(new((0, 0)), Some(Status::InvalidArgument));
    assert_eq!(new((2, 3)), Some(Status::InvalidArgument));
    assert_eq!(new((2, 2)), None);
}

#[test]
fn a_flush_tells_the_tool_everything() {
    let told = Arc::new(crate::sync::Mutex::new(Vec::new()));
    let tell = Arc::clone(&told);
    let callback: BufferCallback = Arc::new(move |context, buffer, records, args, dropped| {
        crate::sync::lock(&tell).push((context, buffer, records.len(), args, dropped));
    });
    let mut buffers = Buffers::default();
    let buffer = Buffer::new(ContextId(7), (1, 0), BufferPolicy::Discard, callback, 42).unwrap();
    let id = buffers.create(buffer);
    assert!(buffers.push(id, record(1)).is_none());
    assert!(buffers.push(id, record(2)).is_none());
    buffers.flush(id).unwrap().call();
    assert_eq!(*crate::sync::lock(&told), [(ContextId(7), id, 1, 42, 1)]);
}

#[test]
fn a_destroyed_buffer_takes_no_records_and_is_not_found() {
    let mut buffers = Buffers::default();
    let id = buffers.create(buffer(1, 1, BufferPolicy::Discard));
    assert!(buffers.contains(id));
    assert_eq!(buffers.destroy(id).map(drop), Ok(()));
    assert!(!buffers.contains(id));
    assert!(buffers.push(id, record(1)).is_none());
    assert_eq!(buffers.flush(id).err(), Some(Status::BufferNotFound));
    assert_eq!(buffers.destroy(id).map(drop), Err(Status::BufferNotFound));
}
