// What the programs share: checks that name their place, the agents and their pools, packets.
#pragma once
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            exit(1); \
        } \
    } while (0)
#define OK(call) CHECK((call) == HSA_STATUS_SUCCESS)

static hsa_agent_t cpu, gpus[8];
static int gpu_count;
static hsa_amd_memory_pool_t device_pool, fine_pool, kernarg_pool, coarse_pool;

static hsa_status_t add_agent(hsa_agent_t agent, void *data) {
    hsa_device_type_t type;
    OK(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
    if (type == HSA_DEVICE_TYPE_GPU) gpus[gpu_count++] = agent;
    else cpu = agent;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t add_pool(hsa_amd_memory_pool_t pool, void *of_gpu) {
    hsa_amd_segment_t segment;
    uint32_t flags;
    OK(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment));
    if (segment != HSA_AMD_SEGMENT_GLOBAL) return HSA_STATUS_SUCCESS;
    OK(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags));
    if (of_gpu) device_pool = pool;
    else if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT) kernarg_pool = pool;
    else if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED) coarse_pool = pool;
    else fine_pool = pool;
    return HSA_STATUS_SUCCESS;
}

static void start(void) {
    OK(hsa_init());
    OK(hsa_iterate_agents(add_agent, NULL));
    CHECK(gpu_count >= 1);
    OK(hsa_amd_agent_iterate_memory_pools(cpu, add_pool, NULL));
    OK(hsa_amd_agent_iterate_memory_pools(gpus[0], add_pool, &gpu_count));
}

static hsa_signal_t signals[256];
static int signal_count;

static hsa_signal_t signal_of(hsa_signal_value_t value) {
    CHECK(signal_count < 256);
    OK(hsa_signal_create(value, 0, NULL, &signals[signal_count]));
    return signals[signal_count++];
}

static void stop(void) {
    while (signal_count > 0) OK(hsa_signal_destroy(signals[--signal_count]));
    OK(hsa_shut_down());
}

// Waits until a signal is 0, at most 5 s.
static void await(hsa_signal_t signal) {
    CHECK(hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_EQ, 0, 5000000000ull, HSA_WAIT_STATE_BLOCKED) == 0);
}

static hsa_queue_t *queue_of(uint32_t slots, void (*error)(hsa_status_t, hsa_queue_t *, void *), void *data) {
    hsa_queue_t *queue;
    OK(hsa_queue_create(gpus[0], slots, HSA_QUEUE_TYPE_MULTI, error, data, UINT32_MAX, UINT32_MAX, &queue));
    return queue;
}

// Puts 64 bytes into the ring, the header last, and rings the doorbell.
static uint64_t submit(hsa_queue_t *queue, const void *packet) {
    uint64_t index = hsa_queue_add_write_index_relaxed(queue, 1);
    while (index - hsa_queue_load_read_index_scacquire(queue) >= queue->size) usleep(10);
    char *slot = (char *)queue->base_address + index % queue->size * 64;
    memcpy(slot + 4, (const char *)packet + 4, 60);
    __atomic_store_n((uint32_t *)slot, *(const uint32_t *)packet, __ATOMIC_RELEASE);
    hsa_signal_store_screlease(queue->doorbell_signal, index);
    return index;
}

static uint64_t submit_barrier(hsa_queue_t *queue, int type, int count, const hsa_signal_t *dependencies,
                               hsa_signal_t completion) {
    hsa_barrier_and_packet_t packet = {.header = type, .completion_signal = completion};
    for (int i = 0; i < count; i++) packet.dep_signal[i] = dependencies[i];
    return submit(queue, &packet);
}

static double seconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}
