#include "common.h"

__attribute__((noinline)) static int square(int x, int y) { return x * x + y; }

__attribute__((noinline)) static void swap(int *x, int *y) {
  int keep = *x;
  *x = *y;
  *y = keep;
}

__attribute__((noinline)) static int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1) + (n & 1); }

kernel void nested(global const int *a, global int *out) {
  int x = square(a[ID], 3), y = a[ID + 1];
  swap(&x, &y);
  out[ID] = x - square(y, x);
}

kernel void recursive(global const int *a, global int *out) { out[ID] = factorial(a[ID] & 7); }
