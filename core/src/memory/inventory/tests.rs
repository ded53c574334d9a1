use super::*;

const AGENT: AgentId = AgentId(1);
const OTHER: AgentId = AgentId(2);

fn region(base: Address, bytes: u64) -> Region {
    Region { base, bytes }
}

fn allocation(base: Address, class: MemoryClass, owner: AgentId) -> Allocation {
    Allocation { region: region(base, 0x100), owner, class }
}

fn mapping(base: Address, bytes: u64, owner: Option<AgentId>) -> Mapping {
    Mapping { region: region(base, bytes), owner }
}

/// One mapping of 0x1000 bytes at 0x1000.
fn mapped() -> Inventory {
    let mut inventory = Inventory::default();
    inventory.mapped(mapping(0x1000, 0x1000, Some(AGENT)));
    inventory
}

fn vmem(inventory: &Inventory, agent: AgentId) -> (u64, u64) {
    let footprint = inventory.footprint(agent);
    (footprint.vmem_bytes, footprint.vmem_regions)
}

#[test]
fn only_coarse_allocations_of_the_agent_are_captured() {
    let mut inventory = Inventory::default();
    for (base, class) in (0x1000..).step_by(0x1000).zip(MemoryClass::ALL) {
        inventory.allocated(allocation(base, class, AGENT));
    }
    inventory.allocated(allocation(0x9000, MemoryClass::Coarse, OTHER));
    let captured: Vec<Address> = inventory.captured(AGENT).map(|tracked| tracked.region.base).collect();
    assert_eq!(captured, [0x1000]);
    let footprint = inventory.footprint(AGENT);
    assert_eq!((footprint.bytes, footprint.regions), (0x100, 1));
}

#[test]
fn executable_memory_counts_as_pool_memory_that_is_missed() {
    let mut inventory = Inventory::default();
    inventory.allocated(allocation(0x1000, MemoryClass::Executable, AGENT));
    let footprint = inventory.footprint(AGENT);
    assert_eq!((footprint.pool_bytes, footprint.pool_regions), (0x100, 1));
    assert_eq!(inventory.footprint(OTHER).pool_regions, 0);
}

#[test]
fn freed_memory_is_forgotten_and_unknown_memory_is_harmless() {
    let mut inventory = Inventory::default();
    inventory.allocated(allocation(0x1000, MemoryClass::Coarse, AGENT));
    inventory.freed(0x1010);
    assert_eq!(inventory.footprint(AGENT).regions, 1);
    inventory.freed(0x1000);
    assert_eq!(inventory.footprint(AGENT), Footprint::default());
}

#[test]
fn each_allocation_gets_a_later_generation() {
    let mut inventory = Inventory::default();
    let generation = |inventory: &Inventory| inventory.at(0x1000).map(|tracked| tracked.generation);
    inventory.allocated(allocation(0x1000, MemoryClass::Coarse, AGENT));
    assert_eq!(generation(&inventory), Some(1));
    inventory.freed(0x1000);
    assert_eq!(generation(&inventory), None);
    inventory.allocated(allocation(0x1000, MemoryClass::Coarse, AGENT));
    assert_eq!(generation(&inventory), Some(2));
}

#[test]
fn a_mapping_counts_against_its_own_agent() {
    let inventory = mapped();
    assert_eq!(vmem(&inventory, AGENT), (0x1000, 1));
    assert_eq!(vmem(&inventory, OTHER), (0, 0));
}

#[test]
fn a_mapping_of_unknown_owner_counts_against_every_agent() {
    let mut inventory = Inventory::default();
    inventory.mapped(mapping(0x1000, 0x1000, None));
    assert_eq!(vmem(&inventory, AGENT), (0x1000, 1));
    assert_eq!(vmem(&inventory, OTHER), (0x1000, 1));
}

#[test]
fn an_empty_mapping_is_still_a_mapping() {
    let mut inventory = Inventory::default();
    inventory.mapped(mapping(0x1000, 0, Some(AGENT)));
    assert_eq!(vmem(&inventory, AGENT), (0, 1));
}

#[test]
fn unmapping_the_whole_of_it_removes_a_mapping() {
    let mut inventory = mapped();
    inventory.unmapped(region(0x1000, 0x1000));
    assert_eq!(vmem(&inventory, AGENT), (0, 0));
}

#[test]
fn unmapping_where_it_is_removes_an_empty_mapping() {
    let mut inventory = Inventory::default();
    inventory.mapped(mapping(0x1000, 0, Some(AGENT)));
    inventory.unmapped(region(0x1000, 0x1000));
    assert_eq!(vmem(&inventory, AGENT), (0, 0));
}

#[test]
fn unmapping_an_end_shrinks_a_mapping() {
    for range in [region(0x1000, 0x400), region(0x1c00, 0x400)] {
        let mut inventory = mapped();
        inventory.unmapped(range);
        assert_eq!(vmem(&inventory, AGENT), (0xc00, 1), "{range:?}");
    }
}

#[test]
fn unmapping_the_middle_splits_a_mapping() {
    let mut inventory = mapped();
    inventory.unmapped(region(0x1400, 0x400));
    assert_eq!(vmem(&inventory, AGENT), (0xc00, 2));
    inventory.unmapped(region(0x1000, 0x400));
    assert_eq!(vmem(&inventory, AGENT), (0x800, 1));
}

#[test]
fn the_parts_of_a_split_mapping_keep_their_owner() {
    let mut inventory = Inventory::default();
    inventory.mapped(mapping(0x1000, 0x1000, None));
    inventory.unmapped(region(0x1400, 0x400));
    assert_eq!(vmem(&inventory, OTHER), (0xc00, 2));
}

#[test]
fn unmapping_too_much_is_harmless() {
    let mut inventory = mapped();
    inventory.mapped(mapping(0x8000, 0x1000, Some(AGENT)));
    inventory.unmapped(region(0x1000, 0x2000));
    assert_eq!(vmem(&inventory, AGENT), (0x1000, 1));
    inventory.unmapped(region(0x8000, u64::MAX));
    assert_eq!(vmem(&inventory, AGENT), (0, 0));
}

#[test]
fn unmapping_beside_a_mapping_leaves_it_alone() {
    for range in [region(0, 0x1000), region(0x2000, 0x1000), region(0x4000, 0x1000), region(0x1800, 0)] {
        let mut inventory = mapped();
        inventory.unmapped(range);
        assert_eq!(vmem(&inventory, AGENT), (0x1000, 1), "{range:?}");
    }
}

#[test]
fn a_range_over_several_mappings_takes_a_part_of_each() {
    let mut inventory = mapped();
    inventory.mapped(mapping(0x2000, 0x1000, Some(AGENT)));
    inventory.unmapped(region(0x1800, 0x1000));
    assert_eq!(vmem(&inventory, AGENT), (0x1000, 2));
}

#[test]
fn mapping_again_replaces() {
    let mut inventory = mapped();
    inventory.mapped(mapping(0x1000, 0x200, Some(OTHER)));
    assert_eq!(vmem(&inventory, AGENT), (0, 0));
    assert_eq!(vmem(&inventory, OTHER), (0x200, 1));
}

#[test]
fn sums_saturate() {
    let mut inventory = Inventory::default();
    for base in [0x1000, 0x2000] {
        let huge = Region { base, bytes: u64::MAX };
        inventory.allocated(Allocation { region: huge, owner: AGENT, class: MemoryClass::Coarse });
    }
    let footprint = inventory.footprint(AGENT);
    assert_eq!((footprint.bytes, footprint.regions), (u64::MAX, 2));
}
