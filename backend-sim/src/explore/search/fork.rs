//! The same work for several workers, with no more synchronization than waiting for all of them.

use rayon::{ThreadPool, ThreadPoolBuilder};

/// Threads that wait for work. They live as long as a search, for it forks hundreds of times a second.
pub(super) struct Crew(Option<ThreadPool>);

impl Crew {
    /// So many workers; one needs no thread of its own. If the system has no threads to give, one has to do.
    pub(super) fn new(workers: usize) -> Self {
        let pool = ThreadPoolBuilder::new().num_threads(workers).build().ok();
        Self(pool.filter(|_| workers > 1))
    }

    /// Does the work of every item and returns when all is done: each on a thread of its own, or one after the other if
    /// there is too little to do for threads.
    pub(super) fn fork<T: Send>(
        &self,
        items: impl Iterator<Item = T> + Send,
        threads: bool,
        work: impl Fn(T) + Sync,
    ) {
        let Some(pool) = self.0.as_ref().filter(|_| threads) else { return items.for_each(work) };
        let work = &work;
        pool.in_place_scope(|scope| items.for_each(|item| scope.spawn(move |_| work(item))));
    }
}
