// Fault rules, given through the library's control interface: a doorbell that is not heard, a completion that is late
// and one that is held, a copy whose end is held.
#define _GNU_SOURCE
#include "hsa.h"
#include <dlfcn.h>

enum { DOORBELL = 7, COMPLETION_EVENT = 8, SDMA = 10 };
enum { HANG = 2, DELAY = 3 };

static int (*inject)(uint32_t point, uint32_t skip, uint32_t times, uint32_t verdict, uint64_t nanoseconds);
static int (*heal)(void);

static void *control(const char *name) {
    void *function = dlvsym(RTLD_DEFAULT, name, "KREPLAY_1");
    CHECK(function);
    return function;
}

static void *host(size_t bytes) {
    void *memory;
    OK(hsa_amd_memory_pool_allocate(fine_pool, bytes, 0, &memory));
    OK(hsa_amd_agents_allow_access(1, gpus, NULL, memory));
    return memory;
}

// A descriptor of a kernel that ends at once, and its code 256 bytes behind.
static uint64_t kernel(void) {
    char *memory = host(4096);
    memset(memory, 0, 4096);
    *(uint64_t *)(memory + 16) = 256;
    *(uint32_t *)(memory + 256) = 0xbf810000;
    return (uint64_t)memory;
}

static void submit_kernel(hsa_queue_t *queue, hsa_signal_t completion) {
    hsa_kernel_dispatch_packet_t packet = {
        .header = HSA_PACKET_TYPE_KERNEL_DISPATCH, .setup = 1, .workgroup_size_x = 64, .workgroup_size_y = 1,
        .workgroup_size_z = 1, .grid_size_x = 64, .grid_size_y = 1, .grid_size_z = 1,
        .kernel_object = kernel(), .completion_signal = completion};
    submit(queue, &packet);
}

static void is_held_until_it_is_healed(hsa_signal_t done) {
    usleep(50000);
    CHECK(hsa_signal_load_relaxed(done) == 1);
    CHECK(heal() == 0);
    await(done);
}

static double called_at;

static bool handler(hsa_signal_value_t value, void *unused) {
    double now = seconds(CLOCK_MONOTONIC);
    __atomic_store(&called_at, &now, __ATOMIC_RELEASE);
    return false;
}

static void a_doorbell_is_not_heard(hsa_queue_t *queue) {
    hsa_signal_t done = signal_of(1);
    CHECK(inject(DOORBELL, 0, 1, HANG, 0) == 0);
    submit_barrier(queue, HSA_PACKET_TYPE_BARRIER_AND, 0, NULL, done);
    is_held_until_it_is_healed(done);
}

static void a_completion_is_late(hsa_queue_t *queue) {
    hsa_signal_t done = signal_of(1);
    CHECK(inject(COMPLETION_EVENT, 0, 1, DELAY, 200000000) == 0);
    OK(hsa_amd_signal_async_handler(done, HSA_SIGNAL_CONDITION_EQ, 0, handler, NULL));
    double before = seconds(CLOCK_MONOTONIC), called = 0;
    submit_kernel(queue, done);
    for (int i = 0; i < 5000 && called == 0; i++, __atomic_load(&called_at, &called, __ATOMIC_ACQUIRE)) usleep(1000);
    CHECK(called - before >= 0.2);
}

static void a_completion_is_held(hsa_queue_t *queue) {
    hsa_signal_t done = signal_of(1), next = signal_of(1);
    CHECK(inject(COMPLETION_EVENT, 0, 1, HANG, 0) == 0);
    submit_kernel(queue, done);
    submit_kernel(queue, next);
    await(next);
    is_held_until_it_is_healed(done);
}

static void a_copy_does_not_end(void) {
    uint32_t *from = host(1 << 20), *to = host(1 << 20);
    hsa_signal_t done = signal_of(1);
    *from = 5;
    CHECK(inject(SDMA, 0, 1, HANG, 0) == 0);
    OK(hsa_amd_memory_async_copy(to, gpus[0], from, cpu, 1 << 20, 0, NULL, done));
    is_held_until_it_is_healed(done);
    CHECK(*to == 5);
}

int main(void) {
    inject = control("kreplay_fault_inject");
    heal = control("kreplay_fault_heal");
    CHECK(inject(DOORBELL, 0, 1, HANG, 0) != 0);
    start();
    CHECK(inject(0, 0, 1, HANG, 0) != 0);
    hsa_queue_t *queue = queue_of(64, NULL, NULL);
    a_doorbell_is_not_heard(queue);
    a_completion_is_late(queue);
    a_completion_is_held(queue);
    a_copy_does_not_end();
    OK(hsa_queue_destroy(queue));
    stop();
}
