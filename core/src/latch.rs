//! A latch: set once, waited for by a thread or awaited by a task.

use crate::sync::{Mutex, lock};
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

#[derive(Debug, Default)]
struct State {
    set: bool,
    wakers: Vec<Waker>,
}

/// Set once and for ever; `&Latch` is a future that ends when it is.
#[derive(Debug, Default)]
pub struct Latch(Mutex<State>);

impl Latch {
    /// Whether it is set.
    pub fn is_set(&self) -> bool {
        lock(&self.0).set
    }

    /// Sets it and wakes every task that awaits it, once; says whether this call was the one that set it.
    pub fn set(&self) -> bool {
        let wakers = {
            let mut state = lock(&self.0);
            if std::mem::replace(&mut state.set, true) {
                return false;
            }
            std::mem::take(&mut state.wakers)
        };
        wakers.into_iter().for_each(Waker::wake);
        true
    }
}

impl Future for &Latch {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut state = lock(&self.0);
        if state.set {
            return Poll::Ready(());
        }
        if !state.wakers.iter().any(|waker| waker.will_wake(context.waker())) {
            state.wakers.push(context.waker().clone());
        }
        Poll::Pending
    }
}

#[cfg(test)]
mod tests;
