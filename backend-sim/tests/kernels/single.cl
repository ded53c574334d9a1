#include "common.h"

kernel void arithmetic(global const float *a, global const float *b, global float *out) {
  float x = a[ID], y = b[ID];
  global float *o = out + ID * 12;
  o[0] = x * y + 1.5f;
  o[1] = __builtin_fmaf(x, y, -x);
  o[2] = __builtin_fminf(x, y) + __builtin_fmaxf(x, 2.0f);
  o[3] = __builtin_fabsf(x) - __builtin_copysignf(y, x);
  o[4] = __builtin_floorf(x) + __builtin_ceilf(y) - __builtin_truncf(x) * __builtin_rintf(y);
  o[5] = x / y;
  o[6] = __builtin_amdgcn_ldexpf(x, 3);
  o[7] = __builtin_amdgcn_frexp_mantf(x) + __builtin_amdgcn_frexp_expf(x);
  o[8] = __builtin_amdgcn_fmed3f(x, y, 1.0f);
  o[9] = __builtin_amdgcn_fractf(x);
  o[10] = __builtin_amdgcn_classf(x, 0x207) ? 1.0f : -0.5f;
  o[11] = __builtin_isunordered(x, y) ? 4.0f : x < y ? 2.0f : x > y ? 0.5f : 0.0f;
}

kernel void approximate(global const float *a, global float *out) {
  float x = a[ID];
  global float *o = out + ID * 8;
  o[0] = __builtin_amdgcn_rcpf(x);
  o[1] = __builtin_amdgcn_rsqf(x);
  o[2] = __builtin_amdgcn_sqrtf(x);
  o[3] = __builtin_amdgcn_logf(x);
  o[4] = __builtin_amdgcn_exp2f(x);
  o[5] = __builtin_amdgcn_sinf(x);
  o[6] = __builtin_amdgcn_cosf(x);
  o[7] = __builtin_sqrtf(x);
}

kernel void convert(global const float *a, global const int *b, global float *out, global int *ints) {
  float x = a[ID];
  int y = b[ID];
  out[ID] = (float)y + (float)(u32)y + (float)(u8)y + (float)(y >> 8 & 0xff) + (float)((long)y * 3);
  ints[ID] = (int)x + (u32)x + (int)(u8)x;
}
