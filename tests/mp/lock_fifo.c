/* SPDX-License-Identifier: BSD-3-Clause */
/* First come, first served: PEs queue up one after the other while PE 0 holds the lock, and get it in that order. */
#include <unistd.h>

#include "check.h"

enum { MAX_PES = 16, ROUNDS = 3 };
static long lock, place, order[MAX_PES], arriving;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    CHECK(n <= MAX_PES, "at most %d PEs", MAX_PES);
    for (int r = 0; r < ROUNDS; r++) {
        /* The k-th to come is PE 1 + (k * 3 + r) mod (n - 1), when that is a permutation; else in order. */
        int others = n - 1, mul = others % 3 ? 3 : 1;
        place = 0;
        arriving = 0;
        shmem_barrier_all();
        if (me == 0)
            shmem_set_lock(&lock);
        shmem_barrier_all();
        for (int k = 0; k < others; k++) {
            int pe = 1 + (k * mul + r) % others;
            if (me == pe) {
                shmem_long_wait_until(&arriving, SHMEM_CMP_EQ, 1);
                shmem_set_lock(&lock);
                long mine = shmem_long_atomic_fetch_inc(&place, 0);
                shmem_long_p(&order[mine], me, 0);
                shmem_clear_lock(&lock);
            } else if (me == 0) {
                shmem_long_p(&arriving, 1, pe);
                usleep(30000); /* until it is in the queue: there is no way to see that from outside */
            }
        }
        if (me == 0)
            shmem_clear_lock(&lock);
        shmem_barrier_all();
        if (me == 0)
            for (int k = 0; k < others; k++)
                CHECK(order[k] == 1 + (k * mul + r) % others, "round %d: PE %ld was served as number %d", r, order[k],
                      k);
        shmem_barrier_all();
    }
    shmem_finalize();
    return 0;
}
