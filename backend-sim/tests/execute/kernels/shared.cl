// LDS and barriers; workgroups of 256.
#include "kernel.h"

KERNEL(reduce_sum, uint, uint, uint) {
    local uint sums[256];
    uint i = ID, l = get_local_id(0);
    sums[l] = a[i] + b[i];
    sync();
    for (uint half_ = 128; half_ > 0; half_ >>= 1) {
        if (l < half_) sums[l] += sums[l + half_];
        sync();
    }
    if (l == 0) out[get_group_id(0)] = sums[0];
}

KERNEL(scan_sum, uint, uint, uint) {
    local uint sums[2][256];
    uint i = ID, l = get_local_id(0), at = 0;
    sums[0][l] = a[i];
    sync();
    for (uint step = 1; step < 256; step <<= 1) {
        sums[at ^ 1][l] = sums[at][l] + (l >= step ? sums[at][l - step] : 0);
        at ^= 1;
        sync();
    }
    out[i] = sums[at][l];
}

KERNEL(reverse_types, ulong, ulong, uint) {
    local ulong longs[256];
    local uchar bytes[256];
    local ushort shorts[256];
    uint i = ID, l = get_local_id(0);
    longs[l] = a[i], bytes[l] = (uchar)b[i], shorts[l] = (ushort)(b[i] >> 8);
    sync();
    uint m = 255 - l;
    out[i] = longs[m] + bytes[m ^ 1] + (ulong)((long)(short)shorts[m ^ 3] * 5) + (ulong)(long)(signed char)bytes[m];
}

KERNEL(reverse_vectors, uint4, uint4, uint4) {
    local uint4 vectors[256];
    uint i = ID, l = get_local_id(0);
    vectors[l] = a[i];
    sync();
    out[i] = vectors[255 - l] + b[i];
}

KERNEL(transpose_f64, double, double, double) {
    local double tile[16][17];
    uint i = ID, x = get_local_id(0) & 15, y = get_local_id(0) >> 4;
    tile[y][x] = a[i];
    sync();
    out[i] = tile[x][y] * 2.0;
}

KERNEL(neighbours, uint, uint, uint) {
    local uint line[258];
    uint i = ID, l = get_local_id(0);
    line[l + 1] = a[i];
    if (l == 0) line[0] = b[i];
    if (l == 255) line[257] = b[i];
    sync();
    out[i] = line[l] + 2 * line[l + 1] + line[l + 2];
}
