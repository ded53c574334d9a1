#include "common.h"

kernel void bytes(global const u32 *a, global u32 *out) {
  u32 x = a[ID], y = a[ID + 64];
  global u32 *o = out + ID * 6;
  o[0] = (x & 0xff) + (y >> 24);
  o[1] = (x >> 8 & 0xff) * (y >> 16 & 0xff);
  o[2] = (x >> 16) | (y << 16);
  o[3] = __builtin_amdgcn_perm(x, y, 0x07020501);
  o[4] = __builtin_amdgcn_alignbit(x, y, 9);
  o[5] = __builtin_bswap32(x) ^ __builtin_amdgcn_ubfe(y, 5, 9) ^ __builtin_amdgcn_sbfe(y, 3, 7);
}

kernel void shorts(global const u16 *a, global u16 *out) {
  u16 x = a[ID], y = a[ID + 64];
  out[ID] = (u16)(x * y) + (u16)(x << 3) - (x > y ? x : y);
}
