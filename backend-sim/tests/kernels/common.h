// What the kernels share: names for builtins, since no device library is linked. Workgroups have 64 work-items.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;
typedef short short2 __attribute__((ext_vector_type(2)));
typedef int int4 __attribute__((ext_vector_type(4)));
typedef half half2 __attribute__((ext_vector_type(2)));
typedef half half4 __attribute__((ext_vector_type(4)));
typedef float float2 __attribute__((ext_vector_type(2)));
typedef float float4 __attribute__((ext_vector_type(4)));
typedef float float16 __attribute__((ext_vector_type(16)));
typedef double double4 __attribute__((ext_vector_type(4)));

#define LANE __builtin_amdgcn_workitem_id_x()
#define ID (__builtin_amdgcn_workgroup_id_x() * 64 + LANE)
#define BARRIER()                                                                                                      \
  do {                                                                                                                 \
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");                                                             \
    __builtin_amdgcn_s_barrier();                                                                                      \
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");                                                             \
  } while (0)
