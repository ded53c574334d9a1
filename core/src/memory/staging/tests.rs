use super::*;
use crate::backend::MockBackend;
use mockall::predicate::eq;

const AGENT: AgentId = AgentId(1);

fn block(id: u64, capacity: u64) -> Staged {
    Staged { id: StagingId(id), capacity }
}

fn pool(blocks: &[Staged]) -> StagingPool {
    let mut pool = StagingPool::default();
    for block in blocks {
        pool.retain(*block);
    }
    pool
}

#[test]
fn a_new_block_has_the_size_of_the_request() {
    let mut backend = MockBackend::new();
    backend.expect_stage().with(eq(AGENT), eq(100)).once().returning(|_, _| Ok(StagingId(1)));
    assert_eq!(pool(&[]).acquire(&backend, AGENT, 100), Ok(block(1, 100)));
}

#[test]
fn a_retained_block_is_used_again() {
    let backend = MockBackend::new();
    assert_eq!(pool(&[block(1, 100)]).acquire(&backend, AGENT, 100), Ok(block(1, 100)));
}

#[test]
fn a_block_of_twice_the_size_is_used_and_one_byte_more_is_not() {
    assert_eq!(pool(&[block(1, 200)]).acquire(&MockBackend::new(), AGENT, 100), Ok(block(1, 200)));
    let mut backend = MockBackend::new();
    backend.expect_unstage().with(eq(StagingId(1))).once().return_const(());
    backend.expect_stage().once().returning(|_, _| Ok(StagingId(2)));
    assert_eq!(pool(&[block(1, 201)]).acquire(&backend, AGENT, 100), Ok(block(2, 100)));
}

#[test]
fn a_block_one_byte_too_small_is_not_used() {
    let mut backend = MockBackend::new();
    backend.expect_unstage().with(eq(StagingId(1))).once().return_const(());
    backend.expect_stage().once().returning(|_, _| Ok(StagingId(2)));
    assert_eq!(pool(&[block(1, 99)]).acquire(&backend, AGENT, 100), Ok(block(2, 100)));
}

#[test]
fn the_best_fit_is_used_and_the_others_are_given_back() {
    let mut backend = MockBackend::new();
    for id in [1, 3] {
        backend.expect_unstage().with(eq(StagingId(id))).once().return_const(());
    }
    let mut pool = pool(&[block(1, 180), block(2, 120), block(3, 90)]);
    assert_eq!(pool.acquire(&backend, AGENT, 100), Ok(block(2, 120)));
}

#[test]
fn an_acquired_block_is_no_longer_in_the_pool() {
    let mut backend = MockBackend::new();
    backend.expect_stage().once().returning(|_, _| Ok(StagingId(2)));
    let mut pool = pool(&[block(1, 100)]);
    assert_eq!(pool.acquire(&backend, AGENT, 100), Ok(block(1, 100)));
    assert_eq!(pool.acquire(&backend, AGENT, 100), Ok(block(2, 100)));
}

#[test]
fn a_refused_request_is_passed_on() {
    let mut backend = MockBackend::new();
    backend.expect_stage().returning(|_, bytes| Err(OutOfMemory { bytes }));
    assert_eq!(pool(&[]).acquire(&backend, AGENT, 100), Err(OutOfMemory { bytes: 100 }));
}

#[test]
fn clearing_gives_back_each_block_once() {
    let mut backend = MockBackend::new();
    for id in [1, 2] {
        backend.expect_unstage().with(eq(StagingId(id))).once().return_const(());
    }
    let mut pool = pool(&[block(1, 100), block(2, 100)]);
    pool.clear(&backend);
    pool.clear(&backend);
}
