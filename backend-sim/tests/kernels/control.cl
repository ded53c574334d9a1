#include "common.h"

kernel void diverge(global const int *a, global int *out) {
  int x = a[ID], sum = 0;
  if (x & 1)
    sum = x * 3;
  else if (x > 10)
    sum = a[ID + 1] - x;
  for (int i = 0; i < (x & 15); ++i)
    sum += i * x;
  while (sum > 100 && (sum & 3))
    sum = sum / 2 + 1;
  out[ID] = sum;
}

kernel void select(global const int *a, global int *out, int which) {
  int x = a[ID];
  switch (x & 7) {
  case 0: x = x * 5; break;
  case 1: x = x + which; break;
  case 2: x = out[ID]; break;
  case 3: x = ~x; break;
  case 5: x = x >> 3; break;
  case 6: x = -x;
  default: x ^= 0x55;
  }
  if (which == 4)
    x += 17;
  out[ID] = x;
}

kernel void uniform(global const int *a, global int *out, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i)
    sum += a[i] << (i & 3);
  out[ID] = sum;
}
