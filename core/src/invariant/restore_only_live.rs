//! Restore writes only regions that are the captured allocation, with the captured size.

use super::Found;
use super::per_dispatch::PerDispatch;
use crate::ids::{Address, DispatchId};
use crate::memory::Region;
use std::collections::BTreeMap;

const ID: &str = "restore-only-live";

#[derive(Debug, Default)]
pub(super) struct Checker {
    live: BTreeMap<Address, Allocation>,
    made: u64,
    captured: PerDispatch<Vec<(Region, Option<Allocation>)>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Allocation {
    bytes: u64,
    /// Which allocation of the run it is.
    number: u64,
}

impl Checker {
    pub(super) fn allocated(&mut self, region: Region) {
        self.made += 1;
        self.live.insert(region.base, Allocation { bytes: region.bytes, number: self.made });
    }

    pub(super) fn freed(&mut self, base: Address) {
        self.live.remove(&base);
    }

    /// A region without an allocation is a module variable, of which the log says no more.
    pub(super) fn captured(&mut self, dispatch: DispatchId, region: Region) {
        let allocation = self.live.get(&region.base).copied();
        match self.captured.get(dispatch) {
            Some(captured) => captured.push((region, allocation)),
            None => self.captured.insert(dispatch, vec![(region, allocation)]),
        }
    }

    pub(super) fn restored(&mut self, dispatch: DispatchId, region: Region, found: &mut Found) {
        let captured =
            self.captured.get(dispatch).and_then(|all| all.iter().find(|(held, _)| *held == region));
        let Region { base, bytes } = region;
        let Some((_, allocation)) = captured else {
            return found.add(
                ID,
                format!("{bytes} bytes at {base:#x} were restored for {dispatch} but not captured"),
            );
        };
        if *allocation != self.live.get(&base).copied() {
            found.add(
                ID,
                format!("{bytes} bytes at {base:#x} were restored for {dispatch} over something else"),
            );
        }
    }

    pub(super) fn outcome(&mut self, dispatch: DispatchId) {
        self.captured.remove(dispatch);
    }
}
