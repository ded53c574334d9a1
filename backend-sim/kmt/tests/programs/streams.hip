// Asynchronous copies and kernels on several streams, ordered by events, with a host function and timing.
#include "check.hpp"

const int STREAMS = 4, COUNT = 1 << 14;

__global__ void step(int *data, int add) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = data[i] * 3 + add;
}

static void note(hipStream_t, hipError_t status, void *seen) {
    if (status == hipSuccess) __atomic_fetch_add(static_cast<int *>(seen), 1, __ATOMIC_RELAXED);
}

// Each stream is a chain: copy, kernels, copy.
static void parallel_streams() {
    hipStream_t streams[STREAMS];
    int *host[STREAMS], *device[STREAMS], seen = 0;
    for (int s = 0; s < STREAMS; s++) {
        OK(hipStreamCreate(&streams[s]));
        OK(hipHostMalloc(&host[s], COUNT * sizeof(int), 0));
        OK(hipMalloc(&device[s], COUNT * sizeof(int)));
        for (int i = 0; i < COUNT; i++) host[s][i] = i + s;
    }
    for (int s = 0; s < STREAMS; s++) {
        OK(hipMemcpyAsync(device[s], host[s], COUNT * sizeof(int), hipMemcpyHostToDevice, streams[s]));
        for (int time = 0; time < 5; time++) step<<<COUNT / 256, 256, 0, streams[s]>>>(device[s], s);
        OK(hipMemcpyAsync(host[s], device[s], COUNT * sizeof(int), hipMemcpyDeviceToHost, streams[s]));
        OK(hipStreamAddCallback(streams[s], note, &seen, 0));
    }
    for (int s = 0; s < STREAMS; s++) {
        OK(hipStreamSynchronize(streams[s]));
        for (int i = 0; i < COUNT; i++) {
            int expected = i + s;
            for (int time = 0; time < 5; time++) expected = expected * 3 + s;
            CHECK(host[s][i] == expected);
        }
        OK(hipFree(device[s]));
        OK(hipHostFree(host[s]));
        OK(hipStreamDestroy(streams[s]));
    }
    CHECK(__atomic_load_n(&seen, __ATOMIC_RELAXED) == STREAMS);
}

// Two streams take turns on one buffer: only events order them.
static void events_order_streams() {
    hipStream_t streams[2];
    hipEvent_t turns[20], start, end;
    OK(hipEventCreate(&start));
    OK(hipEventCreate(&end));
    for (auto &stream : streams) OK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    Buffer<int> data(std::vector<int>(COUNT, 1));
    OK(hipEventRecord(start, streams[0]));
    for (int turn = 0; turn < 20; turn++) {
        hipStream_t stream = streams[turn % 2];
        OK(hipEventCreateWithFlags(&turns[turn], hipEventDisableTiming));
        if (turn > 0) OK(hipStreamWaitEvent(stream, turns[turn - 1], 0));
        step<<<COUNT / 256, 256, 0, stream>>>(data.data, turn);
        OK(hipEventRecord(turns[turn], stream));
    }
    OK(hipEventRecord(end, streams[1]));
    OK(hipEventSynchronize(end));
    float milliseconds = -1;
    OK(hipEventElapsedTime(&milliseconds, start, end));
    CHECK(milliseconds > 0 && milliseconds < 60000);
    unsigned expected = 1;
    for (int turn = 0; turn < 20; turn++) expected = expected * 3 + turn;
    for (int value : data.host()) CHECK(value == int(expected));
    for (auto &event : turns) OK(hipEventDestroy(event));
    for (auto &stream : streams) OK(hipStreamDestroy(stream));
}

int main() {
    parallel_streams();
    events_order_streams();
}
