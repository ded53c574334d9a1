#include "common.h"

kernel void reverse(global const int *a, global int *out) {
  local int tile[64];
  tile[LANE] = a[ID];
  BARRIER();
  out[ID] = tile[63 - LANE];
}

kernel void reduce(global const float *a, global float *out) {
  local float sums[64];
  sums[LANE] = a[ID];
  for (int step = 32; step > 0; step /= 2) {
    BARRIER();
    if (LANE < step)
      sums[LANE] += sums[LANE + step];
  }
  if (LANE == 0)
    out[__builtin_amdgcn_workgroup_id_x()] = sums[0];
}

kernel void transpose(global const double *a, global double *out) {
  local double tile[8][9];
  int x = LANE & 7, y = LANE >> 3;
  tile[y][x] = a[ID];
  BARRIER();
  out[ID] = tile[x][y];
}

kernel void types(global const int4 *a, global int *out) {
  local int4 quads[64];
  local short shorts[64];
  local u8 bytes[64];
  quads[LANE] = a[ID];
  shorts[LANE] = a[ID].x;
  bytes[LANE] = a[ID].y;
  BARRIER();
  int4 q = quads[LANE ^ 1];
  out[ID] = q.x + q.w + shorts[LANE ^ 2] + bytes[LANE ^ 3] + (char)bytes[LANE ^ 4] + (u16)shorts[LANE ^ 5];
}
