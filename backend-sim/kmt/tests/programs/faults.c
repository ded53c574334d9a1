// Packets that no queue executes stop their queue and no other; memory faults are reported with their address.
#include "hsa.h"

static hsa_status_t told;
static uint64_t fault_address, fault_reason;
static hsa_agent_t fault_agent;

static void on_error(hsa_status_t status, hsa_queue_t *queue, void *data) {
    __atomic_store_n(&told, status, __ATOMIC_RELEASE);
}

static hsa_status_t on_event(const hsa_amd_event_t *event, void *data) {
    CHECK(event->event_type == HSA_AMD_GPU_MEMORY_FAULT_EVENT);
    fault_agent = event->memory_fault.agent;
    fault_reason = event->memory_fault.fault_reason_mask;
    __atomic_store_n(&fault_address, event->memory_fault.virtual_address, __ATOMIC_RELEASE);
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t what_stops(const void *packet) {
    told = HSA_STATUS_SUCCESS;
    hsa_queue_t *queue = queue_of(64, on_error, NULL);
    submit(queue, packet);
    for (int i = 0; i < 5000 && !__atomic_load_n(&told, __ATOMIC_ACQUIRE); i++) usleep(1000);
    hsa_signal_t done = signal_of(1);
    submit_barrier(queue, HSA_PACKET_TYPE_BARRIER_AND, 0, NULL, done);
    usleep(5000);
    CHECK(hsa_signal_load_relaxed(done) == 1);
    OK(hsa_queue_destroy(queue));
    return told;
}

static void packets_that_are_wrong_stop_their_queue(void) {
    hsa_queue_t *good = queue_of(64, on_error, NULL);
    uint32_t agent_dispatch[16] = {HSA_PACKET_TYPE_AGENT_DISPATCH}, vendor[16] = {9 << 16};
    CHECK(what_stops(agent_dispatch) == HSA_STATUS_ERROR_INVALID_PACKET_FORMAT);
    CHECK(what_stops(vendor) == HSA_STATUS_ERROR_INVALID_PACKET_FORMAT);
    hsa_kernel_dispatch_packet_t dispatch = {
        .header = HSA_PACKET_TYPE_KERNEL_DISPATCH, .setup = 1, .workgroup_size_x = 64, .workgroup_size_y = 1,
        .workgroup_size_z = 1, .grid_size_x = 64, .grid_size_y = 1};
    CHECK(what_stops(&dispatch) == HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
    dispatch.grid_size_z = 1;
    dispatch.workgroup_size_x = 2048;
    CHECK(what_stops(&dispatch) == HSA_STATUS_ERROR_INVALID_ARGUMENT);
    hsa_signal_t done = signal_of(1);
    submit_barrier(good, HSA_PACKET_TYPE_BARRIER_AND, 0, NULL, done);
    await(done);
    OK(hsa_queue_destroy(good));
}

static void a_copy_to_nowhere_is_a_memory_fault(void) {
    void *from;
    OK(hsa_amd_memory_pool_allocate(fine_pool, 4096, 0, &from));
    OK(hsa_amd_agents_allow_access(1, gpus, NULL, from));
    OK(hsa_amd_register_system_event_handler(on_event, NULL));
    hsa_signal_t done = signal_of(1);
    OK(hsa_amd_memory_async_copy((void *)0x7000, gpus[0], from, cpu, 4096, 0, NULL, done));
    for (int i = 0; i < 5000 && !__atomic_load_n(&fault_address, __ATOMIC_ACQUIRE); i++) usleep(1000);
    CHECK(fault_address == 0x7000);
    CHECK(fault_reason == HSA_AMD_MEMORY_FAULT_PAGE_NOT_PRESENT);
    CHECK(fault_agent.handle == gpus[0].handle);
    CHECK(hsa_signal_load_relaxed(done) == 1);
}

int main(void) {
    start();
    packets_that_are_wrong_stop_their_queue();
    a_copy_to_nowhere_is_a_memory_fault();
    stop();
}
