// Functions for random expressions: every one of them is defined for all values, and none shows a NaN's sign or payload.
#pragma once
#include "kernel.h"
#ifdef __AMDGCN__
typedef unsigned long ulong;
#endif

#define SAME(S, T) static inline T is_##S(T x) { return x; } \
    static inline T select_##S(uint condition, T x, T y) { return condition & 1 ? x : y; }
SAME(i32, int) SAME(u32, uint) SAME(i64, long) SAME(u64, ulong) SAME(f32, float) SAME(f64, double)

// The same value, of which compilers know nothing.
#ifdef __AMDGCN__
#define REGISTER(HOST) "+v"
#else
#define REGISTER(HOST) HOST
#endif
#define UNKNOWN(S, T, HOST) static inline T unknown_##S(T x) { __asm__("" : REGISTER(HOST)(x)); return x; }
UNKNOWN(i32, int, "+r") UNKNOWN(u32, uint, "+r") UNKNOWN(i64, long, "+r") UNKNOWN(u64, ulong, "+r")
UNKNOWN(f32, float, "+x") UNKNOWN(f64, double, "+x")

// Arithmetic of a type T by way of its unsigned type U, so that sums wrap.
// Quotients are of unknown numbers: clang 19 errs in unsigned ones of 64 bits that it knows to be small negative ones.
#define INTEGER(S, T, U, BITS)                                                                                        \
    static inline T add_##S(T x, T y) { return (T)((U)x + (U)y); }                                                    \
    static inline T sub_##S(T x, T y) { return (T)((U)x - (U)y); }                                                    \
    static inline T mul_##S(T x, T y) { return (T)((U)x * (U)y); }                                                    \
    static inline T neg_##S(T x) { return (T)-(U)x; }                                                                 \
    static inline T not_##S(T x) { return ~x; }                                                                       \
    static inline T and_##S(T x, T y) { return x & y; }                                                               \
    static inline T or_##S(T x, T y) { return x | y; }                                                                \
    static inline T xor_##S(T x, T y) { return x ^ y; }                                                               \
    static inline T shl_##S(T x, uint y) { return (T)((U)x << (y & (BITS - 1))); }                                    \
    static inline T shr_##S(T x, uint y) { return x >> (y & (BITS - 1)); }                                            \
    static inline T rotate_##S(T x, uint y) {                                                                         \
        return (T)((U)x << (y & (BITS - 1)) | (U)x >> (-y & (BITS - 1)));                                             \
    }                                                                                                                 \
    static inline T field_##S(T x, uint y) { return (T)((U)x >> (y & 15)) & (((T)1 << (y >> 4 & 15)) - 1); }          \
    static inline T min_##S(T x, T y) { return x < y ? x : y; }                                                       \
    static inline T max_##S(T x, T y) { return x > y ? x : y; }                                                       \
    static inline T less_##S(T x, T y) { return x < y; }                                                              \
    static inline T equal_##S(T x, T y) { return x == y; }                                                            \
    static inline T carry_##S(T x, T y) { return (U)x + (U)y < (U)x; }                                                \
    static inline T div_##S(T x, T y) { return (U)y + 1 <= 1 ? neg_##S(x) : unknown_##S(x) / unknown_##S(y); }        \
    static inline T rem_##S(T x, T y) { return (U)y + 1 <= 1 ? y : unknown_##S(x) % unknown_##S(y); }                 \
    static inline T byte_##S(T x) { return (signed char)x; }                                                          \
    static inline T short_##S(T x) { return (short)x; }                                                               \
    static inline T less_f32_##S(float x, float y) { return x < y; }                                                  \
    static inline T less_f64_##S(double x, double y) { return x < y; }                                                \
    static inline T equal_f32_##S(float x, float y) { return x == y; }                                                \
    static inline T equal_f64_##S(double x, double y) { return x == y; }                                              \
    static inline T unordered_f32_##S(float x, float y) { return __builtin_isunordered(x, y); }                       \
    static inline T not_above_f64_##S(double x, double y) { return !(x > y); }                                        \
    static inline T from_i32_##S(int x) { return (T)x; }                                                              \
    static inline T from_u32_##S(uint x) { return (T)x; }                                                             \
    static inline T from_i64_##S(long x) { return (T)x; }                                                             \
    static inline T from_u64_##S(ulong x) { return (T)x; }
INTEGER(i32, int, uint, 32) INTEGER(u32, uint, uint, 32) INTEGER(i64, long, ulong, 64) INTEGER(u64, ulong, ulong, 64)

