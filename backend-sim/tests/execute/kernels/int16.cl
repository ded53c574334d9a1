// 16-bit and 8-bit integers, packed ones too.
#include "kernel.h"

KERNEL(short_arithmetic, ushort, ushort, ushort) {
    uint i = ID;
    ushort x = a[i], y = b[i];
    ushort r = x * y + (x - y);
    r ^= x << (y & 15);
    r += x >> (y & 15);
    r -= (short)x >> (y & 15);
    out[i] = r + (x < y ? x : y) + ((short)x > (short)y ? x : y);
}

KERNEL(packed_short, ushort2, ushort2, ushort2) {
    uint i = ID;
    ushort2 x = a[i], y = b[i];
    out[i] = x * y + (x - y.yx) + (x << (y & (ushort2)7)) + (y >> (ushort2)3);
}

KERNEL(packed_minmax, short2, short2, short2) {
    uint i = ID;
    short2 x = a[i], y = b[i];
    short2 low = __builtin_elementwise_min(x, y), high = __builtin_elementwise_max(x, y);
    out[i] = low - high.yx + (x >> (short2)2);
}

KERNEL(char_arithmetic, uchar, uchar, uchar) {
    uint i = ID;
    uchar x = a[i], y = b[i];
    out[i] = x * y + (x ^ y) - (uchar)((signed char)x >> 2) + (x > y) * 3 + x / (uchar)(y | 1);
}

KERNEL(packed_char, uchar4, uchar4, uchar4) {
    uint i = ID;
    out[i] = a[i] + b[i].wzyx * (uchar4)3;
}

KERNEL(div_i16, short, short, short) {
    uint i = ID;
    short y = b[i] > 0 ? b[i] : 7;
    out[i] = a[i] / y + a[i] % y * 3;
}

KERNEL(saturate_u32, uint, uint, uint) {
    uint i = ID;
    uint sum = __builtin_elementwise_add_sat(a[i], b[i]), less = __builtin_elementwise_sub_sat(a[i], b[i]);
    int total = __builtin_elementwise_add_sat((int)a[i], (int)b[i]);
    int least = __builtin_elementwise_sub_sat((int)a[i], (int)b[i]);
    out[i] = sum ^ less * 3 ^ (uint)total * 5 ^ (uint)least * 7;
}

KERNEL(saturate_u16, ushort, ushort, ushort) {
    uint i = ID;
    ushort sum = __builtin_elementwise_add_sat(a[i], b[i]), less = __builtin_elementwise_sub_sat(a[i], b[i]);
    short total = __builtin_elementwise_add_sat((short)a[i], (short)b[i]);
    out[i] = sum ^ (ushort)(less * 3) ^ (ushort)total;
}
