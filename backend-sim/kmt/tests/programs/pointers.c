// What the runtime knows of a pointer: kind, owner, flags, size, who may access it.
#include "hsa.h"

static hsa_agent_t *accessible;
static uint32_t accessible_count;

static hsa_amd_pointer_info_t ask(void *pointer) {
    hsa_amd_pointer_info_t info = {.size = sizeof info};
    OK(hsa_amd_pointer_info(pointer, &info, malloc, &accessible_count, &accessible));
    return info;
}

static int is_accessible_to(hsa_agent_t agent) {
    for (uint32_t i = 0; i < accessible_count; i++)
        if (accessible[i].handle == agent.handle) return 1;
    return 0;
}

static void device_memory_is_the_gpus(void) {
    char *memory;
    OK(hsa_amd_memory_pool_allocate(device_pool, 3 << 20, 0, (void **)&memory));
    hsa_amd_pointer_info_t info = ask(memory + 5000);
    CHECK(info.type == HSA_EXT_POINTER_TYPE_HSA);
    CHECK(info.agentBaseAddress == memory && info.hostBaseAddress == memory && info.sizeInBytes == 3 << 20);
    CHECK(info.agentOwner.handle == gpus[0].handle);
    CHECK(info.global_flags == HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED);
    CHECK(is_accessible_to(gpus[0]));
    if (gpu_count > 1) {
        CHECK(!is_accessible_to(gpus[1]));
        OK(hsa_amd_agents_allow_access(2, gpus, NULL, memory));
        ask(memory);
        CHECK(is_accessible_to(gpus[0]) && is_accessible_to(gpus[1]));
    }
    OK(hsa_amd_memory_pool_free(memory));
}

static void host_memory_is_the_cpus(hsa_amd_memory_pool_t pool, uint32_t flags) {
    void *memory;
    OK(hsa_amd_memory_pool_allocate(pool, 8192, 0, &memory));
    hsa_amd_pointer_info_t info = ask(memory);
    CHECK(info.type == HSA_EXT_POINTER_TYPE_HSA);
    CHECK(info.agentBaseAddress == memory && info.sizeInBytes == 8192);
    CHECK(info.agentOwner.handle == cpu.handle);
    CHECK(info.global_flags == flags);
    OK(hsa_amd_memory_pool_free(memory));
    CHECK(ask(memory).type == HSA_EXT_POINTER_TYPE_UNKNOWN);
}

static void locked_memory_is_the_applications(void) {
    char *memory = malloc(10000), *on_gpu;
    CHECK(ask(memory).type == HSA_EXT_POINTER_TYPE_UNKNOWN);
    OK(hsa_amd_memory_lock(memory, 10000, NULL, 0, (void **)&on_gpu));
    hsa_amd_pointer_info_t info = ask(on_gpu);
    CHECK(info.type == HSA_EXT_POINTER_TYPE_LOCKED);
    CHECK(info.hostBaseAddress == memory && info.agentBaseAddress == on_gpu && info.sizeInBytes == 10000);
    CHECK(on_gpu != memory && ask(memory).agentBaseAddress == on_gpu);
    CHECK(info.agentOwner.handle == cpu.handle);
    OK(hsa_amd_pointer_info_set_userdata(on_gpu, &accessible));
    CHECK(ask(on_gpu).userData == &accessible);
    OK(hsa_amd_memory_unlock(memory));
    CHECK(ask(memory).type == HSA_EXT_POINTER_TYPE_UNKNOWN);
}

static void device_memory_is_limited(void) {
    size_t size;
    void *all, *more;
    OK(hsa_amd_memory_pool_get_info(device_pool, HSA_AMD_MEMORY_POOL_INFO_SIZE, &size));
    OK(hsa_amd_memory_pool_allocate(device_pool, size - (64 << 20), 0, &all));
    CHECK(hsa_amd_memory_pool_allocate(device_pool, 128 << 20, 0, &more) == HSA_STATUS_ERROR_OUT_OF_RESOURCES);
    OK(hsa_amd_memory_pool_free(all));
    OK(hsa_amd_memory_pool_allocate(device_pool, 128 << 20, 0, &more));
    OK(hsa_amd_memory_pool_free(more));
}

int main(void) {
    start();
    device_memory_is_the_gpus();
    host_memory_is_the_cpus(fine_pool, HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED);
    host_memory_is_the_cpus(coarse_pool, HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED);
    host_memory_is_the_cpus(kernarg_pool, HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED |
                                              HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT);
    locked_memory_is_the_applications();
    device_memory_is_limited();
    stop();
}
