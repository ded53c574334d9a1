#include "common.h"

kernel void words(global const int *a, global int *out) {
  int array[40];
  for (int i = 0; i < 40; ++i)
    array[i] = a[i] + LANE;
  out[ID] = array[a[ID] & 31] + array[(a[ID] >> 5) & 31];
}

kernel void bytes(global const u8 *a, global u8 *out) {
  u8 array[96];
  short shorts[16];
  for (int i = 0; i < 96; ++i)
    array[i] = a[i] ^ LANE;
  for (int i = 0; i < 16; ++i)
    shorts[i] = a[i] * LANE;
  out[ID] = array[a[ID] & 63] + shorts[a[ID] & 15];
}

kernel void wide(global const long *a, global long *out) {
  long array[20];
  int4 quads[8];
  for (int i = 0; i < 20; ++i)
    array[i] = a[i] * LANE;
  for (int i = 0; i < 8; ++i)
    quads[i] = (int4)(a[i], LANE, i, 3);
  out[ID] = array[a[ID] & 15] + quads[a[ID] & 7].y;
}
