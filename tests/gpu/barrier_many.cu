/* SPDX-License-Identifier: BSD-3-Clause */
/* 10,000 of each barrier and sync, by thread, warp and block, on a team and on all, by 16 indices at once. Between two, a
 * word of the neighbour is written and read: nobody is ever a round ahead or behind.
 * run: racecheck
 * run: sanitize-quick */
#include "check.h"

enum { ROUNDS = ON_TSAN(8, ON_CPU(50, 10000)), INDICES = 16 };
enum { BARRIER, BARRIER_ALL, SYNC, SYNC_ALL, TEAM_SYNC, KINDS };

template <int SCOPE> __device__ void meet(int kind, shmem_team_t team, int index)
{
#define MEET(S)                                                                                                        \
    switch (kind) {                                                                                                    \
    case BARRIER: gin_shmem_barrier##S(team, index); break;                                                            \
    case BARRIER_ALL: gin_shmem_barrier_all##S(index); break;                                                          \
    case SYNC: gin_shmem_sync##S(team, index); break;                                                                  \
    case SYNC_ALL: gin_shmem_sync_all##S(index); break;                                                                \
    default: gin_shmem_team_sync##S(team, index); break;                                                               \
    }
    if (SCOPE == SCOPE_THREAD) {
        MEET()
    } else if (SCOPE == SCOPE_WARP) {
        MEET(_warp)
    } else {
        MEET(_block)
    }
}

/* words: a pair for each index and thread; the previous PE writes round i into word i % 2. */
template <int SCOPE> __global__ void work(int kind, shmem_team_t team, uint64_t *words, int next, int rounds)
{
    if (SCOPE == SCOPE_WARP && threadIdx.x >= 32)
        return;
    bool quiet = kind == BARRIER || kind == BARRIER_ALL;
    uint64_t *mine = words + 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    for (int i = 1; i <= rounds; i++) {
        gin_shmem_uint64_p(mine + i % 2, i, next);
        if (!quiet) /* a sync completes nothing */
            gin_shmem_quiet();
        meet<SCOPE>(kind, team, blockIdx.x);
        EXPECT(((volatile uint64_t *)mine)[i % 2], (uint64_t)i, kind * 100000 + i);
    }
}

int main()
{
    start();
    void (*kernels[])(int, shmem_team_t, uint64_t *, int, int) = {work<SCOPE_THREAD>, work<SCOPE_WARP>, work<SCOPE_BLOCK>};
    const int threads[] = {1, 32, 96};
    uint64_t *words = (uint64_t *)shmem_calloc(2 * INDICES * 96, sizeof *words);
    CHECK(words, "no memory");
    const int rounds = getenv("GS_TEST_SANITIZE") ? 50 : some_far() ? ON_CPU(ROUNDS, ROUNDS / 50) : ROUNDS;
    for (int scope = 0; scope < 3; scope++)
        for (int kind = 0; kind < KINDS; kind++) {
            double from = seconds();
            GIN_SHMEM_LAUNCH(kernels[scope], INDICES, threads[scope], 0, kind, SHMEM_TEAM_WORLD, words, next_pe,
                             rounds);
            KERNELS_DONE("scope %d, kind %d", scope, kind);
            if (me == 0)
                printf("scope %d, kind %d: %.2f us\n", scope, kind, (seconds() - from) * 1e6 / rounds);
            CU(cudaMemset(words, 0, 2 * INDICES * 96 * sizeof *words));
            CU(cudaDeviceSynchronize());
            shmem_barrier_all();
        }
    return done();
}
