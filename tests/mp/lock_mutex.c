/* SPDX-License-Identifier: BSD-3-Clause */
/* Mutual exclusion: plain read-modify-write under a lock loses nothing, with set_lock and test_lock mixed, many
 * locks, on the heap and among the globals. */
#include "check.h"

enum { LOCKS = 40, TIMES = 100 };
static long global_lock, global_count[2], global_inside;

/* Adds one to a counter on PE 0 in the slowest way, and looks for others inside. */
static void enter(long *lock, long *count, long *inside, int try)
{
    if (try)
        while (shmem_test_lock(lock)) {
        }
    else
        shmem_set_lock(lock);
    /* The counts are outside of what the atomics order: only the lock does. */
    long was[2];
    shmem_long_get(was, count, 2, 0);
    CHECK(shmem_long_atomic_fetch_inc(inside, 0) == 0, "two PEs hold one lock");
    CHECK(was[0] == was[1], "half of an update: %ld and %ld", was[0], was[1]);
    shmem_long_atomic_add(inside, -1, 0);
    shmem_long_put_nbi(count, (long[]){was[0] + 1, was[0] + 1}, 2, 0); /* clear_lock completes it */
    shmem_clear_lock(lock);
}

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    long *locks = shmem_calloc(LOCKS, sizeof *locks), *counts = shmem_calloc(2 * LOCKS, sizeof *counts);
    long *inside = shmem_calloc(LOCKS, sizeof *inside);
    for (int i = 0; i < TIMES; i++)
        enter(&global_lock, global_count, &global_inside, (me + i) % 3 == 0);
    for (int i = 0; i < TIMES * 4; i++) {
        int k = (int)(mix((unsigned)i, (unsigned)me) % LOCKS);
        enter(&locks[k], &counts[2 * k], &inside[k], i % 4 == 0);
    }
    shmem_barrier_all();
    if (me == 0) {
        long sum = 0;
        for (int k = 0; k < LOCKS; k++)
            sum += counts[2 * k];
        CHECK(global_count[0] == (long)TIMES * n, "global count is %ld of %ld", global_count[0], (long)TIMES * n);
        CHECK(sum == 4L * TIMES * n, "counts add up to %ld of %ld", sum, 4L * TIMES * n);
    }
    shmem_barrier_all();
    for (int k = 0; k < LOCKS; k++)
        CHECK(shmem_test_lock(&locks[k]) == 0 || n > 1, "lock %d is not free", k);
    shmem_finalize();
    return 0;
}
