//! What the engine asks of the machine.

use super::World;
use super::cost;
use super::fault::Held;
use super::kernel;
use super::memory::Writer;
use super::queue::{Tracked, Written};
use kreplay_core::aql::{Packet, Parsed};
use kreplay_core::backend::{
    Completion, CompletionHandler, CopyError, ModuleError, OutOfMemory, Submission, SubmitError,
};
use kreplay_core::event::{Actor, Event};
use kreplay_core::fixture::{FaultPoint, Verdict};
use kreplay_core::ids::{AgentId, QueueId, StagingId, Ticket};
use kreplay_core::memory::{ModuleVariable, Region};

impl World {
    /// Refuses packets that a queue would not execute.
    pub(crate) fn check_packets(&self, id: QueueId, packets: &[Packet]) -> Result<(), SubmitError> {
        let queue = self.queue(id).ok_or(SubmitError::NoQueue(id))?;
        if let Some(cause) = &queue.stopped {
            return Err(SubmitError::Stopped { queue: id, cause: cause.clone() });
        }
        for (index, packet) in packets.iter().enumerate() {
            check_packet(id, queue.agent, index, packet)?;
        }
        let wanted = packets.len() as u64;
        if wanted > queue.slots() {
            return Err(SubmitError::RingFull { queue: id, free: queue.free(), wanted });
        }
        Ok(())
    }

    pub(crate) fn forward(&mut self, queue: QueueId, packets: &[Packet]) -> Result<(), SubmitError> {
        self.check_packets(queue, packets)?;
        let written = packets.iter().map(|&packet| Written { packet, tracked: None }).collect();
        let verdict = self.fault(FaultPoint::Forward, self.calling());
        self.write_or_hold(queue, written, verdict).map_err(|_| SubmitError::Refused(queue))
    }

    /// Submits one tracked dispatch; on an error the handler comes back, to be dropped outside the lock.
    pub(crate) fn submit(
        &mut self,
        submission: Submission,
        handler: CompletionHandler,
    ) -> Result<Ticket, (SubmitError, CompletionHandler)> {
        let Submission { dispatch, pass, queue, packet, instruments } = submission;
        if let Err(error) = self.check_packets(queue, &[packet]) {
            return Err((error, handler));
        }
        let verdict = self.fault(FaultPoint::Submit, self.calling());
        if matches!(verdict, Some(Verdict::Fail | Verdict::Tear)) {
            return Err((SubmitError::Refused(queue), handler));
        }
        if let Some(pass) = pass {
            self.verify_inputs(queue, dispatch, pass);
        }
        let ticket = self.tickets.issue(queue);
        let tracked = Some(Tracked { ticket, dispatch, instruments, handler });
        let refused = self.write_or_hold(queue, vec![Written { packet, tracked }], verdict);
        debug_assert!(refused.is_ok(), "a submission that fails was returned above");
        Ok(ticket)
    }

    fn write_or_hold(
        &mut self,
        queue: QueueId,
        packets: Vec<Written>,
        verdict: Option<Verdict>,
    ) -> Result<(), Vec<Written>> {
        if matches!(verdict, Some(Verdict::Fail | Verdict::Tear)) {
            return Err(packets);
        }
        let hangs = verdict == Some(Verdict::Hang);
        let Some(packets) = self.faults.hold_behind(queue, packets, hangs) else { return Ok(()) };
        match verdict {
            Some(Verdict::Hang) => self.faults.hang(Held::Packets(queue, packets)),
            Some(Verdict::Delay(delay)) => {
                self.faults.delay(Held::Packets(queue, packets), self.now.saturating_add(delay));
            }
            _ => self.write_packets(queue, packets),
        }
        Ok(())
    }

    /// Writes packets to the ring, or behind those that wait for a slot in it.
    pub(super) fn write_packets(&mut self, id: QueueId, packets: Vec<Written>) {
        let Some(index) = self.queue_index(id) else { return };
        let queue = &mut self.queues[index];
        queue.ready_at = queue.ready_at.max(self.now);
        queue.unannounced();
        for packet in packets {
            queue.push(packet);
        }
        self.fill_ring(index, self.calling());
        self.ring_doorbell(id);
    }

    /// Tells the device of what is in the ring, unless a fault keeps it from hearing.
    fn ring_doorbell(&mut self, queue: QueueId) {
        match self.fault(FaultPoint::Doorbell, self.calling()) {
            None | Some(Verdict::Twice) => self.announce(queue),
            Some(Verdict::Delay(delay)) => {
                self.faults.delay(Held::Doorbell(queue), self.now.saturating_add(delay));
            }
            Some(Verdict::Fail | Verdict::Tear | Verdict::Hang) => self.faults.hang(Held::Doorbell(queue)),
        }
    }

    /// The device looks at the whole ring: what earlier doorbells would have told it, it knows now.
    pub(super) fn announce(&mut self, id: QueueId) {
        if !self.faults.is_idle() {
            drop(self.faults.extract(|held| held.is_doorbell_of(id)));
        }
        if let Some(index) = self.queue_index(id) {
            self.queues[index].announce();
        }
    }

