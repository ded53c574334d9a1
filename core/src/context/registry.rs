//! Clients, contexts and their services; who is active. Contains no synchronization of its own.

use super::ContextSet;
use crate::ids::{ClientId, ContextId};
use crate::limits::CONTEXTS;
use crate::services::{Buffer, Buffers, CounterConfigs, Counting, Services};
use crate::status::Status;
use crate::tracing::{CallbackArgs, CallbackKind, ReplayOperation, TracingCallback};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A callback tracing subscription.
#[derive(Clone)]
pub(crate) struct Subscription {
    /// Bit `n` for operation `n`; no bits: all operations.
    operations: u64,
    pub(crate) callback: TracingCallback,
    pub(crate) args: CallbackArgs,
}

impl Subscription {
    pub(crate) fn new(
        kind: CallbackKind,
        operations: &[i32],
        callback: TracingCallback,
        args: CallbackArgs,
    ) -> Result<Self, Status> {
        let mut bits = 0;
        for &operation in operations {
            kind.operation_name(operation)?;
            bits |= 1 << operation;
        }
        Ok(Self { operations: bits, callback, args })
    }

    pub(crate) const fn covers(&self, operation: i32) -> bool {
        self.operations == 0 || self.operations >> operation & 1 == 1
    }
}

/// The replay subscription of an active context.
#[derive(Clone)]
pub(crate) struct Subscriber {
    pub(crate) context: ContextId,
    pub(crate) subscription: Subscription,
}

struct Context {
    client: ClientId,
    services: Arc<Services>,
}

struct Client {
    name: String,
    gone: bool,
}

/// Everything that tools registered.
#[derive(Default)]
pub(crate) struct Registry {
    clients: Vec<Client>,
    contexts: Vec<Context>,
    valid: ContextSet,
    active: ContextSet,
    /// Contexts with a service that acts on every dispatch.
    consuming: ContextSet,
    subscriber: Option<ContextId>,
    pub(crate) configs: CounterConfigs,
    pub(crate) buffers: Buffers,
}

impl Registry {
    pub(crate) fn register_client(&mut self, name: &str) -> ClientId {
        self.clients.push(Client { name: name.to_owned(), gone: false });
        ClientId(self.clients.len() as u64)
    }

    pub(crate) fn create_context(&mut self, client: ClientId) -> Result<ContextId, Status> {
        let known = client.0.checked_sub(1).and_then(|index| self.clients.get(index as usize));
        if known.is_none_or(|client| client.gone) {
            return Err(Status::InvalidArgument);
        }
        if self.contexts.len() == CONTEXTS {
            return Err(Status::OutOfResources);
        }
        let context = ContextSet::handle(self.contexts.len());
        self.contexts.push(Context { client, services: Arc::default() });
        self.valid.set(context, true);
        Ok(context)
    }

    pub(crate) fn valid(&self, context: ContextId) -> Result<ContextId, Status> {
        if self.valid.contains(context) { Ok(context) } else { Err(Status::ContextNotFound) }
    }

    pub(crate) const fn active(&self) -> ContextSet {
        self.active
    }

    /// Makes a context active; false if it was already.
    pub(crate) fn start(&mut self, context: ContextId) -> Result<bool, Status> {
        self.valid(context)?;
        if self.active.contains(context) {
            return Ok(false);
        }
        if self.counts(context) && self.another_counts(context) {
            return Err(Status::ContextConflict);
        }
        self.active.set(context, true);
        Ok(true)
    }

    fn counts(&self, context: ContextId) -> bool {
        !self.services(context).counting.is_empty()
    }

    fn another_counts(&self, context: ContextId) -> bool {
        self.active.iter().any(|other| other != context && self.counts(other))
    }

    /// Adds dispatch counting to a context, unless it is active and another active one counts.
    pub(crate) fn add_counting(&mut self, context: ContextId, service: Counting) -> Result<(), Status> {
        if self.active.contains(context) && self.another_counts(context) {
            return Err(Status::ContextConflict);
        }
        self.configure(context, |services| services.add_counting(service))
    }

