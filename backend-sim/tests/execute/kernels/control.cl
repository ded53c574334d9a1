// Divergence, loops and switches.
#include "kernel.h"

KERNEL(nested_branches, uint, uint, uint) {
    uint i = ID, x = a[i], r = 0;
    if (x & 1) {
        r = x * 3;
        if (x & 2) r += b[i];
        else if (x & 4) r ^= b[i] << 3;
        else r -= 17;
    } else if (x & 8) {
        r = b[i] & 0xff;
    }
    out[i] = r + i;
}

KERNEL(collatz, uint, uint, uint) {
    uint i = ID, x = (a[i] & 0xffff) + 1, steps = 0;
    while (x != 1 && steps < 500) {
        x = x & 1 ? 3 * x + 1 : x / 2;
        steps++;
    }
    out[i] = steps;
}

KERNEL(breaks, uint, uint, uint) {
    uint i = ID, r = 0;
    for (uint k = 0; k < (b[i] & 63); k++) {
        if ((a[i] >> (k & 31) & 3) == 3) continue;
        r = r * 5 + k;
        if (r % 97 == 13) break;
        for (uint j = 0; j < (k & 3); j++) r ^= a[(i + j) % n];
    }
    out[i] = r;
}

KERNEL(switches, uint, uint, uint) {
    uint i = ID, r;
    switch (a[i] % 11) {
    case 0: r = b[i] + 1; break;
    case 1: r = b[i] * 3; break;
    case 2: r = b[i] ^ 0x55;
    case 3: r = b[i] >> 2; break;
    case 4: r = b[i] << 4; break;
    case 5: r = ~b[i]; break;
    case 7: r = b[i] - 9; break;
    case 9: r = b[i] | 0x10001; break;
    default: r = 42;
    }
    out[i] = r;
}

KERNEL(early_return, uint, uint, uint) {
    uint i = ID;
    if (i >= n - 37) return;
    if (a[i] % 3 == 0) { out[i] = 7; return; }
    out[i] = a[i] * b[n - 1 - i];
}

KERNEL(uniform_loop, uint, uint, uint) {
    uint i = ID, r = 0;
    for (uint k = 0; k < n / 16; k++) r = r * 31 + a[k] * b[i] + get_group_id(0);
    out[i] = r;
}

KERNEL(stride_loop, uint, uint, uint) {
    for (uint i = ID; i < n; i += 256) out[i] = a[i] + b[n - 1 - i];
}

constant uint table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};

KERNEL(constant_table, uint, uint, uint) {
    uint i = ID;
    out[i] = table[a[i] & 15] * 1000 + table[b[i] >> 28];
}
