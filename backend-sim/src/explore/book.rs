//! The engine's own types as small numbers, and the engine's own decisions as tables.
//!
//! Nothing is decided here. Each table is filled before a search begins, by asking the shipped code (or a broken one,
//! through its seams) once for every state that it can get into and every question that can be put to it there.

use indexmap::IndexSet;
use kreplay_core::context::{Approach, ContextSet, Overrides};
use kreplay_core::fence::FenceState;
use kreplay_core::gate::{Access, Entry, GateState};
use kreplay_core::replay::{Candidacy, Condition, Effect, Halt, Input, Next, Reason, Replay};
use kreplay_core::seams::Seams;
use std::hash::Hash;

/// Passes of an indefinite loop are told apart up to this one.
pub(super) const LAST_PASS: u64 = 3;

/// Values by number, in the order in which they were met, and what is known about each.
#[derive(Debug)]
struct Table<T, R> {
    values: IndexSet<T>,
    rows: Vec<R>,
}

impl<T: Copy + Eq + Hash, R> Table<T, R> {
    /// Every value that `row` leads to from the first ones; `row` gets a function that numbers the values it meets.
    fn closed(first: &[T], mut row: impl FnMut(T, &mut dyn FnMut(T) -> u16) -> R) -> Self {
        let mut table = Self { values: first.iter().copied().collect(), rows: Vec::new() };
        while let Some(&value) = table.values.get_index(table.rows.len()) {
            let filled = row(value, &mut |met| table.values.insert_full(met).0 as u16);
            table.rows.push(filled);
        }
        table
    }

    /// The largest number.
    fn last(&self) -> usize {
        self.rows.len() - 1
    }
}

/// Number of answers that [`index`] tells apart.
const INPUTS: usize = 28;

const HALTS: [Halt; 4] = [Halt::Tainted, Halt::Finalizing, Halt::Panicked, Halt::Watchdog];

/// The number of an answer; counts beyond 3 and reasons that no world gives are not told apart.
#[inline]
const fn index(input: Input) -> usize {
    match input {
        Input::Done => 0,
        Input::Installed { consult } => 1 + consult as usize,
        Input::OptedOut => 3,
        Input::Panicked => 4,
        Input::Locked(Condition::Sound) => 5,
        Input::Locked(Condition::Poisoned) => 6,
        Input::Reentrant => 7,
        Input::Declined(_) => 8,
        Input::Expired => 9,
        Input::Failed => 10,
        Input::Exited(None) => 11,
        Input::Exited(Some(halt)) => 12 + halt as usize,
        Input::Answered(Ok(yes)) => 16 + yes as usize,
        Input::Answered(Err(halt)) => 18 + halt as usize,
        Input::Tainted => 22,
        Input::Torn => 23,
        Input::Count(0) => 24,
        Input::Count(1) => 25,
        Input::Count(2) => 26,
        Input::Count(_) => 27,
    }
}

/// Every answer, by number.
fn inputs() -> Vec<Input> {
    let mut inputs = vec![
        Input::Done,
        Input::Installed { consult: false },
        Input::Installed { consult: true },
        Input::OptedOut,
        Input::Panicked,
        Input::Locked(Condition::Sound),
        Input::Locked(Condition::Poisoned),
        Input::Reentrant,
        Input::Declined(Reason::SnapshotFailed),
        Input::Expired,
        Input::Failed,
        Input::Exited(None),
    ];
    inputs.extend(HALTS.map(|halt| Input::Exited(Some(halt))));
    inputs.extend([false, true].map(|yes| Input::Answered(Ok(yes))));
    inputs.extend(HALTS.map(|halt| Input::Answered(Err(halt))));
    inputs.extend([Input::Tainted, Input::Torn]);
    inputs.extend((0..=3).map(Input::Count));
    inputs
}

/// What a machine does on an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stepped {
    /// It goes on with the effect of this number.
    To(u16),
    /// The dispatch is done with.
    Finished,
    /// The answer cannot be one to the outstanding effect.
    Illegal,
}

/// The replay machine: its outstanding effects by number. 0 is that of a candidate, [`Machine::BYSTANDER`] of another.
#[derive(Debug)]
pub(super) struct Machine(Table<(Replay, Effect), [Stepped; INPUTS]>);

