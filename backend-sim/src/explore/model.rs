//! What a search needs of a system: where it starts, who can move, and what a move does.

/// Words of a [`World`].
pub const WORDS: usize = 5;

/// Moves that a state can have at most.
pub const MOVES: usize = 64;

/// A whole state of a system, packed by its model: 40 bytes. Two states are the same if and only if all bits are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct World(pub [u64; WORDS]);

/// One step of one actor. What the numbers mean is the model's business.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move {
    /// Who moves: less than 64.
    pub actor: u8,
    /// Which of the things that it can do now; 0 if there is only one.
    pub choice: u8,
}

impl Move {
    /// Not an actor's: heals the state's faults, see [`Model::healed`]. Possible everywhere in a list of moves.
    pub const HEAL: Self = Self { actor: u8::MAX, choice: 0 };
}

/// The moves that are possible in a state, in a fixed order.
pub type Moves = arrayvec::ArrayVec<Move, MOVES>;

/// The id of the invariant that a move or a state breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Broken(pub &'static str);

impl Broken {
    /// What the invariant says.
    pub fn says(self) -> &'static str {
        match self.0 {
            "exactly-one-completion" => {
                "the application observes one completion a dispatch, after the last pass"
            }
            "one-window-per-agent" => "at most one window is open on an agent",
            "no-foreign-write" => "in an open window nothing but its passes writes captured memory",
            "identical-inputs" => "every pass finds captured memory as it was captured",
            "final-state" => "memory in the end is what a run without replay leaves",
            "restore-only-live" => "only memory that is still the captured allocation is written back",
            "bracketed-callbacks" => "callbacks balance, nest and come in contract order",
            "records-before-exit" => "the records of a pass are delivered before its PASS exit",
            "consult-schedule" => {
                "the count and whether to continue are asked, and passes run, as the table says"
            }
            "sticky-overrides" => "a toggle lasts until it is changed in its loop, and is seen nowhere else",
            "no-deadlock" => "somebody can move until all is done",
            "livelock" => "a run does not go on for ever unless the tool never stops it",
            "no-leak" => "nothing is held after the outcome",
            _ => "the driver answers each effect as the machine expects",
        }
    }
}

/// A system whose runs are searched. Everything is a pure function of the state.
pub trait Model: Sync {
    /// How many words of a state are in use; the others are 0.
    fn words(&self) -> usize;

    /// Where every run starts.
    fn initial(&self) -> World;

    /// Writes the possible moves to an empty list. None left: the run is at rest.
    fn moves(&self, world: &World, moves: &mut Moves);

    /// The state after a possible move, or the invariant that the move breaks.
    fn perform(&self, world: &World, step: Move) -> Result<World, Broken>;

    /// The state after a move of a list: a possible one, or [`Move::HEAL`].
    fn follow(&self, world: &World, step: Move) -> Result<World, Broken> {
        if step == Move::HEAL { Ok(self.healed(world)) } else { self.perform(world, step) }
    }

    /// Judges a state without moves: all done, or a deadlock, or something left behind.
    fn at_rest(&self, world: &World) -> Result<(), Broken>;

    /// Whether a run may repeat the move for ever by contract: a tool that never stops.
    fn may_recur(&self, _world: &World, _step: Move) -> bool {
        false
    }

    /// A possible move of an actor that has no other one, that commutes with everything which others can do now or later,
    /// and that no invariant watches: a search may take it alone.
    fn independent(&self, _world: &World, _moves: &[Move]) -> Option<Move> {
        None
    }

    /// The state with its faults healed: what hung goes on, and no further fault will strike.
    fn healed(&self, world: &World) -> World {
        *world
    }
}
