// A kernel that traps: the runtime reports its queue's error.
#include "check.hpp"

__global__ void trap(int *data) {
    if (data[threadIdx.x] == 0) __builtin_trap();
}

int main() {
    Buffer<int> data(std::vector<int>(64));
    trap<<<1, 64>>>(data.data);
    return hipDeviceSynchronize() == hipSuccess ? 3 : 1;
}
