/* SPDX-License-Identifier: BSD-3-Clause */
/* The frame of the model test: programs, rounds, allocation, teams, locks, and the comparison with the model.
 *     test_model PROGRAMS SEED...
 * runs that many programs for each seed and for one from the time. With GIN_SHMEM_TEST_SEED, be it that of a failed program
 * or of the run: that one program some times over, then the PROGRAMS of that seed. */
#include "model.h"

#include <stdarg.h>

struct block blocks[BLOCKS];
struct team teams[TEAMS];
struct rng dice;
int me, n;
char doing[160];

static _Alignas(16) unsigned char global[3000];
static uint64_t program;
static int round_number;
static long lock, counter[2];

void fail(const char *file, int line, const char *fmt, ...)
{
    char text[300];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    fprintf(stderr, "%s:%d: PE %d of %d, round %d, %s: %s\nrepeat with GIN_SHMEM_TEST_SEED=%llu\n", file, line, me, n,
            round_number, doing, text, (unsigned long long)program);
    shmem_global_exit(1);
}

int rank_in(const struct team *t, int world_pe)
{
    for (int r = 0; r < t->n; r++)
        if (t->pe[r] == world_pe)
            return r;
    return -1;
}

int pick_block(size_t min, int but)
{
    int fit[BLOCKS], count = 0;
    for (int b = 0; b < BLOCKS; b++)
        if (blocks[b].at && blocks[b].size >= min && b != but)
            fit[count++] = b;
    return count ? fit[pick((size_t)count)] : -1;
}

struct via pick_via(int src, int target)
{
    int t = (int)pick(TEAMS * 2);
    if (t < TEAMS && rank_in(&teams[t], src) >= 0 && rank_in(&teams[t], target) >= 0)
        return (struct via){t, teams[t].ctx, rank_in(&teams[t], target)};
    return (struct via){DEFAULT_CTX, SHMEM_CTX_DEFAULT, target};
}

/* ---- order: which context carries what is under way from each PE to each ---- */

enum { NOTHING = -3, MIXED = -2 };
static int pending[PES][PES];

void order_reset(void)
{
    for (int s = 0; s < PES; s++)
        for (int t = 0; t < PES; t++)
            pending[s][t] = NOTHING;
}

void finish(void)
{
    shmem_quiet();
    for (int t = 0; t < TEAMS; t++)
        if (rank_in(&teams[t], me) >= 0)
            shmem_ctx_quiet(teams[t].ctx);
}

void order(int src, int target, const struct via *v)
{
    int *p = &pending[src][target];
    if (*p == v->team && pick(2)) {
        if (src == me)
            shmem_ctx_fence(v->ctx);
    } else if (*p != NOTHING) {
        if (src == me)
            finish();
        for (int t = 0; t < PES; t++)
            pending[src][t] = NOTHING;
    }
    *p = *p == NOTHING || *p == v->team ? v->team : MIXED;
}

/* ---- memory ---- */

/* What malloc gives is undefined: every PE fills its own, and the model all. */
static void fill(struct block *b, size_t from)
{
    uint64_t key = rng_next(&dice);
    for (int pe = 0; pe < n; pe++)
        for (size_t k = from; k < b->size; k++)
            b->model[pe][k] = pattern_byte(key, pe, k);
    memcpy(b->at + from, b->model[me] + from, b->size - from);
}

static size_t pick_size(void)
{
    size_t max = pick(8) ? 2000 : BLOCK_MAX;
    return 1 + pick(max);
}

static void apart(const struct block *a)
{
    for (int i = 0; i < BLOCKS; i++) {
        const struct block *b = &blocks[i];
        EXPECT(a == b || !b->at || a->at + a->size <= b->at || b->at + b->size <= a->at, "block at %p with %zu bytes meets %p",
               (void *)a->at, a->size, (void *)b->at);
    }
}

