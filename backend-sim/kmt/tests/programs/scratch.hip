// Recursion, and arrays that each work-item has for itself.
#include "check.hpp"

__device__ __attribute__((noinline)) unsigned fibonacci(unsigned n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__global__ void recursive(unsigned *out) { out[threadIdx.x] = fibonacci(threadIdx.x % 12); }

__global__ void sorts(const unsigned *in, unsigned *out, int count) {
    unsigned mine[32];
    int start = (blockIdx.x * blockDim.x + threadIdx.x) * 32;
    for (int i = 0; i < 32; i++) mine[i] = in[start + i];
    for (int i = 1; i < 32; i++)
        for (int k = i; k > 0 && mine[k - 1] > mine[k]; k--) {
            unsigned swapped = mine[k];
            mine[k] = mine[k - 1];
            mine[k - 1] = swapped;
        }
    for (int i = 0; i < 32; i++) out[start + i] = mine[i * count % 32];
}

int main() {
    Buffer<unsigned> numbers(100);
    recursive<<<1, 100>>>(numbers.data);
    std::vector<unsigned> found = numbers.host();
    unsigned expected[12] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
    for (int i = 0; i < 100; i++) CHECK(found[i] == expected[i % 12]);

    const int items = 512;
    std::vector<unsigned> in(items * 32);
    for (size_t i = 0; i < in.size(); i++) in[i] = unsigned(i) * 2654435761u;
    Buffer<unsigned> on_in(in), on_out(in.size());
    sorts<<<items / 128, 128>>>(on_in.data, on_out.data, 33);
    std::vector<unsigned> out = on_out.host();
    for (int item = 0; item < items; item++)
        for (int i = 1; i < 32; i++) CHECK(out[item * 32 + i - 1] <= out[item * 32 + i]);
}
