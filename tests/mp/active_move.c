/* SPDX-License-Identifier: BSD-3-Clause */
/* The deprecated collectives over active sets that move data, and barrier and sync: every set of a small job and many of a
 * large one, both element sizes. pSync is clean at return, the root's dest of a broadcast stays as it was. */
#include "coll.h"

enum { MOST = 16, WORDS = 600, SIZES = 5 };

static long psync[SHMEM_SYNC_SIZE], psync_barrier[SHMEM_BARRIER_SYNC_SIZE]; /* SHMEM_SYNC_VALUE is 0 */
static unsigned char source[WORDS * 8 * MOST * 2], dest[WORDS * 8 * MOST * 3 + GUARD_BYTES];
static uint64_t key;
static int arrived[MOST];

struct set {
    int start, log, size, me;
};

static int pe_of(const struct set *s, int rank)
{
    return s->start + (rank << s->log);
}

static void clean(const char *what)
{
    for (int i = 0; i < SHMEM_SYNC_SIZE; i++)
        CHECK(psync[i] == SHMEM_SYNC_VALUE, "%s: pSync[%d] is %ld at return", what, i, psync[i]);
}

/* All have left whatever used psync: it may be used again. */
static void part(const struct set *s, const char *what)
{
    clean(what);
    shmem_barrier(s->start, s->log, s->size, psync_barrier);
}

static void prepare(size_t bytes)
{
    pattern_fill(source, key, shmem_my_pe(), bytes);
    memset(dest, GUARD, sizeof dest);
}

#define CALL(op, ...) (size == 4 ? shmem_##op##32(__VA_ARGS__) : shmem_##op##64(__VA_ARGS__))
#define SET           s->start, s->log, s->size, psync

static void moves(const struct set *s, size_t nelems, size_t size, int root)
{
    size_t bytes = nelems * size, n = (size_t)s->size, me = (size_t)s->me;
    prepare(bytes);
    CALL(broadcast, dest, source, nelems, root, SET);
    if (s->me == root)
        CHECK(all_guard(dest, sizeof dest), "broadcast writes to the root's dest");
    else
        CHECK(pattern_is(dest, key, pe_of(s, root), 0, bytes) && all_guard(dest + bytes, GUARD_BYTES), "broadcast, %zu",
              bytes);
    part(s, "broadcast");

    prepare(bytes);
    CALL(fcollect, dest, source, nelems, SET);
    for (size_t r = 0; r < n; r++)
        CHECK(pattern_is(dest + r * bytes, key, pe_of(s, (int)r), 0, bytes), "fcollect, rank %zu", r);
    CHECK(all_guard(dest + n * bytes, GUARD_BYTES), "fcollect, end");
    part(s, "fcollect");

    prepare(bytes);
#define SHARE(r) (((r) + key) % 3 == 0 ? 0 : ((r) + key) % 3 == 1 ? nelems : (nelems + 1) / 2)
    CALL(collect, dest, source, SHARE(me), SET);
    size_t at = 0;
    for (size_t r = 0; r < n; at += SHARE(r) * size, r++)
        CHECK(pattern_is(dest + at, key, pe_of(s, (int)r), 0, SHARE(r) * size), "collect, rank %zu", r);
    CHECK(all_guard(dest + at, GUARD_BYTES), "collect, end");
    part(s, "collect");

    prepare(bytes * n);
    CALL(alltoall, dest, source, nelems, SET);
    for (size_t r = 0; r < n; r++)
        CHECK(pattern_is(dest + r * bytes, key, pe_of(s, (int)r), me * bytes, bytes), "alltoall, rank %zu", r);
    CHECK(all_guard(dest + n * bytes, GUARD_BYTES), "alltoall, end");
    part(s, "alltoall");

    ptrdiff_t dst = 1 + (ptrdiff_t)(key % 3), sst = 1 + (ptrdiff_t)(key / 3 % 2);
    prepare(bytes * n * (size_t)sst);
    CALL(alltoalls, dest, source, dst, sst, nelems, SET);
    for (size_t i = 0; i < nelems * n; i++) {
        size_t from = me * nelems + i % nelems;
        CHECK(pattern_is(dest + i * (size_t)dst * size, key, pe_of(s, (int)(i / nelems)), from * (size_t)sst * size, size),
              "alltoalls, element %zu", i);
        CHECK(all_guard(dest + (i * (size_t)dst + 1) * size, (size_t)(dst - 1) * size), "alltoalls, behind element %zu", i);
    }
    part(s, "alltoalls");
}

/* Nobody leaves before all have come; the same pSync again and again, as only these two may. */
static void syncs(const struct set *s)
{
    for (int turn = 0; turn < 4; turn++) {
        for (int r = 0; r < s->size; r++)
            shmem_int_atomic_inc(&arrived[s->me], pe_of(s, r));
        shmem_quiet();
        if (turn % 2)
            shmem_barrier(s->start, s->log, s->size, psync_barrier);
        else
            shmem_sync(s->start, s->log, s->size, psync_barrier);
        for (int r = 0; r < s->size; r++)
            CHECK(shmem_int_atomic_fetch(&arrived[r], shmem_my_pe()) >= turn + 1, "rank %d has not arrived", r);
    }
    shmem_barrier(s->start, s->log, s->size, psync_barrier);
    memset(arrived, 0, sizeof arrived);
    shmem_barrier(s->start, s->log, s->size, psync_barrier);
}

int main(void)
{
    static const size_t sizes[SIZES] = {0, 1, 15, 31, WORDS};
    shmem_init();
    int n = shmem_n_pes(), me = shmem_my_pe();
    CHECK(n <= MOST, "made for at most %d PEs", MOST);
    struct rng r = {common_seed()};
    for (int start = 0; start < n; start++)
        for (int log = 0; 1 << log <= n; log++)
            for (int size = 1; start + ((size - 1) << log) < n; size++) {
                struct set s = {start, log, size, (me - start) >> log};
                key++;
                int root = (int)rng_below(&r, (uint64_t)size);
                if (n > 4 && size != n && rng_below(&r, 8))
                    continue;
                if (me >= start && (me - start) % (1 << log) == 0 && s.me < size) {
                    for (int i = 0; i < SIZES; i++) {
                        moves(&s, sizes[i], 4, root);
                        moves(&s, sizes[i], 8, root);
                    }
                    syncs(&s);
                }
                shmem_barrier_all(); /* another set must not use pSync before this one is done with it */
                clean("all");
                for (int i = 0; i < SHMEM_BARRIER_SYNC_SIZE; i++)
                    CHECK(psync_barrier[i] == SHMEM_SYNC_VALUE, "pSync[%d] of the barrier is %ld", i, psync_barrier[i]);
                shmem_barrier_all();
            }
    shmem_finalize();
    return 0;
}
