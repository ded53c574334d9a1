//! The device: a packet processor a queue, which runs kernels workgroup by workgroup, and the SDMA engine.

use super::fields::Queue;
use super::log::Watch;
use super::{
    Actor, Broken, Fault, Move, Moves, Op, QueueId, Quirk, Replays, World, check, choice, due, log, pass,
    status,
};

/// A packet of one of a queue's dispatches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packet {
    /// The kernel, with the application's completion signal suppressed.
    Pass(usize),
    /// The kernel as the application sent it.
    Plain(usize),
    /// A barrier that carries the application's completion signal.
    Completion(usize),
}

impl Queue {
    fn encode(&self, packet: Packet) -> u64 {
        let (kind, dispatch) = match packet {
            Packet::Pass(dispatch) => (0, dispatch),
            Packet::Plain(dispatch) => (1, dispatch),
            Packet::Completion(dispatch) => (2, dispatch),
        };
        let index = self.dispatches.iter().position(|known| *known == dispatch).unwrap_or_default();
        1 + 3 * index as u64 + kind
    }

    /// The oldest packet.
    pub(super) fn first(&self, world: &World) -> Option<Packet> {
        let code = self.ring.first()?.get(world).checked_sub(1)?;
        let dispatch = self.dispatches[code as usize / 3];
        Some(match code % 3 {
            0 => Packet::Pass(dispatch),
            1 => Packet::Plain(dispatch),
            _ => Packet::Completion(dispatch),
        })
    }

    /// Writes a packet; a full ring cannot happen but by a broken engine.
    pub(super) fn push(&self, world: &mut World, packet: Packet) -> Result<(), Broken> {
        let free = self.ring.iter().find(|slot| !slot.is_set(world));
        free.ok_or(Broken(check::COMPLETION))?.set(world, self.encode(packet));
        Ok(())
    }

    fn pop(&self, world: &mut World) {
        for slot in 0..self.ring.len() {
            let next = self.ring.get(slot + 1).map_or(0, |next| next.get(world));
            self.ring[slot].set(world, next);
        }
        self.progress.set(world, 0);
    }
}

impl Replays {
    pub(super) fn queue_moves(&self, world: &World, queue: usize, moves: &mut Moves) {
        let fields = &self.fields.queues[queue];
        let Some(packet) = fields.first(world) else { return };
        if fields.hung.is_set(world) {
            return;
        }
        let actor = (self.threads() + 1 + queue) as u8;
        moves.push(Move { actor, choice: choice::GO });
        let kernel = !matches!(packet, Packet::Completion(_));
        if kernel && !fields.progress.is_set(world) && self.may(world, Fault::Hang) {
            moves.push(Move { actor, choice: choice::HANG });
        }
    }

    pub(super) fn move_queue(
        &self,
        world: &mut World,
        queue: usize,
        choice: u8,
        log: &mut impl Watch,
    ) -> Result<(), Broken> {
        let fields = &self.fields.queues[queue];
        let actor = Actor::Queue(QueueId(queue as u64 + 1));
        if choice == choice::HANG {
            self.strike(world);
            fields.hung.set(world, 1);
            log.see(actor, |_| log::struck(Fault::Hang));
            return Ok(());
        }
        let Some(packet) = fields.first(world) else { return Ok(()) };
        let dispatch = match packet {
            Packet::Completion(dispatch) => {
                fields.pop(world);
                return self.complete(world, dispatch, actor, log);
            }
            Packet::Pass(dispatch) | Packet::Plain(dispatch) => dispatch,
        };
        let progress = fields.progress.get(world);
        if let Some(&region) = self.scenario.dispatches[dispatch].regions.get(progress as usize) {
            if progress == 0 {
                log.see(actor, |names| names.kernel(queue, dispatch, true));
                if packet == Packet::Pass(dispatch) {
                    check::identical_inputs(self, world, dispatch)?;
                }
            }
            fields.progress.set(world, progress + 1);
            let writer = check::Writer::Kernel(packet);
            return self.add(world, region, writer, actor, log);
        }
        log.see(actor, |names| names.kernel(queue, dispatch, false));
        fields.pop(world);
        match packet {
            Packet::Pass(_) => self.end_pass(world, dispatch, actor, log),
            Packet::Plain(_) | Packet::Completion(_) => self.complete(world, dispatch, actor, log),
        }
    }

