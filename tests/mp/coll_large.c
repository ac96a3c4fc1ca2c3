/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives of several MiB, of sizes that no block or cache line divides, in the heap and in global variables. */
#include "coll.h"

enum { BIG = 5 * 1024 * 1024 + 3, PART = 700001 };
static long glob_in[300001], glob_out[300001];
static unsigned char *dest, *source;
static int me, n;

static void moves(void)
{
    int root = n - 1;
    pattern_fill(source, 1, me, BIG);
    shmem_broadcastmem(SHMEM_TEAM_WORLD, dest, source, BIG, root);
    CHECK(pattern_is(dest, 1, root, 0, BIG), "broadcast");
    pattern_fill(source, 2, me, PART);
    shmem_char_fcollect(SHMEM_TEAM_WORLD, (char *)dest, (char *)source, PART);
    for (int pe = 0; pe < n; pe++)
        CHECK(pattern_is(dest + (size_t)PART * (size_t)pe, 2, pe, 0, PART), "fcollect, PE %d", pe);
    pattern_fill(source, 3, me, (size_t)PART * (size_t)n);
    shmem_alltoallmem(SHMEM_TEAM_WORLD, dest, source, PART);
    for (int pe = 0; pe < n; pe++)
        CHECK(pattern_is(dest + (size_t)PART * (size_t)pe, 3, pe, (size_t)PART * (size_t)me, PART), "alltoall, PE %d", pe);
    /* nothing from one PE, a byte from another, much from the rest */
    static const size_t share[] = {3 * 1024 * 1024 + 1, 0, 1, PART};
    pattern_fill(source, 4, me, share[me % 4]);
    shmem_collectmem(SHMEM_TEAM_WORLD, dest, source, share[me % 4]);
    size_t at = 0;
    for (int pe = 0; pe < n; at += share[pe % 4], pe++)
        CHECK(pattern_is(dest + at, 4, pe, 0, share[pe % 4]), "collect, PE %d", pe);
}

static void reductions(void)
{
    double *d = (double *)dest;
    size_t count = BIG / sizeof *d;
    for (size_t i = 0; i < count; i++)
        d[i] = (double)(i % 1000 * (size_t)(me + 1));
    shmem_double_sum_reduce(SHMEM_TEAM_WORLD, d, d, count);
    for (size_t i = 0; i < count; i++)
        CHECK(d[i] == (double)(i % 1000) * n * (n + 1) / 2, "sum in place, element %zu: %g", i, d[i]);
    long last = sizeof glob_in / sizeof glob_in[0];
    for (long i = 0; i < last; i++)
        glob_in[i] = i ^ me;
    shmem_long_max_reduce(SHMEM_TEAM_WORLD, glob_out, glob_in, (size_t)last);
    for (long i = 0; i < last; i++) {
        long max = i;
        for (int pe = 1; pe < n; pe++)
            max = (i ^ pe) > max ? i ^ pe : max;
        CHECK(glob_out[i] == max, "max, element %ld: %ld", i, glob_out[i]);
    }
    for (int inclusive = 0; inclusive < 2; inclusive++) {
        for (long i = 0; i < last; i++)
            glob_in[i] = i + me;
        (inclusive ? shmem_long_sum_inscan : shmem_long_sum_exscan)(SHMEM_TEAM_WORLD, glob_in, glob_in, (size_t)last);
        long ranks = me + inclusive;
        for (long i = 0; i < last; i++)
            CHECK(glob_in[i] == ranks * i + ranks * (ranks - 1) / 2, "scan %d, element %ld: %ld", inclusive, i, glob_in[i]);
    }
}

int main(void)
{
    shmem_init();
    me = shmem_my_pe();
    n = shmem_n_pes();
    dest = shmem_malloc((size_t)n * (3 * 1024 * 1024 + 1) + BIG);
    source = shmem_malloc((size_t)n * PART + BIG);
    CHECK(dest && source, "no memory");
    moves();
    reductions();
    shmem_finalize();
    return 0;
}
