// Barrier packets wait for what they name, run in order, free their slots and tell their signals.
#include "hsa.h"

static const hsa_signal_t NONE;

static void barrier_and_waits_for_all(hsa_queue_t *queue) {
    hsa_signal_t dependencies[] = {signal_of(1), signal_of(1)}, done = signal_of(1);
    uint64_t index = submit_barrier(queue, HSA_PACKET_TYPE_BARRIER_AND, 2, dependencies, done);
    hsa_signal_store_relaxed(dependencies[0], 0);
    usleep(20000);
    CHECK(hsa_signal_load_relaxed(done) == 1);
    CHECK(hsa_queue_load_read_index_scacquire(queue) == index);
    hsa_signal_store_relaxed(dependencies[1], 0);
    await(done);
    CHECK(hsa_queue_load_read_index_scacquire(queue) == index + 1);
    uint16_t *header = (uint16_t *)((char *)queue->base_address + index % queue->size * 64);
    CHECK((*header & 0xff) == HSA_PACKET_TYPE_INVALID);
}

static void barrier_or_waits_for_one(hsa_queue_t *queue) {
    hsa_signal_t dependencies[] = {signal_of(1), signal_of(1)}, done = signal_of(1);
    submit_barrier(queue, HSA_PACKET_TYPE_BARRIER_OR, 2, dependencies, done);
    usleep(20000);
    CHECK(hsa_signal_load_relaxed(done) == 1);
    hsa_signal_store_relaxed(dependencies[1], 0);
    await(done);
}

static void barriers_without_dependencies_pass(hsa_queue_t *queue) {
    hsa_signal_t done = signal_of(2);
    submit_barrier(queue, HSA_PACKET_TYPE_BARRIER_AND, 0, NULL, done);
    submit_barrier(queue, HSA_PACKET_TYPE_BARRIER_OR, 0, NULL, done);
    await(done);
}

static void more_packets_than_slots_run_in_order(hsa_queue_t *queue) {
    hsa_signal_t gate = signal_of(1), done = signal_of(1);
    submit_barrier(queue, HSA_PACKET_TYPE_BARRIER_AND, 1, &gate, NONE);
    hsa_signal_store_relaxed(gate, 0);
    for (uint32_t i = 0; i < 4 * queue->size; i++) submit_barrier(queue, HSA_PACKET_TYPE_BARRIER_AND, 0, NULL, NONE);
    uint64_t last = submit_barrier(queue, HSA_PACKET_TYPE_BARRIER_AND, 0, NULL, done);
    await(done);
    CHECK(hsa_queue_load_read_index_scacquire(queue) == last + 1);
}

static void queues_wait_for_each_other(hsa_queue_t *queue) {
    hsa_queue_t *other = queue_of(64, NULL, NULL);
    hsa_signal_t first = signal_of(1), second = signal_of(1), third = signal_of(1);
    submit_barrier(queue, HSA_PACKET_TYPE_BARRIER_AND, 1, &second, third);
    submit_barrier(other, HSA_PACKET_TYPE_BARRIER_AND, 1, &first, second);
    hsa_signal_store_relaxed(first, 0);
    await(third);
    OK(hsa_queue_destroy(other));
}

static bool handler(hsa_signal_value_t value, void *called) {
    __atomic_store_n((int *)called, value == 0, __ATOMIC_RELEASE);
    return false;
}

static void handlers_are_called(hsa_queue_t *queue) {
    int called = 0;
    hsa_signal_t done = signal_of(1);
    OK(hsa_amd_signal_async_handler(done, HSA_SIGNAL_CONDITION_EQ, 0, handler, &called));
    submit_barrier(queue, HSA_PACKET_TYPE_BARRIER_AND, 0, NULL, done);
    for (int i = 0; i < 5000 && !__atomic_load_n(&called, __ATOMIC_ACQUIRE); i++) usleep(1000);
    CHECK(called);
}

static void packets_are_timed(hsa_queue_t *queue) {
    OK(hsa_amd_profiling_set_profiler_enabled(queue, 1));
    uint64_t before, released, after;
    hsa_amd_profiling_dispatch_time_t ran;
    hsa_signal_t gate = signal_of(1), done = signal_of(1);
    OK(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &before));
    submit_barrier(queue, HSA_PACKET_TYPE_BARRIER_AND, 1, &gate, done);
    usleep(2000);
    OK(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &released));
    hsa_signal_store_relaxed(gate, 0);
    await(done);
    OK(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &after));
    OK(hsa_amd_profiling_get_dispatch_time(gpus[0], done, &ran));
    CHECK(before <= ran.start && ran.start <= ran.end && released <= ran.end && ran.end <= after);
}

static void a_queue_with_a_barrier_that_waits_can_be_destroyed(void) {
    hsa_queue_t *queue = queue_of(64, NULL, NULL);
    hsa_signal_t never = signal_of(1);
    submit_barrier(queue, HSA_PACKET_TYPE_BARRIER_AND, 1, &never, NONE);
    usleep(5000);
    OK(hsa_queue_destroy(queue));
}

int main(void) {
    start();
    hsa_queue_t *queue = queue_of(64, NULL, NULL);
    barrier_and_waits_for_all(queue);
    barrier_or_waits_for_one(queue);
    barriers_without_dependencies_pass(queue);
    more_packets_than_slots_run_in_order(queue);
    queues_wait_for_each_other(queue);
    handlers_are_called(queue);
    packets_are_timed(queue);
    a_queue_with_a_barrier_that_waits_can_be_destroyed();
    OK(hsa_queue_destroy(queue));
    stop();
}
