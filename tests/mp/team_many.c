/* SPDX-License-Identifier: BSD-3-Clause */
/* A thousand teams at once (GIN_SHMEM_MAX_TEAMS is set to 1100 for this test), each of its own. */
#include "coll.h"

enum { MANY = 1000 };
static shmem_team_t team[MANY];
static long in, out;

int main(void)
{
    shmem_init();
    int n = shmem_n_pes();
    for (int i = 0; i < MANY; i++)
        CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, i % n, 1, n - i % n, NULL, 0, &team[i]) == 0, "team %d", i);
    for (int turn = 0; turn < 2; turn++)
        for (int i = MANY - 1; i >= 0; i--) {
            if (team[i] == SHMEM_TEAM_INVALID)
                continue;
            in = i + shmem_my_pe();
            shmem_long_min_reduce(team[i], &out, &in, 1);
            CHECK(out == i + i % n, "team %d: %ld", i, out);
        }
    for (int i = 0; i < MANY; i++)
        shmem_team_destroy(team[(i * 7) % MANY]);
    shmem_finalize();
    return 0;
}
