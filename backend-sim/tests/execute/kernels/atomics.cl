// Atomics in memory and in LDS, with results that do not depend on their order.
#include "kernel.h"
#ifdef __OPENCL_C_VERSION__
#define UPDATE(f, p, v) __opencl_atomic_fetch_##f((volatile global atomic_uint *)(p), v, memory_order_relaxed, memory_scope_device)
#define UPDATE_INT(f, p, v) __opencl_atomic_fetch_##f((volatile global atomic_int *)(p), v, memory_order_relaxed, memory_scope_device)
#define UPDATE_LONG(f, p, v) __opencl_atomic_fetch_##f((volatile global atomic_ulong *)(p), v, memory_order_relaxed, memory_scope_device)
#define UPDATE_LOCAL(f, p, v) __opencl_atomic_fetch_##f((volatile local atomic_uint *)(p), v, memory_order_relaxed, memory_scope_work_group)
#define SWAP_IF(p, old, v) __opencl_atomic_compare_exchange_strong((volatile global atomic_uint *)(p), old, v, memory_order_relaxed, memory_order_relaxed, memory_scope_device)
#define SWAP_IF_LONG(p, old, v) __opencl_atomic_compare_exchange_strong((volatile global atomic_ulong *)(p), old, v, memory_order_relaxed, memory_order_relaxed, memory_scope_device)
#define READ(p) __opencl_atomic_load((volatile global atomic_uint *)(p), memory_order_relaxed, memory_scope_device)
#define READ_LONG(p) __opencl_atomic_load((volatile global atomic_ulong *)(p), memory_order_relaxed, memory_scope_device)
#else
#define UPDATE(f, p, v) __atomic_fetch_##f((uint *)(p), v, __ATOMIC_RELAXED)
#define UPDATE_INT(f, p, v) __atomic_fetch_##f((int *)(p), v, __ATOMIC_RELAXED)
#define UPDATE_LONG(f, p, v) __atomic_fetch_##f((ulong *)(p), v, __ATOMIC_RELAXED)
#define UPDATE_LOCAL UPDATE
#define SWAP_IF(p, old, v) __atomic_compare_exchange_n((uint *)(p), old, v, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
#define SWAP_IF_LONG(p, old, v) __atomic_compare_exchange_n((ulong *)(p), old, v, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
#define READ(p) __atomic_load_n((uint *)(p), __ATOMIC_RELAXED)
#define READ_LONG(p) __atomic_load_n((ulong *)(p), __ATOMIC_RELAXED)
#endif

KERNEL(atomics_u32, uint, uint, uint) {
    uint i = ID, at = (b[i] & 7) * 8;
    UPDATE(add, &out[at], a[i]);
    UPDATE(sub, &out[at + 1], a[i]);
    UPDATE(and, &out[at + 2], a[i] | 0xffff0000 | b[i]);
    UPDATE(or, &out[at + 3], a[i] & b[i] & 0x11111111);
    UPDATE(xor, &out[at + 4], a[i]);
    UPDATE(min, &out[at + 5], a[i]);
    UPDATE(max, &out[at + 6], a[i]);
}

KERNEL(atomics_i32, int, int, uint) {
    uint i = ID, at = (b[i] & 7) * 2;
    UPDATE_INT(min, &out[at], a[i]);
    UPDATE_INT(max, &out[at + 1], a[i]);
}

KERNEL(atomics_u64, ulong, ulong, uint) {
    uint i = ID, at = (b[i] & 7) * 8;
    UPDATE_LONG(add, &out[at], a[i]);
    UPDATE_LONG(sub, &out[at + 1], a[i]);
    UPDATE_LONG(or, &out[at + 2], a[i] & 0x1111);
    UPDATE_LONG(xor, &out[at + 3], a[i]);
    UPDATE_LONG(min, &out[at + 4], a[i]);
    UPDATE_LONG(max, &out[at + 5], a[i]);
}

// Each work-item gets its own ticket, so that the sum of what they see is known.
KERNEL(tickets, uint, uint, uint) {
    uint ticket = UPDATE(add, &out[0], 1);
    UPDATE(add, &out[1], ticket);
    out[2 + ticket] = ticket * 3;
}

KERNEL(compare_swap, uint, uint, uint) {
    uint i = ID;
    global uint *p = &out[b[i] & 15];
    uint old = READ(p);
    while (!SWAP_IF(p, &old, old + (a[i] & 0xff) * 2 + 1)) {}
    global ulong *q = (global ulong *)&out[32] + (b[i] & 3);
    ulong wide = READ_LONG(q);
    while (!SWAP_IF_LONG(q, &wide, wide * 1 + ((ulong)a[i] << 20))) {}
}

KERNEL(histogram, uint, uint, uint) {
    local uint counts[64];
    uint l = get_local_id(0);
    if (l < 64) counts[l] = 0;
    sync();
    UPDATE_LOCAL(add, &counts[a[ID] >> 26], 1);
    UPDATE_LOCAL(add, &counts[b[ID] & 63], 3);
    sync();
    if (l < 64) UPDATE(add, &out[l], counts[l]);
}

KERNEL(local_extremes, uint, uint, uint) {
    local uint found[4];
    uint l = get_local_id(0);
    if (l < 4) found[l] = l == 0 ? ~0u : 0;
    sync();
    UPDATE_LOCAL(min, &found[0], a[ID]);
    UPDATE_LOCAL(max, &found[1], a[ID]);
    UPDATE_LOCAL(or, &found[2], b[ID] & 0x0f0f);
    UPDATE_LOCAL(xor, &found[3], b[ID]);
    sync();
    if (l < 4) out[get_group_id(0) * 4 + l] = found[l];
}
