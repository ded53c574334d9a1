// Two GPUs: each has its own memory, copies go between them, and a kernel reads what its peer has.
#include "check.hpp"

__global__ void plus(const int *from, int *to, int add) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[i] + add;
}

int main() {
    const int count = 1 << 16;
    const size_t bytes = count * sizeof(int);
    int gpus, can = 0, *first, *second;
    OK(hipGetDeviceCount(&gpus));
    CHECK(gpus == 2);
    std::vector<int> host(count), back(count);
    for (int i = 0; i < count; i++) host[i] = i * 7;
    OK(hipSetDevice(0));
    OK(hipMalloc(&first, bytes));
    OK(hipMemcpy(first, host.data(), bytes, hipMemcpyHostToDevice));
    OK(hipSetDevice(1));
    OK(hipMalloc(&second, bytes));
    OK(hipMemcpyPeer(second, 1, first, 0, bytes));
    plus<<<count / 256, 256>>>(second, second, 1);
    OK(hipMemcpy(back.data(), second, bytes, hipMemcpyDeviceToHost));
    for (int i = 0; i < count; i++) CHECK(back[i] == host[i] + 1);
    OK(hipDeviceCanAccessPeer(&can, 1, 0));
    CHECK(can == 1);
    OK(hipDeviceEnablePeerAccess(0, 0));
    plus<<<count / 256, 256>>>(first, second, 2);
    OK(hipMemcpy(back.data(), second, bytes, hipMemcpyDeviceToHost));
    for (int i = 0; i < count; i++) CHECK(back[i] == host[i] + 2);
    OK(hipFree(second));
    OK(hipSetDevice(0));
    OK(hipFree(first));
}