    pub(crate) fn stop(&mut self, context: ContextId) -> Result<(), Status> {
        self.valid(context)?;
        if !self.active.contains(context) {
            return Err(Status::ContextNotFound);
        }
        self.active.set(context, false);
        Ok(())
    }

    pub(crate) fn stop_all(&mut self) {
        self.active = ContextSet::EMPTY;
    }

    /// Forgets a client, its contexts, their buffers and, if it holds it, the replay subscription. Hands back what holds
    /// the tool's callbacks: dropping them runs the tool's code, which may come back here.
    #[must_use]
    pub(crate) fn release_client(&mut self, client: ClientId) -> (Vec<Arc<Services>>, Vec<Buffer>) {
        if let Some(entry) = client.0.checked_sub(1).and_then(|index| self.clients.get_mut(index as usize)) {
            entry.gone = true;
        }
        let owned: Vec<ContextId> = (0..self.contexts.len())
            .filter(|&index| self.contexts[index].client == client)
            .map(ContextSet::handle)
            .collect();
        let mut services = Vec::new();
        let mut buffers = Vec::new();
        for context in owned {
            buffers.extend(self.buffers.release(context));
            self.valid.set(context, false);
            self.active.set(context, false);
            self.consuming.set(context, false);
            self.subscriber.take_if(|subscriber| *subscriber == context);
            if let Some(index) = ContextSet::index(context) {
                services.push(std::mem::take(&mut self.contexts[index].services));
            }
        }
        (services, buffers)
    }

    /// Claims the replay subscription, of which there is one.
    pub(crate) fn claim_replay(
        &mut self,
        context: ContextId,
        subscription: Result<Subscription, Status>,
    ) -> Result<(), Status> {
        if self.subscriber.is_some() {
            return Err(Status::ServiceAlreadyConfigured);
        }
        let subscription = subscription?;
        self.configure(context, |services| services.subscribe(CallbackKind::KernelReplay, subscription))?;
        self.subscriber = Some(context);
        Ok(())
    }

    /// Changes the services of a context.
    pub(crate) fn configure(
        &mut self,
        context: ContextId,
        change: impl FnOnce(&mut Services) -> Result<(), Status>,
    ) -> Result<(), Status> {
        self.valid(context)?;
        let index = ContextSet::index(context).ok_or(Status::ContextNotFound)?;
        let services = Arc::make_mut(&mut self.contexts[index].services);
        change(services)?;
        let consumes = services.consume_dispatches();
        self.consuming.set(context, consumes);
        Ok(())
    }

    /// The services of a context that exists.
    pub(crate) fn services(&self, context: ContextId) -> &Arc<Services> {
        let index = ContextSet::index(context).expect("the context exists");
        &self.contexts[index].services
    }

    /// The contexts of a set that act on a dispatch.
    pub(crate) fn consumers(&self, contexts: ContextSet) -> Vec<(ContextId, Arc<Services>)> {
        let consumers = contexts.and(self.consuming);
        consumers.iter().map(|context| (context, Arc::clone(self.services(context)))).collect()
    }

    /// The replay subscription, if its context is active and it covers CONFIG.
    pub(crate) fn replay_subscriber(&self) -> Option<Subscriber> {
        let context = self.subscriber.filter(|context| self.active.contains(*context))?;
        let subscription = self.services(context).subscription(CallbackKind::KernelReplay)?;
        subscription
            .covers(ReplayOperation::Config as i32)
            .then(|| Subscriber { context, subscription: subscription.clone() })
    }

    /// The name of the client that owns a context.
    pub(crate) fn tool_name(&self, context: ContextId) -> String {
        let owner = ContextSet::index(context).map(|index| self.contexts[index].client);
        let client = owner.and_then(|client| self.clients.get(client.0 as usize - 1));
        client.map_or_else(String::new, |client| client.name.clone())
    }
}

/// Subscriptions of one context by kind.
pub(crate) type Subscriptions = BTreeMap<CallbackKind, Subscription>;
