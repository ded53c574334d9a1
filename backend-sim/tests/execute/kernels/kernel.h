// One source for two machines: OpenCL C or C for the GPU, C for the host, where each work-item of a workgroup is a thread.
#pragma once
#ifdef __OPENCL_C_VERSION__
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#define KERNEL(name, O, A, B) kernel void name(global O *out, global const A *a, global const B *b, uint n)
#define sync() barrier(CLK_LOCAL_MEM_FENCE)
#define NOINLINE __attribute__((noinline))
#elif defined __AMDGCN__
typedef unsigned int uint;
#define GLOBAL __attribute__((address_space(1)))
#define KERNEL(F, O, A, B)                                                                                            \
    __attribute__((amdgpu_kernel, visibility("protected"))) void F(GLOBAL O *out, GLOBAL const A *a,                  \
                                                                   GLOBAL const B *b, uint n)
#define NOINLINE __attribute__((noinline)) static
static uint get_global_id(uint axis) {
    return __builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x();
}
#else
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef _Float16 half;
#define kernel static
#define global
#define local static
#define constant static const
#define private
#define NOINLINE __attribute__((noinline)) static
#define VECTOR(T, N) typedef T T##N __attribute__((ext_vector_type(N)))
VECTOR(uchar, 4); VECTOR(short, 2); VECTOR(ushort, 2); VECTOR(half, 2); VECTOR(uint, 2); VECTOR(uint, 4);
VECTOR(float, 2); VECTOR(float, 4); VECTOR(ulong, 2); VECTOR(double, 2);

static __thread uint item;
static uint group, group_size, groups;
static pthread_barrier_t everyone;

static uint get_local_id(uint axis) { return item; }
static uint get_group_id(uint axis) { return group; }
static uint get_local_size(uint axis) { return group_size; }
static uint get_num_groups(uint axis) { return groups; }
static uint get_global_id(uint axis) { return group * group_size + item; }
static uint get_global_size(uint axis) { return groups * group_size; }
static void sync(void) { pthread_barrier_wait(&everyone); }

#define BITS(name, to, from) static to name(from value) { to bits; memcpy(&bits, &value, sizeof bits); return bits; }
BITS(as_uint, uint, float) BITS(as_float, float, uint) BITS(as_ulong, ulong, double) BITS(as_double, double, ulong)
BITS(as_ushort, ushort, half) BITS(as_half, half, ushort)

typedef void Body(void *, const void *, const void *, uint);
static struct { const char *name; Body *body; } kernels[64];
static int known;

#define KERNEL(F, O, A, B)                                                                                            \
    static void F(O *, const A *, const B *, uint);                                                                   \
    __attribute__((constructor)) static void know_##F(void) {                                                         \
        kernels[known].name = #F;                                                                                     \
        kernels[known++].body = (Body *)F;                                                                            \
    }                                                                                                                 \
    static void F(O *out, const A *a, const B *b, uint n)

static struct { Body *body; void *out, *a, *b; uint n; } call;

static void *run_item(void *number) {
    item = (uint)(ulong)number;
    call.body(call.out, call.a, call.b, call.n);
    return 0;
}

static void *read_file(const char *path, long *size) {
    FILE *file = fopen(path, "rb");
    if (!file) { perror(path); exit(2); }
    fseek(file, 0, SEEK_END);
    *size = ftell(file);
    rewind(file);
    void *bytes = malloc(*size);
    if (fread(bytes, 1, *size, file) != (size_t)*size) exit(2);
    fclose(file);
    return bytes;
}

// NAME A B OUT GROUP-SIZE GROUPS N: OUT is read, and written again.
int main(int count, char **words) {
    long size;
    if (count != 8) return 2;
    for (int i = 0; i < known; i++)
        if (!strcmp(kernels[i].name, words[1])) call.body = kernels[i].body;
    if (!call.body) return 3;
    call.a = read_file(words[2], &size);
    call.b = read_file(words[3], &size);
    call.out = read_file(words[4], &size);
    group_size = atoi(words[5]), groups = atoi(words[6]), call.n = atoi(words[7]);
    pthread_t threads[1024];
    pthread_barrier_init(&everyone, 0, group_size);
    for (group = 0; group < groups; group++) {
        for (ulong i = 0; i < group_size; i++) pthread_create(&threads[i], 0, run_item, (void *)i);
        for (ulong i = 0; i < group_size; i++) pthread_join(threads[i], 0);
    }
    FILE *file = fopen(words[4], "wb");
    return fwrite(call.out, 1, size, file) == (size_t)size && !fclose(file) ? 0 : 2;
}
#endif

#define ID get_global_id(0)
