/* SPDX-License-Identifier: BSD-3-Clause */
/* Splits that cannot be, of teams that are and of the invalid team: nonzero and SHMEM_TEAM_INVALID on every PE, and the
 * parent goes on working. Configurations, and calls on the invalid team. */
#include <limits.h>

#include "coll.h"

static const shmem_team_t junk = (shmem_team_t)0x5a5a5a;

static void refuse(shmem_team_t parent, int start, int stride, int size)
{
    shmem_team_t t = junk;
    shmem_team_config_t config = {.num_contexts = 1};
    CHECK(shmem_team_split_strided(parent, start, stride, size, &config, SHMEM_TEAM_NUM_CONTEXTS, &t) != 0,
          "(%d, %d, %d) is accepted", start, stride, size);
    CHECK(t == SHMEM_TEAM_INVALID, "(%d, %d, %d) sets the team", start, stride, size);
}

static void triplets(shmem_team_t parent)
{
    int n = shmem_team_n_pes(parent);
    static long in = 1, out;
    refuse(parent, -1, 1, 1);
    refuse(parent, n, 1, 1);
    refuse(parent, n, -1, 1);
    refuse(parent, 0, 1, 0);
    refuse(parent, 0, 1, -1);
    refuse(parent, 0, 1, INT_MIN);
    refuse(parent, 0, 1, n + 1);
    refuse(parent, 0, -1, 2);
    refuse(parent, n - 1, 1, 2);
    refuse(parent, n - 1, -1, n + 1);
    refuse(parent, 0, n, 2);
    refuse(parent, 0, INT_MAX, 2);
    refuse(parent, n - 1, INT_MIN, 2);
    refuse(parent, 0, INT_MAX, INT_MAX);
    refuse(parent, 0, 1, INT_MAX);
    refuse(parent, INT_MAX, 1, INT_MAX);
    refuse(parent, INT_MIN, INT_MIN, INT_MAX);
    shmem_long_sum_reduce(parent, &out, &in, 1);
    CHECK(out == n, "sum %ld of %d PEs", out, n);
}

static void config(void)
{
    shmem_team_config_t in = {.num_contexts = 3}, out = {.num_contexts = -5};
    shmem_team_t t;
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, shmem_n_pes(), &in, SHMEM_TEAM_NUM_CONTEXTS, &t) == 0, "split");
    CHECK(shmem_team_get_config(t, 0, NULL) == 0, "nothing asked");
    CHECK(shmem_team_get_config(t, 0, &out) == 0 && out.num_contexts == -5, "nothing asked, %d", out.num_contexts);
    CHECK(shmem_team_get_config(t, SHMEM_TEAM_NUM_CONTEXTS, &out) == 0 && out.num_contexts == 3, "%d", out.num_contexts);
    shmem_team_destroy(t);
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, shmem_n_pes(), &in, 0, &t) == 0, "split");
    CHECK(shmem_team_get_config(t, SHMEM_TEAM_NUM_CONTEXTS, &out) == 0 && out.num_contexts == 0, "%d", out.num_contexts);
    shmem_team_destroy(t);
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, shmem_n_pes(), NULL, 0, &t) == 0, "split");
    shmem_team_destroy(t);
    CHECK(shmem_team_get_config(SHMEM_TEAM_WORLD, SHMEM_TEAM_NUM_CONTEXTS, &out) == 0, "world");
    out.num_contexts = -5;
    CHECK(shmem_team_get_config(SHMEM_TEAM_INVALID, SHMEM_TEAM_NUM_CONTEXTS, &out) != 0 && out.num_contexts == -5,
          "%d", out.num_contexts);
}

int main(void)
{
    shmem_team_t t = junk, u = junk, backward;
    shmem_ctx_t ctx = SHMEM_CTX_DEFAULT;
    shmem_init();
    int n = shmem_n_pes();
    triplets(SHMEM_TEAM_WORLD);
    triplets(SHMEM_TEAM_SHARED);
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, n - 1, -1, n, NULL, 0, &backward) == 0, "split");
    triplets(backward);
    shmem_team_destroy(backward);
    refuse(SHMEM_TEAM_INVALID, 0, 1, 1);
    CHECK(shmem_team_split_2d(SHMEM_TEAM_INVALID, 1, NULL, 0, &t, NULL, 0, &u) != 0, "2d split of the invalid team");
    CHECK(t == SHMEM_TEAM_INVALID && u == SHMEM_TEAM_INVALID, "2d split of the invalid team sets teams");
    t = u = junk;
    CHECK(shmem_team_split_2d(SHMEM_TEAM_WORLD, 0, NULL, 0, &t, NULL, 0, &u) != 0, "2d split of width 0");
    CHECK(t == SHMEM_TEAM_INVALID && u == SHMEM_TEAM_INVALID, "2d split of width 0 sets teams");
    config();
    CHECK(shmem_team_my_pe(SHMEM_TEAM_INVALID) == -1 && shmem_team_n_pes(SHMEM_TEAM_INVALID) == -1, "invalid team");
    CHECK(shmem_team_translate_pe(SHMEM_TEAM_INVALID, 0, SHMEM_TEAM_WORLD) == -1, "invalid team");
    CHECK(shmem_team_translate_pe(SHMEM_TEAM_WORLD, 0, SHMEM_TEAM_INVALID) == -1, "invalid team");
    CHECK(shmem_team_create_ctx(SHMEM_TEAM_INVALID, 0, &ctx) != 0 && ctx == SHMEM_CTX_INVALID, "invalid team");
    shmem_team_destroy(SHMEM_TEAM_INVALID); /* nothing happens */
    shmem_finalize();
    return 0;
}
