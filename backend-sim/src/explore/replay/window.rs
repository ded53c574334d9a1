//! The replay window, step by step: gate, fence, snapshot and restore, one region at a time.

use super::effects::{At, Step};
use super::fields::Region;
use super::log::Watch;
use super::{
    Access, Broken, Condition, Entry, Input, Quirk, Replays, World, check, choice, holds, log, lost,
};
use kreplay_core::ids::AgentId;
use kreplay_core::memory::{self, MemoryClass, Tracked, restorable};

/// How far giving the gate back has got.
const RETRY_HELD: u64 = 1;

impl Replays {
    pub(super) fn lock(&self, world: &mut World, At { who, sub, .. }: At, log: &mut impl Watch) -> Step {
        let agent = self.agent_of(world, who);
        if sub > 0 {
            self.flush(world, who, log)?;
            return Ok(Some(Input::Locked(self.poison(world, agent))));
        }
        let (gate, entry) = self.enter(world, who, Access::Exclusive);
        let fields = &self.fields.agents[agent];
        fields.gate.set(world, gate);
        let Entry::Taken(access, condition) = entry else { return Ok(Some(Input::Reentrant)) };
        log.see(self.actor(who), |_| log::gate(agent, access, true));
        check::ensure(!fields.window.is_set(world), check::WINDOWS)?;
        fields.window.set(world, who as u64 + 1);
        self.activation(who).holds.set(world, holds::WINDOW);
        if self.holds_back() { self.go_to(world, who, 1) } else { Ok(Some(Input::Locked(condition))) }
    }

    fn poison(&self, world: &World, agent: usize) -> Condition {
        let mut gate = self.book.gates.state(self.fields.agents[agent].gate.get(world));
        gate.release(Access::Exclusive, Condition::Sound);
        gate.take(Access::Exclusive).unwrap_or(Condition::Sound)
    }

    pub(super) fn is_agent_idle(&self, world: &World, agent: usize) -> bool {
        let queues = self.fields.queues.iter().filter(|queue| queue.agent == agent);
        queues.into_iter().all(|queue| queue.first(world).is_none())
    }

    pub(super) fn copies_in_flight(&self, world: &World, agent: usize) -> bool {
        self.book.fences.state(self.fields.agents[agent].fence.get(world)).in_flight() > 0
    }

    pub(super) fn open_fence(&self, world: &mut World, At { who, sub, choice }: At) -> Step {
        if sub == 0 {
            self.hold_copies(world, self.agent_of(world, who), true);
            return self.go_to(world, who, 1);
        }
        Ok(Some(if choice == choice::EXPIRE { Input::Expired } else { Input::Done }))
    }

    fn hold_copies(&self, world: &mut World, agent: usize, open: bool) {
        let fence = self.fields.agents[agent].fence;
        fence.set(world, self.book.fences.set_window(fence.get(world), open));
    }

    /// First what there is to capture, then each region; the tracker is locked meanwhile.
    pub(super) fn snapshot(
        &self,
        world: &mut World,
        At { who, sub, choice }: At,
        log: &mut impl Watch,
    ) -> Step {
        let agent = self.agent_of(world, who);
        let regions = &self.fields.agents[agent].regions;
        if sub == 0 {
            for region in regions.iter().map(|region| &self.fields.regions[*region]) {
                let known = region.known.get(world);
                region.captured.set(world, if known % 2 == 0 { known + 1 } else { 0 });
            }
            return self.go_to(world, who, 1);
        }
        let Some(&index) = regions.get(sub as usize - 1) else { return Ok(Some(Input::Done)) };
        if sub == 1 {
            self.fields.tracker.set_if_any(world, 1);
            for region in regions {
                self.fields.regions[*region].drop_if_freed(world);
            }
        }
        let region = &self.fields.regions[index];
        if choice == choice::FAIL {
            self.fields.tracker.set(world, 0);
            if self.is(Quirk::IgnoresFailedSnapshot) {
                return Ok(Some(Input::Done));
            }
            self.forget_snapshot(world, agent);
            return Ok(Some(Input::Failed));
        }
        if region.captured.is_set(world) {
            region.image.set(world, region.value.get(world));
            log.see(self.actor(who), |names| names.captured(self.dispatch_of(world, who), index));
        }
        if sub as usize == regions.len() {
            self.fields.tracker.set(world, 0);
            return Ok(Some(Input::Done));
        }
        self.go_to(world, who, sub + 1)
    }

