#include "common.h"

struct Mixed {
  char byte;
  short word;
  int dwords[3];
  float4 quad;
};

kernel void structs(global const struct Mixed *a, global struct Mixed *out) {
  struct Mixed x = a[ID];
  x.byte += x.word;
  x.dwords[1] ^= x.dwords[2];
  x.quad = x.quad.wzyx * 2.0f;
  out[ID] = x;
}

kernel void bytes(global const u8 *a, global const char *b, global u8 *out, global u16 *words) {
  out[ID] = a[ID] + b[ID + 1];
  words[ID] = a[ID + 2] | a[ID + 3] << 8;
}

kernel void halves(global const short *a, global short *out) {
  short2 x = {a[ID], a[ID + 100]};
  x = x + (short2)(3, 4);
  out[ID * 2] = x.y;
  out[ID * 2 + 1] = x.x;
}

kernel void quads(global const int4 *a, global int4 *out, int4 k) { out[ID] = a[ID] + k; }

kernel void scalars(constant int *table, global int *out, u8 small, long wide) {
  out[ID] = table[small] + table[9] + (int)(wide >> 32) + table[__builtin_amdgcn_workgroup_id_x()];
}
