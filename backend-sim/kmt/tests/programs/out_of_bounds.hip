// Stores far behind the end of a buffer: the device reports a memory fault and the runtime ends the program.
#include "check.hpp"

__global__ void beyond(int *data) { data[size_t(1) << 40] = 1; }

int main() {
    Buffer<int> data(16);
    beyond<<<1, 1>>>(data.data);
    return hipDeviceSynchronize() == hipSuccess ? 3 : 1;
}