    pub(super) fn restore(
        &self,
        world: &mut World,
        At { who, sub, choice }: At,
        log: &mut impl Watch,
    ) -> Step {
        let agent = self.agent_of(world, who);
        let fields = &self.fields.agents[agent];
        if sub == 0 {
            let (gate, begins) = self.book.gates.begin_restore(fields.gate.get(world));
            if !begins && !self.is(Quirk::RestoresTainted) {
                return Ok(Some(Input::Tainted));
            }
            check::restore_is_due(self, world, who)?;
            fields.gate.set(world, gate);
            self.fields.tracker.set_if_any(world, 1);
            return self.go_to(world, who, 1);
        }
        if choice == choice::FAIL {
            fields.torn.set(world, 1);
            self.activation(who).lost.set(world, lost::TORN);
            self.end_restore(world, agent);
            return Ok(Some(Input::Torn));
        }
        // Each region is looked at, then written: 1 and 2 are the first one's steps, and so on.
        let (index, writes) = ((sub as usize - 1) / 2, sub.is_multiple_of(2));
        if index >= fields.regions.len() || (index == 1 && self.is(Quirk::RestoresHalf)) {
            self.end_restore(world, agent);
            return Ok(Some(Input::Done));
        }
        if writes {
            self.write_back(world, who, fields.regions[index], log)?;
            return self.go_to(world, who, sub + 1);
        }
        let due = self.is_restorable(world, who, fields.regions[index], log);
        self.go_to(world, who, if due { sub + 1 } else { sub + 2 })
    }

    /// Whether a region is written back.
    fn is_restorable(&self, world: &World, who: usize, index: usize, log: &mut impl Watch) -> bool {
        let region = &self.fields.regions[index];
        if !region.captured.is_set(world) {
            return false;
        }
        let skip = region.skip(world);
        if skip.is_some() {
            log.see(self.actor(who), |names| names.restored(self.dispatch_of(world, who), index, skip));
        }
        skip.is_none()
    }

    fn write_back(
        &self,
        world: &mut World,
        who: usize,
        index: usize,
        log: &mut impl Watch,
    ) -> Result<(), Broken> {
        let region = &self.fields.regions[index];
        log.see(self.actor(who), |names| names.restored(self.dispatch_of(world, who), index, None));
        let same = region.captured.get(world) == region.life.get(world) + 1;
        check::ensure(same, check::LIVE)?;
        region.value.set(world, region.image.get(world));
        Ok(())
    }

    fn end_restore(&self, world: &mut World, agent: usize) {
        let gate = self.fields.agents[agent].gate;
        gate.set(world, self.book.gates.end_restore(gate.get(world)));
        self.fields.tracker.set(world, 0);
    }

    pub(super) fn close_fence(&self, world: &mut World, who: usize) -> Input {
        let agent = self.agent_of(world, who);
        self.hold_copies(world, agent, false);
        self.forget_snapshot(world, agent);
        Input::Done
    }

    fn forget_snapshot(&self, world: &mut World, agent: usize) {
        for region in &self.fields.agents[agent].regions {
            let region = &self.fields.regions[*region];
            region.captured.set(world, 0);
            region.image.set(world, 0);
        }
    }

    pub(super) fn unlock(
        &self,
        world: &mut World,
        At { who, sub, .. }: At,
        condition: Condition,
        log: &mut impl Watch,
    ) -> Step {
        if sub == RETRY_HELD {
            self.retry_held(world, who, log)?;
            return Ok(Some(Input::Done));
        }
        let agent = self.agent_of(world, who);
        self.fields.agents[agent].window.set(world, 0);
        self.activation(who).holds.set(world, holds::NOTHING);
        self.release(world, agent, Access::Exclusive, condition);
        log.see(self.actor(who), |_| log::gate(agent, Access::Exclusive, false));
        if self.holds_back() { self.go_to(world, who, RETRY_HELD) } else { Ok(Some(Input::Done)) }
    }
}

impl Region {
    /// What was freed since the inventory was read is not captured.
    fn drop_if_freed(&self, world: &mut World) {
        if self.captured.is_set(world) && self.skip(world).is_some() {
            self.captured.set(world, 0);
        }
    }

    /// Why a captured region may not be written back, by the engine's own rule.
    fn skip(&self, world: &World) -> Option<memory::Skip> {
        let captured = self.captured.get(world) - 1;
        let known = self.known.get(world);
        let live = Tracked {
            region: self.extent(known),
            owner: AgentId(self.agent as u64 + 1),
            class: MemoryClass::Coarse,
            generation: known / 2 + 1,
        };
        restorable(self.extent(captured), captured / 2 + 1, known.is_multiple_of(2).then_some(live)).err()
    }

    /// Where it lies, and how long it is in one of its lives.
    fn extent(&self, life: u64) -> memory::Region {
        let grown = self.grown.get(life as usize / 2).copied().unwrap_or_default();
        memory::Region { base: 0x1000, bytes: if grown { 128 } else { 64 } }
    }
}
