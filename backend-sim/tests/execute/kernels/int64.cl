// 64-bit integers.
#include "kernel.h"

KERNEL(add_mul_u64, ulong, ulong, ulong) {
    uint i = ID;
    out[i] = a[i] * b[i] + (a[i] - b[i]) * 3 + (a[i] ^ 0x123456789abcdef0);
}

KERNEL(shift_u64, ulong, ulong, ulong) {
    uint i = ID, s = b[i] & 63;
    out[i] = (a[i] << s) ^ (a[i] >> s) ^ (ulong)((long)a[i] >> s) ^ (a[i] >> 32) * 3 ^ (a[i] << 8);
}

KERNEL(bits_u64, ulong, ulong, ulong) {
    uint i = ID;
    ulong x = a[i], y = b[i];
    ulong r = __builtin_popcountl(x) + (x ? __builtin_clzl(x) * 3 : 1) + (y ? __builtin_ctzl(y) * 5 : 2);
    out[i] = r + (x & ~y) + __builtin_bitreverse64(x) + (x >> 13 & 0xfffffffffff) + __builtin_bswap64(y);
}

KERNEL(compare_i64, ulong, long, long) {
    uint i = ID;
    long x = a[i], y = b[i];
    ulong r = (x < y) | (x <= y) << 1 | (x > y) << 2 | (x >= y) << 3 | (x == y) << 4 | (x != y) << 5;
    ulong u = x, v = y;
    r |= (u < v) << 8 | (u <= v) << 9 | (u > v) << 10 | (u >= v) << 11;
    out[i] = r + (ulong)(x < y ? x : y) * 4096 + (u > v ? u : v) * 3;
}

KERNEL(div_u64, ulong, ulong, ulong) {
    uint i = ID;
    ulong y = b[i] >> (a[i] & 63);
    y = y ? y : 1;
    out[i] = a[i] / y * 31 + a[i] % y;
}

KERNEL(div_i64, long, long, long) {
    uint i = ID;
    long y = b[i] >> (a[i] & 63);
    y = y == 0 || y == -1 ? 5 : y;
    out[i] = (long)((ulong)(a[i] / y) * 31 + (ulong)(a[i] % y));
}

KERNEL(mul_high_64, ulong, ulong, ulong) {
    uint i = ID;
    ulong low = (a[i] & 0xffffffff) * (b[i] & 0xffffffff), cross = (a[i] >> 32) * (b[i] & 0xffffffff) + (low >> 32);
    ulong other = (a[i] & 0xffffffff) * (b[i] >> 32) + (cross & 0xffffffff);
    out[i] = (a[i] >> 32) * (b[i] >> 32) + (cross >> 32) + (other >> 32);
}

KERNEL(widen, ulong, int, uint) {
    uint i = ID;
    out[i] = (ulong)((long)a[i] * a[i + 1]) + (ulong)b[i] * b[i + 1];
}
