//! The small systems.

use super::{Broken, Model, Move, Moves, World};

fn byte(world: &World, at: u8) -> u8 {
    world.0[0].to_le_bytes()[usize::from(at)]
}

fn with_byte(world: &World, at: u8, value: u8) -> World {
    let mut bytes = world.0[0].to_le_bytes();
    bytes[usize::from(at)] = value;
    let mut next = *world;
    next.0[0] = u64::from_le_bytes(bytes);
    next
}

fn only(actor: u8) -> Move {
    Move { actor, choice: 0 }
}

/// Counters that each go from 0 to a limit, one step a move, in three words.
pub(super) struct Grid {
    pub(super) counters: u8,
    pub(super) limit: u64,
    /// Whether counter 0 may also give one to counter 1: another way to a state of the same depth.
    pub(super) gives: bool,
    /// The sum of squares that is forbidden.
    pub(super) forbidden: Option<u64>,
}

pub(super) const GIVE: u8 = 63;
pub(super) const FORBIDDEN: Broken = Broken("forbidden");

impl Grid {
    pub(super) fn new(counters: u8, limit: u64) -> Self {
        Self { counters, limit, gives: false, forbidden: None }
    }

    fn get(world: &World, counter: u8) -> u64 {
        world.0[usize::from(counter) % 3] >> (counter / 3 * 32) & u64::from(u32::MAX)
    }

    fn add(world: &mut World, counter: u8, sign: i64) {
        let values = &mut world.0[usize::from(counter) % 3];
        *values = values.wrapping_add_signed(sign << (counter / 3 * 32));
    }
}

impl Model for Grid {
    fn words(&self) -> usize {
        3
    }

    fn initial(&self) -> World {
        World::default()
    }

    fn moves(&self, world: &World, moves: &mut Moves) {
        moves.extend((0..self.counters).filter(|&at| Self::get(world, at) < self.limit).map(only));
        if self.gives && Self::get(world, 0) > 0 && Self::get(world, 1) < self.limit {
            moves.push(only(GIVE));
        }
    }

    fn perform(&self, world: &World, step: Move) -> Result<World, Broken> {
        let mut next = *world;
        if step.actor == GIVE {
            Self::add(&mut next, 0, -1);
        }
        Self::add(&mut next, if step.actor == GIVE { 1 } else { step.actor }, 1);
        let squares = (0..self.counters).map(|at| Self::get(&next, at).pow(2)).sum::<u64>();
        if Some(squares) == self.forbidden { Err(FORBIDDEN) } else { Ok(next) }
    }

    fn at_rest(&self, _: &World) -> Result<(), Broken> {
        Ok(())
    }
}

/// Philosophers who think some steps, take two forks, and are done when they put both back.
pub(super) struct Table {
    pub(super) philosophers: u8,
    pub(super) thoughts: u8,
    /// Whether the last one takes the forks in the other order.
    pub(super) left_handed: bool,
}

pub(super) const DEADLOCK: Broken = Broken("no-deadlock");

impl Table {
    /// Who takes which fork at this step, if it is a step that takes one.
    fn fork(&self, who: u8, step: u8) -> Option<u8> {
        let other = (who + 1) % self.philosophers;
        let swapped = self.left_handed && other == 0;
        match step.checked_sub(self.thoughts)? {
            0 => Some(if swapped { other } else { who }),
            1 => Some(if swapped { who } else { other }),
            _ => None,
        }
    }

    fn is_held(&self, world: &World, fork: u8) -> bool {
        let holds = |who: u8| {
            let step = byte(world, who);
            step < self.thoughts + 3 && (0..step).any(|taken| self.fork(who, taken) == Some(fork))
        };
        (0..self.philosophers).any(holds)
    }
}

impl Model for Table {
    fn words(&self) -> usize {
        1
    }

    fn initial(&self) -> World {
        World::default()
    }

    fn moves(&self, world: &World, moves: &mut Moves) {
        let can = |who: &u8| {
            let step = byte(world, *who);
            step < self.thoughts + 3 && self.fork(*who, step).is_none_or(|fork| !self.is_held(world, fork))
        };
        moves.extend((0..self.philosophers).filter(can).map(only));
    }

    fn perform(&self, world: &World, step: Move) -> Result<World, Broken> {
        Ok(with_byte(world, step.actor, byte(world, step.actor) + 1))
    }

    fn at_rest(&self, world: &World) -> Result<(), Broken> {
        let done = (0..self.philosophers).all(|who| byte(world, who) == self.thoughts + 3);
        if done { Ok(()) } else { Err(DEADLOCK) }
    }

    fn independent(&self, world: &World, moves: &[Move]) -> Option<Move> {
        moves.iter().copied().find(|step| byte(world, step.actor) < self.thoughts)
    }
}

/// Two actors that want a lock: look, take, enter, leave.
pub(super) struct Lock {
    /// Whether looking and taking are one step, as they should be.
    pub(super) atomic: bool,
}

pub(super) const EXCLUSION: Broken = Broken("mutual-exclusion");
const HELD: u8 = 2;

impl Model for Lock {
    fn words(&self) -> usize {
        1
    }

    fn initial(&self) -> World {
        World::default()
    }

    fn moves(&self, world: &World, moves: &mut Moves) {
        let can = |who: &u8| match byte(world, *who) {
            0 => byte(world, HELD) == 0,
            step => step < 4,
        };
        moves.extend((0..2).filter(can).map(only));
    }

