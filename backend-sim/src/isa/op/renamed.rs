//! Matrix operations that gfx942 spells in another way than gfx90a, some of them with other opcodes.

use super::Op;

/// The opcode in VOP3P, the operation and its name on gfx942.
pub(super) const RENAMED: &[(u16, Op, &str)] = &[
    (64, Op::v_mfma_f32_32x32x1f32, "v_mfma_f32_32x32x1_2b_f32"),
    (65, Op::v_mfma_f32_16x16x1f32, "v_mfma_f32_16x16x1_4b_f32"),
    (66, Op::v_mfma_f32_4x4x1f32, "v_mfma_f32_4x4x1_16b_f32"),
    (68, Op::v_mfma_f32_32x32x2f32, "v_mfma_f32_32x32x2_f32"),
    (69, Op::v_mfma_f32_16x16x4f32, "v_mfma_f32_16x16x4_f32"),
    (72, Op::v_mfma_f32_32x32x4f16, "v_mfma_f32_32x32x4_2b_f16"),
    (73, Op::v_mfma_f32_16x16x4f16, "v_mfma_f32_16x16x4_4b_f16"),
    (74, Op::v_mfma_f32_4x4x4f16, "v_mfma_f32_4x4x4_16b_f16"),
    (76, Op::v_mfma_f32_32x32x8f16, "v_mfma_f32_32x32x8_f16"),
    (77, Op::v_mfma_f32_16x16x16f16, "v_mfma_f32_16x16x16_f16"),
    (80, Op::v_mfma_i32_32x32x4i8, "v_mfma_i32_32x32x4_2b_i8"),
    (81, Op::v_mfma_i32_16x16x4i8, "v_mfma_i32_16x16x4_4b_i8"),
    (82, Op::v_mfma_i32_4x4x4i8, "v_mfma_i32_4x4x4_16b_i8"),
    (93, Op::v_mfma_f32_32x32x4bf16_1k, "v_mfma_f32_32x32x4_2b_bf16"),
    (94, Op::v_mfma_f32_16x16x4bf16_1k, "v_mfma_f32_16x16x4_4b_bf16"),
    (95, Op::v_mfma_f32_4x4x4bf16_1k, "v_mfma_f32_4x4x4_16b_bf16"),
    (96, Op::v_mfma_f32_32x32x8bf16_1k, "v_mfma_f32_32x32x8_bf16"),
    (97, Op::v_mfma_f32_16x16x16bf16_1k, "v_mfma_f32_16x16x16_bf16"),
    (110, Op::v_mfma_f64_16x16x4f64, "v_mfma_f64_16x16x4_f64"),
    (111, Op::v_mfma_f64_4x4x4f64, "v_mfma_f64_4x4x4_4b_f64"),
];