impl Machine {
    /// Where a dispatch begins that is no candidate.
    pub(super) const BYSTANDER: u16 = 1;

    /// The machine as the engine's seams make it. Seams are made anew for each question, so that they remember nothing.
    fn new(seams: &dyn Fn() -> Box<dyn Seams>) -> Self {
        let begin = [Candidacy::Candidate, Candidacy::Bystander].map(Replay::begin);
        Self(Table::closed(&begin, |(machine, effect), code| {
            let mut row = [Stepped::Illegal; INPUTS];
            if runs_away(effect) {
                return row;
            }
            for input in inputs() {
                row[index(input)] = match seams().step(machine, input).map(|next| next.folded(LAST_PASS)) {
                    Ok(Next::Do(machine, effect)) => Stepped::To(code((machine, effect))),
                    Ok(Next::Finished(_)) => Stepped::Finished,
                    Err(_) => Stepped::Illegal,
                };
            }
            row
        }))
    }

    /// The outstanding effect.
    #[inline]
    pub(super) fn effect(&self, code: u16) -> Effect {
        self.0.values[usize::from(code)].1
    }

    /// What follows an answer.
    #[inline]
    pub(super) fn step(&self, code: u16, input: Input) -> Stepped {
        self.0.rows[usize::from(code)][index(input)]
    }

    /// The largest number.
    pub(super) fn last(&self) -> usize {
        self.0.last()
    }
}

/// A broken machine may go on for ever with a plan that ends.
const fn runs_away(effect: Effect) -> bool {
    matches!(effect, Effect::PassEnter(pass) if pass > LAST_PASS + 2)
}

/// What can be asked of a gate.
#[derive(Debug)]
struct GateRow {
    /// By access (window or submit), approach and whether it may intrude.
    enter: [(u16, Entry); 12],
    /// By access and condition.
    release: [u16; 6],
    begin_restore: (u16, bool),
    end_restore: u16,
}

/// The gate of an agent. 0 is a free one.
#[derive(Debug)]
pub(super) struct Gates(Table<Held, GateRow>);

/// A gate, and how many hold it: nobody releases what is not held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Held {
    gate: GateState,
    submits: u8,
    windows: u8,
}

const ACCESSES: [Access; 3] = [Access::Exclusive, Access::Shared, Access::Intruding];
const APPROACHES: [Approach; 3] = [Approach::Wait, Approach::Try, Approach::Skip];
const CONDITIONS: [Condition; 2] = [Condition::Sound, Condition::Poisoned];

impl Gates {
    /// The gate when at most so many threads come to it.
    fn new(threads: usize) -> Self {
        Self(Table::closed(&[Held::default()], |held, code| {
            let full = usize::from(held.submits) > threads;
            let mut enter = [(0, Entry::Reentrant); 12];
            for access in [Access::Exclusive, Access::Shared] {
                for approach in APPROACHES {
                    for intrude in [false, true].into_iter().filter(|_| !full) {
                        let (after, entry) = held.enter(access, approach, intrude);
                        enter[slot(access, approach, intrude)] = (code(after), entry);
                    }
                }
            }
            let mut release = [0; 6];
            for access in ACCESSES.into_iter().filter(|access| held.is_held(*access)) {
                for condition in CONDITIONS {
                    release[access as usize * 2 + condition as usize] = code(held.release(access, condition));
                }
            }
            let mut begun = held;
            let restores = begun.gate.begin_restore();
            let mut ended = held;
            ended.gate.end_restore();
            GateRow { enter, release, begin_restore: (code(begun), restores), end_restore: code(ended) }
        }))
    }

    #[inline]
    pub(super) fn enter(&self, code: u64, access: Access, approach: Approach, intrude: bool) -> (u64, Entry) {
        let (code, entry) = self.0.rows[code as usize].enter[slot(access, approach, intrude)];
        (code.into(), entry)
    }

    #[inline]
    pub(super) fn release(&self, code: u64, access: Access, condition: Condition) -> u64 {
        self.0.rows[code as usize].release[access as usize * 2 + condition as usize].into()
    }

    #[inline]
    pub(super) fn begin_restore(&self, code: u64) -> (u64, bool) {
        let (code, begins) = self.0.rows[code as usize].begin_restore;
        (code.into(), begins)
    }

