//! Immediates that have a syntax of their own.

use crate::isa::instruction::Target;

/// A number: decimal up to 64.
pub(super) fn number(bits: u16) -> String {
    match bits {
        ..=64 => format!("{bits}"),
        _ => format!("{bits:#x}"),
    }
}

/// The counters to wait for; those at their largest value do not wait.
pub(super) fn waitcnt(bits: u16) -> String {
    let counters = [
        ("vmcnt", bits & 0xf | bits >> 10 & 0x30, 63),
        ("expcnt", bits >> 4 & 7, 7),
        ("lgkmcnt", bits >> 8 & 0xf, 15),
    ];
    let all = counters.iter().all(|(_, value, most)| value == most);
    let waited = counters.iter().filter(|(_, value, most)| all || value != most);
    waited.map(|(name, value, _)| format!("{name}({value})")).collect::<Vec<_>>().join(" ")
}

/// What `s_set_gpr_idx_on` and `s_set_gpr_idx_mode` index.
pub(super) fn gpr_idx(bits: u16) -> String {
    if bits > 0xf {
        return format!("{bits:#x}");
    }
    let names = ["SRC0", "SRC1", "SRC2", "DST"].iter().enumerate();
    let set: Vec<_> = names.filter(|(bit, _)| bits >> bit & 1 == 1).map(|(_, name)| *name).collect();
    format!("gpr_idx({})", set.join(","))
}

/// A message of `s_sendmsg`: its id, an operation and a stream.
pub(super) fn message(bits: u16) -> String {
    let (id, operation, stream) = (bits & 0xf, bits >> 4 & 7, bits >> 8 & 3);
    named_message(id, operation, stream).unwrap_or_else(|| match bits & !0x37f {
        0 => format!("sendmsg({id}, {operation}, {stream})"),
        _ => format!("{bits}"),
    })
}

/// A message that has a name, with an operation if it takes one and a stream if that does.
fn named_message(id: u16, operation: u16, stream: u16) -> Option<String> {
    let name = MESSAGES[usize::from(id)];
    if name.is_empty() {
        return None;
    }
    if operations(id).is_empty() {
        return (operation == 0 && stream == 0).then(|| format!("sendmsg({name})"));
    }
    let operation_name = operations(id).get(usize::from(operation)).filter(|name| !name.is_empty())?;
    match (id, operation, stream) {
        (2 | 3, 1.., _) => Some(format!("sendmsg({name}, {operation_name}, {stream})")),
        (.., 0) => Some(format!("sendmsg({name}, {operation_name})")),
        _ => None,
    }
}

const MESSAGES: [&str; 16] = [
    "",
    "MSG_INTERRUPT",
    "MSG_GS",
    "MSG_GS_DONE",
    "MSG_SAVEWAVE",
    "MSG_STALL_WAVE_GEN",
    "MSG_HALT_WAVES",
    "MSG_ORDERED_PS_DONE",
    "MSG_EARLY_PRIM_DEALLOC",
    "MSG_GS_ALLOC_REQ",
    "MSG_GET_DOORBELL",
    "",
    "",
    "",
    "",
    "MSG_SYSMSG",
];

fn operations(message: u16) -> &'static [&'static str] {
    match message {
        2 => &["", "GS_OP_CUT", "GS_OP_EMIT", "GS_OP_EMIT_CUT"],
        3 => &["GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT", "GS_OP_EMIT_CUT"],
        15 => &["", "SYSMSG_OP_ECC_ERR_INTERRUPT", "SYSMSG_OP_REG_RD", "", "SYSMSG_OP_TTRACE_PC"],
        _ => &[],
    }
}

/// A range of bits of a hardware register.
pub(super) fn hwreg(bits: u16, target: Target) -> String {
    let (id, offset, width) = (bits & 0x3f, bits >> 6 & 0x1f, (bits >> 11) + 1);
    let known = if target == Target::Gfx942 { &HARDWARE_REGISTERS[..] } else { &HARDWARE_REGISTERS[..20] };
    let name = known.get(usize::from(id)).copied().unwrap_or_default();
    let name = if name.is_empty() { format!("{id}") } else { name.to_owned() };
    match (offset, width) {
        (0, 32) => format!("hwreg({name})"),
        _ => format!("hwreg({name}, {offset}, {width})"),
    }
}

