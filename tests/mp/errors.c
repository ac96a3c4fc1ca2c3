/* SPDX-License-Identifier: BSD-3-Clause */
/* One mistake, chosen by name: errors.sh knows what must be said of it. PE BAD makes it while the others wait in a
 * barrier, unless the mistake is in a collective. Reaching the end means that the mistake went unnoticed: status 0. */
#include <stdlib.h>
#include <string.h>

#include "check.h"

#define BAD (shmem_n_pes() - 1)
static long global, guarded[64];
static uint64_t sig;
static struct {
    char odd;
    long long_word __attribute__((packed));
} packed;

static shmem_team_t new_team(void)
{
    shmem_team_t t;
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, shmem_n_pes(), NULL, 0, &t) == 0, "no team");
    return t;
}

static shmem_ctx_t new_ctx(void)
{
    shmem_ctx_t c;
    CHECK(shmem_ctx_create(0, &c) == 0, "no context");
    return c;
}

/* Mistakes of one PE. p is heap memory of 100 longs, freed is no longer. */
static int alone(const char *what, long *p, long *freed, shmem_team_t dead_team, shmem_ctx_t dead_ctx,
                 shmem_ctx_t orphan, shmem_ctx_t team_ctx)
{
    long local[200] = {0}, one = 1;
    const int n = shmem_n_pes();
    static int negative[2] = {0, -1};
#define MISTAKE(NAME, ...)          \
    if (strcmp(what, #NAME) == 0) { \
        __VA_ARGS__;                \
        return 1;                   \
    }
    MISTAKE(pe_large, shmem_long_put(p, local, 1, n))
    MISTAKE(pe_negative, (void)shmem_long_g(p, -1))
    MISTAKE(pe_ctx, shmem_ctx_long_p(team_ctx, p, 1, 1)) /* the team has PE 0 only */
    MISTAKE(pe_atomic, shmem_long_atomic_inc(&global, n + 5))
    MISTAKE(pe_signal, shmem_signal_set(&sig, 1, n))
    MISTAKE(pe_quiet, shmem_pe_quiet(negative, 2))
    MISTAKE(pe_ptr, (void)shmem_ptr(p, n))
    MISTAKE(private_put, shmem_long_put(local, p, 1, 0))
    MISTAKE(private_get, shmem_getmem(local, local + 100, 8, 0))
    MISTAKE(private_null, shmem_long_p(NULL, 1, 0))
    MISTAKE(private_atomic, (void)shmem_long_atomic_fetch(local, 0))
    MISTAKE(private_wait, shmem_long_wait_until(local, SHMEM_CMP_EQ, 0))
    MISTAKE(private_signal, shmem_putmem_signal(p, local, 8, (uint64_t *)local, 1, SHMEM_SIGNAL_SET, 0))
    MISTAKE(private_lock, shmem_set_lock(&one))
    MISTAKE(private_iput, shmem_long_iput(local, p, 1, 1, 4, 0))
    MISTAKE(end_of_block, shmem_long_put(p, local, 200, 0))
    MISTAKE(end_of_block_get, shmem_long_get(local, p + 90, 100, 0))
    MISTAKE(end_of_block_strided, shmem_long_iput(p, local, 20, 1, 10, 0))
    MISTAKE(end_of_block_blocks, shmem_long_ibput(p, local, 30, 10, 10, 5, 0))
    MISTAKE(end_of_heap, shmem_putmem(p, local, (size_t)1 << 40, 0))
    MISTAKE(end_of_globals, shmem_putmem(guarded, local, (size_t)1 << 40, 0))
    MISTAKE(end_overflow, shmem_long_put(p, local, SIZE_MAX / 8 + 2, 0)) /* 8 bytes, to who multiplies carelessly */
    MISTAKE(end_vector, shmem_long_wait_until_all(p, 1000, NULL, SHMEM_CMP_EQ, 0))
    MISTAKE(freed_put, shmem_long_p(freed, 1, 0))
    MISTAKE(freed_atomic, shmem_long_atomic_add(freed + 3, 1, 0))
    MISTAKE(aligned_atomic, shmem_long_atomic_inc((long *)(void *)((char *)p + 4), 0))
    MISTAKE(aligned_global, shmem_long_atomic_set((long *)(void *)((char *)&packed + 1), 1, 0))
    MISTAKE(aligned_signal, shmem_signal_add((uint64_t *)(void *)((char *)p + 1), 1, 0))
    MISTAKE(aligned_wait, shmem_int_wait_until((int *)(void *)((char *)p + 2), SHMEM_CMP_EQ, 0))
    MISTAKE(cmp, shmem_long_wait_until(p, 6, 0))
    MISTAKE(cmp_negative, (void)shmem_long_test_any(p, 3, NULL, -1, 0))
    MISTAKE(sig_op, shmem_long_put_signal(p, local, 1, &sig, 1, 77, 0))
    MISTAKE(stride, shmem_long_iput(p, local, 0, 1, 4, 0))
    MISTAKE(stride_blocks, shmem_long_ibget(local, p, 4, 2, 3, 2, 0))
    MISTAKE(dead_team, (void)shmem_team_n_pes(dead_team))
    MISTAKE(dead_team_sync, (void)shmem_team_sync(dead_team))
    MISTAKE(dead_ctx, shmem_ctx_long_p(dead_ctx, p, 1, 0))
    MISTAKE(dead_ctx_quiet, shmem_ctx_quiet(dead_ctx))
    MISTAKE(dead_ctx_twice, shmem_ctx_destroy(dead_ctx))
    MISTAKE(orphan_ctx, shmem_ctx_long_p(orphan, p, 1, 0))
    MISTAKE(invalid_ctx, shmem_ctx_long_p(SHMEM_CTX_INVALID, p, 1, 0))
    MISTAKE(default_ctx, shmem_ctx_destroy(SHMEM_CTX_DEFAULT))
    MISTAKE(lock_not_held, shmem_clear_lock(&guarded[5]))
    MISTAKE(lock_twice, (shmem_set_lock(&guarded[6]), shmem_set_lock(&guarded[6])))
    MISTAKE(none, shmem_long_p(p, 1, 0))
#undef MISTAKE
    return 0;
}

/* Mistakes in collective calls. */
static void together(const char *what, long *p, long *freed)
{
    const int bad = shmem_my_pe() == BAD;
    if (strcmp(what, "malloc_sizes") == 0)
        (void)shmem_malloc(bad ? 100 : 200);
    else if (strcmp(what, "malloc_and_free") == 0)
        bad ? shmem_free(p) : (void)shmem_malloc(64);
    else if (strcmp(what, "malloc_and_barrier") == 0)
        bad ? shmem_barrier_all() : (void)shmem_malloc(64);
    else if (strcmp(what, "free_twice") == 0)
        shmem_free(freed);
    else if (strcmp(what, "free_inside") == 0)
        shmem_free(p + 10);
    else if (strcmp(what, "free_global") == 0)
        shmem_free(&global);
    else if (strcmp(what, "realloc_freed") == 0)
        (void)shmem_realloc(freed, 5000);
    else if (strcmp(what, "align") == 0)
        (void)shmem_align(24, 100);
    else if (strcmp(what, "world_destroy") == 0)
        shmem_team_destroy(SHMEM_TEAM_WORLD);
    else if (strcmp(what, "exhausted") == 0)
        CHECK(!shmem_malloc((size_t)1 << 44), "16 TiB?");
    else
        CHECK(0, "no scenario is called %s", what);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "none";
    if (strcmp(what, "before_init") == 0) {
        (void)shmem_my_pe();
        return 0;
    }
    if (strcmp(what, "before_init_put") == 0) {
        shmem_long_p(&global, 1, 0);
        return 0;
    }
    if (strcmp(what, "before_init_finalize") == 0) {
        shmem_finalize();
        return 0;
    }
    shmem_init();
    long *p = shmem_malloc(100 * sizeof *p), *freed = shmem_malloc(100 * sizeof *p);
    shmem_team_t dead_team = new_team(), first;
    shmem_ctx_t dead_ctx = new_ctx(), orphan, team_ctx = SHMEM_CTX_INVALID;
    CHECK(shmem_team_create_ctx(dead_team, 0, &orphan) == 0, "no context");
    shmem_team_destroy(dead_team);
    shmem_ctx_destroy(dead_ctx);
    shmem_free(freed);
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, BAD, 1, 1, NULL, 0, &first) == 0, "no team");
    if (first != SHMEM_TEAM_INVALID)
        CHECK(shmem_team_create_ctx(first, 0, &team_ctx) == 0, "no context");
    shmem_barrier_all();
    if (strncmp(what, "after_finalize", 14) == 0) {
        shmem_finalize();
        if (strcmp(what, "after_finalize") == 0)
            shmem_barrier_all();
        else
            (void)shmem_long_g(p, 0);
        return 0;
    }
    if (shmem_my_pe() != BAD || !alone(what, p, freed, dead_team, dead_ctx, orphan, team_ctx)) {
        /* Whoever is not to blame waits, and a collective mistake is made by all. */
        if (strncmp(what, "malloc", 6) == 0 || strncmp(what, "free_", 5) == 0 || strncmp(what, "realloc", 7) == 0 ||
            strcmp(what, "align") == 0 || strcmp(what, "world_destroy") == 0 || strcmp(what, "exhausted") == 0)
            together(what, p, freed);
        else
            CHECK(shmem_my_pe() != BAD, "no scenario is called %s", what);
    }
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
