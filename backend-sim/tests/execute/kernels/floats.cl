// Single precision.
#include "kernel.h"

KERNEL(arithmetic_f32, float, float, float) {
    uint i = ID;
    out[3 * i] = a[i] + b[i];
    out[3 * i + 1] = a[i] * b[i];
    out[3 * i + 2] = a[i] - 2.0f * b[i];
}

KERNEL(fused_f32, float, float, float) {
    uint i = ID;
    out[i] = __builtin_fmaf(a[i], b[i], a[(i + 1) % n]);
}

KERNEL(div_f32, float, float, float) {
    uint i = ID;
    out[i] = a[i] / b[i];
}

KERNEL(sqrt_f32, float, float, float) {
    uint i = ID;
    out[i] = __builtin_sqrtf(a[i]);
}

KERNEL(round_f32, float, float, float) {
    uint i = ID;
    out[4 * i] = __builtin_floorf(a[i]);
    out[4 * i + 1] = __builtin_ceilf(a[i]);
    out[4 * i + 2] = __builtin_truncf(a[i]);
    out[4 * i + 3] = __builtin_rintf(a[i]);
}

KERNEL(compare_f32, uint, float, float) {
    uint i = ID;
    float x = a[i], y = b[i];
    uint r = (x < y) | (x <= y) << 1 | (x > y) << 2 | (x >= y) << 3 | (x == y) << 4 | (x != y) << 5;
    r |= (!(x < y)) << 6 | (!(x <= y)) << 7 | (!(x > y)) << 8 | (!(x >= y)) << 9;
    r |= __builtin_isunordered(x, y) << 10 | __builtin_isnan(x) << 11 | __builtin_isinf(y) << 12;
    out[i] = r | __builtin_islessgreater(x, y) << 13;
}

KERNEL(select_f32, float, float, float) {
    uint i = ID;
    float x = a[i], y = b[i];
    out[i] = x < y ? -x : (y > 1.0f ? __builtin_fabsf(y) : x);
}

// NaN and infinity have no value as an integer in C.
KERNEL(to_int_f32, int, float, float) {
    uint i = ID;
    float x = a[i] == a[i] && __builtin_fabsf(a[i]) < 2e9f ? a[i] : 5.5f;
    float y = b[i] >= 0.0f && b[i] < 4e9f ? b[i] : 1.5f;
    out[i] = (int)x ^ (int)(uint)y;
}

KERNEL(from_int_f32, float, int, uint) {
    uint i = ID;
    out[2 * i] = (float)a[i];
    out[2 * i + 1] = (float)b[i] + (float)(b[i] & 0xff) + (float)(b[i] >> 8 & 0xff) + (float)(b[i] >> 24);
}

KERNEL(to_long_f32, long, float, float) {
    uint i = ID;
    float x = __builtin_fabsf(a[i]) < 9e18f ? a[i] : 2.5f;
    out[i] = (long)x;
}

KERNEL(from_long_f32, float, long, ulong) {
    uint i = ID;
    out[2 * i] = (float)a[i];
    out[2 * i + 1] = (float)b[i];
}

KERNEL(packed_f32, float2, float2, float2) {
    uint i = ID;
    float2 x = a[i], y = b[i];
    out[2 * i] = x * y + x.yx;
    out[2 * i + 1] = x - y;
}

KERNEL(scale_f32, float, float, int) {
    uint i = ID;
    out[i] = __builtin_ldexpf(a[i], b[i] % 300);
}