    #[inline]
    pub(super) fn end_restore(&self, code: u64) -> u64 {
        self.0.rows[code as usize].end_restore.into()
    }

    /// The gate itself.
    #[inline]
    pub(super) fn state(&self, code: u64) -> GateState {
        self.0.values[code as usize].gate
    }

    /// Whether nobody holds it.
    pub(super) fn is_free(&self, code: u64) -> bool {
        let Held { submits, windows, .. } = self.0.values[code as usize];
        (submits, windows) == (0, 0)
    }

    pub(super) fn last(&self) -> usize {
        self.0.last()
    }
}

impl Held {
    fn enter(mut self, access: Access, approach: Approach, intrude: bool) -> (Self, Entry) {
        let entry = self.gate.enter(access, approach, intrude);
        match entry {
            Entry::Taken(Access::Exclusive, _) => self.windows += 1,
            Entry::Taken(..) => self.submits += 1,
            _ => {}
        }
        (self, entry)
    }

    fn release(mut self, access: Access, condition: Condition) -> Self {
        self.gate.release(access, condition);
        match access {
            Access::Exclusive => self.windows -= 1,
            Access::Shared | Access::Intruding => self.submits -= 1,
        }
        self
    }

    const fn is_held(self, access: Access) -> bool {
        match access {
            Access::Exclusive => self.windows > 0,
            Access::Shared | Access::Intruding => self.submits > 0,
        }
    }
}

#[inline]
const fn slot(access: Access, approach: Approach, intrude: bool) -> usize {
    let access = matches!(access, Access::Exclusive) as usize;
    access * 6 + approach as usize * 2 + intrude as usize
}

/// What can be asked of a fence.
#[derive(Debug)]
struct FenceRow {
    /// By whether it is forced.
    begin: [(u16, bool); 2],
    end: u16,
    window: [u16; 2],
}

/// The copy fence of an agent. 0 is an open one without copies.
#[derive(Debug)]
pub(super) struct Fences(Table<FenceState, FenceRow>);

impl Fences {
    /// The fence when there are so many copies.
    fn new(copies: u32) -> Self {
        Self(Table::closed(&[FenceState::default()], |fence, code| {
            let begin = [false, true].map(|forced| {
                let mut after = fence;
                let begun = after.in_flight() <= copies && after.try_begin(forced);
                (code(after), begun)
            });
            let mut ended = fence;
            ended.end();
            let window = [false, true].map(|open| {
                let mut after = fence;
                after.set_window(open);
                code(after)
            });
            FenceRow { begin, end: code(ended), window }
        }))
    }

    #[inline]
    pub(super) fn try_begin(&self, code: u64, forced: bool) -> (u64, bool) {
        let (code, begun) = self.0.rows[code as usize].begin[usize::from(forced)];
        (code.into(), begun)
    }

    #[inline]
    pub(super) fn end(&self, code: u64) -> u64 {
        self.0.rows[code as usize].end.into()
    }

    #[inline]
    pub(super) fn set_window(&self, code: u64, open: bool) -> u64 {
        self.0.rows[code as usize].window[usize::from(open)].into()
    }

    /// The fence itself.
    #[inline]
    pub(super) fn state(&self, code: u64) -> FenceState {
        self.0.values[code as usize]
    }

    pub(super) fn last(&self) -> usize {
        self.0.last()
    }
}

/// The toggles of a loop. 0 is no loop.
#[derive(Debug)]
pub(super) struct Masks {
    table: Table<Overrides, Vec<[u16; 2]>>,
    contexts: usize,
}

impl Masks {
    /// The toggles when there are so many contexts.
    fn new(contexts: usize) -> Self {
        let mut first = vec![Overrides::default()];
        first.extend((0..1 << contexts).map(|active| Overrides::open(set(active))));
        let table = Table::closed(&first, |overrides, code| {
            let toggled = |context, on, code: &mut dyn FnMut(Overrides) -> u16| {
                let mut after = overrides;
                let _ = after.toggle(ContextSet::handle(context), on);
                code(after)
            };
            (0..contexts).map(|context| [false, true].map(|on| toggled(context, on, code))).collect()
        });
        Self { table, contexts }
    }

