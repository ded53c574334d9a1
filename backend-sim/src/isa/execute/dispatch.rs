//! A dispatch: its workgroups, begun in a seeded order, each wave in turn.

use std::collections::VecDeque;

use super::launch::{Launch, LaunchError, load_descriptor};
use super::memory::Memory;
use super::program::Program;
use super::stop::Stop;
use super::workgroup::{Environment, Workgroup};
use crate::isa::Target;
use crate::isa::object::Descriptor;

/// A dispatch under way.
pub struct Dispatch {
    launch: Launch,
    descriptor: Descriptor,
    order: Order,
    resident: VecDeque<Workgroup>,
    /// Scratch that no workgroup uses, by its first wave.
    free: Vec<u32>,
    executed: u64,
}

/// Where a dispatch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It has not ended.
    Running,
    /// All its waves have ended.
    Complete,
}

/// The units of a device that each run up to [`UNIT_WAVES`] waves at a time, as far as their registers last.
const UNITS: u32 = 110 * 4;

const UNIT_WAVES: u32 = 8;

/// Registers of a unit.
const UNIT_REGISTERS: u32 = 512;

impl Dispatch {
    /// A dispatch before its first instruction.
    ///
    /// # Errors
    /// A descriptor that cannot be read, and what the device cannot run.
    pub fn new<M: Memory>(launch: Launch, memory: &mut M) -> Result<Dispatch, LaunchError> {
        let descriptor = load_descriptor(memory, launch.packet.kernel_object)?;
        launch.check(&descriptor)?;
        let groups = launch.groups();
        let waves = launch.waves_of_group();
        let limit = resident_waves(&launch, &descriptor);
        Ok(Dispatch {
            launch,
            descriptor,
            order: Order::new(groups, launch.seed),
            resident: VecDeque::new(),
            free: (0..limit / waves).rev().map(|group| group * waves).collect(),
            executed: 0,
        })
    }

    /// Instructions that its waves have executed.
    pub fn executed(&self) -> u64 {
        self.executed
    }

    /// Runs to the end.
    ///
    /// # Errors
    /// Whatever stops a wave, and [`Stop::Budget`] if the end does not come within `instructions` of all waves.
    pub fn run<M: Memory>(
        &mut self,
        program: &mut Program,
        memory: &mut M,
        instructions: u64,
    ) -> Result<(), Stop> {
        match self.advance(program, memory, instructions)? {
            Progress::Complete => Ok(()),
            Progress::Running => Err(Stop::Budget { instructions }),
        }
    }

    /// Runs for at most this many instructions of its waves.
    ///
    /// # Errors
    /// Whatever stops a wave. The dispatch cannot go on then.
    pub fn advance<M: Memory>(
        &mut self,
        program: &mut Program,
        memory: &mut M,
        instructions: u64,
    ) -> Result<Progress, Stop> {
        let limit = self.executed.saturating_add(instructions);
        let mut environment = Environment { program, memory, executed: self.executed, limit };
        while environment.executed < limit {
            self.begin(environment.program.target());
            let Some(mut workgroup) = self.resident.pop_front() else { return Ok(Progress::Complete) };
            let result = workgroup.run(&mut environment);
            self.executed = environment.executed;
            result?;
            if workgroup.has_ended() {
                self.free.push(workgroup.slot);
            } else {
                self.resident.push_back(workgroup);
            }
        }
        Ok(if self.resident.is_empty() && self.order.is_empty() {
            Progress::Complete
        } else {
            Progress::Running
        })
    }

    /// Begins the next workgroup, if there is room, before those that have had a turn.
    fn begin(&mut self, target: Target) {
        if self.order.is_empty() {
            return;
        }
        let Some(slot) = self.free.pop() else { return };
        if let Some(id) = self.order.next() {
            self.resident.push_front(self.launch.workgroup(&self.descriptor, target, id, slot));
        }
    }
}

/// How many waves can run at a time.
fn resident_waves(launch: &Launch, descriptor: &Descriptor) -> u32 {
    let waves = UNITS * (UNIT_REGISTERS / descriptor.vgprs).clamp(1, UNIT_WAVES);
    match launch.scratch {
        Some(scratch) if descriptor.scratch => scratch.waves.min(waves),
        _ => waves,
    }
}

/// The ids of all workgroups, each once.
struct Order {
    groups: [u32; 3],
    count: u64,
    begun: u64,
    at: u64,
    stride: u64,
}

impl Order {
    fn new(groups: [u32; 3], seed: u64) -> Order {
        let count = groups.iter().map(|groups| u64::from(*groups)).product();
        let (at, stride) = if seed == 0 { (0, 1) } else { (seed % count, coprime(seed >> 16 | 1, count)) };
        Order { groups, count, begun: 0, at, stride }
    }

    fn is_empty(&self) -> bool {
        self.begun == self.count
    }
}

impl Iterator for Order {
    type Item = [u32; 3];

    fn next(&mut self) -> Option<[u32; 3]> {
        if self.is_empty() {
            return None;
        }
        let [x, y, _] = self.groups.map(u64::from);
        let id = [self.at % x, self.at / x % y, self.at / x / y].map(|id| id as u32);
        self.begun += 1;
        self.at = (u128::from(self.at) + u128::from(self.stride)).rem_euclid(u128::from(self.count)) as u64;
        Some(id)
    }
}

/// The first number from `from` on that has no factor in common with `count`.
fn coprime(from: u64, count: u64) -> u64 {
    let from = from % count + 1;
    (from..=from + count).find(|stride| common_factor(*stride, count) == 1).unwrap_or(1)
}

fn common_factor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { common_factor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_workgroup_begins_once_whatever_the_order() {
        for (groups, seed) in
            [([1, 1, 1], 9), ([7, 3, 2], 0), ([7, 3, 2], 5), ([64, 9, 5], u64::MAX), ([6, 1, 1], 1 << 20)]
        {
            let mut ids: Vec<_> = Order::new(groups, seed).collect();
            assert_eq!(ids.is_sorted_by_key(|[x, y, z]| (*z, *y, *x)), seed == 0 || groups == [1, 1, 1]);
            ids.sort_unstable();
            ids.dedup();
            assert_eq!(ids.len() as u32, groups.iter().product::<u32>());
            assert!(ids.iter().all(|id| id.iter().zip(groups).all(|(id, groups)| *id < groups)));
        }
    }
}
