// What the HIP programs share: every call must succeed, and a program that finds a wrong value says where.
#pragma once
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define OK(call)                                                                                            \
    do {                                                                                                    \
        hipError_t status = (call);                                                                         \
        if (status != hipSuccess) {                                                                         \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, hipGetErrorName(status));         \
            exit(1);                                                                                        \
        }                                                                                                   \
    } while (0)

#define CHECK(condition)                                                                                    \
    do {                                                                                                    \
        if (!(condition)) {                                                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                 \
            exit(1);                                                                                        \
        }                                                                                                   \
    } while (0)

// Device memory that is freed at the end of its scope.
template <typename T>
struct Buffer {
    T *data;
    size_t count;
    explicit Buffer(size_t count) : count(count) { OK(hipMalloc(&data, count * sizeof(T))); }
    explicit Buffer(const std::vector<T> &from) : Buffer(from.size()) {
        OK(hipMemcpy(data, from.data(), count * sizeof(T), hipMemcpyHostToDevice));
    }
    Buffer(const Buffer &) = delete;
    ~Buffer() { OK(hipFree(data)); }
    std::vector<T> host() const {
        std::vector<T> to(count);
        OK(hipMemcpy(to.data(), data, count * sizeof(T), hipMemcpyDeviceToHost));
        return to;
    }
};
