/* SPDX-License-Identifier: BSD-3-Clause */
/* Contexts: many at a time and one after the other, all options, of teams, their teams, sessions; what cannot be
 * made is said by a nonzero return and SHMEM_CTX_INVALID; a team's end is its contexts' end. */
#include <string.h>

#include "check.h"

enum { AT_ONCE = 500, IN_TURN = 20000 };
static long box[AT_ONCE];

int main(void)
{
    static shmem_ctx_t ctxs[AT_ONCE];
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes(), to = (me + 1) % n, from = (me + n - 1) % n;
    shmem_team_t reversed, evens, team;
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, n - 1, -1, n, NULL, 0, &reversed) == 0, "no team");
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, (n + 1) / 2, NULL, 0, &evens) == 0, "no team");

    for (long i = 0; i < AT_ONCE; i++) {
        shmem_team_t of = i % 2 ? reversed : SHMEM_TEAM_WORLD;
        long options = i % 8; /* every combination */
        if (i % 4 < 2 && of == SHMEM_TEAM_WORLD)
            CHECK(shmem_ctx_create(options, &ctxs[i]) == 0, "context %ld", i);
        else
            CHECK(shmem_team_create_ctx(of, options, &ctxs[i]) == 0, "context %ld", i);
        CHECK(ctxs[i] != SHMEM_CTX_INVALID && ctxs[i] != SHMEM_CTX_DEFAULT, "context %ld is a predefined one", i);
        CHECK(shmem_ctx_get_team(ctxs[i], &team) == 0 && team == of, "team of context %ld", i);
        for (long k = 0; k < i; k += 7)
            CHECK(ctxs[k] != ctxs[i], "contexts %ld and %ld are one", k, i);
    }
    for (int i = 0; i < AT_ONCE; i++)
        shmem_ctx_long_p(ctxs[i], &box[i], me * 1000L + i, i % 2 ? n - 1 - to : to);
    for (int i = 0; i < AT_ONCE; i++)
        shmem_ctx_quiet(ctxs[i]);
    shmem_barrier_all();
    for (int i = 0; i < AT_ONCE; i++)
        CHECK(box[i] == from * 1000L + i, "box %d", i);
    shmem_barrier_all();
    for (int i = 0; i < AT_ONCE; i += 2) /* from the middle, the ends, ... */
        shmem_ctx_destroy(ctxs[(i * 37) % AT_ONCE & ~1]);
    for (int i = 1; i < AT_ONCE; i += 4)
        shmem_ctx_destroy(ctxs[i]);
    /* Half of those on the reversed team are left to its end. */

    /* PE numbers of a context are its team's. */
    if (me % 2 == 0) {
        shmem_ctx_t ctx;
        int mine = shmem_team_my_pe(evens), size = shmem_team_n_pes(evens);
        CHECK(shmem_team_create_ctx(evens, 0, &ctx) == 0, "no context of the even PEs");
        shmem_ctx_long_p(ctx, &box[0], 7000 + me, (mine + 1) % size);
        shmem_ctx_long_atomic_set(ctx, &box[1], 9000 + me, (mine + 1) % size);
        shmem_ctx_quiet(ctx);
        shmem_team_sync(evens);
        int left = ((mine + size - 1) % size) * 2;
        CHECK(box[0] == 7000 + left && box[1] == 9000 + left, "boxes %ld %ld from %d", box[0], box[1], left);
        CHECK(shmem_ctx_long_g(ctx, &box[0], (mine + 1) % size) == 7000 + me, "g");
        shmem_ctx_destroy(ctx);
        shmem_team_destroy(evens);
    } else {
        CHECK(evens == SHMEM_TEAM_INVALID, "an odd PE is in the even team");
    }

    for (long i = 0; i < IN_TURN; i++) {
        shmem_ctx_t ctx;
        CHECK(shmem_ctx_create(i % 8, &ctx) == 0, "context %ld", i);
        shmem_ctx_long_p(ctx, &box[2], i, to);
        shmem_ctx_destroy(ctx);
    }

    /* Sessions. */
    shmem_ctx_t ctx;
    const shmem_ctx_session_config_t config = {.total_ops = 10};
    CHECK(shmem_ctx_create(0, &ctx) == 0, "no context");
    shmem_ctx_session_start(ctx, SHMEM_CTX_SESSION_BATCH, &config, SHMEM_CTX_SESSION_TOTAL_OPS);
    for (int i = 0; i < 10; i++)
        shmem_ctx_long_put_nbi(ctx, &box[10 + i], (long[]){me}, 1, to);
    shmem_ctx_session_stop(ctx);
    shmem_ctx_session_start(SHMEM_CTX_DEFAULT, 0, NULL, 0);
    shmem_long_p(&box[20], me, to);
    shmem_ctx_session_stop(SHMEM_CTX_DEFAULT);
    shmem_ctx_session_start(SHMEM_CTX_INVALID, 0, NULL, 0);
    shmem_ctx_session_stop(SHMEM_CTX_INVALID);
    shmem_ctx_quiet(ctx);
    shmem_barrier_all();
    for (int i = 0; i <= 10; i++)
        CHECK(box[10 + i] == from, "box %d in a session", 10 + i);

    /* No context, no operation. */
    shmem_ctx_destroy(SHMEM_CTX_INVALID);
    shmem_ctx_fence(SHMEM_CTX_INVALID);
    shmem_ctx_quiet(SHMEM_CTX_INVALID);
    ctx = ctxs[0];
    CHECK(shmem_team_create_ctx(SHMEM_TEAM_INVALID, 0, &ctx) != 0 && ctx == SHMEM_CTX_INVALID, "a context of no team");
    CHECK(shmem_ctx_create(1L << 40, &ctx) != 0 && ctx == SHMEM_CTX_INVALID, "an unknown option");
    CHECK(shmem_ctx_get_team(SHMEM_CTX_INVALID, &team) != 0 && team == SHMEM_TEAM_INVALID, "the team of no context");
    CHECK(shmem_ctx_get_team(SHMEM_CTX_DEFAULT, &team) == 0 && team == SHMEM_TEAM_WORLD, "the default context's team");

    shmem_team_destroy(reversed); /* and 125 contexts */
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