/// Those from 20 on are new in gfx942.
const HARDWARE_REGISTERS: [&str; 25] = [
    "",
    "HW_REG_MODE",
    "HW_REG_STATUS",
    "HW_REG_TRAPSTS",
    "HW_REG_HW_ID",
    "HW_REG_GPR_ALLOC",
    "HW_REG_LDS_ALLOC",
    "HW_REG_IB_STS",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "HW_REG_SH_MEM_BASES",
    "HW_REG_TBA_LO",
    "HW_REG_TBA_HI",
    "HW_REG_TMA_LO",
    "HW_REG_TMA_HI",
    "HW_REG_XCC_ID",
    "HW_REG_SQ_PERF_SNAPSHOT_DATA",
    "HW_REG_SQ_PERF_SNAPSHOT_DATA1",
    "HW_REG_SQ_PERF_SNAPSHOT_PC_LO",
    "HW_REG_SQ_PERF_SNAPSHOT_PC_HI",
];

/// The pattern of `ds_swizzle_b32`.
pub(super) fn swizzle(bits: u16) -> String {
    let (and, or, xor) = (bits & 0x1f, bits >> 5 & 0x1f, bits >> 10 & 0x1f);
    if bits & 0xff00 == 0x8000 {
        let lanes = [bits & 3, bits >> 2 & 3, bits >> 4 & 3, bits >> 6 & 3].map(|lane| lane.to_string());
        format!("swizzle(QUAD_PERM,{})", lanes.join(","))
    } else if bits & 0x8000 != 0 {
        format!("{bits}")
    } else if and == 0x1f && or == 0 && xor.is_power_of_two() {
        format!("swizzle(SWAP,{xor})")
    } else if and == 0x1f && or == 0 && xor > 0 && (xor + 1).is_power_of_two() {
        format!("swizzle(REVERSE,{})", xor + 1)
    } else if let Some(group) = group(and).filter(|group| *group > 1 && or < *group && xor == 0) {
        format!("swizzle(BROADCAST,{group},{or})")
    } else {
        format!("swizzle(BITMASK_PERM,\"{}\")", bitmask(and, or, xor))
    }
}

/// The size of the groups that a mask of lane bits keeps apart.
fn group(and: u16) -> Option<u16> {
    let group = 0x20 - and;
    group.is_power_of_two().then_some(group)
}

/// For each lane bit whether it is preserved, inverted or fixed.
fn bitmask(and: u16, or: u16, xor: u16) -> String {
    let bit = |at: u16| match (and >> at & 1, or >> at & 1, xor >> at & 1) {
        (_, 1, 0) => '1',
        (_, 1, _) => '0',
        (1, _, 0) => 'p',
        (1, _, _) => 'i',
        (_, _, 0) => '0',
        _ => '1',
    };
    (0..5).rev().map(bit).collect()
}

/// The formats of MTBUF; both have a value that goes without saying.
pub(super) fn format(data: u8, number: u8) -> Option<String> {
    const DATA: [&str; 16] = [
        "INVALID",
        "8",
        "16",
        "8_8",
        "32",
        "16_16",
        "10_11_11",
        "11_11_10",
        "10_10_10_2",
        "2_10_10_10",
        "8_8_8_8",
        "32_32",
        "16_16_16_16",
        "32_32_32",
        "32_32_32_32",
        "RESERVED_15",
    ];
    const NUMBER: [&str; 8] = ["UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "RESERVED_6", "FLOAT"];
    let data = (data != 1).then(|| format!("BUF_DATA_FORMAT_{}", DATA[usize::from(data)]));
    let number = (number != 0).then(|| format!("BUF_NUM_FORMAT_{}", NUMBER[usize::from(number)]));
    let parts: Vec<_> = data.into_iter().chain(number).collect();
    (!parts.is_empty()).then(|| format!("format:[{}]", parts.join(",")))
}
