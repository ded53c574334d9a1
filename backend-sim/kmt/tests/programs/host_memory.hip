// Memory that host and device share: managed, pinned and registered, and a kernel that waits for the host.
#include "check.hpp"

__global__ void twice(int *data, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) data[i] *= 2;
}

__global__ void answer(volatile int *flag) {
    __hip_atomic_store(flag, 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
    while (__hip_atomic_load(flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM) != 2) __builtin_amdgcn_s_sleep(1);
    __hip_atomic_store(flag, 3, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
}

static void doubles(int *host, int *device, int count) {
    for (int i = 0; i < count; i++) host[i] = i;
    twice<<<(count + 63) / 64, 64>>>(device, count);
    OK(hipDeviceSynchronize());
    for (int i = 0; i < count; i++) CHECK(host[i] == 2 * i);
}

// Copies out of registered memory and into it, by both of its addresses.
static void copies(std::vector<int> &registered, int *device) {
    Buffer<int> buffer(registered);
    CHECK(buffer.host() == registered);
    OK(hipMemset(buffer.data, 1, buffer.count * sizeof(int)));
    OK(hipMemcpy(registered.data(), buffer.data, buffer.count * sizeof(int), hipMemcpyDeviceToHost));
    CHECK(registered.back() == 0x01010101);
    registered.assign(registered.size(), 6);
    OK(hipMemcpy(buffer.data, device, buffer.count * sizeof(int), hipMemcpyDeviceToDevice));
    CHECK(buffer.host() == registered);
}

int main() {
    const int count = 5000;
    int *managed, *pinned, *device;
    OK(hipMallocManaged(&managed, count * sizeof(int)));
    doubles(managed, managed, count);
    OK(hipFree(managed));

    OK(hipHostMalloc(&pinned, count * sizeof(int), hipHostMallocMapped));
    OK(hipHostGetDevicePointer(reinterpret_cast<void **>(&device), pinned, 0));
    doubles(pinned, device, count);

    pinned[0] = 0;
    answer<<<1, 1>>>(device);
    while (__atomic_load_n(pinned, __ATOMIC_ACQUIRE) != 1) {}
    __atomic_store_n(pinned, 2, __ATOMIC_RELEASE);
    OK(hipDeviceSynchronize());
    CHECK(pinned[0] == 3);
    OK(hipHostFree(pinned));

    std::vector<int> registered(count);
    for (int round = 0; round < 2; round++) {
        OK(hipHostRegister(registered.data(), count * sizeof(int), hipHostRegisterMapped));
        OK(hipHostGetDevicePointer(reinterpret_cast<void **>(&device), registered.data(), 0));
        CHECK(device != registered.data());
        doubles(registered.data(), device, count);
        copies(registered, device);
        OK(hipHostUnregister(registered.data()));
        CHECK(hipHostGetDevicePointer(reinterpret_cast<void **>(&device), registered.data(), 0) != hipSuccess);
    }
}