    /// The toggles of a loop that opens while these contexts are active.
    pub(super) fn open(&self, active: u64) -> u64 {
        self.table.values.get_index_of(&Overrides::open(set(active))).unwrap_or_default() as u64
    }

    /// The toggles after one more.
    pub(super) fn toggle(&self, code: u64, context: usize, on: bool) -> u64 {
        self.table.rows[code as usize][context][usize::from(on)].into()
    }

    /// The contexts that take part in a pass, of those that are active.
    pub(super) fn effective(&self, code: u64, active: u64) -> u64 {
        let effective = self.table.values[code as usize].effective(set(active));
        let bit = |context| u64::from(effective.contains(ContextSet::handle(context))) << context;
        (0..self.contexts).map(bit).sum()
    }

    pub(super) fn last(&self) -> usize {
        self.table.last()
    }
}

/// Contexts by the bits of a number.
fn set(bits: u64) -> ContextSet {
    let mut set = ContextSet::EMPTY;
    (0..64).filter(|bit| bits >> bit & 1 == 1).for_each(|bit| set.set(ContextSet::handle(bit), true));
    set
}

/// Every table.
#[derive(Debug)]
pub(super) struct Book {
    pub(super) machine: Machine,
    pub(super) gates: Gates,
    pub(super) fences: Fences,
    pub(super) masks: Masks,
}

impl Book {
    /// The tables for a world of this size.
    pub(super) fn new(
        seams: &dyn Fn() -> Box<dyn Seams>,
        threads: usize,
        copies: usize,
        contexts: usize,
    ) -> Self {
        Self {
            machine: Machine::new(seams),
            gates: Gates::new(threads),
            fences: Fences::new(copies as u32),
            masks: Masks::new(contexts),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kreplay_core::seams::Shipped;

    fn machine() -> Machine {
        Machine::new(&|| Box::new(Shipped))
    }

    #[test]
    fn every_answer_has_its_number() {
        let numbers: Vec<usize> = inputs().into_iter().map(index).collect();
        assert_eq!(numbers, (0..INPUTS).collect::<Vec<_>>());
    }

    #[test]
    fn the_machine_in_tables_is_the_shipped_machine() {
        let machine = machine();
        for code in 0..=machine.last() as u16 {
            let (state, _) = machine.0.values[usize::from(code)];
            for input in inputs() {
                let shipped = state.step(input).map(|next| next.folded(LAST_PASS));
                match (shipped, machine.step(code, input)) {
                    (Ok(Next::Do(to, effect)), Stepped::To(next)) => {
                        assert_eq!(machine.0.values[usize::from(next)], (to, effect));
                    }
                    (Ok(Next::Finished(_)), Stepped::Finished) | (Err(_), Stepped::Illegal) => {}
                    (shipped, tabled) => panic!("{state:?} on {input:?}: {shipped:?} became {tabled:?}"),
                }
            }
        }
    }

    #[test]
    fn the_tables_are_small() {
        assert_eq!(machine().last(), 214);
        assert_eq!(Gates::new(4).last(), 41);
        assert_eq!(Fences::new(2).last(), 7);
        assert_eq!(Masks::new(2).last(), 8);
    }

    #[test]
    fn a_gate_in_tables_does_what_the_gate_does() {
        let gates = Gates::new(3);
        let (open, entry) = gates.enter(0, Access::Exclusive, Approach::Wait, false);
        assert_eq!(entry, Entry::Taken(Access::Exclusive, Condition::Sound));
        assert_eq!(
            gates.enter(open, Access::Shared, Approach::Wait, false),
            (open, Entry::Wait(Access::Shared))
        );
        let (restoring, begins) = gates.begin_restore(open);
        assert!(begins && gates.state(restoring) != gates.state(open));
        assert_eq!(gates.end_restore(restoring), open);
        assert_eq!(gates.release(open, Access::Exclusive, Condition::Sound), 0);
        assert!(gates.is_free(0) && !gates.is_free(open));
    }

    #[test]
    fn toggles_mask_what_was_active_and_promote_nothing() {
        let masks = Masks::new(2);
        let open = masks.open(0b01);
        assert_eq!(masks.effective(masks.toggle(open, 0, false), 0b11), 0b10);
        assert_eq!(masks.toggle(open, 1, false), open);
        assert_eq!(masks.effective(0, 0b11), 0b11);
    }
}
