#include "common.h"

#define RELAXED __ATOMIC_RELAXED

kernel void integers(global int *p, global u64 *q, global const int *a, global int *out) {
  int x = a[ID];
  int old = __scoped_atomic_fetch_add(p + LANE, x, RELAXED, __MEMORY_SCOPE_DEVICE);
  old += __scoped_atomic_fetch_max(p + LANE + 64, x, RELAXED, __MEMORY_SCOPE_DEVICE);
  __scoped_atomic_fetch_or(p + LANE + 128, x, RELAXED, __MEMORY_SCOPE_DEVICE);
  __scoped_atomic_fetch_xor(q + LANE, x, RELAXED, __MEMORY_SCOPE_DEVICE);
  old += __scoped_atomic_exchange_n(q + LANE + 64, x, __ATOMIC_ACQ_REL, __MEMORY_SCOPE_SYSTEM);
  int expected = 7;
  __scoped_atomic_compare_exchange_n(p + LANE + 192, &expected, x, false, RELAXED, RELAXED, __MEMORY_SCOPE_DEVICE);
  out[ID] = old + expected;
}

kernel void floats(global float *p, global double *q, global const float *a) {
  __builtin_amdgcn_global_atomic_fadd_f32(p + LANE, a[ID]);
  __builtin_amdgcn_global_atomic_fadd_f64(q + LANE, (double)a[ID]);
  __builtin_amdgcn_global_atomic_fmax_f64(q + LANE + 64, (double)a[ID]);
}

kernel void shared(global const int *a, global int *out) {
  local int bins[16];
  local float sum;
  if (LANE < 16)
    bins[LANE] = 0;
  if (LANE == 0)
    sum = 0;
  BARRIER();
  __scoped_atomic_fetch_add(&bins[a[ID] & 15], 1, RELAXED, __MEMORY_SCOPE_WRKGRP);
  int old = __scoped_atomic_fetch_min(&bins[3], a[ID], RELAXED, __MEMORY_SCOPE_WRKGRP);
  __builtin_amdgcn_ds_faddf(&sum, 1.0f, 0, 0, false);
  BARRIER();
  out[ID] = bins[LANE & 15] + old + (int)sum;
}
