//! Signals as futures.

use kreplay_core::latch::Latch;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

/// Ends when its latch is set.
pub(crate) struct Reached(pub(crate) Arc<Latch>);

impl Future for Reached {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        Pin::new(&mut &*self.0).poll(context)
    }
}
