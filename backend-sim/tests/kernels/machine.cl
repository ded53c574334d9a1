#include "common.h"

kernel void registers(global u64 *out) {
  global u64 *o = out + ID * 4;
  o[0] = __builtin_amdgcn_s_memtime();
  o[1] = __builtin_amdgcn_s_memrealtime();
  o[2] = __builtin_amdgcn_s_getreg(0x1801);
  o[3] = __builtin_amdgcn_s_getreg(0xf804);
  __builtin_amdgcn_s_setreg(0x1801, 3);
  __builtin_amdgcn_s_sleep(2);
  __builtin_amdgcn_s_setprio(3);
  __builtin_amdgcn_s_sendmsg(1, 5);
  __builtin_amdgcn_s_dcache_inv();
  if (o[0] == 0)
    __builtin_trap();
}
