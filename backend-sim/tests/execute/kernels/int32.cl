// 32-bit integers.
#include "kernel.h"

KERNEL(add_mul_u32, uint, uint, uint) {
    uint i = ID;
    if (i >= n) return;
    out[i] = a[i] * b[i] + (a[i] - b[i]) * 7 + (a[i] ^ 0x12345678);
}

KERNEL(shift_u32, uint, uint, uint) {
    uint i = ID, s = b[i] & 31;
    out[i] = (a[i] << s) ^ (a[i] >> s) ^ (uint)((int)a[i] >> s) ^ (a[i] << s | a[i] >> (-s & 31));
}

KERNEL(bits_u32, uint, uint, uint) {
    uint i = ID, x = a[i], y = b[i];
    uint r = __builtin_popcount(x) + (x ? __builtin_clz(x) * 3 : 1) + (y ? __builtin_ctz(y) * 5 : 2);
    r += (x & y) + (x | y) * 3 + (~x & y) * 5 + __builtin_bitreverse32(x) + (x >> 7 & 0x1ff);
    out[i] = r + ((x & 0xff00ff00) | (y & 0x00ff00ff)) + __builtin_bswap32(y);
}

KERNEL(signed_i32, int, int, int) {
    int i = ID, x = a[i], y = b[i];
    int low = x < y ? x : y, high = x > y ? x : y;
    out[i] = low * 3 + (high >> 3) + (x < 0 ? (int)(0u - (uint)x) : x) + (x << 8 >> 20);
}

KERNEL(compare_i32, uint, int, int) {
    int i = ID, x = a[i], y = b[i];
    uint r = (x < y) | (x <= y) << 1 | (x > y) << 2 | (x >= y) << 3 | (x == y) << 4 | (x != y) << 5;
    uint u = x, v = y;
    out[i] = r | (u < v) << 8 | (u <= v) << 9 | (u > v) << 10 | (u >= v) << 11;
}

KERNEL(div_u32, uint, uint, uint) {
    uint i = ID, y = b[i] ? b[i] : 1;
    out[i] = a[i] / y * 31 + a[i] % y;
}

KERNEL(div_i32, int, int, int) {
    int i = ID, y = b[i] > 0 ? b[i] : 3;
    out[i] = (int)((uint)(a[i] / y) * 31u + (uint)(a[i] % y));
}

KERNEL(div_constant_u32, uint, uint, uint) {
    uint i = ID;
    out[i] = a[i] / 7 + a[i] % 10 * 3 + (uint)((int)b[i] / 1000) + (uint)((int)b[i] % 13);
}

KERNEL(mul_high, uint, uint, uint) {
    uint i = ID;
    uint high = (uint)((ulong)a[i] * b[i] >> 32);
    int signed_high = (int)((long)(int)a[i] * (int)b[i] >> 32);
    out[i] = high ^ (uint)signed_high * 3;
}

KERNEL(mul_24, uint, uint, uint) {
    uint i = ID, x = a[i] & 0xffffff, y = b[i] & 0xffffff;
    int s = (int)(a[i] << 8) >> 8, t = (int)(b[i] << 8) >> 8;
    out[i] = x * y + (uint)s * (uint)t + x;
}

KERNEL(bytes_u32, uint, uint, uint) {
    uint i = ID, x = a[i], y = b[i];
    uint mix = (x & 0xff) << 24 | (y >> 8 & 0xff) << 16 | (x >> 16 & 0xff) << 8 | y >> 24;
    int s = (signed char)(x >> 8), t = (short)(y >> 16);
    out[i] = mix ^ (uint)(s * t);
}

KERNEL(load_sizes, uint, uchar, ushort) {
    uint i = ID;
    out[i] = a[i] + (uint)(int)(signed char)a[i + 1] * 257 + b[i] * 3 + (uint)(int)(short)b[i + 1];
}

KERNEL(store_bytes, uchar, uint, uint) {
    uint i = ID;
    out[i] = (uchar)(a[i] * 3 + (b[i] >> 8));
}

KERNEL(store_shorts, ushort, uint, uint) {
    uint i = ID;
    out[i] = (ushort)((a[i] >> 16) + b[i]);
}

KERNEL(vectors_u32, uint4, uint4, uint4) {
    uint i = ID;
    uint4 x = a[i], y = b[i];
    out[i] = (x + y.wzyx) ^ (y << 3);
}
