#include "common.h"

kernel void shuffle(global const int *a, global int *out) {
  int x = a[ID];
  global int *o = out + ID * 12;
  o[0] = __builtin_amdgcn_ds_bpermute((LANE ^ 5) * 4, x);
  o[1] = __builtin_amdgcn_ds_permute((LANE + 1) * 4, x);
  o[2] = __builtin_amdgcn_ds_swizzle(x, 0x801b);
  o[3] = __builtin_amdgcn_ds_swizzle(x, 0x041f);
  o[4] = __builtin_amdgcn_readfirstlane(x);
  o[5] = __builtin_amdgcn_readlane(x, 17);
  o[6] = __builtin_amdgcn_mbcnt_hi(-1, __builtin_amdgcn_mbcnt_lo(-1, 3));
  o[7] = __builtin_popcountl(__builtin_amdgcn_uicmp(x, 5, 34));
  o[8] = __builtin_amdgcn_ballot_w64(x & 1);
}

kernel void dpp(global const int *a, global int *out) {
  int x = a[ID];
  global int *o = out + ID * 10;
  o[0] = __builtin_amdgcn_update_dpp(x, x, 0x1b, 0xf, 0xf, false);
  o[1] = x + __builtin_amdgcn_update_dpp(0, x, 0x111, 0xf, 0xf, true);
  o[2] = __builtin_amdgcn_update_dpp(7, x, 0x112, 0xf, 0xe, false);
  o[3] = __builtin_amdgcn_update_dpp(x, x, 0x142, 0xa, 0xf, false);
  o[4] = __builtin_amdgcn_update_dpp(x, x, 0x143, 0xc, 0xf, false);
  o[5] = __builtin_amdgcn_update_dpp(x, x, 0x140, 0xf, 0xf, false);
  o[6] = __builtin_amdgcn_update_dpp(x, x, 0x141, 0xf, 0xf, false);
  o[7] = __builtin_amdgcn_update_dpp(0, x, 0x121, 0xf, 0xf, false);
  o[8] = __builtin_amdgcn_update_dpp(9, x, 0x138, 0xf, 0xf, false);
  o[9] = __builtin_amdgcn_update_dpp(x, x, 0x155, 0xf, 0xf, false);
}
