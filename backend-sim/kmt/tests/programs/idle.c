// A machine at rest costs nothing, and wakes at once. Prints the CPU time that a sleep of 5 s adds, and the median time
// from doorbell to signal after a rest, both in microseconds.
#include "hsa.h"

enum { ROUNDS = 51 };

static int by_value(const void *one, const void *other) {
    double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

int main(void) {
    start();
    hsa_queue_t *queues[8];
    for (int i = 0; i < 8; i++) queues[i] = queue_of(64, NULL, NULL);
    double took[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        hsa_signal_t done = signal_of(1);
        usleep(10000);
        double rung = seconds(CLOCK_MONOTONIC);
        submit_barrier(queues[i % 8], HSA_PACKET_TYPE_BARRIER_AND, 0, NULL, done);
        await(done);
        took[i] = seconds(CLOCK_MONOTONIC) - rung;
    }
    double before = seconds(CLOCK_PROCESS_CPUTIME_ID);
    sleep(5);
    double idle = seconds(CLOCK_PROCESS_CPUTIME_ID) - before;
    qsort(took, ROUNDS, sizeof *took, by_value);
    for (int i = 0; i < 8; i++) OK(hsa_queue_destroy(queues[i]));
    printf("%.0f %.0f\n", idle * 1e6, took[ROUNDS / 2] * 1e6);
    stop();
}
