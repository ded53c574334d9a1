//! A device's memory: a few regions, every access checked.

use kreplay_sim::isa::Target;
use kreplay_sim::isa::execute::{Denied, Dispatch, Launch, Memory, Packet, Program, Scratch, Stop};

/// Memory, and the processor that it belongs to.
pub(crate) struct Machine {
    target: Target,
    regions: Vec<(u64, Vec<u8>)>,
    last: usize,
    pub(crate) interrupts: Vec<u8>,
}

/// The shape of a one-dimensional dispatch.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) group: u16,
    pub(crate) groups: u32,
}

const PACKET: u64 = 0x7100_0000_0000;
const KERNARG: u64 = 0x7100_0001_0000;
const SCRATCH: u64 = 0x7200_0000_0000;

/// Waves that the scratch is for.
const WAVES: u32 = 64;

/// Where the hidden arguments are, behind three pointers and a number.
const HIDDEN: usize = 32;

impl Machine {
    pub(crate) fn new(target: Target) -> Machine {
        Machine { target, regions: Vec::new(), last: 0, interrupts: Vec::new() }
    }

    pub(crate) fn map(&mut self, base: u64, bytes: Vec<u8>) {
        self.regions.retain(|(other, _)| *other != base);
        self.regions.push((base, bytes));
    }

    pub(crate) fn bytes(&self, base: u64) -> &[u8] {
        &self.regions.iter().find(|(other, _)| *other == base).expect("a mapped region").1
    }

    /// Runs a kernel with these arguments to its end and returns how many instructions its waves took.
    pub(crate) fn run(
        &mut self,
        descriptor: u64,
        shape: Shape,
        arguments: [u64; 4],
        seed: u64,
        budget: u64,
    ) -> Result<u64, Stop> {
        let private_bytes = self.load(descriptor + 4, 4).expect("a descriptor") as u32;
        let group_bytes = self.load(descriptor, 4).expect("a descriptor") as u32;
        let private_bytes = private_bytes.max(4096);
        self.map(KERNARG, kernarg(shape, arguments));
        self.map(SCRATCH, vec![0x5a; (Scratch::bytes_of_wave(private_bytes) * u64::from(WAVES)) as usize]);
        let packet = Packet {
            workgroup: [shape.group, 1, 1],
            grid: [u32::from(shape.group) * shape.groups, 1, 1],
            private_bytes,
            group_bytes,
            kernel_object: descriptor,
            kernarg: KERNARG,
        };
        self.map(PACKET, packet_bytes(&packet));
        let launch = Launch {
            packet,
            packet_address: PACKET,
            queue_address: PACKET,
            dispatch_id: 0,
            scratch: Some(Scratch::new(SCRATCH, private_bytes, WAVES)),
            seed,
        };
        let mut dispatch = Dispatch::new(launch, self).expect("a launch");
        dispatch.run(&mut Program::new(self.target), self, budget)?;
        Ok(dispatch.executed())
    }

    fn place(&mut self, address: u64, bytes: u32) -> Result<&mut [u8], Denied> {
        let holds = |region: &(u64, Vec<u8>)| {
            address >= region.0 && address - region.0 + u64::from(bytes) <= region.1.len() as u64
        };
        if !self.regions.get(self.last).is_some_and(holds) {
            self.last = self.regions.iter().position(holds).ok_or(Denied::Unmapped)?;
        }
        let (base, region) = &mut self.regions[self.last];
        let at = (address - *base) as usize;
        Ok(&mut region[at..at + bytes as usize])
    }
}

impl Memory for Machine {
    #[inline]
    fn load(&mut self, address: u64, bytes: u32) -> Result<u64, Denied> {
        let place = self.place(address, bytes)?;
        Ok(match bytes {
            4 => u64::from(u32::from_le_bytes(place.try_into().expect("4 bytes"))),
            _ => place.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)),
        })
    }

    #[inline]
    fn store(&mut self, address: u64, bytes: u32, value: u64) -> Result<(), Denied> {
        self.place(address, bytes)?.copy_from_slice(&value.to_le_bytes()[..bytes as usize]);
        Ok(())
    }

    fn atomic(&mut self, address: u64, bytes: u32, update: impl Fn(u64) -> u64) -> Result<u64, Denied> {
        if !address.is_multiple_of(u64::from(bytes)) {
            return Err(Denied::Misaligned);
        }
        let old = self.load(address, bytes)?;
        self.store(address, bytes, update(old))?;
        Ok(old)
    }

    fn fence(&mut self) {}

    fn interrupt(&mut self, event: u8) {
        self.interrupts.push(event);
    }
}

/// The arguments, and the hidden ones of code objects of version 5.
fn kernarg(shape: Shape, arguments: [u64; 4]) -> Vec<u8> {
    let mut bytes = vec![0; 4096];
    for (at, argument) in arguments.into_iter().enumerate() {
        bytes[8 * at..][..8].copy_from_slice(&argument.to_le_bytes());
    }
    for (axis, groups) in [shape.groups, 1, 1].into_iter().enumerate() {
        bytes[HIDDEN + 4 * axis..][..4].copy_from_slice(&groups.to_le_bytes());
    }
    for (axis, size) in [shape.group, 1, 1].into_iter().enumerate() {
        bytes[HIDDEN + 12 + 2 * axis..][..2].copy_from_slice(&size.to_le_bytes());
    }
    bytes[HIDDEN + 64] = 1;
    bytes
}

fn packet_bytes(packet: &Packet) -> Vec<u8> {
    let mut bytes = vec![0; 64];
    for axis in 0..3 {
        bytes[4 + 2 * axis..][..2].copy_from_slice(&packet.workgroup[axis].to_le_bytes());
        bytes[12 + 4 * axis..][..4].copy_from_slice(&packet.grid[axis].to_le_bytes());
    }
    bytes[24..28].copy_from_slice(&packet.private_bytes.to_le_bytes());
    bytes[28..32].copy_from_slice(&packet.group_bytes.to_le_bytes());
    bytes[32..40].copy_from_slice(&packet.kernel_object.to_le_bytes());
    bytes[40..48].copy_from_slice(&packet.kernarg.to_le_bytes());
    assert_eq!(Packet::read(bytes[..].try_into().expect("64 bytes")), *packet);
    bytes
}
