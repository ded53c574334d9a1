#include "common.h"

kernel void arithmetic(global const half *a, global const half *b, global half *out) {
  half x = a[ID], y = b[ID];
  global half *o = out + ID * 8;
  o[0] = x * y + (half)1.5;
  o[1] = __builtin_fmaf16(x, y, -x);
  o[2] = __builtin_fminf16(x, y) - __builtin_fmaxf16(x, (half)2.0);
  o[3] = (half)((float)x * 3.0f);
  o[4] = (half)(short)x + (half)(u16)y;
  o[5] = __builtin_amdgcn_rcph(x) + __builtin_amdgcn_sqrth(y);
  o[6] = x < y ? x : (half)0.25;
  o[7] = x / y;
}

kernel void mixed(global const half *a, global const float *b, global half *out, global float *singles) {
  float x = a[ID], y = b[ID];
  singles[ID] = __builtin_fmaf(x, y, (float)a[ID + 1]);
  out[ID] = (half)__builtin_fmaf(x, (float)a[ID + 2], y);
}
