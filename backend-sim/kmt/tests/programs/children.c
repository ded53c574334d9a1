// A child of a process has no device, and disturbs its parent's not.
#include "hsa.h"
#include <sys/wait.h>

int main(void) {
    start();
    hsa_queue_t *queue = queue_of(64, NULL, NULL);
    pid_t child = fork();
    if (child == 0) {
        void *memory;
        _exit(hsa_amd_memory_pool_allocate(fine_pool, 4096, 0, &memory) == HSA_STATUS_ERROR_OUT_OF_RESOURCES ? 7 : 1);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7);
    hsa_signal_t done = signal_of(1);
    submit_barrier(queue, HSA_PACKET_TYPE_BARRIER_AND, 0, NULL, done);
    await(done);
    OK(hsa_queue_destroy(queue));
    stop();
}
