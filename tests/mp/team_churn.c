/* SPDX-License-Identifier: BSD-3-Clause */
/* Thousands of splits and destroys, with far more of them than there may be teams at one time: strided and 2d, of the
 * world and of each other, some used, some not, by PEs that are now fast, now slow. */
#include "coll.h"

enum { CYCLES = 5000, HELD = 6 };

static long in, out;

static void check(shmem_team_t t)
{
    if (t == SHMEM_TEAM_INVALID)
        return;
    in = shmem_team_my_pe(t) + 1;
    shmem_long_sum_reduce(t, &out, &in, 1);
    long n = shmem_team_n_pes(t);
    CHECK(out == n * (n + 1) / 2, "sum %ld over %ld PEs", out, n);
}

int main(void)
{
    shmem_init();
    int n = shmem_n_pes();
    uint64_t seed = common_seed();
    struct rng r = {seed}, own = {seed * 31 + (uint64_t)shmem_my_pe()};
    shmem_team_t held[HELD];
    for (int i = 0; i < HELD; i++)
        held[i] = SHMEM_TEAM_INVALID;
    for (int made = 0; made < CYCLES;) {
        shmem_team_t t, u, *slot = &held[rng_below(&r, HELD)];
        int use = rng_below(&r, 4) == 0;
        if (rng_below(&r, 64) == 0)
            stumble(&own, 100);
        switch (rng_below(&r, 3)) {
        case 0: {
            int start = rng_between(&r, 0, n - 1), size = rng_between(&r, 1, n - start);
            CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, start, 1, size, NULL, 0, &t) == 0, "team %d", made);
            if (use)
                check(t);
            shmem_team_destroy(*slot);
            *slot = t;
            made++;
            break;
        }
        case 1:
            CHECK(shmem_team_split_2d(SHMEM_TEAM_WORLD, rng_between(&r, 1, n), NULL, 0, &t, NULL, 0, &u) == 0, "team %d",
                  made);
            if (use) {
                check(u);
                check(t);
            }
            shmem_team_destroy(t);
            shmem_team_destroy(u);
            made += 2;
            break;
        default: /* a child of whatever is there: its first member alone; what others do meanwhile is no matter */
            if (*slot != SHMEM_TEAM_INVALID) {
                CHECK(shmem_team_split_strided(*slot, 0, 1, 1, NULL, 0, &t) == 0, "team %d", made);
                check(t);
                shmem_team_destroy(t);
            }
            made++;
        }
    }
    for (int i = 0; i < HELD; i++)
        check(held[i]);
    shmem_finalize(); /* with teams that still exist */
    return 0;
}