static void memory_round(void)
{
    struct block *b = &blocks[1 + pick(BLOCKS - 1)];
    size_t was = b->size, want = pick_size();
    if (!b->at) {
        size_t align = (size_t)8 << pick(8);
        int kind = (int)pick(4);
        DOING("allocation %d of %zu bytes", kind, want);
        b->size = want;
        switch (kind) {
        case 0: b->at = shmem_malloc(want); break;
        case 1: b->at = shmem_calloc(want, 1); break;
        case 2: b->at = shmem_align(align, want); break;
        default: b->at = shmem_malloc_with_hints(want, SHMEM_MALLOC_ATOMICS_REMOTE);
        }
        EXPECT(b->at != NULL, "no memory");
        EXPECT(kind != 2 || (uintptr_t)b->at % align == 0, "%p is not aligned to %zu", (void *)b->at, align);
        if (kind == 1)
            for (int pe = 0; pe < n; pe++)
                memset(b->model[pe], 0, want);
        else
            fill(b, 0);
    } else if (pick(2)) {
        DOING("realloc from %zu to %zu bytes", was, want);
        b->at = shmem_realloc(b->at, want);
        EXPECT(b->at != NULL, "no memory");
        b->size = want;
        EXPECT(memcmp(b->at, b->model[me], was < want ? was : want) == 0, "contents are lost");
        if (want > was)
            fill(b, was);
    } else {
        DOING("free of %zu bytes", was);
        shmem_free(b->at);
        b->at = NULL;
        b->size = 0;
    }
    if (b->at)
        apart(b);
}

/* ---- teams ---- */

static void team_end(struct team *t)
{
    if (rank_in(t, me) >= 0) {
        if (pick(2))
            shmem_ctx_destroy(t->ctx);
        shmem_team_destroy(t->handle);
    } else {
        (void)pick(2);
    }
    t->n = 0;
}

static void team_round(void)
{
    struct team *t = &teams[2 + pick(TEAMS - 2)], *parent = &teams[pick(TEAMS)];
    if (t->n)
        team_end(t);
    if (parent->n == 0)
        parent = &teams[0];
    struct team made = {.handle = SHMEM_TEAM_INVALID};
    int start = (int)pick((size_t)parent->n), step = 1 + (int)pick(3), sign = pick(2) ? 1 : -1;
    int room = sign > 0 ? (parent->n - 1 - start) / step : start / step, in = rank_in(parent, me);
    made.n = 1 + (int)pick((size_t)room + 1);
    DOING("split (%d, %d, %d) of %d PEs", start, sign * step, made.n, parent->n);
    for (int r = 0; r < made.n; r++)
        made.pe[r] = parent->pe[start + r * sign * step];
    if (in >= 0)
        EXPECT(shmem_team_split_strided(parent->handle, start, sign * step, made.n, NULL, 0, &made.handle) == 0, "failed");
    EXPECT(shmem_team_my_pe(made.handle) == rank_in(&made, me), "PE %d there", shmem_team_my_pe(made.handle));
    if (rank_in(&made, me) >= 0)
        EXPECT(shmem_team_create_ctx(made.handle, 0, &made.ctx) == 0, "no context");
    *t = made;
}

/* ---- locks: a plain read, change and write of a word on one PE ---- */

static void lock_round(void)
{
    int target = (int)pick((size_t)n), which = (int)pick(2);
    size_t turns = 1 + pick(4);
    static long expect[PES][2];
    static uint64_t of_program;
    if (of_program != program) {
        memset(expect, 0, sizeof expect);
        of_program = program;
    }
    DOING("lock, %zu turns", turns);
    for (size_t i = 0; i < turns; i++) {
        if (i % 2)
            while (shmem_test_lock(&lock))
                ;
        else
            shmem_set_lock(&lock);
        long v = shmem_long_g(&counter[which], target);
        shmem_long_p(&counter[which], v + me + 1, target);
        shmem_clear_lock(&lock);
    }
    shmem_barrier_all();
    expect[target][which] += (long)turns * n * (n + 1) / 2;
    EXPECT(counter[which] == expect[me][which], "counter %ld, expected %ld", counter[which], expect[me][which]);
}

