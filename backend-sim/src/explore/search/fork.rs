//! The same work for several workers, with no more synchronization than waiting for all of them.

use std::thread;

/// Does the work of every item and returns when all is done: each on a thread of its own, or one after the other if
/// there is too little to do for threads.
pub(super) fn fork<T: Send>(items: impl Iterator<Item = T>, threads: bool, work: impl Fn(T) + Sync) {
    if !threads {
        return items.for_each(work);
    }
    let work = &work;
    thread::scope(|scope| {
        for item in items {
            scope.spawn(move || work(item));
        }
    });
}