#define COUNTS(S, T, U, L, BITS)                                                                                      \
    static inline T ones_##S(T x) { return __builtin_popcount##L((U)x); }                                             \
    static inline T zeros_above_##S(T x) { return x ? __builtin_clz##L((U)x) : BITS; }                                \
    static inline T zeros_below_##S(T x) { return x ? __builtin_ctz##L((U)x) : BITS; }                                \
    static inline T reversed_##S(T x) { return (T)__builtin_bitreverse##BITS((U)x); }                                 \
    static inline T swapped_##S(T x) { return (T)__builtin_bswap##BITS((U)x); }
COUNTS(i32, int, uint, , 32) COUNTS(u32, uint, uint, , 32) COUNTS(i64, long, ulong, l, 64) COUNTS(u64, ulong, ulong, l, 64)

// Numbers that are in range after truncation; others become 0.
#define TRUNCATE(S, T, LOWEST, ABOVE)                                                                                 \
    static inline T from_f32_##S(float x) { return x LOWEST##f && x < ABOVE##f ? (T)x : 0; }                          \
    static inline T from_f64_##S(double x) { return x LOWEST && x < ABOVE ? (T)x : 0; }
TRUNCATE(i32, int, >= -2147483648.0, 2147483648.0)
TRUNCATE(u32, uint, > -1.0, 4294967296.0)
TRUNCATE(i64, long, >= -9223372036854775808.0, 9223372036854775808.0)
TRUNCATE(u64, ulong, > -1.0, 18446744073709551616.0)

// A zero that compilers do not know: clang 19 takes `0 - x` for `-x` where an instruction can negate its sources.
#define ZERO(S, T) static inline T zero_##S(void) { return unknown_##S(0); }
ZERO(f32, float) ZERO(f64, double)

// A sum with zero is neither signalling nor -0: so minimum and maximum are the same wherever they are taken.
#define FLOAT(S, T, F)                                                                                                \
    static inline T add_##S(T x, T y) { return x + zero_##S() + y; }                                                  \
    static inline T sub_##S(T x, T y) { return x + zero_##S() - y; }                                                  \
    static inline T mul_##S(T x, T y) { return x * y; }                                                               \
    static inline T div_##S(T x, T y) { return x / y; }                                                               \
    static inline T fma_##S(T x, T y, T z) { return __builtin_fma##F(x, y, z + zero_##S()); }                         \
    static inline T min_##S(T x, T y) { return __builtin_fmin##F(x + zero_##S(), y + zero_##S()); }                   \
    static inline T max_##S(T x, T y) { return __builtin_fmax##F(x + zero_##S(), y + zero_##S()); }                   \
    static inline T neg_##S(T x) { return -x; }                                                                       \
    static inline T abs_##S(T x) { return __builtin_fabs##F(x); }                                                     \
    static inline T sqrt_##S(T x) { return __builtin_sqrt##F(x); }                                                    \
    static inline T floor_##S(T x) { return __builtin_floor##F(x); }                                                  \
    static inline T ceil_##S(T x) { return __builtin_ceil##F(x); }                                                    \
    static inline T trunc_##S(T x) { return __builtin_trunc##F(x); }                                                  \
    static inline T rint_##S(T x) { return __builtin_rint##F(x); }                                                    \
    static inline T from_i32_##S(int x) { return (T)x; }                                                              \
    static inline T from_u32_##S(uint x) { return (T)x; }                                                             \
    static inline T from_i64_##S(long x) { return (T)x; }                                                             \
    static inline T from_u64_##S(ulong x) { return (T)x; }                                                            \
    static inline T from_f32_##S(float x) { return (T)x; }                                                            \
    static inline T from_f64_##S(double x) { return (T)x; }
FLOAT(f32, float, f) FLOAT(f64, double, )

#define COPY(S, T, FROM) static inline T S(FROM x) { T bits; __builtin_memcpy(&bits, &x, sizeof bits); return bits; }
COPY(bits_f32, float, uint) COPY(bits_f64, double, ulong) COPY(word_of, uint, float) COPY(long_of, ulong, double)
static inline uint bits_u32(float x) { return x != x ? 0x7fc00000 : word_of(x); }
static inline int bits_i32(float x) { return (int)bits_u32(x); }
static inline ulong bits_u64(double x) { return x != x ? 0x7ff8000000000000 : long_of(x); }
static inline long bits_i64(double x) { return (long)bits_u64(x); }

#define STORE(S, T, V) static inline ulong store_##S(T x) { return V; }
STORE(i32, int, (uint)x) STORE(u32, uint, x) STORE(i64, long, (ulong)x) STORE(u64, ulong, x)
STORE(f32, float, word_of(x)) STORE(f64, double, long_of(x))
