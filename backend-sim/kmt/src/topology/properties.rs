//! What the driver says of each node, in the interface's types.

use super::{Cpu, Gpu, Topology};
use crate::types::{HsaCacheProperties, HsaIoLinkProperties, HsaMemoryProperties, HsaNodeProperties, Node};
use zerocopy::FromZeros;

/// Start of the window through which flat accesses reach LDS.
pub(crate) const LDS_APERTURE: u64 = 1 << 48;
/// Start of the window through which flat accesses reach scratch.
pub(crate) const SCRATCH_APERTURE: u64 = 2 << 48;

const SIMDS_PER_CU: u32 = 4;
const LDS_BYTES: u64 = 64 << 10;
/// gfx90a: stepping 10, minor number 0, major number 9; and the version of its microcode.
const ENGINE_ID: u32 = 10 << 24 | 9 << 10 | MICROCODE;
const MICROCODE: u32 = 78;
const SDMA_MICROCODE: u32 = 8;
/// Doorbells that carry AQL indices.
const DOORBELL_TYPE_2: u32 = 2 << 12;
const SRAM_ECC: u32 = 1 << 26;

/// Global wave sync barriers of a GPU.
pub(crate) const GWS_BARRIERS: u8 = 64;

mod heap {
    pub(super) const SYSTEM: u32 = 0;
    pub(super) const FRAME_BUFFER_PUBLIC: u32 = 1;
    pub(super) const LDS: u32 = 4;
    pub(super) const SCRATCH: u32 = 5;
}

mod cache {
    pub(super) const DATA: u32 = 1;
    pub(super) const CPU: u32 = 4;
    pub(super) const HSA_CU: u32 = 8;
}

impl Topology {
    /// Properties of a node that exists.
    pub(crate) fn node(&self, node: Node) -> HsaNodeProperties {
        let mut properties = match self.gpu(node) {
            Some(gpu) => gpu_node(gpu, node),
            None => cpu_node(&self.cpu),
        };
        properties.num_memory_banks = self.memory(node).len() as u32;
        properties.num_caches = self.caches(node).len() as u32;
        properties.num_io_links = self.links(node).len() as u32;
        properties
    }

    /// Memory banks of a node that exists.
    pub(crate) fn memory(&self, node: Node) -> Vec<HsaMemoryProperties> {
        let Some(gpu) = self.gpu(node) else {
            return vec![bank(heap::SYSTEM, self.cpu.memory_mib << 20, 0)];
        };
        let device = HsaMemoryProperties {
            width: 4096,
            memory_clock_max: 1600,
            ..bank(heap::FRAME_BUFFER_PUBLIC, gpu.memory_mib << 20, 0)
        };
        vec![device, bank(heap::LDS, LDS_BYTES, LDS_APERTURE), bank(heap::SCRATCH, 1 << 32, SCRATCH_APERTURE)]
    }

    /// Caches of a node that exists.
    pub(crate) fn caches(&self, node: Node) -> Vec<HsaCacheProperties> {
        match self.gpu(node) {
            Some(gpu) => vec![level(1, 16, cache::HSA_CU), level(2, gpu.l2_kib, cache::HSA_CU)],
            None => {
                vec![level(1, 32, cache::CPU), level(2, 1024, cache::CPU), level(3, 32 << 10, cache::CPU)]
            }
        }
    }

    /// Links from a node that exists to all others.
    pub(crate) fn links(&self, node: Node) -> Vec<HsaIoLinkProperties> {
        (0..self.nodes()).filter(|&other| other != node).map(|other| link(node, other)).collect()
    }
}

fn cpu_node(cpu: &Cpu) -> HsaNodeProperties {
    HsaNodeProperties {
        num_cpu_cores: cpu.cores,
        max_engine_clock_mhz_c_compute: cpu.clock_mhz,
        marketing_name: utf16(&cpu.name),
        ..HsaNodeProperties::new_zeroed()
    }
}

fn gpu_node(gpu: &Gpu, node: Node) -> HsaNodeProperties {
    HsaNodeProperties {
        num_f_compute_cores: gpu.compute_units * SIMDS_PER_CU,
        f_compute_id_lo: node << 12,
        capability: DOORBELL_TYPE_2 | SRAM_ECC,
        max_waves_per_simd: 8,
        lds_size_in_kb: (LDS_BYTES >> 10) as u32,
        wave_front_size: 64,
        num_shader_banks: gpu.shader_engines,
        num_arrays: 1,
        num_cu_per_array: gpu.compute_units.div_ceil(gpu.shader_engines),
        num_simd_per_cu: SIMDS_PER_CU,
        max_slots_scratch_cu: 32,
        engine_id: ENGINE_ID,
        vendor_id: 0x1002,
        device_id: gpu.device_id,
        location_id: node << 8,
        local_mem_size: gpu.memory_mib << 20,
        max_engine_clock_mhz_f_compute: gpu.clock_mhz,
        drm_render_minor: 127 + node.cast_signed(),
        marketing_name: utf16(&gpu.name),
        amd_name: ascii("aldebaran"),
        ucode_engine_versions: SDMA_MICROCODE,
        num_sdma_engines: 2,
        num_sdma_queues_per_engine: 8,
        num_cp_queues: 24,
        num_gws: GWS_BARRIERS,
        unique_id: u64::from(node),
        vgpr_size_per_cu: 512 << 10,
        sgpr_size_per_cu: 12_800,
        ..HsaNodeProperties::new_zeroed()
    }
}

fn bank(heap_type: u32, size_in_bytes: u64, virtual_base_address: u64) -> HsaMemoryProperties {
    HsaMemoryProperties {
        heap_type,
        size_in_bytes,
        virtual_base_address,
        ..HsaMemoryProperties::new_zeroed()
    }
}

fn level(cache_level: u32, cache_size: u32, user: u32) -> HsaCacheProperties {
    HsaCacheProperties {
        cache_level,
        cache_size,
        cache_line_size: 64,
        cache_type: cache::DATA | user,
        ..HsaCacheProperties::new_zeroed()
    }
}

/// PCI Express; twice as far between two GPUs, which meet at the CPU.
fn link(node_from: Node, node_to: Node) -> HsaIoLinkProperties {
    const PCI_EXPRESS: u32 = 2;
    HsaIoLinkProperties {
        io_link_type: PCI_EXPRESS,
        node_from,
        node_to,
        weight: if node_from == 0 || node_to == 0 { 20 } else { 40 },
        ..HsaIoLinkProperties::new_zeroed()
    }
}

/// A name, cut to what fits before the final 0.
fn utf16(name: &str) -> [u16; 64] {
    let mut out = [0; 64];
    for (to, from) in out[..63].iter_mut().zip(name.encode_utf16()) {
        *to = from;
    }
    out
}

fn ascii(name: &str) -> [u8; 64] {
    let mut out = [0; 64];
    out[..name.len()].copy_from_slice(name.as_bytes());
    out
}
