#include "common.h"

kernel void anywhere(global int *a, global int *out, int which) {
  local int shared[64];
  int mine[64];
  int *p = which == 0 ? (int *)a : which == 1 ? (int *)shared : mine;
  for (int i = 0; i < 64; ++i)
    p[i] = i * LANE;
  BARRIER();
  out[ID] = p[a[ID] & 63];
}

kernel void sizes(global u8 *a, int which, global long *out) {
  local u8 shared[1024];
  u8 *p = which ? (u8 *)a : (u8 *)shared;
  p += LANE * 16;
  p[0] = LANE;
  *(short *)(p + 2) = LANE * 3;
  *(int *)(p + 4) = LANE * 5;
  *(long *)(p + 8) = LANE * 7L;
  BARRIER();
  out[ID] = (char)p[0] + *(u16 *)(p + 2) + *(short *)(p + 2) + *(int *)(p + 4) + *(long *)(p + 8);
}

kernel void atomic(global int *a, int which) {
  local int shared[2];
  int *p = which ? (int *)a : (int *)shared;
  __scoped_atomic_fetch_add(p, 1, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  __scoped_atomic_fetch_max((u32 *)p + 1, LANE, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}
