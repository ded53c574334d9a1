#include "common.h"

kernel void arithmetic(global const double *a, global const double *b, global double *out) {
  double x = a[ID], y = b[ID];
  global double *o = out + ID * 8;
  o[0] = x * y + 1.5;
  o[1] = __builtin_fma(x, y, -x);
  o[2] = __builtin_fmin(x, y) + __builtin_fmax(x, 2.0);
  o[3] = x / y;
  o[4] = __builtin_sqrt(__builtin_fabs(x));
  o[5] = __builtin_floor(x) + __builtin_trunc(y) * __builtin_rint(x);
  o[6] = __builtin_amdgcn_ldexp(x, 5) + __builtin_amdgcn_frexp_mant(y) + __builtin_amdgcn_fract(x);
  o[7] = x < y ? x : 4.25;
}

kernel void convert(global const double *a, global const int *b, global float *out, global long *longs) {
  double x = a[ID];
  out[ID] = (float)x + (float)((double)b[ID] * (double)(u32)b[ID]);
  longs[ID] = (int)x + (u32)x + (long)x;
}
