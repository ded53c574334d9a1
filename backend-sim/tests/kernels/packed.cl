#include "common.h"

kernel void halves(global const half2 *a, global const half2 *b, global half2 *out) {
  half2 x = a[ID], y = b[ID];
  out[ID] = x * y + x.yx - (half2)(1.0h, 2.0h);
}

kernel void shorts(global const short2 *a, global const short2 *b, global short2 *out) {
  short2 x = a[ID], y = b[ID];
  out[ID] = x * y + (x >> (short2)3) - (y << (short2)1) + (x > y ? x : y.yx);
}

kernel void singles(global const float2 *a, global const float2 *b, global float2 *out, float k) {
  float2 x = a[ID], y = b[ID];
  out[ID] = x * y + x.yx * k - y;
}

kernel void dot(global const int *a, global const int *b, global int *out, global const half2 *h, global float *f) {
  out[ID] = __builtin_amdgcn_sdot4(a[ID], b[ID], 5, false) + __builtin_amdgcn_udot4(a[ID], b[ID], 6, true);
  f[ID] = __builtin_amdgcn_fdot2(h[ID], h[ID + 1], 0.5f, false);
}
