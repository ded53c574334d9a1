// y = a * x + y in place, many times over, and a counter in device memory that counts the work-items.
#include "check.hpp"

__device__ unsigned runs;

__global__ void saxpy(float a, const float *x, float *y, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    y[i] = fmaf(a, x[i], y[i]);
    atomicAdd(&runs, 1);
}

int main() {
    const int count = 10007, times = 5;
    std::vector<float> x(count), y(count);
    for (int i = 0; i < count; i++) x[i] = 0.1f * i, y[i] = 1.0f / (i + 1);
    Buffer<float> on_x(x), on_y(y);
    for (int time = 0; time < times; time++) {
        saxpy<<<(count + 127) / 128, 128>>>(1.5f, on_x.data, on_y.data, count);
        OK(hipGetLastError());
        for (int i = 0; i < count; i++) y[i] = fmaf(1.5f, x[i], y[i]);
    }
    unsigned counted = 0;
    OK(hipMemcpyFromSymbol(&counted, HIP_SYMBOL(runs), sizeof counted));
    CHECK(counted == unsigned(count * times));
    CHECK(on_y.host() == y);
}
