// The kernels of the conformance suite: what each does is said where the suite declares them. Arguments are 64-bit
// words; work-item i handles element i. Nothing hidden is read: sizes come from the dispatch packet.

typedef unsigned int u32;
typedef unsigned long u64;

#define KERNEL __attribute__((amdgpu_kernel, visibility("protected"))) void
#define GLOBAL __attribute__((address_space(1)))
#define PACKET __attribute__((address_space(4)))

// Byte of a dispatch packet where the first dimension of the workgroup's size is.
enum { WORKGROUP_SIZE_X = 4 };

static u64 item(void) {
  PACKET const char *packet = (PACKET const char *)__builtin_amdgcn_dispatch_ptr();
  u64 size = *(PACKET const unsigned short *)(packet + WORKGROUP_SIZE_X);
  return __builtin_amdgcn_workgroup_id_x() * size + __builtin_amdgcn_workitem_id_x();
}

static void add_1(GLOBAL u32 *word) { __scoped_atomic_fetch_add(word, 1, __ATOMIC_RELAXED, __MEMORY_SCOPE_SYSTEM); }

KERNEL fill(GLOBAL u32 *dst, u64 value, u64 n) {
  u64 i = item();
  if (i < n) dst[i] = value;
}

KERNEL copy(GLOBAL u32 *dst, GLOBAL const u32 *src, u64 n) {
  u64 i = item();
  if (i < n) dst[i] = src[i];
}

KERNEL vector_add(GLOBAL u32 *dst, GLOBAL const u32 *a, GLOBAL const u32 *b, u64 n) {
  u64 i = item();
  if (i < n) dst[i] = a[i] + b[i];
}

KERNEL saxpy(GLOBAL u32 *y, GLOBAL const u32 *x, u64 a, u64 n, GLOBAL u32 *counter) {
  u64 i = item();
  if (i < n) y[i] = (u32)a * x[i] + y[i];
  if (__builtin_amdgcn_workitem_id_x() == 0) add_1(counter);
}

KERNEL atomic_bump(GLOBAL u32 *counter, u64 n) {
  if (item() < n) add_1(counter);
}

KERNEL spin_until(GLOBAL u32 *address, u64 value) {
  while (__scoped_atomic_load_n(address, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_SYSTEM) != (u32)value)
    __builtin_amdgcn_s_sleep(1);
}

KERNEL out_of_range(GLOBAL u32 *dst, u64 n) {
  if (item() == 0) dst[n] = ~0u;
}

KERNEL forever(void) {
  for (;;) __builtin_amdgcn_s_sleep(127);
}
