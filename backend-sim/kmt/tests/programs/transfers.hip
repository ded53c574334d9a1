// hipMemset and hipMemcpy in every direction, of 1 byte to 64 MiB, at odd places, and of boxes.
#include "check.hpp"

#include <cstring>

static void fill(std::vector<unsigned char> &bytes, unsigned seed) {
    for (auto &byte : bytes) byte = (seed = seed * 1664525 + 1013904223) >> 24;
}

// Host to device, device to device, device to host: what arrives is what was sent, and nothing beside it.
static void round_trip(size_t bytes, size_t offset, size_t to_offset, unsigned char *pinned) {
    std::vector<unsigned char> from(bytes), to(bytes + 2);
    fill(from, bytes);
    Buffer<unsigned char> one(bytes + 64), other(bytes + 64);
    OK(hipMemset(other.data, 0x5a, bytes + 64));
    OK(hipMemcpy(one.data + offset, from.data(), bytes, hipMemcpyHostToDevice));
    OK(hipMemcpy(other.data + to_offset, one.data + offset, bytes, hipMemcpyDeviceToDevice));
    OK(hipMemcpy(to.data(), other.data + to_offset - 1, bytes + 2, hipMemcpyDeviceToHost));
    CHECK(to[0] == 0x5a && to[bytes + 1] == 0x5a);
    CHECK(memcmp(to.data() + 1, from.data(), bytes) == 0);
    if (!pinned) return;
    memset(pinned, 0, bytes);
    OK(hipMemcpy(pinned, other.data + to_offset, bytes, hipMemcpyDefault));
    CHECK(memcmp(pinned, from.data(), bytes) == 0);
    OK(hipMemcpy(one.data, pinned, bytes, hipMemcpyDefault));
    CHECK(memcmp(one.host().data(), from.data(), bytes) == 0);
}

static void fills(size_t count) {
    Buffer<unsigned> words(count);
    OK(hipMemset(words.data, 0xab, count * 4));
    for (unsigned word : words.host()) CHECK(word == 0xabababab);
    OK(hipMemsetD32(words.data, 0x12345678, count));
    for (unsigned word : words.host()) CHECK(word == 0x12345678);
    OK(hipMemset(reinterpret_cast<char *>(words.data) + 1, 0, count * 4 - 2));
    std::vector<unsigned> edges = words.host();
    CHECK((edges[0] & 0xff) == 0x78 && edges[count - 1] >> 24 == 0x12);
}

static void boxes() {
    const size_t width = 100, height = 33, pitch = 160;
    std::vector<unsigned char> from(width * height), to(width * height);
    fill(from, 5);
    Buffer<unsigned char> one(pitch * height), other(pitch * height);
    OK(hipMemcpy2D(one.data, pitch, from.data(), width, width, height, hipMemcpyHostToDevice));
    OK(hipMemcpy2D(other.data, pitch, one.data, pitch, width, height, hipMemcpyDeviceToDevice));
    OK(hipMemcpy2D(to.data(), width, other.data, pitch, width, height, hipMemcpyDeviceToHost));
    CHECK(from == to);
}

int main() {
    unsigned char *pinned;
    OK(hipHostMalloc(&pinned, 1 << 20, 0));
    for (size_t bytes : {1, 2, 3, 7, 64, 255, 4096, 65537, 1 << 20}) round_trip(bytes, bytes % 5, 17, pinned);
    OK(hipHostFree(pinned));
    round_trip(64 << 20, 0, 32, nullptr);
    fills(16);
    fills(70001);
    boxes();
}
