// c = a + b over 1,048,576 floats.
#include "check.hpp"

__global__ void add(const float *a, const float *b, float *c, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) c[i] = a[i] + b[i];
}

int main() {
    const int count = 1 << 20;
    std::vector<float> a(count), b(count);
    for (int i = 0; i < count; i++) a[i] = i * 0.5f, b[i] = 1e7f / (i + 1);
    Buffer<float> on_a(a), on_b(b), on_c(count);
    add<<<(count + 255) / 256, 256>>>(on_a.data, on_b.data, on_c.data, count);
    OK(hipDeviceSynchronize());
    std::vector<float> c = on_c.host();
    for (int i = 0; i < count; i++) CHECK(c[i] == a[i] + b[i]);
}
