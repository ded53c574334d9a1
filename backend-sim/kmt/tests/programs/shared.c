// Threads that copy from the same memory of the application at once: each copy locks it, and unlocks it at its end.
#include "hsa.h"
#include <pthread.h>

enum { THREADS = 2, COPIES = 20 };

static const int constant = 0x5eed;

static hsa_status_t found(hsa_amd_memory_pool_t pool, void *first) {
    *(hsa_amd_memory_pool_t *)first = pool;
    return HSA_STATUS_INFO_BREAK;
}

static hsa_amd_memory_pool_t pool_of(hsa_agent_t gpu) {
    hsa_amd_memory_pool_t pool;
    CHECK(hsa_amd_agent_iterate_memory_pools(gpu, found, &pool) == HSA_STATUS_INFO_BREAK);
    return pool;
}

static void *copies(void *to) {
    int *on_gpu = to;
    for (int i = 0; i < COPIES; i++) OK(hsa_memory_copy(&on_gpu[i], &constant, sizeof constant));
    return NULL;
}

int main(void) {
    start();
    pthread_t threads[THREADS];
    int *memory[THREADS], back[COPIES];
    for (int i = 0; i < THREADS; i++) {
        OK(hsa_amd_memory_pool_allocate(pool_of(gpus[i % gpu_count]), sizeof back, 0, (void **)&memory[i]));
        CHECK(pthread_create(&threads[i], NULL, copies, memory[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
        OK(hsa_memory_copy(back, memory[i], sizeof back));
        for (int j = 0; j < COPIES; j++) CHECK(back[j] == constant);
    }
    stop();
}