    /// Says whether the captured regions that are still what they were equal the snapshot.
    fn verify_inputs(&mut self, queue: QueueId, dispatch: kreplay_core::ids::DispatchId, pass: u64) {
        let Some(agent) = self.queue(queue).map(|queue| queue.agent) else { return };
        self.staging.seal(agent);
        if !self.config.verify_inputs {
            return;
        }
        let identical = self.staging.parts(agent).iter().all(|part| {
            let live = self.memory.at(part.region.base);
            let same =
                live.is_some_and(|block| block.serial == part.serial && block.len() == part.region.bytes);
            !same || self.memory.bytes(part.region).is_some_and(|bytes| self.staging.equals(part, bytes))
        });
        self.emit(self.calling(), Event::PassInputs { dispatch, pass, identical });
    }

    pub(crate) fn complete(&mut self, completion: Completion) -> Result<(), SubmitError> {
        match self.fault(FaultPoint::Complete, self.calling()) {
            None | Some(Verdict::Twice) => self.fire(completion),
            Some(Verdict::Hang) => self.faults.hang(Held::Completion(completion)),
            Some(Verdict::Delay(delay)) => {
                self.faults.delay(Held::Completion(completion), self.now.saturating_add(delay));
            }
            Some(Verdict::Fail | Verdict::Tear) => return Err(SubmitError::Refused(completion.queue)),
        }
        Ok(())
    }

    /// Fires a completion now, or when the work that it waits for has ended.
    pub(super) fn fire(&mut self, completion: Completion) {
        let Completion { dispatch, signal, timestamps, behind, .. } = completion;
        let times = match behind.map(|ticket| (ticket, self.tickets.times(ticket))) {
            None => timestamps,
            Some((_, Some(times))) => timestamps.or(Some(times)),
            Some((ticket, None)) => return self.tickets.wait(ticket, completion),
        };
        self.decrement(signal, times, dispatch, self.calling());
    }

    pub(crate) fn module_variables(&mut self, agent: AgentId) -> Result<Vec<ModuleVariable>, ModuleError> {
        self.fault_at_once(FaultPoint::ModuleVariables).map_err(|_| ModuleError(agent))?;
        Ok(self.modules.variables(agent))
    }

    pub(crate) fn stage(&mut self, agent: AgentId, bytes: u64) -> Result<StagingId, OutOfMemory> {
        self.fault_at_once(FaultPoint::Stage).map_err(|_| OutOfMemory { bytes })?;
        self.staging.take(agent, bytes)
    }

    pub(crate) fn copy_out(
        &mut self,
        region: Region,
        staging: StagingId,
        offset: u64,
    ) -> Result<(), CopyError> {
        let allowed = self.fault_at_once(FaultPoint::CopyOut);
        let length = torn_length(allowed, region).ok_or(CopyError(region))?;
        self.pass(cost::STAGE_COPY + cost::transfer(length as u64));
        let from = self.memory.bytes(region).ok_or(CopyError(region))?;
        let into = self.staging.bytes_mut(staging, offset, region.bytes).ok_or(CopyError(region))?;
        into[..length].copy_from_slice(&from[..length]);
        allowed.map_err(|_| CopyError(region))?;
        if let Some(serial) = self.memory.at(region.base).map(|block| block.serial) {
            self.staging.captured(region, serial, staging, offset);
        }
        Ok(())
    }

    pub(crate) fn copy_in(
        &mut self,
        region: Region,
        staging: StagingId,
        offset: u64,
    ) -> Result<(), CopyError> {
        let allowed = self.fault_at_once(FaultPoint::CopyIn);
        let length = torn_length(allowed, region).ok_or(CopyError(region))?;
        self.pass(cost::STAGE_COPY + cost::transfer(length as u64));
        let from = self.staging.bytes_mut(staging, offset, region.bytes).ok_or(CopyError(region))?;
        let (into, _) = self.memory.bytes_mut(region, Writer::Device).ok_or(CopyError(region))?;
        into[..length].copy_from_slice(&from[..length]);
        allowed.map_err(|_| CopyError(region))
    }

    /// A fault at an operation that ends when its call does: a delay is time that passes, a hang cannot be told from a
    /// failure.
    fn fault_at_once(&mut self, point: FaultPoint) -> Result<(), Verdict> {
        match self.fault(point, self.calling()) {
            None | Some(Verdict::Twice) => Ok(()),
            Some(Verdict::Delay(delay)) => {
                self.pass(delay);
                Ok(())
            }
            Some(verdict) => Err(verdict),
        }
    }

    pub(crate) fn observe(&mut self, event: Event) {
        let actor: Actor = self.calling();
        self.emit(actor, event);
    }
}

/// How much of a copy happens; none if it fails before it began.
fn torn_length(allowed: Result<(), Verdict>, region: Region) -> Option<usize> {
    match allowed {
        Ok(()) => Some(region.bytes as usize),
        Err(Verdict::Tear) => Some(region.bytes as usize / 2),
        Err(_) => None,
    }
}

fn check_packet(queue: QueueId, agent: AgentId, index: usize, packet: &Packet) -> Result<(), SubmitError> {
    match packet.parse().map_err(|source| SubmitError::Malformed { queue, index, source })? {
        Parsed::KernelDispatch(dispatch) if kernel::resolve(agent, dispatch.kernel_object).is_none() => {
            Err(SubmitError::NoKernel { queue, index, kernel: dispatch.kernel_object })
        }
        _ => Ok(()),
    }
}
