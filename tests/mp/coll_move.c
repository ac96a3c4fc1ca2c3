/* SPDX-License-Identifier: BSD-3-Clause */
/* Broadcast, collect, fcollect, alltoall and alltoalls: every type, sizes around each internal limit, every root, equal,
 * different and zero lengths. Back to back, without barriers: each call must leave its arrays ready for the next. */
#include "coll.h"

struct calls {
    const char *name;
    size_t size;
    int (*broadcast)(shmem_team_t, void *, const void *, size_t, int);
    int (*collect)(shmem_team_t, void *, const void *, size_t);
    int (*fcollect)(shmem_team_t, void *, const void *, size_t);
    int (*alltoall)(shmem_team_t, void *, const void *, size_t);
    int (*alltoalls)(shmem_team_t, void *, const void *, ptrdiff_t, ptrdiff_t, size_t);
};

#define WRAP(A, N, T)                                                                                                  \
    static int N##_broadcast(shmem_team_t t, void *d, const void *s, size_t n, int root)                               \
    {                                                                                                                  \
        return shmem_##N##_broadcast(t, d, s, n, root);                                                                \
    }                                                                                                                  \
    static int N##_collect(shmem_team_t t, void *d, const void *s, size_t n)                                           \
    {                                                                                                                  \
        return shmem_##N##_collect(t, d, s, n);                                                                        \
    }                                                                                                                  \
    static int N##_fcollect(shmem_team_t t, void *d, const void *s, size_t n)                                          \
    {                                                                                                                  \
        return shmem_##N##_fcollect(t, d, s, n);                                                                       \
    }                                                                                                                  \
    static int N##_alltoall(shmem_team_t t, void *d, const void *s, size_t n)                                          \
    {                                                                                                                  \
        return shmem_##N##_alltoall(t, d, s, n);                                                                       \
    }                                                                                                                  \
    static int N##_alltoalls(shmem_team_t t, void *d, const void *s, ptrdiff_t dst, ptrdiff_t sst, size_t n)           \
    {                                                                                                                  \
        return shmem_##N##_alltoalls(t, d, s, dst, sst, n);                                                            \
    }
SHMEMI_RMA_TYPES(WRAP, )

#define ROW(A, N, T) {#N, sizeof(T), N##_broadcast, N##_collect, N##_fcollect, N##_alltoall, N##_alltoalls},
static const struct calls table[] = {
    SHMEMI_RMA_TYPES(ROW, ){"mem", 1, shmem_broadcastmem, shmem_collectmem, shmem_fcollectmem, shmem_alltoallmem,
                            shmem_alltoallsmem},
};
enum { ROWS = sizeof table / sizeof table[0], MAX_BYTES = 9200 };

static unsigned char *dest, *source;
static size_t room;
static uint64_t key;
static int me, n;

static void prepare(size_t source_bytes)
{
    key++;
    pattern_fill(source, key, me, source_bytes);
    memset(dest, GUARD, room);
}

#define WHERE "%s of %zu %s, call %llu: data of PE %d is wrong"
#define WRONG(what, nelems, pe) what, (size_t)(nelems), c->name, (unsigned long long)key, (pe)

static void broadcast(const struct calls *c, size_t nelems)
{
    size_t bytes = nelems * c->size;
    int root = (int)(key % (uint64_t)n);
    prepare(bytes);
    CHECK(c->broadcast(SHMEM_TEAM_WORLD, dest, source, nelems, root) == 0, "broadcast of %s", c->name);
    CHECK(pattern_is(dest, key, root, 0, bytes), WHERE, WRONG("broadcast", nelems, root));
    CHECK(all_guard(dest + bytes, GUARD_BYTES), WHERE, WRONG("broadcast (behind the end)", nelems, root));
    CHECK(pattern_is(source, key, me, 0, bytes), WHERE, WRONG("broadcast (source)", nelems, me));
}

static void fcollect(const struct calls *c, size_t nelems)
{
    size_t bytes = nelems * c->size;
    prepare(bytes);
    CHECK(c->fcollect(SHMEM_TEAM_WORLD, dest, source, nelems) == 0, "fcollect of %s", c->name);
    for (int pe = 0; pe < n; pe++)
        CHECK(pattern_is(dest + bytes * (size_t)pe, key, pe, 0, bytes), WHERE, WRONG("fcollect", nelems, pe));
    CHECK(all_guard(dest + bytes * (size_t)n, GUARD_BYTES), WHERE, WRONG("fcollect (behind the end)", nelems, n));
}

