//! What may go wrong in a world, by name.

use std::fmt;
use std::str::FromStr;

macro_rules! faults {
    ($($(#[doc = $doc:literal])+ $name:ident $word:literal,)+) => {
        /// A kind of fault.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Fault {
            $($(#[doc = $doc])+ $name,)+
        }

        impl Fault {
            /// Every kind.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// The name on the command line.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $word),+ }
            }

            /// What happens.
            pub const fn about(self) -> &'static str {
                match self { $(Self::$name => concat!($($doc),+)),+ }
            }
        }
    };
}

faults! {
    /// The module variables cannot be enumerated.
    Modules "modules",
    /// A region cannot be copied into the snapshot.
    Snapshot "snapshot",
    /// A restore fails after some regions: memory is torn.
    Restore "restore",
    /// A queue refuses a submit.
    Submit "submit",
    /// A completion cannot be handed over.
    Completion "completion",
    /// A deadline passes although somebody could still move.
    Expire "expire",
    /// A kernel hangs, or its doorbell is lost.
    Hang "hang",
    /// A completion handler of a pass hangs.
    Handler "handler",
    /// A callback of the tool panics.
    Panic "panic",
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No fault has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no fault is called {0:?}; expected {known}", known = known())]
pub struct UnknownFault(pub String);

fn known() -> String {
    let names: Vec<&str> = Fault::ALL.iter().map(|fault| fault.name()).collect();
    names.join(", ")
}

impl FromStr for Fault {
    type Err = UnknownFault;

    fn from_str(name: &str) -> Result<Self, UnknownFault> {
        let known = Self::ALL.iter().copied().find(|fault| fault.name() == name);
        known.ok_or_else(|| UnknownFault(name.to_owned()))
    }
}

/// Which kinds may strike, and how often in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Faults {
    kinds: u16,
    /// How many may strike in one run.
    pub budget: u8,
}

impl Faults {
    /// Faults of these kinds, so many in one run.
    pub fn new(kinds: &[Fault], budget: u8) -> Self {
        Self { kinds: kinds.iter().fold(0, |set, kind| set | 1 << *kind as u16), budget }
    }

    /// One fault of any kind.
    pub fn one() -> Self {
        Self::new(Fault::ALL, 1)
    }

    /// Whether a kind may strike at all.
    pub const fn may(self, kind: Fault) -> bool {
        self.budget > 0 && self.kinds >> kind as u16 & 1 == 1
    }

    /// The kinds that may strike.
    pub fn kinds(self) -> impl Iterator<Item = Fault> {
        Fault::ALL.iter().copied().filter(move |kind| self.may(*kind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_known_by_their_names() {
        for &fault in Fault::ALL {
            assert_eq!(fault.name().parse(), Ok(fault));
        }
        let error = "flood".parse::<Fault>().unwrap_err().to_string();
        assert!(error.starts_with("no fault is called \"flood\"; expected modules, snapshot,"), "{error}");
    }

    #[test]
    fn only_the_kinds_of_a_set_may_strike() {
        let faults = Faults::new(&[Fault::Hang, Fault::Panic], 2);
        assert_eq!(faults.kinds().collect::<Vec<_>>(), [Fault::Hang, Fault::Panic]);
        assert_eq!(Faults::new(Fault::ALL, 0).kinds().count(), 0);
    }
}
