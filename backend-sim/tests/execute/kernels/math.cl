// The library's functions: equal to the host's within a few units in the last place.
#include "kernel.h"
#ifdef __OPENCL_C_VERSION__
#define SINGLE(f) f
#else
#define SINGLE(f) (float)f
#endif

#define FUNCTION(f)                                                                                                   \
    KERNEL(f##_f32, float, float, float) {                                                                            \
        uint i = ID;                                                                                                  \
        out[i] = SINGLE(f)(a[i]);                                                                                     \
    }                                                                                                                 \
    KERNEL(f##_f64, double, double, double) {                                                                         \
        uint i = ID;                                                                                                  \
        out[i] = f(a[i]);                                                                                             \
    }

FUNCTION(sin)
FUNCTION(cos)
FUNCTION(tan)
FUNCTION(exp)
FUNCTION(log)
FUNCTION(exp2)
FUNCTION(log2)
FUNCTION(cbrt)
FUNCTION(atan)
FUNCTION(erf)
FUNCTION(tanh)

// A signalling NaN to the power of 0, and 1 to the power of a signalling NaN, are 1 on the GPU only.
KERNEL(pow_f32, float, float, float) {
    uint i = ID;
    out[i] = a[i] == a[i] && b[i] == b[i] ? SINGLE(pow)(SINGLE(fabs)(a[i]), b[i]) : 0;
}

KERNEL(pow_f64, double, double, double) {
    uint i = ID;
    out[i] = a[i] == a[i] && b[i] == b[i] ? pow(fabs(a[i]), b[i]) : 0;
}

KERNEL(fmod_f32, float, float, float) {
    uint i = ID;
    out[i] = SINGLE(fmod)(a[i], b[i]);
}

KERNEL(rsqrt_f32, float, float, float) {
    uint i = ID;
#ifdef __OPENCL_C_VERSION__
    out[i] = rsqrt(a[i]);
#else
    out[i] = (float)(1.0 / sqrt(a[i]));
#endif
}
