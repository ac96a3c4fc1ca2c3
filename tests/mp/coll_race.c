/* SPDX-License-Identifier: BSD-3-Clause */
/* A random sequence of collectives over teams that overlap, back to back, by PEs that are now fast, now slow. Nothing but
 * the collectives themselves orders the PEs. */
#include "coll.h"

enum { CALLS = 2500, WORDS = 700 };
static uint64_t source[WORDS * 16], dest[WORDS * 16 + 1];
static int world_me, world_n;

struct member {
    shmem_team_t team;
    int me, n;
};

static uint64_t word(uint64_t call, int world_pe, size_t i)
{
    return mix(call * 64 + (uint64_t)world_pe, i);
}

static void one(const struct member *m, uint64_t call, struct rng *common, struct rng *own)
{
    static const size_t counts[] = {1, 2, 13, 14, 15, 16, 60, WORDS};
    size_t nelems = counts[rng_below(common, 8)];
    int kind = (int)rng_below(common, 9), root = (int)rng_below(common, 1000);
    if (m->team == SHMEM_TEAM_INVALID)
        return;
    size_t n = (size_t)m->n, all = kind == 2 ? nelems * n : nelems;
    root %= m->n;
    for (size_t i = 0; i < all; i++)
        source[i] = word(call, world_me, i);
    memset(dest, GUARD, sizeof dest[0] * (nelems * n + 1));
    stumble(own, 150);
#define AT(pe, i)   word(call, team_world_pe(m->team, (int)(pe)), i)
#define WRONG(what) "%s of %zu words over %d PEs, call %llu, word %zu", what, nelems, m->n, (unsigned long long)call, i
    switch (kind) {
    case 0:
        shmem_uint64_broadcast(m->team, dest, source, nelems, root);
        for (size_t i = 0; i < nelems; i++)
            CHECK(dest[i] == AT(root, i), WRONG("broadcast"));
        break;
    case 1:
        shmem_uint64_fcollect(m->team, dest, source, nelems);
        for (size_t i = 0; i < nelems * n; i++)
            CHECK(dest[i] == AT(i / nelems, i % nelems), WRONG("fcollect"));
        break;
    case 2:
        shmem_uint64_alltoall(m->team, dest, source, nelems);
        for (size_t i = 0; i < nelems * n; i++)
            CHECK(dest[i] == AT(i / nelems, (size_t)m->me * nelems + i % nelems), WRONG("alltoall"));
        break;
    case 3:
    case 4: {
        uint64_t skip = kind == 4 ? 2 : 1000; /* every other PE gives one word only */
        size_t at = 0;
        shmem_uint64_collect(m->team, dest, source, (uint64_t)m->me % skip == 1 ? 1 : nelems);
        for (int pe = 0; pe < m->n; pe++)
            for (size_t i = 0; i < ((uint64_t)pe % skip == 1 ? 1 : nelems); i++)
                CHECK(dest[at++] == AT(pe, i), WRONG("collect"));
        break;
    }
    case 5:
    case 6: {
        uint64_t *to = kind == 6 ? source : dest;
        shmem_uint64_sum_reduce(m->team, to, source, nelems);
        for (size_t i = 0; i < nelems; i++) {
            uint64_t sum = 0;
            for (size_t pe = 0; pe < n; pe++)
                sum += AT(pe, i);
            CHECK(to[i] == sum, WRONG(kind == 6 ? "sum in place" : "sum"));
        }
        break;
    }
    case 7:
        shmem_uint64_sum_exscan(m->team, source, source, nelems);
        for (size_t i = 0; i < nelems; i++) {
            uint64_t sum = 0;
            for (int pe = 0; pe < m->me; pe++)
                sum += AT(pe, i);
            CHECK(source[i] == sum, WRONG("exscan"));
        }
        break;
    default: shmem_team_sync(m->team);
    }
    stumble(own, 50);
}

int main(void)
{
    struct member m[6];
    shmem_team_t t[6] = {SHMEM_TEAM_WORLD, SHMEM_TEAM_SHARED};
    shmem_init();
    world_me = shmem_my_pe();
    world_n = shmem_n_pes();
    CHECK(world_n <= 16, "made for at most 16 PEs");
    uint64_t seed = common_seed();
    struct rng common = {seed}, own = {seed * 31 + (uint64_t)world_me};
    shmem_team_split_strided(SHMEM_TEAM_WORLD, world_n - 1, -1, world_n, NULL, 0, &t[2]);
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, (world_n + 1) / 2, NULL, 0, &t[3]);
    shmem_team_split_2d(SHMEM_TEAM_WORLD, 2, NULL, 0, &t[4], NULL, 0, &t[5]);
    for (int i = 0; i < 6; i++)
        m[i] = (struct member){t[i], shmem_team_my_pe(t[i]), shmem_team_n_pes(t[i])};
    for (uint64_t call = 0; call < CALLS; call++)
        one(&m[rng_below(&common, 6)], seed + call, &common, &own);
    shmem_finalize();
    return 0;
}