    fn perform(&self, world: &World, step: Move) -> Result<World, Broken> {
        let at = byte(world, step.actor);
        if at == 2 && byte(world, 1 - step.actor) == 3 {
            return Err(EXCLUSION);
        }
        let next = with_byte(world, step.actor, if at == 0 && self.atomic { 2 } else { at + 1 });
        Ok(match at {
            0 if self.atomic => with_byte(&next, HELD, 1),
            1 => with_byte(&next, HELD, 1),
            3 => with_byte(&next, HELD, 0),
            _ => next,
        })
    }

    fn at_rest(&self, world: &World) -> Result<(), Broken> {
        if (0..2).all(|who| byte(world, who) == 4) { Ok(()) } else { Err(DEADLOCK) }
    }
}

/// Two who meet in a corridor and step aside at the same time, to the same side, until they do not.
pub(super) struct Corridor {
    /// Whether a tool asked for it.
    pub(super) excused: bool,
}

impl Model for Corridor {
    fn words(&self) -> usize {
        1
    }

    fn initial(&self) -> World {
        World::default()
    }

    fn moves(&self, world: &World, moves: &mut Moves) {
        if byte(world, 2) < 3 {
            moves.push(only(2));
        } else {
            moves.extend([only(0), only(1)]);
        }
    }

    fn perform(&self, world: &World, step: Move) -> Result<World, Broken> {
        let next = byte(world, step.actor) + 1;
        Ok(with_byte(world, step.actor, if step.actor == 2 { next } else { next % 2 }))
    }

    fn at_rest(&self, _: &World) -> Result<(), Broken> {
        Ok(())
    }

    fn may_recur(&self, _: &World, step: Move) -> bool {
        self.excused && step.actor != 2
    }
}

/// A worker of four steps that can hang at any of them, and the watcher that waits for it.
pub(super) struct Worker {
    /// Whether a worker that hung at step 2 forgets to wake the watcher.
    pub(super) forgets: bool,
}

const HUNG: u8 = 2;
const HEALED: u8 = 3;
const FORGOT: u8 = 4;

impl Model for Worker {
    fn words(&self) -> usize {
        1
    }

    fn initial(&self) -> World {
        World::default()
    }

    fn moves(&self, world: &World, moves: &mut Moves) {
        if byte(world, 0) < 4 && byte(world, HUNG) == 0 {
            moves.push(only(0));
            if byte(world, HEALED) == 0 {
                moves.push(Move { actor: 0, choice: 1 });
            }
        }
        if byte(world, 0) == 4 && byte(world, 1) == 0 && byte(world, FORGOT) == 0 {
            moves.push(only(1));
        }
    }

    fn perform(&self, world: &World, step: Move) -> Result<World, Broken> {
        if step.choice == 0 {
            return Ok(with_byte(world, step.actor, byte(world, step.actor) + 1));
        }
        let forgot = u8::from(self.forgets && byte(world, 0) == 2);
        Ok(with_byte(&with_byte(world, HUNG, 1), FORGOT, forgot))
    }

    fn at_rest(&self, world: &World) -> Result<(), Broken> {
        if byte(world, HUNG) == 1 || byte(world, 1) == 1 { Ok(()) } else { Err(DEADLOCK) }
    }

    fn healed(&self, world: &World) -> World {
        with_byte(&with_byte(world, HUNG, 0), HEALED, 1)
    }
}

/// One who goes round for ever, alone, and one whose only move is forbidden or goes round too.
pub(super) struct Rounds {
    pub(super) forbidden: bool,
    /// Whether the first one may by contract.
    pub(super) excused: bool,
}

impl Model for Rounds {
    fn words(&self) -> usize {
        1
    }

    fn initial(&self) -> World {
        World::default()
    }

    fn moves(&self, _: &World, moves: &mut Moves) {
        moves.extend([only(0), only(1)]);
    }

    fn perform(&self, world: &World, step: Move) -> Result<World, Broken> {
        if step.actor == 1 && self.forbidden {
            return Err(FORBIDDEN);
        }
        Ok(with_byte(world, step.actor, 1 - byte(world, step.actor)))
    }

    fn at_rest(&self, _: &World) -> Result<(), Broken> {
        Ok(())
    }

    fn may_recur(&self, _: &World, step: Move) -> bool {
        self.excused && step.actor == 0
    }

    fn independent(&self, _: &World, _: &[Move]) -> Option<Move> {
        Some(only(0))
    }
}

/// One who goes 0, 1, 2, 3 and then does what is forbidden, or something else that is wrong at 1.
pub(super) struct Detour {
    /// Whether it can go from 0 to 3 at once.
    pub(super) short: bool,
}

impl Model for Detour {
    fn words(&self) -> usize {
        1
    }

    fn initial(&self) -> World {
        World::default()
    }

    fn moves(&self, world: &World, moves: &mut Moves) {
        let choices: &[u8] = match byte(world, 0) {
            0 if self.short => &[0, 1],
            0 => &[1],
            1 => &[0, 2],
            2 => &[3],
            _ => &[0],
        };
        moves.extend(choices.iter().map(|&choice| Move { actor: 0, choice }));
    }

    fn perform(&self, world: &World, step: Move) -> Result<World, Broken> {
        match (byte(world, 0), step.choice) {
            (1, 0) => Err(DEADLOCK),
            (3, 0) => Err(FORBIDDEN),
            (0, 0) => Ok(with_byte(world, 0, 3)),
            (_, choice) => Ok(with_byte(world, 0, choice)),
        }
    }

    fn at_rest(&self, _: &World) -> Result<(), Broken> {
        Ok(())
    }
}
