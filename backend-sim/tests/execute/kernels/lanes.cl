// Data between the lanes of a wave; on the host 64 work-items exchange it through memory.
#include "kernel.h"
#ifdef __OPENCL_C_VERSION__
#define lane() __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0))
#define pull(x, from) __builtin_amdgcn_ds_bpermute((from) * 4, x)
#define push(x, to) __builtin_amdgcn_ds_permute((to) * 4, x)
#define ballot(x) __builtin_amdgcn_uicmp((uint)(x), 0u, 33)
#define first(x) (uint)__builtin_amdgcn_readfirstlane(x)
#define lane_of(x, from) (uint)__builtin_amdgcn_readlane(x, from)
#define xor_16(x) __builtin_amdgcn_ds_swizzle(x, 16 << 10 | 31)
#define quad_reverse(x) __builtin_amdgcn_update_dpp(0, x, 0x1b, 0xf, 0xf, false)
#define row_shr_1(old, x) __builtin_amdgcn_update_dpp(old, x, 0x111, 0xf, 0xf, false)
#define row_shl_2_zero(old, x) __builtin_amdgcn_update_dpp(old, x, 0x102, 0xf, 0xf, true)
#define row_ror_3(x) __builtin_amdgcn_update_dpp(0, x, 0x123, 0xf, 0xf, false)
#define row_mirror(x) __builtin_amdgcn_update_dpp(0, x, 0x140, 0xf, 0xf, false)
#define half_mirror(x) __builtin_amdgcn_update_dpp(0, x, 0x141, 0xf, 0xf, false)
#define bcast_15(old, x) __builtin_amdgcn_update_dpp(old, x, 0x142, 0xa, 0xf, false)
#define bcast_31(old, x) __builtin_amdgcn_update_dpp(old, x, 0x143, 0xc, 0xf, false)
#define wave_shr_1(old, x) __builtin_amdgcn_update_dpp(old, x, 0x138, 0xf, 0xf, false)
#define banks(old, x) __builtin_amdgcn_update_dpp(old, x, 0xe4, 0x5, 0x6, false)
#else
static uint exchanged[1024];
static uint lane(void) { return item & 63; }
static uint pull(uint x, uint from) {
    exchanged[item] = x;
    sync();
    uint r = exchanged[(item & ~63u) + (from & 63)];
    sync();
    return r;
}
static uint push(uint x, uint to) {
    exchanged[item] = 0;
    sync();
    exchanged[(item & ~63u) + (to & 63)] = x;
    sync();
    uint r = exchanged[item];
    sync();
    return r;
}
static ulong ballot(uint x) {
    exchanged[item] = x != 0;
    sync();
    ulong r = 0;
    for (uint k = 0; k < 64; k++) r |= (ulong)exchanged[(item & ~63u) + k] << k;
    sync();
    return r;
}
#define first(x) pull(x, 0)
#define lane_of(x, from) pull(x, from)
#define xor_16(x) pull(x, lane() ^ 16)
#define quad_reverse(x) pull(x, lane() ^ 3)
static uint or_old(uint valid, uint old, uint x) { return valid ? x : old; }
#define row_shr_1(old, x) or_old(lane() & 15, old, pull(x, lane() - 1))
#define row_shl_2_zero(old, x) or_old((lane() & 15) < 14, 0, pull(x, lane() + 2))
#define row_ror_3(x) pull(x, (lane() & ~15u) + ((lane() + 13) & 15))
#define row_mirror(x) pull(x, lane() ^ 15)
#define half_mirror(x) pull(x, lane() ^ 7)
#define bcast_15(old, x) or_old(lane() >> 4 & 1, old, pull(x, (lane() & ~15u) - 1))
#define bcast_31(old, x) or_old(lane() >= 32, old, pull(x, 31))
#define wave_shr_1(old, x) or_old(lane(), old, pull(x, lane() - 1))
#define banks(old, x) or_old(0x5 >> (lane() >> 4) & 1 && 0x6 >> (lane() >> 2 & 3) & 1, old, x)
#endif

KERNEL(permutes, uint, uint, uint) {
    uint i = ID, l = lane();
    uint r = pull(a[i], l + 5) * 3 + pull(b[i], l * 7) + push(a[i], l * 5 + 1) * 7 + xor_16(b[i]) * 11;
    out[i] = r + l;
}

KERNEL(votes, ulong, uint, uint) {
    uint i = ID;
    ulong set = ballot(a[i] & 1), other = ballot(b[i] > a[i]);
    out[i] = set + other * 3 + first(a[i]) + lane_of(b[i], 17) * 5;
}

KERNEL(dpp_rows, uint, uint, uint) {
    uint i = ID, x = a[i], old = b[i];
    uint r = quad_reverse(x) + row_shr_1(old, x) * 3 + row_shl_2_zero(old, x) * 5 + row_ror_3(x) * 7;
    out[i] = r + row_mirror(x) * 11 + half_mirror(x) * 13 + banks(old, x) * 17;
}

KERNEL(dpp_waves, uint, uint, uint) {
    uint i = ID, x = a[i], old = b[i];
    out[i] = bcast_15(old, x) + bcast_31(old, x) * 3 + wave_shr_1(old, x) * 5;
}

// The sum of a wave as compilers of libraries do it.
KERNEL(dpp_sum, uint, uint, uint) {
    uint i = ID, x = a[i];
    x += row_shr_1(0, x);
    uint y = x + quad_reverse(x);
    y += row_mirror(y) + half_mirror(y);
    y += bcast_15(0, y);
    y += bcast_31(0, y);
    out[i] = lane_of(y, 63) + x;
}
