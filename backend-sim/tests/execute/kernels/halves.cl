// Half precision.
#include "kernel.h"

KERNEL(arithmetic_f16, half, half, half) {
    uint i = ID;
    out[3 * i] = a[i] + b[i];
    out[3 * i + 1] = a[i] * b[i];
    out[3 * i + 2] = a[i] - b[i];
}

KERNEL(div_f16, half, half, half) {
    uint i = ID;
    out[i] = a[i] / b[i];
}

KERNEL(packed_f16, half2, half2, half2) {
    uint i = ID;
    out[2 * i] = a[i] * b[i];
    out[2 * i + 1] = a[i].yx + b[i];
}

KERNEL(compare_f16, ushort, half, half) {
    uint i = ID;
    half x = a[i], y = b[i];
    out[i] = (x < y) | (x <= y) << 1 | (x > y) << 2 | (x >= y) << 3 | (x == y) << 4 | (x != y) << 5 | (!(x < y)) << 6;
}

KERNEL(convert_f16, float, half, float) {
    uint i = ID;
    out[2 * i] = (float)a[i];
    out[2 * i + 1] = (float)(half)b[i];
}

KERNEL(integer_f16, half, ushort, short) {
    uint i = ID;
    out[2 * i] = (half)(ushort)(a[i] & 0x7fff);
    out[2 * i + 1] = (half)b[i];
}
