/* SPDX-License-Identifier: BSD-3-Clause */
/* test_lock: 0 when it takes the lock, 1 when somebody has it, and then without waiting; a free lock can be had by
 * all. */
#include "check.h"

static long lock, passes;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    for (int holder = 0; holder < n; holder++) {
        if (me == holder)
            CHECK(shmem_test_lock(&lock) == 0, "PE %d cannot have a free lock", me);
        shmem_barrier_all();
        if (me != holder)
            for (int i = 0; i < 100; i++)
                CHECK(shmem_test_lock(&lock) == 1, "PE %d takes the lock of PE %d", me, holder);
        shmem_barrier_all();
        if (me == holder)
            shmem_clear_lock(&lock);
        shmem_barrier_all();
        /* By test_lock, released to a waiter in set_lock. */
        if (me == holder)
            CHECK(shmem_test_lock(&lock) == 0, "not free after clear_lock");
        shmem_barrier_all();
        if (me == holder)
            shmem_clear_lock(&lock);
        else {
            shmem_set_lock(&lock);
            shmem_long_atomic_inc(&passes, 0);
            shmem_clear_lock(&lock);
        }
        shmem_barrier_all();
        CHECK(shmem_long_g(&passes, 0) == (long)(holder + 1) * (n - 1), "%ld passed", shmem_long_g(&passes, 0));
        shmem_barrier_all();
    }
    shmem_finalize();
    return 0;
}