/* ---- programs ---- */

static void compare(const char *what)
{
    for (int i = 0; i < BLOCKS; i++) {
        const struct block *b = &blocks[i];
        if (!b->at || memcmp(b->at, b->model[me], b->size) == 0)
            continue;
        size_t k = 0;
        while (b->at[k] == b->model[me][k])
            k++;
        EXPECT(0, "%s: byte %zu of block %d (%zu bytes) is %#x, expected %#x", what, k, i, b->size, b->at[k],
               b->model[me][k]);
    }
}

static void between(void)
{
    finish();
    switch (pick(3)) {
    case 0: shmem_barrier_all(); break;
    case 1: shmem_sync_all(); break;
    default: shmem_team_sync(teams[pick(2)].handle);
    }
}

static void run_program(uint64_t seed)
{
    static unsigned char *store[BLOCKS][PES];
    program = seed;
    dice.state = seed;
    memset(counter, 0, sizeof counter);
    for (int i = 0; i < BLOCKS; i++) {
        for (int pe = 0; pe < n; pe++)
            if (!store[i][pe]) {
                store[i][pe] = malloc(BLOCK_MAX);
                EXPECT(store[i][pe] != NULL, "no memory for the model");
            }
        blocks[i] = (struct block){.at = NULL};
        memcpy(blocks[i].model, store[i], sizeof store[i]);
    }
    blocks[0].at = global;
    blocks[0].size = sizeof global;
    round_number = 0;
    fill(&blocks[0], 0);
    for (int i = 0; i < 3; i++)
        memory_round();
    shmem_barrier_all();
    int rounds = 4 + (int)pick(10);
    for (round_number = 1; round_number <= rounds; round_number++) {
        order_reset();
        switch (pick(12)) {
        case 0:
        case 1:
        case 2: rma_round(); break;
        case 3:
        case 4: amo_round(); break;
        case 5:
        case 6:
        case 7: coll_round(); break;
        case 8: signal_round(); break;
        case 9: memory_round(); break;
        case 10: team_round(); break;
        default: lock_round();
        }
        between();
        compare("after the round");
        shmem_sync_all(); /* nobody writes to what another is still comparing */
    }
    for (int i = 2; i < TEAMS; i++)
        if (teams[i].n)
            team_end(&teams[i]);
    for (int i = BLOCKS - 1; i > 0; i--)
        shmem_free(blocks[i].at);
    shmem_barrier_all();
}

static void world_team(struct team *t, shmem_team_t handle)
{
    *t = (struct team){.n = n, .handle = handle};
    for (int r = 0; r < n; r++)
        t->pe[r] = r;
    CHECK(shmem_team_create_ctx(handle, 0, &t->ctx) == 0, "no context");
}

int main(int argc, char **argv)
{
    shmem_init();
    me = shmem_my_pe();
    n = shmem_n_pes();
    CHECK(n <= PES && argc > 1, "usage: %s PROGRAMS SEED..., at most %d PEs", argv[0], PES);
    world_team(&teams[0], SHMEM_TEAM_WORLD);
    shmem_team_t all = SHMEM_TEAM_SHARED; /* which every PE has to know alike: on several nodes, another team of all */
    if (shmem_team_n_pes(all) < n)
        CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, n, NULL, 0, &all) == 0, "no team");
    world_team(&teams[1], all);
    int programs = atoi(argv[1]);
    uint64_t drawn = common_seed();
    int given = getenv("GIN_SHMEM_TEST_SEED") != NULL;
    for (int i = 0; given && i < 20; i++)
        run_program(drawn);
    for (int a = given ? argc : 2; a <= argc; a++) {
        uint64_t base = a < argc ? strtoull(argv[a], NULL, 0) : drawn;
        for (int i = 0; i < programs; i++)
            run_program(mix(base, (uint64_t)i));
    }
    shmem_finalize();
    return 0;
}
