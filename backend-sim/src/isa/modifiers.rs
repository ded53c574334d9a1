//! What changes how the operands of an instruction are read, written or addressed.

/// What changes how operands are read, written or addressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Modifiers {
    /// Nothing can: a scalar instruction.
    #[default]
    None,
    /// Of a vector instruction.
    Alu(Alu),
    /// Of SMEM, DS, FLAT, GLOBAL, SCRATCH, MUBUF and MTBUF.
    Memory(Memory),
    /// Of MIMG.
    Image(Image),
}

/// Modifiers of a vector instruction. In the bit sets, bit i is about source i.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Alu {
    /// Sources to negate, after `abs`; of packed operands the low half.
    pub neg: u8,
    /// Packed operands whose high half is negated.
    pub neg_hi: u8,
    /// Sources whose sign is cleared.
    pub abs: u8,
    /// Sources read from their high half; bit 3: the destination. Of packed operands what the low half is made of.
    pub op_sel: u8,
    /// Packed operands whose high half the high result is made of; of `fma_mix` the sources of 16 bits.
    pub op_sel_hi: u8,
    /// A factor of the result.
    pub omod: Omod,
    /// Saturate the result; of a compare, signal NaNs.
    pub clamp: bool,
    /// What an encoding adds.
    pub extension: Extension,
}

/// A factor of a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Omod {
    /// One.
    #[default]
    One,
    /// Two.
    Two,
    /// Four.
    Four,
    /// One half.
    Half,
}

/// What an encoding adds to a vector instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extension {
    /// Nothing.
    #[default]
    None,
    /// Parts of dwords.
    Sdwa(Sdwa),
    /// Data of other lanes.
    Dpp(Dpp),
    /// Broadcast and permutation of a matrix instruction.
    Matrix(Matrix),
}

/// Sub-dword addressing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sdwa {
    /// The part written.
    pub dst_sel: Select,
    /// What becomes of the rest.
    pub unused: Unused,
    /// The parts read.
    pub src_sel: [Select; 2],
    /// Sources to sign-extend, bit i for source i.
    pub sext: u8,
}

/// A part of a dword, by its number in the encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Select {
    Byte0,
    Byte1,
    Byte2,
    Byte3,
    Word0,
    Word1,
    Dword,
}

/// What becomes of the part of a destination that is not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unused {
    /// Zero.
    Pad,
    /// Copies of the result's sign.
    Sext,
    /// What it was.
    Preserve,
}

/// Data-parallel primitives: source 0 comes from another lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dpp {
    /// From which.
    pub control: DppControl,
    /// The rows of 16 lanes that are written, bit i for row i.
    pub row_mask: u8,
    /// The banks of 4 lanes in each row that are written, bit i for bank i.
    pub bank_mask: u8,
    /// Read 0 from a lane that is out of range or inactive, instead of not writing.
    pub bound_ctrl: bool,
}

/// From which lane a DPP source comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DppControl {
    /// Lane i of each quad from lane `bits 2i+1:2i` of it.
    QuadPerm(u8),
    /// From this many lanes up, within the row.
    RowShl(u8),
    /// From this many lanes down, within the row.
    RowShr(u8),
    /// From this many lanes down, around the row.
    RowRor(u8),
    /// From one lane up.
    WaveShl,
    /// From one lane up, around the wave.
    WaveRol,
    /// From one lane down.
    WaveShr,
    /// From one lane down, around the wave.
    WaveRor,
    /// Each row reversed.
    RowMirror,
    /// Each half of a row reversed.
    RowHalfMirror,
    /// Lane 15 of each row to the next row.
    RowBcast15,
    /// Lane 31 to the lanes above.
    RowBcast31,
    /// This lane of the row to the whole row.
    RowNewbcast(u8),
}

/// Broadcast and permutation of a matrix instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Matrix {
    /// How many blocks of A share one.
    pub cbsz: u8,
    /// Which they share.
    pub abid: u8,
    /// How the lanes of B are permuted.
    pub blgp: u8,
}

/// Modifiers of a memory instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Globally coherent; of an atomic, return the old value. `sc0` on gfx942.
    pub glc: bool,
    /// System coherent, or streaming. `nt` on gfx942.
    pub slc: bool,
    /// System coherence level. `sc1` on gfx942.
    pub scc: bool,
    /// Non-volatile.
    pub nv: bool,
    /// A VGPR is part of the offset; of SMEM, an immediate.
    pub offen: bool,
    /// A VGPR is the index; with `offen` it comes first.
    pub idxen: bool,
    /// Data goes to LDS.
    pub lds: bool,
    /// Global data share, not LDS.
    pub gds: bool,
    /// Data format of MTBUF.
    pub dfmt: u8,
    /// Number format of MTBUF.
    pub nfmt: u8,
}

/// Modifiers of an image instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// The channels, bit i for channel i.
    pub dmask: u8,
    /// Coordinates are not normalized.
    pub unorm: bool,
    /// Globally coherent; of an atomic, return the old value.
    pub glc: bool,
    /// System coherent.
    pub slc: bool,
    /// Addresses of 16 bits.
    pub a16: bool,
    /// System coherence level.
    pub scc: bool,
    /// Warn about level of detail.
    pub lwe: bool,
    /// An array.
    pub da: bool,
    /// Data of 16 bits.
    pub d16: bool,
}

impl Image {
    /// How many registers its data has.
    pub fn dwords(&self) -> u8 {
        let channels = self.dmask.count_ones().max(1) as u8;
        if self.d16 { channels.div_ceil(2) } else { channels }
    }
}
