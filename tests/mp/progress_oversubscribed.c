/* SPDX-License-Identifier: BSD-3-Clause */
/* Far more PEs than cores: barriers and a ring of waits still take microseconds, not time slices. */
#include "check.h"

enum { BARRIERS = 2000, STEPS = 2000 };
static long token;
static uint64_t sig;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes(), to = (me + 1) % n;
    shmem_barrier_all();
    double start = seconds();
    for (int i = 0; i < BARRIERS; i++)
        shmem_barrier_all();
    double barriers = seconds() - start;
    start = seconds();
    for (long step = me; step < STEPS; step += n) { /* the token is here at every n-th step */
        if (step)
            shmem_long_wait_until(&token, SHMEM_CMP_EQ, step);
        shmem_long_p(&token, step + 1, to);
    }
    shmem_barrier_all();
    double ring = seconds() - start;
    start = seconds();
    for (uint64_t step = (uint64_t)me; step < STEPS; step += (uint64_t)n) {
        if (step)
            shmem_signal_wait_until(&sig, SHMEM_CMP_GE, step);
        shmem_signal_set(&sig, step + 1, to);
    }
    shmem_barrier_all();
    double signals = seconds() - start;
    if (me == 0)
        printf("%d PEs: %d barriers %.2f s, %d steps around a ring %.2f s by p, %.2f s by signals\n", n, BARRIERS,
               barriers, STEPS, ring, signals);
#ifndef __SANITIZE_ADDRESS__
    CHECK(barriers < 10 && ring < 10 && signals < 10, "too slow: %.1f %.1f %.1f s", barriers, ring, signals);
#endif
    shmem_finalize();
    return 0;
}
