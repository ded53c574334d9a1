//! A run in one word: world, broken engine, faults and moves.
//!
//! `k1:two-replays:no-gate:-:AABBA…`: the last part has a character a move, which counts the moves that are possible in its
//! state.

use super::{Exploration, UnknownName, mutant, world};
use kreplay_sim::explore::{Fault, Faults, Model, Move, Moves, UnknownFault};
use std::fmt;
use std::str::FromStr;

/// Version of tokens: raised when a world, the engine's order of effects or the moves change.
pub const VERSION: u32 = 1;

const ALPHABET: &[u8; 63] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-";

/// Stands for healing all faults.
const HEAL: u8 = b'_';

/// A run that can be repeated; its `Display` is the token.
#[derive(Clone)]
pub struct Token {
    /// Where it happens.
    pub exploration: Exploration,
    /// The moves.
    pub moves: Vec<Move>,
}

/// Why a token cannot be repeated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// It is none.
    #[error(
        "expected a token like k{VERSION}:WORLD:MUTANT:FAULTS:MOVES, got {0:?}: copy the whole token that `kreplay explore` printed"
    )]
    Shape(String),
    /// It was made by another version.
    #[error(
        "the token has version {0:?}, but this kreplay repeats version k{VERSION}: explore the world again"
    )]
    Version(String),
    /// It names something that does not exist.
    #[error("in the token: {0}")]
    Name(#[from] UnknownName),
    /// It names a fault that does not exist.
    #[error("in the token: {0}")]
    Fault(#[from] UnknownFault),
    /// Its moves are not possible in this world.
    #[error(
        "move {at} of the token is not possible in this world: expected one of {possible} moves, got {got:?}; explore the world again"
    )]
    Move {
        /// The number of the move; the first is 1.
        at: usize,
        /// How many moves are possible there.
        possible: usize,
        /// What the token says.
        got: char,
    },
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Exploration { world, mutant, faults } = self.exploration;
        let mutant = mutant.map_or("-", |mutant| mutant.name);
        write!(f, "k{VERSION}:{}:{mutant}:{}:", world.name, faults.map_or("-".to_owned(), written))?;
        let replays = self.exploration.replays();
        let mut world = replays.initial();
        for step in &self.moves {
            let mut possible = Moves::new();
            replays.moves(&world, &mut possible);
            let place = possible.iter().position(|other| other == step);
            let letter = place.and_then(|place| ALPHABET.get(place)).copied().unwrap_or(HEAL);
            write!(f, "{}", char::from(letter))?;
            world = replays.follow(&world, *step).unwrap_or(world);
        }
        Ok(())
    }
}

/// `2*hang+panic`: how many, and of which kinds.
fn written(faults: Faults) -> String {
    let kinds: Vec<&str> = faults.kinds().map(Fault::name).collect();
    format!("{}*{}", faults.budget, kinds.join("+"))
}

fn parsed(text: &str) -> Result<Option<Faults>, TokenError> {
    if text == "-" {
        return Ok(None);
    }
    let shape = || TokenError::Shape(text.to_owned());
    let (budget, kinds) = text.split_once('*').ok_or_else(shape)?;
    let budget = budget.parse().map_err(|_| shape())?;
    let kinds = kinds.split('+').filter(|kind| !kind.is_empty()).map(str::parse);
    Ok(Some(Faults::new(&kinds.collect::<Result<Vec<Fault>, _>>()?, budget)))
}

impl FromStr for Token {
    type Err = TokenError;

    fn from_str(text: &str) -> Result<Self, TokenError> {
        let parts: Vec<&str> = text.trim().split(':').collect();
        let version = parts[0];
        let number = version.strip_prefix('k').and_then(|number| number.parse::<u32>().ok());
        let number = number.ok_or_else(|| TokenError::Shape(text.to_owned()))?;
        if number != VERSION {
            return Err(TokenError::Version(version.to_owned()));
        }
        let [_, world_name, mutant_name, faults, letters] = parts[..] else {
            return Err(TokenError::Shape(text.to_owned()));
        };
        let mutant = if mutant_name == "-" { None } else { Some(mutant(mutant_name)?) };
        let exploration = Exploration { world: world(world_name)?, mutant, faults: parsed(faults)? };
        let moves = moves(&exploration, letters)?;
        Ok(Self { exploration, moves })
    }
}

fn moves(exploration: &Exploration, letters: &str) -> Result<Vec<Move>, TokenError> {
    let replays = exploration.replays();
    let mut world = replays.initial();
    let mut moves = Vec::new();
    let mut ended = false;
    for (at, letter) in letters.chars().enumerate() {
        let mut possible = Moves::new();
        if !ended {
            replays.moves(&world, &mut possible);
        }
        let place = ALPHABET.iter().position(|known| char::from(*known) == letter);
        let step = match place {
            _ if letter == char::from(HEAL) && !ended => Some(Move::HEAL),
            place => place.and_then(|place| possible.get(place)).copied(),
        };
        let impossible = TokenError::Move { at: at + 1, possible: possible.len(), got: letter };
        let step = step.ok_or(impossible)?;
        moves.push(step);
        match replays.follow(&world, step) {
            Ok(next) => world = next,
            Err(_) => ended = true,
        }
    }
    Ok(moves)
}
