/* SPDX-License-Identifier: BSD-3-Clause */
/* When GIN_SHMEM_MAX_TEAMS (set to 8 for this test) exist, a split fails on every PE and changes nothing; what is
 * destroyed can be made again, for ever; a 2d split that finds room for one axis only makes none. */
#include "coll.h"

static long in = 1, out;

static void check(shmem_team_t t)
{
    if (t == SHMEM_TEAM_INVALID)
        return;
    shmem_long_sum_reduce(t, &out, &in, 1);
    CHECK(out == shmem_team_n_pes(t), "sum %ld over %d PEs", out, shmem_team_n_pes(t));
}

int main(void)
{
    enum { LIMIT = 8 };
    shmem_team_t t[LIMIT], x, y, extra;
    shmem_init();
    int n = shmem_n_pes();
    for (int round = 0; round < 20; round++) {
        int made = 0, rc = 0;
        while (made < LIMIT && rc == 0) {
            /* teams of one, of all and of some: a team takes room whoever is in it */
            int size = (made + round) % 3 == 0 ? 1 : (made + round) % 3 == 1 ? n : (n + 1) / 2;
            rc = shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, size, NULL, 0, &t[made]);
            made += rc == 0;
        }
        CHECK(rc != 0 && made >= 1 && t[made] == SHMEM_TEAM_INVALID, "%d teams are made, the last split gives %d", made, rc);
        in = made;
        shmem_long_max_reduce(SHMEM_TEAM_WORLD, &out, &in, 1);
        CHECK(out == made, "%d teams are made here, %ld elsewhere", made, out);
        in = 1;
        for (int i = 0; i < made; i++)
            check(t[i]);
        for (int turn = 0; turn < 5; turn++) {
            int gone = (turn + round) % made;
            shmem_team_destroy(t[gone]);
            x = y = (shmem_team_t)-1;
            CHECK(shmem_team_split_2d(SHMEM_TEAM_WORLD, 2, NULL, 0, &x, NULL, 0, &y) != 0, "room for two teams in one");
            CHECK(x == SHMEM_TEAM_INVALID && y == SHMEM_TEAM_INVALID, "one axis is left behind");
            CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, n, NULL, 0, &t[gone]) == 0, "no room after a destroy");
            CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, n, NULL, 0, &extra) != 0, "room for one too many");
            check(t[gone]);
        }
        for (int i = made - 1; i >= 0; i--)
            shmem_team_destroy(t[i]);
        check(SHMEM_TEAM_WORLD);
    }
    shmem_finalize();
    return 0;
}
