// What a program does first on a GPU, and what it should not do.
#include "kernel.h"

KERNEL(fill, uint, uint, uint) { out[ID] = n * 3 + 7; }

KERNEL(copy, uint, uint, uint) { out[ID] = a[ID]; }

KERNEL(vector_add, float, float, float) { out[ID] = a[ID] + b[ID]; }

// The first number counts workgroups.
KERNEL(saxpy_count, uint, uint, uint) {
    uint i = ID;
    union { float number; uint bits; } r = {2.5f * a[i] + b[i]};
    out[1 + i] = r.bits;
    if (i % 256 == 0) __atomic_fetch_add(&out[0], 1, __ATOMIC_RELAXED);
}

KERNEL(bump, uint, uint, uint) { __atomic_fetch_add(&out[b[ID] & 7], a[ID], __ATOMIC_SEQ_CST); }

// The first wave of each workgroup lets the others go.
KERNEL(wait_for_word, uint, uint, uint) {
    uint i = ID, word = 0;
    if (i % 256 == 5) __atomic_store_n(&out[i / 256], a[i] | 1, __ATOMIC_RELEASE);
    if (i % 256 >= 64)
        while (word == 0) word = __atomic_load_n(&out[i / 256], __ATOMIC_ACQUIRE);
    out[64 + i] = word + i;
}

KERNEL(write_beyond, uint, uint, uint) { out[16384 + ID] = 1; }

KERNEL(endless, uint, uint, uint) {
    while (1) __atomic_fetch_add(&out[0], 1, __ATOMIC_RELAXED);
}
