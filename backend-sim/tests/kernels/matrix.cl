#include "common.h"

kernel void single(global const float *a, global const float *b, global float *out) {
  float16 wide = 0;
  float4 narrow = 0;
  wide = __builtin_amdgcn_mfma_f32_32x32x2f32(a[ID], b[ID], wide, 0, 0, 0);
  narrow = __builtin_amdgcn_mfma_f32_4x4x1f32(a[ID], b[ID], narrow, 2, 1, 0);
  for (int i = 0; i < 16; ++i)
    out[ID * 16 + i] = wide[i] + narrow[i & 3];
}

kernel void mixed(global const half4 *a, global const double *d, global const int *i, global float *out) {
  float4 halves = 0;
  double4 doubles = 0;
  int4 bytes = 0;
  halves = __builtin_amdgcn_mfma_f32_16x16x16f16(a[ID], a[ID + 1], halves, 0, 0, 0);
  doubles = __builtin_amdgcn_mfma_f64_16x16x4f64(d[ID], d[ID + 1], doubles, 0, 0, 0);
  bytes = __builtin_amdgcn_mfma_i32_4x4x4i8(i[ID], i[ID + 1], bytes, 0, 0, 0);
  for (int k = 0; k < 4; ++k)
    out[ID * 4 + k] = halves[k] + (float)doubles[k] + bytes[k];
}
