// Sums: in LDS, then by one atomic a workgroup; and by atomics of every kind on one word.
#include "check.hpp"

const int COUNT = 100003, GROUP = 256;

__global__ void sum(const unsigned *in, unsigned long long *out) {
    __shared__ unsigned long long part[GROUP];
    unsigned long long mine = 0;
    for (int i = blockIdx.x * GROUP + threadIdx.x; i < COUNT; i += gridDim.x * GROUP) mine += in[i];
    part[threadIdx.x] = mine;
    for (int half = GROUP / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (threadIdx.x == 0) atomicAdd(out, part[0]);
}

struct Results {
    unsigned sum, least, most, all, any, odd, swapped;
    int low;
    float real;
    double exact;
};

__global__ void atomics(const unsigned *in, Results *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= COUNT) return;
    atomicAdd(&out->sum, in[i]);
    atomicMin(&out->least, in[i]);
    atomicMax(&out->most, in[i]);
    atomicAnd(&out->all, in[i] | 0xff);
    atomicOr(&out->any, in[i]);
    atomicXor(&out->odd, in[i]);
    atomicMin(&out->low, -int(in[i] >> 1));
    atomicAdd(&out->real, 1.0f);
    atomicAdd(&out->exact, 0.5);
    unsigned old = out->swapped, seen;
    while ((seen = atomicCAS(&out->swapped, old, old + 1)) != old) old = seen;
}

int main() {
    std::vector<unsigned> in(COUNT);
    for (int i = 0; i < COUNT; i++) in[i] = unsigned(i) * 2654435761u;
    Results expected = {0, ~0u, 0, ~0u, 0, 0, COUNT, 0, COUNT, COUNT * 0.5};
    unsigned long long expected_sum = 0;
    for (unsigned value : in) {
        expected_sum += value;
        expected.sum += value;
        expected.least = value < expected.least ? value : expected.least;
        expected.most = value > expected.most ? value : expected.most;
        expected.all &= value | 0xff;
        expected.any |= value;
        expected.odd ^= value;
        expected.low = -int(value >> 1) < expected.low ? -int(value >> 1) : expected.low;
    }
    Buffer<unsigned> on_in(in);
    Buffer<unsigned long long> on_sum(std::vector<unsigned long long>{0});
    sum<<<40, GROUP>>>(on_in.data, on_sum.data);
    CHECK(on_sum.host()[0] == expected_sum);
    Buffer<Results> on_results(std::vector<Results>{{0, ~0u, 0, ~0u, 0, 0, 0, 0, 0, 0}});
    atomics<<<(COUNT + GROUP - 1) / GROUP, GROUP>>>(on_in.data, on_results.data);
    Results found = on_results.host()[0];
    CHECK(found.sum == expected.sum && found.least == expected.least && found.most == expected.most);
    CHECK(found.all == expected.all && found.any == expected.any && found.odd == expected.odd);
    CHECK(found.low == expected.low && found.real == expected.real && found.exact == expected.exact);
    CHECK(found.swapped == expected.swapped);
}
