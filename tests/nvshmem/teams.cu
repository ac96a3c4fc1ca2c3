/* SPDX-License-Identifier: BSD-3-Clause */
/* Teams: NVSHMEM's numbers for the predefined ones, on the host and in kernels alike; splits, translation, and that a
 * team that was destroyed does not come back under another's number. */
#include "nv.h"

__global__ void ask(nvshmem_team_t team, int pe_of_two, int *out)
{
    out[0] = nvshmem_team_my_pe(team);
    out[1] = nvshmem_team_n_pes(team);
    out[2] = nvshmem_team_translate_pe(team, pe_of_two, NVSHMEM_TEAM_WORLD);
    out[3] = nvshmem_team_translate_pe(NVSHMEM_TEAM_WORLD, nvshmem_my_pe(), team);
}

__global__ void meet(nvshmem_team_t team, int *dest, int *source)
{
    if (threadIdx.x == 0)
        source[0] = nvshmem_my_pe() + 1;
    nvshmemx_barrier_block(team);
    nvshmemx_int_sum_reduce_block(team, dest, source, 1);
    nvshmemx_team_sync_block(team);
}

static int *out, *dest, *source;

static void same_on_both(nvshmem_team_t team, const char *what)
{
    int got[4], last = nvshmem_team_n_pes(team) - 1;
    GIN_SHMEM_LAUNCH(ask, 1, 1, 0, team, last, out);
    KERNELS_DONE("%s", what);
    from_device(got, out, 4);
    CHECK(got[0] == nvshmem_team_my_pe(team), "%s: rank %d in kernels, %d on the host", what, got[0],
          nvshmem_team_my_pe(team));
    CHECK(got[1] == nvshmem_team_n_pes(team), "%s: %d members in kernels, %d on the host", what, got[1],
          nvshmem_team_n_pes(team));
    CHECK(got[2] == nvshmem_team_translate_pe(team, last, NVSHMEM_TEAM_WORLD), "%s: last member %d in kernels", what,
          got[2]);
    CHECK(got[3] == got[0], "%s: rank %d by translation, %d directly", what, got[3], got[0]);
}

static int sum_over(nvshmem_team_t team)
{
    int sum = 0;
    for (int i = 0; i < nvshmem_team_n_pes(team); i++)
        sum += nvshmem_team_translate_pe(team, i, NVSHMEM_TEAM_WORLD) + 1;
    return sum;
}

static void works(nvshmem_team_t team, const char *what)
{
    same_on_both(team, what);
    GIN_SHMEM_LAUNCH(meet, 1, 64, 0, team, dest, source);
    KERNELS_DONE("%s", what);
    CHECK(device_value(dest) == sum_over(team), "%s: the sum is %d, want %d", what, device_value(dest), sum_over(team));
    CHECK(nvshmem_int_sum_reduce(team, dest, source, 1) == 0 && device_value(dest) == sum_over(team), "%s: on the host",
          what);
    CHECK(nvshmem_team_sync(team) == 0 && nvshmem_barrier(team) == 0, "%s: barriers", what);
}

int main()
{
    nv_start();
    out = nv_symmetric<int>(4);
    dest = nv_symmetric<int>(1);
    source = nv_symmetric<int>(1);

    CHECK(NVSHMEM_TEAM_WORLD == 0 && NVSHMEM_TEAM_SHARED == 1 && NVSHMEMX_TEAM_NODE == 2 &&
              NVSHMEMX_TEAM_SAME_MYPE_NODE == 3 && NVSHMEM_TEAM_INVALID == -1,
          "other numbers than NVSHMEM's");
    int node = nvshmem_team_n_pes(NVSHMEMX_TEAM_NODE), rank = nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE);
    CHECK(node >= 1 && node <= n && rank >= 0 && rank < node, "rank %d of %d on the node", rank, node);
    /* Of each node one, where they have the same number of PEs. */
    CHECK(n % node != 0 || nvshmem_team_n_pes(NVSHMEMX_TEAM_SAME_MYPE_NODE) == n / node, "%d of rank %d in %d nodes",
          nvshmem_team_n_pes(NVSHMEMX_TEAM_SAME_MYPE_NODE), rank, n / node);
    works(NVSHMEM_TEAM_WORLD, "the world");
    works(NVSHMEM_TEAM_SHARED, "the shared team");
    works(NVSHMEMX_TEAM_NODE, "the node's team");
    works(NVSHMEMX_TEAM_SAME_MYPE_NODE, "the team of equal ranks");
    CHECK(nvshmem_team_my_pe(NVSHMEM_TEAM_INVALID) == -1 && nvshmem_team_n_pes(NVSHMEM_TEAM_INVALID) == -1,
          "the invalid team is one");

    nvshmem_team_config_t config = NVSHMEM_TEAM_CONFIG_INITIALIZER;
    config.num_contexts = 2;
    nvshmem_team_t last = NVSHMEM_TEAM_INVALID;
    for (int round = 0; round < 4; round++) {
        nvshmem_team_t even, x, y;
        int rc = nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 0, 2, (n + 1) / 2, &config,
                                            NVSHMEM_TEAM_CONFIG_MASK_NUM_CONTEXTS, &even);
        CHECK(me % 2 == 0 ? rc == 0 && even > NVSHMEMX_TEAM_SAME_MYPE_NODE : even == NVSHMEM_TEAM_INVALID,
              "the split gives %d and team %d", rc, even);
        if (even != NVSHMEM_TEAM_INVALID) {
            nvshmem_team_config_t told = NVSHMEM_TEAM_CONFIG_INITIALIZER;
            nvshmem_team_get_config(even, &told);
            CHECK(told.num_contexts == 2, "%d contexts", told.num_contexts);
            CHECK(even != last, "team %d has the number of the one before", even);
            CHECK(nvshmem_team_my_pe(even) == me / 2, "rank %d", nvshmem_team_my_pe(even));
            works(even, "the even PEs");
            nvshmem_team_destroy(even);
            last = even;
        }
        CHECK(nvshmem_team_split_2d(NVSHMEM_TEAM_WORLD, 2, NULL, 0, &x, NULL, 0, &y) == 0, "a split in two axes");
        works(x, "an x axis");
        works(y, "a y axis");
        nvshmem_team_destroy(x);
        nvshmem_team_destroy(y);
    }
    return nv_done();
}
