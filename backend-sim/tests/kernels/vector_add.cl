#include "common.h"

kernel void vector_add(global const float *a, global const float *b, global float *c) {
  c[ID] = a[ID] + b[ID];
}

kernel void grid(global u32 *out, u32 width, u32 height) {
  u32 x = __builtin_amdgcn_workgroup_id_x() * 8 + __builtin_amdgcn_workitem_id_x();
  u32 y = __builtin_amdgcn_workgroup_id_y() * 4 + __builtin_amdgcn_workitem_id_y();
  u32 z = __builtin_amdgcn_workgroup_id_z() * 2 + __builtin_amdgcn_workitem_id_z();
  if (x < width && y < height)
    out[(z * height + y) * width + x] = x | y << 8 | z << 16;
}
