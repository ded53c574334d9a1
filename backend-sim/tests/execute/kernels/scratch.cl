// Private arrays, real calls, and generic pointers.
#include "kernel.h"
#ifndef __OPENCL_C_VERSION__
#define generic
#endif

KERNEL(private_array, uint, uint, uint) {
    uint i = ID, values[32];
    for (uint k = 0; k < 32; k++) values[k] = a[(i + k) % n] * (k + 1);
    for (uint k = 0; k < 16; k++) values[b[(i + k) % n] & 31] ^= values[b[(i + 2 * k) % n] >> 27];
    uint r = 0;
    for (uint k = 0; k < 32; k++) r = r * 3 + values[k];
    out[i] = r;
}

KERNEL(private_bytes, uint, uint, uint) {
    uchar bytes[64];
    short shorts[16];
    uint i = ID;
    for (uint k = 0; k < 64; k++) bytes[k] = (uchar)(a[i] >> (k & 24)) + k;
    for (uint k = 0; k < 16; k++) shorts[k] = (short)(b[i] >> (k & 16)) - k;
    bytes[b[i] & 63] = 7;
    shorts[a[i] & 15] = -3;
    uint r = 0;
    for (uint k = 0; k < 64; k++) r = r * 5 + bytes[(k * 7) & 63] + (uint)(int)shorts[k & 15];
    out[i] = r;
}

KERNEL(private_longs, ulong, ulong, uint) {
    ulong values[8];
    uint i = ID;
    for (uint k = 0; k < 8; k++) values[k] = a[(i + k) % n];
    values[b[i] & 7] += values[b[i] >> 29];
    ulong r = 0;
    for (uint k = 0; k < 8; k++) r = r * 3 + values[k];
    out[i] = r;
}

NOINLINE uint mix(uint x, uint y) {
    return x * 31 + (y ^ x >> 3);
}

NOINLINE uint mix_all(const uint *values, uint count) {
    uint r = 1;
    for (uint k = 0; k < count; k++) r = mix(r, values[k]);
    return r;
}

KERNEL(calls, uint, uint, uint) {
    uint i = ID, values[6];
    for (uint k = 0; k < 6; k++) values[k] = mix(a[(i + k) % n], b[i]);
    if (a[i] & 1) values[b[i] & 3] = mix(values[0], values[5]);
    out[i] = mix_all(values, 3 + (b[i] & 3));
}

NOINLINE uint ackermann_like(uint depth, uint x) {
    uint held[4] = {x, x + 1, x * 3, depth};
    if (depth == 0) return x;
    uint r = ackermann_like(depth - 1, x * 5 + depth);
    return r + held[r & 3];
}

KERNEL(recursion, uint, uint, uint) {
    uint i = ID;
    out[i] = ackermann_like(b[i] & 7, a[i]);
}

NOINLINE uint sum_of(const generic uint *from, uint count) {
    uint r = 0;
    for (uint k = 0; k < count; k++) r += from[k] * (k + 1);
    return r;
}

KERNEL(generic_pointers, uint, uint, uint) {
    local uint shared[256];
    uint i = ID, l = get_local_id(0), mine[4] = {b[i], b[i] >> 3, b[i] * 5, i};
    shared[l] = a[i];
    sync();
    const generic uint *from = i % 3 == 0 ? (const generic uint *)&a[i & ~3u]
                             : i % 3 == 1 ? (const generic uint *)&shared[l & ~3u] : (const generic uint *)mine;
    out[i] = sum_of(from, 4);
}

KERNEL(many_values, uint, uint, uint) {
    uint i = ID, v[40];
#pragma unroll
    for (uint k = 0; k < 40; k++) v[k] = a[(i + k) % n] ^ k;
#pragma unroll
    for (uint k = 0; k < 40; k++) v[k] = v[k] * v[(k * 7 + 3) % 40] + v[(k + 11) % 40];
    uint r = 0;
#pragma unroll
    for (uint k = 0; k < 40; k++) r = r * 3 + v[k];
    out[i] = r;
}
