/* SPDX-License-Identifier: BSD-3-Clause */
/* A PE that leaves shmem_team_destroy makes another team at once, with PEs that were not in the first: what it uses again
 * for that must not disturb those that are still on their way out of the first. */
#include "coll.h"

enum { TURNS = 2500 };

int main(void)
{
    shmem_init();
    int n = shmem_n_pes(), me = shmem_my_pe();
    uint64_t seed = common_seed();
    struct rng r = {seed}, own = {seed * 31 + (uint64_t)me};
    /* Pairs {i, i+1}: each PE is in two of them, as first and as second. They live through the whole test. */
    shmem_team_t pair[16];
    CHECK(n >= 2 && n <= 16, "made for 2 to 16 PEs");
    for (int i = 0; i + 1 < n; i++)
        CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, i, 1, 2, NULL, 0, &pair[i]) == 0, "pair %d", i);
    for (int turn = 0; turn < TURNS; turn++) {
        int first = (int)rng_below(&r, (uint64_t)n - 1), other = (int)rng_below(&r, (uint64_t)n - 1);
        const int which[] = {first, other};
        for (int i = 0; i < 2; i++) {
            shmem_team_t parent = pair[which[i]], t;
            if (parent == SHMEM_TEAM_INVALID)
                continue;
            CHECK(shmem_team_split_strided(parent, (int)turn % 2, turn % 2 ? -1 : 1, 2, NULL, 0, &t) == 0, "turn %d", turn);
            if (rng_below(&own, 32) == 0)
                stumble(&own, 100);
            shmem_team_sync(t);
            shmem_team_destroy(t);
        }
    }
    shmem_finalize();
    return 0;
}
