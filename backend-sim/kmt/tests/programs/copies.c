// SDMA copies, in a row and as boxes, behind dependencies, timed.
#include "hsa.h"

enum { BYTES = 9 << 20 };

static void *host(size_t bytes) {
    void *memory;
    OK(hsa_amd_memory_pool_allocate(fine_pool, bytes, 0, &memory));
    OK(hsa_amd_agents_allow_access(1, gpus, NULL, memory));
    return memory;
}

static void *device(size_t bytes) {
    void *memory;
    OK(hsa_amd_memory_pool_allocate(device_pool, bytes, 0, &memory));
    return memory;
}

static void bytes_survive_the_round_trip(void) {
    unsigned char *from = host(BYTES), *to = host(BYTES), *on_gpu = device(BYTES);
    for (size_t i = 0; i < BYTES; i++) from[i] = i * 31 >> 3;
    hsa_signal_t up = signal_of(1), down = signal_of(1), gate = signal_of(1);
    hsa_signal_t both[] = {gate, up};
    OK(hsa_amd_memory_async_copy(to, cpu, on_gpu, gpus[0], BYTES, 2, both, down));
    OK(hsa_amd_memory_async_copy(on_gpu, gpus[0], from, cpu, BYTES, 0, NULL, up));
    await(up);
    usleep(20000);
    CHECK(hsa_signal_load_relaxed(down) == 1);
    hsa_signal_store_relaxed(gate, 0);
    await(down);
    CHECK(memcmp(from, to, BYTES) == 0);
    OK(hsa_amd_memory_pool_free(on_gpu));
}

static void copies_are_timed(void) {
    OK(hsa_amd_profiling_async_copy_enable(true));
    void *from = host(BYTES), *to = device(BYTES);
    uint64_t before, after;
    hsa_signal_t done = signal_of(1);
    hsa_amd_profiling_async_copy_time_t ran;
    OK(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &before));
    OK(hsa_amd_memory_async_copy(to, gpus[0], from, cpu, BYTES, 0, NULL, done));
    await(done);
    OK(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &after));
    OK(hsa_amd_profiling_get_async_copy_time(done, &ran));
    CHECK(before <= ran.start && ran.start < ran.end && ran.end <= after);
    OK(hsa_amd_profiling_async_copy_enable(false));
}

static void a_box_lands_where_it_should(void) {
    enum { PITCH = 64, ROWS = 8, SLICE = PITCH * ROWS, SLICES = 4, SIZE = SLICE * SLICES };
    unsigned char *from = host(SIZE), *to = device(SIZE), *back = host(SIZE);
    for (int i = 0; i < SIZE; i++) from[i] = i * 7 + i / 256;
    memset(back, 0xee, SIZE);
    hsa_pitched_ptr_t source = {from, PITCH, SLICE}, target = {to, PITCH, SLICE}, image = {back, PITCH, SLICE};
    hsa_dim3_t at = {3, 2, 1}, there = {5, 1, 0}, range = {21, 4, 2}, zero = {0, 0, 0};
    hsa_signal_t done = signal_of(1);
    hsa_dim3_t all = {PITCH, ROWS, SLICES};
    hsa_pitched_ptr_t clean = {back, PITCH, SLICE};
    OK(hsa_amd_memory_async_copy_rect(&target, &zero, &clean, &zero, &all, gpus[0], hsaHostToDevice, 0, NULL, done));
    await(done);
    hsa_signal_store_relaxed(done, 1);
    OK(hsa_amd_memory_async_copy_rect(&target, &there, &source, &at, &range, gpus[0], hsaHostToDevice, 0, NULL, done));
    await(done);
    hsa_signal_store_relaxed(done, 1);
    OK(hsa_amd_memory_async_copy_rect(&image, &zero, &target, &zero, &all, gpus[0], hsaDeviceToHost, 0, NULL, done));
    await(done);
    for (int z = 0; z < SLICES; z++)
        for (int y = 0; y < ROWS; y++)
            for (int x = 0; x < PITCH; x++) {
                int in = x >= 5 && x < 26 && y >= 1 && y < 5 && z < 2;
                int expected = in ? from[(z + 1) * SLICE + (y + 1) * PITCH + x - 2] : 0xee;
                CHECK(back[z * SLICE + y * PITCH + x] == expected);
            }
}

static void memory_of_the_application_can_be_copied(void) {
    char *from = malloc(100000), *to = calloc(1, 100000);
    void *from_gpu, *to_gpu, *on_gpu = device(100000);
    memset(from, 0x5a, 100000);
    OK(hsa_amd_memory_lock(from, 100000, NULL, 0, &from_gpu));
    OK(hsa_amd_memory_lock(to, 100000, NULL, 0, &to_gpu));
    hsa_signal_t done = signal_of(1);
    OK(hsa_amd_memory_async_copy(on_gpu, gpus[0], from_gpu, cpu, 100000, 0, NULL, done));
    await(done);
    hsa_signal_store_relaxed(done, 1);
    OK(hsa_amd_memory_async_copy(to_gpu, cpu, on_gpu, gpus[0], 100000, 0, NULL, done));
    await(done);
    CHECK(memcmp(from, to, 100000) == 0);
    OK(hsa_amd_memory_unlock(from));
    OK(hsa_amd_memory_unlock(to));
}

static void many_small_copies_wrap_the_ring(void) {
    enum { COPIES = 20000 };
    unsigned *from = host(4 * COPIES), *to = device(4 * COPIES), *back = host(4 * COPIES);
    hsa_signal_t done = signal_of(COPIES);
    for (unsigned i = 0; i < COPIES; i++) {
        from[i] = i;
        OK(hsa_amd_memory_async_copy(&to[i], gpus[0], &from[i], cpu, 4, 0, NULL, done));
    }
    await(done);
    hsa_signal_store_relaxed(done, 1);
    OK(hsa_amd_memory_async_copy(back, cpu, to, gpus[0], 4 * COPIES, 0, NULL, done));
    await(done);
    CHECK(memcmp(from, back, 4 * COPIES) == 0);
}

int main(void) {
    start();
    bytes_survive_the_round_trip();
    copies_are_timed();
    a_box_lands_where_it_should();
    memory_of_the_application_can_be_copied();
    many_small_copies_wrap_the_ring();
    stop();
}
