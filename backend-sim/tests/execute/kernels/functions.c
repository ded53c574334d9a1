// Calls through pointers and jumps through tables.
#include "kernel.h"

typedef uint Operation(uint, uint);

NOINLINE uint add(uint x, uint y) { return x + y; }
NOINLINE uint multiply(uint x, uint y) { return x * y + 1; }
NOINLINE uint rotate(uint x, uint y) { return x << (y & 31) | x >> (-y & 31); }
NOINLINE uint spread(uint x, uint y) {
    uint parts[8];
    for (uint k = 0; k < 8; k++) parts[k] = x >> k * 4 & y;
    return parts[x & 7] * 31 + parts[y & 7];
}

static Operation *const operations[4] = {add, multiply, rotate, spread};

// Each lane calls what its data says.
KERNEL(pointers, uint, uint, uint) {
    uint i = ID, r = a[i];
    for (uint k = 0; k < 4; k++) r = operations[(b[i] >> 2 * k) & 3](r, b[i]);
    out[i] = r;
}

struct shape {
    uint (*area)(const struct shape *);
    uint width, height;
};

NOINLINE uint area_of_box(const struct shape *shape) { return shape->width * shape->height; }
NOINLINE uint area_of_line(const struct shape *shape) { return shape->width + 3; }

KERNEL(objects, uint, uint, uint) {
    uint i = ID, r = 0;
    struct shape shapes[3];
    for (uint k = 0; k < 3; k++) {
        shapes[k].area = a[i] >> k & 1 ? area_of_box : area_of_line;
        shapes[k].width = a[i] & 0xff, shapes[k].height = b[i] >> 8 & 0xff;
    }
    for (uint k = 0; k < 3; k++) r = r * 7 + shapes[k].area(&shapes[k]);
    out[i] = r;
}

KERNEL(computed_jumps, uint, uint, uint) {
    uint i = ID, r = 1;
    for (uint k = 0; k < 12; k++) {
        switch (a[(i + k) % n] & 15) {
        case 0: r += b[i]; break;
        case 1: r *= 3; break;
        case 2: r ^= r >> 5; break;
        case 3: r -= b[i] * 7; break;
        case 5: r = ~r; break;
        case 6: if (r & 1) break; r >>= 1;
        case 8: r += 11; break;
        case 9: k++; break;
        case 12: r = rotate(r, k); break;
        case 14: goto done;
        }
    }
done:
    out[i] = r;
}
