//! Application threads: what they do outside the engine, and when they can go on inside it.

use super::log::Watch;
use super::{Access, Broken, Event, Move, Moves, Op, Quirk, Replays, World, choice, log, status};

impl Replays {
    /// The activation that a thread is in, if it is in one.
    pub(super) fn innermost(&self, world: &World, thread: usize) -> Option<usize> {
        let nested = self.fields.nested.get(thread).copied().flatten();
        let nested = nested.filter(|who| self.activation(*who).busy.is_set(world));
        nested.or_else(|| {
            let busy = thread < self.fields.activations.len() && self.activation(thread).busy.is_set(world);
            busy.then_some(thread)
        })
    }

    pub(super) fn op(&self, world: &World, thread: usize) -> Option<Op> {
        self.scenario.threads[thread].get(self.fields.threads[thread].done.get(world) as usize).copied()
    }

    pub(super) fn thread_moves(&self, world: &World, thread: usize, moves: &mut Moves) {
        let actor = thread as u8;
        if let Some(who) = self.innermost(world, thread) {
            self.effect_moves(world, who, actor, moves);
        } else if self.op(world, thread).is_some_and(|op| self.can(world, thread, op)) {
            moves.push(Move { actor, choice: choice::GO });
        }
    }

    /// Whether a thread that is outside the engine can go on.
    fn can(&self, world: &World, thread: usize, op: Op) -> bool {
        let fields = &self.fields;
        let unlocked = !fields.tracker.is_set(world) || self.is(Quirk::UnlockedRestore);
        let first = !fields.threads[thread].sub.is_set(world);
        match op {
            Op::Wait(dispatch) => fields.status[dispatch].get(world) != status::OUTSTANDING,
            Op::Free(_) => !first || unlocked,
            Op::Allocate(_) | Op::Grow(_) => first || unlocked,
            Op::Copy(region) => self.begin_copy(world, region).1,
            Op::Destroy(queue) => {
                let gate = fields.agents[fields.queues[queue].agent].gate.get(world);
                self.book.gates.state(gate).available(Access::Shared) || self.is(Quirk::NoGate)
            }
            Op::Dispatch(_) | Op::Start(_) | Op::Stop(_) | Op::Finalize => true,
        }
    }

    /// Whether a copy into a region can start, and its agent's fence then.
    fn begin_copy(&self, world: &World, region: usize) -> (u64, bool) {
        let fence = self.fields.agents[self.fields.regions[region].agent].fence.get(world);
        self.book.fences.try_begin(fence, self.is(Quirk::LetsCopiesStart))
    }

    pub(super) fn move_thread(
        &self,
        world: &mut World,
        thread: usize,
        choice: u8,
        log: &mut impl Watch,
    ) -> Result<(), Broken> {
        if let Some(who) = self.innermost(world, thread) {
            return self.move_effect(world, who, choice, log);
        }
        let Some(op) = self.op(world, thread) else { return Ok(()) };
        match op {
            Op::Dispatch(_) => {
                self.begin(world, thread, log);
                return Ok(());
            }
            Op::Free(region) | Op::Allocate(region) | Op::Grow(region) => {
                let fields = &self.fields.threads[thread];
                let second = fields.sub.is_set(world);
                self.move_memory(world, thread, op, region, second, log);
                fields.sub.set(world, u64::from(!second));
                if !second {
                    return Ok(());
                }
            }
            Op::Copy(region) => {
                let (fence, _) = self.begin_copy(world, region);
                self.fields.agents[self.fields.regions[region].agent].fence.set(world, fence);
                let copies = self.scenario.threads[thread]
                    [..self.fields.threads[thread].done.get(world) as usize]
                    .iter()
                    .filter(|op| matches!(op, Op::Copy(_)));
                self.fields.copies[self.first_copy[thread] + copies.count()].set(world, 1);
            }
            Op::Start(context) | Op::Stop(context) => {
                let (active, on) = (self.fields.active, matches!(op, Op::Start(_)));
                let bits = active.get(world) & !(1 << context) | u64::from(on) << context;
                active.set(world, bits);
                log.see(self.actor(thread), |_| log::context(context, on));
            }
            Op::Finalize => {
                self.fields.finalizing.set(world, 1);
                log.see(self.actor(thread), |_| Event::Finalizing);
            }
            Op::Wait(_) | Op::Destroy(_) => {}
        }
        let done = self.fields.threads[thread].done;
        done.set(world, done.get(world) + 1);
        Ok(())
    }

    /// Frees or allocates: a free tells the tracker before the device, an allocation after it.
    fn move_memory(
        &self,
        world: &mut World,
        thread: usize,
        op: Op,
        region: usize,
        second: bool,
        log: &mut impl Watch,
    ) {
        let fields = &self.fields.regions[region];
        let frees = matches!(op, Op::Free(_));
        if frees == second {
            fields.life.set(world, fields.life.get(world) + 1);
            fields.value.set(world, 0);
            let life = fields.life.get(world);
            log.see(self.actor(thread), |_| log::memory(self, region, life));
        } else if !self.misses(op) {
            fields.known.set(world, self.known_after(world, region, op));
        }
    }

    /// What the tracker knows of a region after the application told it.
    fn known_after(&self, world: &World, region: usize, op: Op) -> u64 {
        let fields = &self.fields.regions[region];
        match op {
            Op::Free(_) => fields.known.get(world) + 1,
            _ => fields.life.get(world),
        }
    }

    /// Whether a broken tracker does not hear of it.
    fn misses(&self, op: Op) -> bool {
        match self.quirk {
            Some(Quirk::MissesFrees) => matches!(op, Op::Free(_)),
            Some(Quirk::MissesReuse) => matches!(op, Op::Free(_) | Op::Allocate(_)),
            Some(Quirk::MissesGrowth) => matches!(op, Op::Free(_) | Op::Grow(_)),
            _ => false,
        }
    }

    /// Deadlines, which pass only if nobody can move.
    pub(super) fn deadlines(&self, world: &World, moves: &mut Moves) {
        for thread in 0..self.threads() {
            if self.innermost(world, thread).is_some_and(|who| self.has_deadline(world, who)) {
                moves.push(Move { actor: thread as u8, choice: choice::EXPIRE });
            }
        }
    }

    /// Whether a move touches nothing that others see or change, and its actor has no other.
    pub(super) fn is_private(&self, world: &World, step: Move, moves: &[Move]) -> bool {
        let thread = usize::from(step.actor);
        if thread >= self.threads() || step.choice != choice::GO {
            return false;
        }
        let alone = moves.iter().filter(|other| other.actor == step.actor).count() == 1;
        alone
            && match self.innermost(world, thread) {
                Some(who) => self.is_private_effect(world, who),
                None => matches!(self.op(world, thread), Some(Op::Dispatch(_))) && !self.finalizes(),
            }
    }

    fn finalizes(&self) -> bool {
        self.scenario.ops().any(|op| op == Op::Finalize)
    }
}