    /// The kernel of a pass has ended: its handler is due.
    fn end_pass(
        &self,
        world: &mut World,
        dispatch: usize,
        actor: Actor,
        log: &mut impl Watch,
    ) -> Result<(), Broken> {
        let Some(who) = self.submitter(dispatch) else { return Ok(()) };
        let activation = self.activation(who);
        let current = activation.busy.is_set(world) && self.dispatch_of(world, who) == dispatch;
        if current && !activation.abandoned.is_set(world) {
            activation.pass.set(world, pass::ENDED);
        } else {
            activation.late.set(world, activation.late.get(world) + 1);
        }
        if self.is(Quirk::CompletesPasses) {
            return self.complete(world, dispatch, actor, log);
        }
        Ok(())
    }

    /// The activation that submits a dispatch.
    pub(super) fn submitter(&self, dispatch: usize) -> Option<usize> {
        for (thread, ops) in self.scenario.threads.iter().enumerate() {
            for op in ops {
                let Op::Dispatch(outer) = *op else { continue };
                if outer == dispatch {
                    return Some(thread);
                }
                if self.scenario.dispatches[outer].tool.nested.is_some_and(|(_, nested)| nested == dispatch) {
                    return self.fields.nested[thread];
                }
            }
        }
        self.scenario.dispatches.iter().any(|made| made.then == Some(dispatch)).then(|| self.threads())
    }

    /// The application's completion of a dispatch fires.
    pub(super) fn complete(
        &self,
        world: &mut World,
        dispatch: usize,
        actor: Actor,
        log: &mut impl Watch,
    ) -> Result<(), Broken> {
        log.see(actor, |names| names.completed(dispatch));
        check::completion(self, world, dispatch)?;
        self.fields.status[dispatch].set(world, status::COMPLETED);
        if let Some(made) = self.scenario.dispatches[dispatch].then {
            self.fields.due[made].set(world, due::NOW);
        }
        Ok(())
    }

    /// Somebody adds 1 to a region.
    fn add(
        &self,
        world: &mut World,
        region: usize,
        writer: check::Writer,
        actor: Actor,
        log: &mut impl Watch,
    ) -> Result<(), Broken> {
        log.see(actor, |names| names.wrote(self, region, writer));
        check::no_foreign_write(self, world, region, writer)?;
        let value = self.fields.regions[region].value;
        value.add(world);
        Ok(())
    }

    pub(super) fn sdma_moves(&self, world: &World, moves: &mut Moves) {
        for (copy, phase) in self.fields.copies.iter().enumerate() {
            if matches!(phase.get(world), 1 | 2) {
                moves.push(Move { actor: self.sdma() as u8, choice: choice::FIRST + copy as u8 });
            }
        }
    }

    /// A copy writes, then it ends.
    pub(super) fn move_sdma(
        &self,
        world: &mut World,
        copy: usize,
        log: &mut impl Watch,
    ) -> Result<(), Broken> {
        let (phase, region) = (self.fields.copies[copy], self.copies[copy]);
        phase.set(world, phase.get(world) + 1);
        if phase.get(world) == 2 {
            return self.add(world, region, check::Writer::Copy, Actor::Sdma, log);
        }
        let fence = self.fields.agents[self.fields.regions[region].agent].fence;
        fence.set(world, self.book.fences.end(fence.get(world)));
        Ok(())
    }

    /// Whether a queue has nothing to do.
    pub(super) fn is_idle(&self, world: &World, queue: usize) -> bool {
        self.fields.queues[queue].first(world).is_none()
    }
}
