/* SPDX-License-Identifier: BSD-3-Clause */
/* Contexts of teams: PE numbers are the team's in every kind of call; contexts that are left go with their team. */
#include "coll.h"

static long box[16], sum;
static uint64_t sig;

int main(void)
{
    shmem_init();
    int n = shmem_n_pes(), world_me = shmem_my_pe();
    shmem_team_t backward, got;
    shmem_ctx_t ctx, left;
    CHECK(n <= 16, "made for at most 16 PEs");
    for (int turn = 0; turn < 50; turn++) {
        CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, n - 1, -1, n, NULL, 0, &backward) == 0, "split");
        CHECK(shmem_team_create_ctx(backward, turn % 2 ? SHMEM_CTX_SERIALIZED : 0, &ctx) == 0, "context");
        CHECK(shmem_team_create_ctx(backward, SHMEM_CTX_NOSTORE, &left) == 0, "context");
        CHECK(shmem_ctx_get_team(ctx, &got) == 0 && got == backward, "not its team");
        int me = shmem_team_my_pe(backward), next = (me + 1) % n;
        CHECK(me == n - 1 - world_me, "PE %d", me);
        for (int pe = 0; pe < n; pe++) {
            shmem_ctx_long_p(ctx, &box[me], 100 * turn + world_me, pe); /* everybody's box[me]: mine */
            shmem_ctx_long_atomic_add(ctx, &sum, pe, pe);               /* each gets its own number n times */
        }
        shmem_ctx_fence(ctx);
        shmem_ctx_uint64_atomic_inc(ctx, &sig, next);
        shmem_ctx_quiet(ctx);
        shmem_uint64_wait_until(&sig, SHMEM_CMP_EQ, (uint64_t)turn + 1);
        CHECK(box[(me + n - 1) % n] == 100 * turn + (world_me + 1) % n, "box %ld", box[(me + n - 1) % n]);
        shmem_team_sync(backward);
        CHECK(sum == (long)n * me * (turn + 1), "sum %ld", sum);
        for (int pe = 0; pe < n; pe++)
            CHECK(shmem_ctx_long_g(ctx, &sum, pe) == (long)n * pe * (turn + 1), "sum of PE %d", pe);
        shmem_team_sync(backward);
        shmem_ctx_destroy(ctx);
        shmem_team_destroy(backward); /* and with it the other context */
    }
    CHECK(shmem_team_create_ctx(SHMEM_TEAM_SHARED, 0, &ctx) == 0, "shared");
    CHECK(shmem_ctx_get_team(ctx, &got) == 0 && got == SHMEM_TEAM_SHARED, "shared");
    shmem_ctx_destroy(ctx);
    CHECK(shmem_ctx_get_team(SHMEM_CTX_DEFAULT, &got) == 0 && got == SHMEM_TEAM_WORLD, "default");
    CHECK(shmem_ctx_get_team(SHMEM_CTX_INVALID, &got) != 0 && got == SHMEM_TEAM_INVALID, "invalid");
    shmem_finalize();
    return 0;
}
