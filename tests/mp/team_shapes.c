/* SPDX-License-Identifier: BSD-3-Clause */
/* Strided splits: every shape of small jobs and many of large ones, both directions, nested three deep; whom they hold,
 * how PEs translate between any two teams, and that a collective over them works. */
#include <limits.h>

#include "coll.h"

enum { MOST = 16 };

/* A team, and what it should be: the world PE of each rank, the same on members and on others. */
struct shape {
    shmem_team_t team;
    int n, pe[MOST];
};

static int world_me, world_n;
static long mine, theirs[MOST];

static int rank_in(const struct shape *s, int world_pe)
{
    for (int r = 0; r < s->n; r++)
        if (s->pe[r] == world_pe)
            return r;
    return -1;
}

/* Splits parent, which this PE may or may not be in. */
static struct shape split(const struct shape *parent, int start, int stride, int size)
{
    struct shape s = {.team = (shmem_team_t)-1, .n = size};
    for (int i = 0; i < size; i++)
        s.pe[i] = parent->pe[start + i * stride];
    if (rank_in(parent, world_me) < 0) {
        s.team = SHMEM_TEAM_INVALID;
        return s;
    }
    CHECK(shmem_team_split_strided(parent->team, start, stride, size, NULL, 0, &s.team) == 0, "(%d, %d, %d) of %d PEs",
          start, stride, size, parent->n);
    int me = rank_in(&s, world_me);
    CHECK((me < 0) == (s.team == SHMEM_TEAM_INVALID), "rank %d", me);
    CHECK(shmem_team_my_pe(s.team) == me, "(%d, %d, %d): number %d, expected %d", start, stride, size,
          shmem_team_my_pe(s.team), me);
    CHECK(shmem_team_n_pes(s.team) == (me < 0 ? -1 : size), "(%d, %d, %d): %d PEs", start, stride, size,
          shmem_team_n_pes(s.team));
    return s;
}

static void translate(const struct shape *a, const struct shape *b)
{
    int both = a->team != SHMEM_TEAM_INVALID && b->team != SHMEM_TEAM_INVALID;
    for (int r = -1; r <= a->n; r++) {
        int want = both && r >= 0 && r < a->n ? rank_in(b, a->pe[r]) : -1;
        CHECK(shmem_team_translate_pe(a->team, r, b->team) == want, "PE %d is %d there, expected %d", r,
              shmem_team_translate_pe(a->team, r, b->team), want);
    }
}

static void use(const struct shape *s)
{
    if (s->team == SHMEM_TEAM_INVALID)
        return;
    mine = world_me;
    shmem_long_fcollect(s->team, theirs, &mine, 1);
    for (int r = 0; r < s->n; r++)
        CHECK(theirs[r] == s->pe[r], "rank %d is PE %ld, expected %d", r, theirs[r], s->pe[r]);
    shmem_team_sync(s->team);
    shmem_long_max_reduce(s->team, theirs, &mine, 1);
    int max = 0;
    for (int r = 0; r < s->n; r++)
        max = s->pe[r] > max ? s->pe[r] : max;
    CHECK(theirs[0] == max, "the highest PE is %ld, expected %d", theirs[0], max);
}

static int random_split(struct rng *r, int n, int *start, int *stride, int *size)
{
    *start = rng_between(r, 0, n - 1);
    *stride = rng_between(r, 1, n) * (rng_below(r, 2) ? 1 : -1);
    int room = *stride > 0 ? (n - 1 - *start) / *stride : *start / -*stride;
    *size = 1 + rng_between(r, 0, room);
    return *size;
}

static void nested(const struct shape *world, struct rng *r)
{
    struct shape chain[4] = {*world};
    for (int depth = 1; depth < 4; depth++) {
        int start, stride, size;
        random_split(r, chain[depth - 1].n, &start, &stride, &size);
        chain[depth] = split(&chain[depth - 1], start, stride, size);
        for (int i = 0; i <= depth; i++) {
            translate(&chain[i], &chain[depth]);
            translate(&chain[depth], &chain[i]);
        }
        use(&chain[depth]);
    }
    /* parents may go before children */
    int first = (int)rng_below(r, 2) ? 1 : 3;
    for (int depth = first; depth >= 1 && depth <= 3; depth += first == 1 ? 1 : -1) {
        use(&chain[depth]);
        shmem_team_destroy(chain[depth].team);
    }
}

int main(void)
{
    shmem_init();
    world_me = shmem_my_pe();
    world_n = shmem_n_pes();
    CHECK(world_n <= MOST, "made for at most %d PEs", MOST);
    struct rng r = {common_seed()};
    struct shape world = {.team = SHMEM_TEAM_WORLD, .n = world_n}, shared, none = {SHMEM_TEAM_INVALID, world_n, {0}};
    for (int pe = 0; pe < world_n; pe++)
        world.pe[pe] = pe;
    shared.team = SHMEM_TEAM_SHARED;
    shared.n = 0;
    for (int pe = 0; pe < world_n; pe++)
        if (shmem_ptr(&mine, pe))
            shared.pe[shared.n++] = pe;
    use(&world);
    use(&shared);
    translate(&world, &shared);
    translate(&shared, &world);
    translate(&world, &none);
    translate(&none, &world);
    for (int start = 0; start < world_n; start++)
        for (int stride = -world_n; stride <= world_n; stride++)
            for (int size = 1; start + (size - 1) * stride >= 0 && start + (size - 1) * stride < world_n; size++) {
                if (stride == 0 && size > 1)
                    break;
                if (world_n > 7 && rng_below(&r, 16))
                    continue;
                struct shape s = split(size % 2 || shared.n < world_n ? &world : &shared, start, stride, size);
                translate(&s, &world);
                translate(&world, &s);
                use(&s);
                shmem_team_destroy(s.team);
            }
    for (int i = 0; i < 150; i++)
        nested(&world, &r);
    /* With one member any stride is as good as another. */
    static const int odd[] = {INT_MAX, INT_MIN, INT_MIN + 1, 1 << 16, 0};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        struct shape a = split(&world, world_n - 1, odd[i], 1), b = split(&a, 0, odd[i], 1), c = split(&b, 0, INT_MAX, 1);
        translate(&c, &world);
        translate(&world, &c);
        translate(&b, &c);
        use(&c);
        shmem_team_destroy(a.team);
        shmem_team_destroy(c.team);
        shmem_team_destroy(b.team);
    }
    shmem_finalize();
    return 0;
}
