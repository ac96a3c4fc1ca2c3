/* SPDX-License-Identifier: BSD-3-Clause */
/* finalize completes what is pending, locks held, contexts and teams alive: globals have the values afterwards. */
#include "check.h"

enum { WORDS = 100000 };
static long data[WORDS], source[WORDS], counter, lock;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes(), to = (me + 1) % n, from = (me + n - 1) % n;
    shmem_ctx_t ctx;
    shmem_team_t team;
    CHECK(shmem_ctx_create(0, &ctx) == 0, "no context");
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, n, NULL, 0, &team) == 0, "no team");
    if (me == 0)
        shmem_set_lock(&lock);
    for (int i = 0; i < WORDS; i++)
        source[i] = me * (long)WORDS + i;
    shmem_barrier_all();
    shmem_ctx_long_put_nbi(ctx, data, source, WORDS / 2, to);
    shmem_long_put_nbi(&data[WORDS / 2], &source[WORDS / 2], WORDS / 2, to);
    shmem_long_atomic_add(&counter, me + 1, to);
    shmem_finalize();
    for (int i = 0; i < WORDS; i++)
        if (data[i] != from * (long)WORDS + i || counter != from + 1) {
            fprintf(stderr, "PE %d: data[%d] is %ld, counter %ld\n", me, i, data[i], counter);
            return 1;
        }
    return 0;
}
