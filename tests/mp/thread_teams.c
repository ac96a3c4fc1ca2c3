/* SPDX-License-Identifier: BSD-3-Clause */
/* Several threads of each PE split, use and destroy teams at the same time, each thread below a parent of its own;
 * other threads make and destroy contexts meanwhile. */
#include <pthread.h>

#include "check.h"

enum { THREADS = 3, TIMES = 60, CONTEXTS = 2, CONTEXT_TIMES = 3000 };
static shmem_team_t parents[THREADS];
static long source[THREADS], dest[THREADS], box;

static void *split(void *arg)
{
    int t = (int)(intptr_t)arg;
    shmem_team_t parent = parents[t], teams[4];
    int me = shmem_team_my_pe(parent), n = shmem_team_n_pes(parent);
    for (int i = 0; i < TIMES; i++) {
        for (int k = 0; k < 4; k++) {
            int start = k % 2 ? n - 1 : 0, stride = k % 2 ? -1 : 1;
            CHECK(shmem_team_split_strided(parent, start, stride, n, NULL, 0, &teams[k]) == 0, "thread %d: no team", t);
            CHECK(shmem_team_my_pe(teams[k]) == (k % 2 ? n - 1 - me : me), "rank in team %d", k);
        }
        for (int k = 0; k < 4; k++) {
            source[t] = t * 100 + i + k;
            CHECK(shmem_long_sum_reduce(teams[k], &dest[t], &source[t], 1) == 0, "sum");
            CHECK(dest[t] == (long)n * (t * 100 + i + k), "thread %d: sum is %ld", t, dest[t]);
            CHECK(shmem_team_sync(teams[k]) == 0, "sync");
        }
        for (int k = 0; k < 4; k++)
            shmem_team_destroy(teams[(k + i) % 4]);
    }
    return NULL;
}

static void *contexts(void *arg)
{
    shmem_team_t team;
    for (int i = 0; i < CONTEXT_TIMES; i++) {
        shmem_ctx_t ctx[3];
        for (int k = 0; k < 3; k++)
            CHECK((k == 2 ? shmem_team_create_ctx(parents[i % THREADS], 0, &ctx[k]) : shmem_ctx_create(k, &ctx[k])) ==
                      0,
                  "no context");
        CHECK(shmem_ctx_get_team(ctx[2], &team) == 0 && team == parents[i % THREADS], "the context's team");
        shmem_ctx_long_atomic_inc(ctx[1], &box, 0);
        for (int k = 0; k < 3; k++)
            shmem_ctx_destroy(ctx[(k + i) % 3]);
    }
    return arg;
}

int main(void)
{
    int provided;
    pthread_t threads[THREADS + CONTEXTS];
    CHECK(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) == 0, "threads");
    int n = shmem_n_pes();
    for (int t = 0; t < THREADS; t++)
        CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, n, NULL, 0, &parents[t]) == 0, "no parent team");
    for (intptr_t t = 0; t < THREADS + CONTEXTS; t++)
        CHECK(pthread_create(&threads[t], NULL, t < THREADS ? split : contexts, (void *)t) == 0, "pthread_create");
    for (int t = 0; t < THREADS + CONTEXTS; t++)
        pthread_join(threads[t], NULL);
    shmem_barrier_all();
    CHECK(shmem_long_g(&box, 0) == (long)n * CONTEXTS * CONTEXT_TIMES, "box is %ld", shmem_long_g(&box, 0));
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
