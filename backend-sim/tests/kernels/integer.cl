#include "common.h"

kernel void arithmetic(global const int *a, global const u32 *b, global int *out) {
  int x = a[ID], n = 0;
  u32 y = b[ID];
  global int *o = out + ID * 16;
  o[n++] = x + (int)y * 3;
  o[n++] = (x << (y & 31)) - (x >> (y & 7));
  o[n++] = y >> (x & 31);
  o[n++] = (x & y) | (x ^ ~y);
  o[n++] = __builtin_popcount(y) + __builtin_clz(y | 1) + __builtin_ctz(y | 0x80000000);
  o[n++] = __builtin_bitreverse32(y);
  o[n++] = (x << 8 >> 20) + (y << 4 >> 25);
  o[n++] = (y << 7) | (y >> 25);
  o[n++] = x < 5 ? x : (int)y > x ? 7 : (int)y;
  o[n++] = (x < 0 ? -x : x) + (int)((y & 0xffffff) * ((u32)x & 0xffffff));
  o[n++] = ((long)x * (int)y) >> 32;
  o[n++] = ((u64)(u32)x * y) >> 32;
}

kernel void wide(global const long *a, global const u64 *b, global u64 *out) {
  long x = a[ID], n = 0;
  u64 y = b[ID];
  global u64 *o = out + ID * 8;
  o[n++] = x + y;
  o[n++] = x - 3 * y;
  o[n++] = x << (y & 63);
  o[n++] = (x >> (y & 63)) ^ (y >> 9);
  o[n++] = x * y;
  o[n++] = x < (long)y ? x : y;
  o[n++] = __builtin_popcountl(y) + __builtin_clzl(y | 1);
}

kernel void division(global const int *a, global const u32 *b, global u32 *out) {
  int x = a[ID];
  u32 y = b[ID] | 1;
  global u32 *o = out + ID * 6;
  o[0] = x / (int)y;
  o[1] = x % (int)y;
  o[2] = (u32)x / y;
  o[3] = (u32)x % y;
  o[4] = x / 7;
  o[5] = y / 10;
}

kernel void saturating(global const int *a, global u32 *out) {
  int x = a[ID];
  u32 y = a[ID + 64];
  out[ID] = __builtin_elementwise_add_sat(x, (int)y) + __builtin_elementwise_sub_sat((u32)x, y);
}