/* What PE pe gives to a collect: by turns the same everywhere, different, some nothing, one large. */
static size_t share(size_t nelems, int pe)
{
    switch (key % 4) {
    case 0: return nelems;
    case 1: return mix(key, (uint64_t)pe) % (nelems + 1);
    case 2: return mix(key, (uint64_t)pe) % 2 ? nelems : 0;
    default: return pe == (int)(key / 4 % (uint64_t)n) ? nelems : nelems > 2 ? 2 : nelems;
    }
}

static void collect(const struct calls *c, size_t nelems)
{
    prepare(nelems * c->size);
    CHECK(c->collect(SHMEM_TEAM_WORLD, dest, source, share(nelems, me)) == 0, "collect of %s", c->name);
    size_t at = 0;
    for (int pe = 0; pe < n; pe++) {
        size_t bytes = share(nelems, pe) * c->size;
        CHECK(pattern_is(dest + at, key, pe, 0, bytes), WHERE, WRONG("collect", share(nelems, pe), pe));
        at += bytes;
    }
    CHECK(all_guard(dest + at, GUARD_BYTES), WHERE, WRONG("collect (behind the end)", nelems, n));
}

static void alltoall(const struct calls *c, size_t nelems)
{
    size_t bytes = nelems * c->size;
    prepare(bytes * (size_t)n);
    CHECK(c->alltoall(SHMEM_TEAM_WORLD, dest, source, nelems) == 0, "alltoall of %s", c->name);
    for (int pe = 0; pe < n; pe++)
        CHECK(pattern_is(dest + bytes * (size_t)pe, key, pe, bytes * (size_t)me, bytes), WHERE,
              WRONG("alltoall", nelems, pe));
    CHECK(all_guard(dest + bytes * (size_t)n, GUARD_BYTES), WHERE, WRONG("alltoall (behind the end)", nelems, n));
}

static void alltoalls(const struct calls *c, size_t nelems, ptrdiff_t dst, ptrdiff_t sst)
{
    size_t all = nelems * (size_t)n, w = c->size;
    prepare(all * (size_t)sst * w);
    CHECK(c->alltoalls(SHMEM_TEAM_WORLD, dest, source, dst, sst, nelems) == 0, "alltoalls of %s", c->name);
    for (size_t i = 0; i < all; i++) {
        int pe = (int)(i / nelems);
        size_t from = (size_t)me * nelems + i % nelems;
        CHECK(pattern_is(dest + i * (size_t)dst * w, key, pe, from * (size_t)sst * w, w), WHERE,
              WRONG("alltoalls", nelems, pe));
        CHECK(all_guard(dest + (i * (size_t)dst + 1) * w, (size_t)(dst - 1) * w), WHERE,
              WRONG("alltoalls (between elements)", nelems, pe));
    }
}

int main(void)
{
    shmem_init();
    me = shmem_my_pe();
    n = shmem_n_pes();
    room = (size_t)n * MAX_BYTES + GUARD_BYTES;
    dest = shmem_malloc(room);
    source = shmem_malloc(room);
    CHECK(dest && source, "no memory");
    for (int row = 0; row < ROWS; row++) {
        const struct calls *c = &table[row];
        size_t w = c->size;
        /* a mail has 120 bytes, 112 in collect; 4096: blocks */
        const size_t counts[] = {0, 1, 3, 112 / w, 112 / w + 1, 120 / w, 120 / w + 1, 4096 / w - 1, 4096 / w + 1, 9000 / w};
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
            broadcast(c, counts[i]);
            fcollect(c, counts[i]);
            collect(c, counts[i]);
            alltoall(c, counts[i]);
            if (counts[i] * w < 200)
                alltoalls(c, counts[i], 1 + (ptrdiff_t)(key % 3), 1 + (ptrdiff_t)(key / 3 % 4));
        }
        for (int root = 0; root < n; root++, key++)
            broadcast(c, 2);
        for (int turn = 0; turn < 8; turn++, key++)
            collect(c, turn % 2 ? 9 : 160 / w);
    }
    shmem_free(source);
    shmem_free(dest);
    shmem_finalize();
    return 0;
}
