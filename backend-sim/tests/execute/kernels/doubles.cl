// Double precision.
#include "kernel.h"

KERNEL(arithmetic_f64, double, double, double) {
    uint i = ID;
    out[3 * i] = a[i] + b[i];
    out[3 * i + 1] = a[i] * b[i];
    out[3 * i + 2] = a[i] - 2.0 * b[i];
}

KERNEL(fused_f64, double, double, double) {
    uint i = ID;
    out[i] = __builtin_fma(a[i], b[i], a[(i + 1) % n]);
}

KERNEL(div_f64, double, double, double) {
    uint i = ID;
    out[i] = a[i] / b[i];
}

KERNEL(sqrt_f64, double, double, double) {
    uint i = ID;
    out[i] = __builtin_sqrt(a[i]);
}

KERNEL(round_f64, double, double, double) {
    uint i = ID;
    out[4 * i] = __builtin_floor(a[i]);
    out[4 * i + 1] = __builtin_ceil(a[i]);
    out[4 * i + 2] = __builtin_trunc(a[i]);
    out[4 * i + 3] = __builtin_rint(a[i]);
}

KERNEL(compare_f64, ulong, double, double) {
    uint i = ID;
    double x = a[i], y = b[i];
    uint r = (x < y) | (x <= y) << 1 | (x > y) << 2 | (x >= y) << 3 | (x == y) << 4 | (x != y) << 5;
    r |= (!(x < y)) << 6 | (!(x <= y)) << 7 | (!(x > y)) << 8 | (!(x >= y)) << 9;
    out[i] = r | __builtin_isunordered(x, y) << 10 | __builtin_isnan(x) << 11 | __builtin_isinf(y) << 12;
}

KERNEL(convert_f64, double, double, float) {
    uint i = ID;
    double x = __builtin_fabs(a[i]) < 2e9 ? a[i] : 5.5;
    double y = a[i] >= 0.0 && a[i] < 4e9 ? a[i] : 7.5;
    out[4 * i] = (double)b[i];
    out[4 * i + 1] = (double)(float)a[i];
    out[4 * i + 2] = (double)(int)x + (double)(uint)y;
    out[4 * i + 3] = (double)(long)x + (double)(ulong)y * 3.0;
}

KERNEL(scale_f64, double, double, long) {
    uint i = ID;
    out[i] = __builtin_ldexp(a[i], (int)(b[i] % 2200));
}

KERNEL(horner_f64, double, double, double) {
    uint i = ID;
    double x = b[i], r = 1.0;
    for (int k = 0; k < 9; k++) r = r * x + a[(i + k) % n];
    out[i] = r;
}
