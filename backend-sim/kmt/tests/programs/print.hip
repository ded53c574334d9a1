// printf in a kernel, and a function called through a pointer.
#include "check.hpp"

__device__ __attribute__((noinline)) int square(int x) { return x * x; }
__device__ __attribute__((noinline)) int negate(int x) { return -x; }

__global__ void show(int which) {
    int (*function)(int) = which ? square : negate;
    printf("work-item %d: %d, %.2f, %s\n", int(threadIdx.x), function(threadIdx.x), threadIdx.x * 0.25, "text");
}

int main() {
    show<<<1, 3>>>(1);
    OK(hipDeviceSynchronize());
    show<<<1, 1>>>(0);
    OK(hipDeviceSynchronize());
}
