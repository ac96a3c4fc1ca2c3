/* SPDX-License-Identifier: BSD-3-Clause */
/* 10,000 of each collective by every form, 24 blocks at once with an index each, the collectives following each other
 * without any other synchronisation, in sizes that change: by mail and directly. On the CPU fewer.
 * run: sanitize-quick */
#include "check.h"

enum { ROUNDS = ON_CPU(ON_TSAN(66, 130), 10000), INDICES = ON_TSAN(3, 24), ROOM = 4096 };
enum { BROADCAST, FCOLLECT, ALLTOALL, COLLECT, SUM, SCATTER, MIXED, KINDS };

__device__ int value(int pe, int index, int round, int i) { return (int)(mix(pe * 64 + index, round * 7919 + i) & 0xffff); }

template <int SCOPE> __device__ void call(int kind, int *dest, int *source, size_t count, int root, int index)
{
#define CASES(S)                                                                                                       \
    switch (kind) {                                                                                                    \
    case BROADCAST: gin_shmem_int_broadcast##S(SHMEM_TEAM_WORLD, dest, source, count, root, index); break;             \
    case FCOLLECT: gin_shmem_int_fcollect##S(SHMEM_TEAM_WORLD, dest, source, count, index); break;                     \
    case ALLTOALL: gin_shmem_int_alltoall##S(SHMEM_TEAM_WORLD, dest, source, count, index); break;                     \
    case COLLECT: gin_shmem_int_collect##S(SHMEM_TEAM_WORLD, dest, source, count, index); break;                       \
    case SUM: gin_shmem_int_sum_reduce##S(SHMEM_TEAM_WORLD, dest, source, count, index); break;                        \
    default: gin_shmem_int_sum_reducescatter##S(SHMEM_TEAM_WORLD, dest, source, count, index); break;                  \
    }
    if (SCOPE == SCOPE_THREAD) {
        CASES()
    } else if (SCOPE == SCOPE_WARP) {
        CASES(_warp)
    } else {
        CASES(_block)
    }
}

/* The source is double-buffered: a peer may still be reading the last one; dest too, so that a fast peer's next write
 * cannot hide an error. Round i + 2 cannot start anywhere before round i + 1 was left everywhere. */
template <int SCOPE> __global__ void work(int kinds, int *dests, int *sources, int me, int n, int rounds)
{
    if (SCOPE == SCOPE_WARP && threadIdx.x >= 32)
        return;
    const int index = blockIdx.x, rank = group_rank<SCOPE>(), size = group_size<SCOPE>();
    for (int round = 0; round < rounds; round++) {
        const int kind = kinds == MIXED ? round % MIXED : kinds;
        /* now and then beyond what mail holds */
        const int count = round % 64 == 63 && SCOPE != SCOPE_THREAD ? 900 : 1 + round % 9, root = round % n;
        int *dest = dests + (index * 2 + round % 2) * ROOM * 2, *source = sources + (index * 2 + round % 2) * ROOM * 2;
        for (int i = rank; i < count * n; i += size)
            source[i] = value(me, index, round, i);
        group_sync<SCOPE>();
        call<SCOPE>(kind, dest, source, count, root, index);
        for (int i = rank; i < count; i += size) {
            int sum = 0, part = 0;
            for (int pe = 0; pe < n; pe++) {
                sum += value(pe, index, round, i);
                part += value(pe, index, round, me * count + i);
            }
            const volatile int *got = dest;
            switch (kind) {
            case BROADCAST: EXPECT(got[i], value(root, index, round, i), round); break;
            case FCOLLECT:
            case COLLECT:
                for (int pe = 0; pe < n; pe++)
                    EXPECT(got[pe * count + i], value(pe, index, round, i), round);
                break;
            case ALLTOALL:
                for (int pe = 0; pe < n; pe++)
                    EXPECT(got[pe * count + i], value(pe, index, round, me * count + i), round);
                break;
            case SUM: EXPECT(got[i], sum, round); break;
            default: EXPECT(got[i], part, round); break;
            }
        }
        group_sync<SCOPE>();
    }
}

int main()
{
    start();
    CHECK(n <= 8, "too many PEs");
    int *dests = symmetric<int>(INDICES * 2 * ROOM * 2), *sources = symmetric<int>(INDICES * 2 * ROOM * 2);
    void (*kernels[])(int, int *, int *, int, int, int) = {work<SCOPE_THREAD>, work<SCOPE_WARP>, work<SCOPE_BLOCK>};
    const int threads[] = {1, 32, 128};
    const int rounds = getenv("GS_TEST_SANITIZE") ? 70 : some_far() ? ON_CPU(ROUNDS, ROUNDS / 50) : ROUNDS;
    for (int scope = 0; scope < 3; scope++)
        for (int kind = 0; kind < KINDS; kind++) {
            double from = seconds();
            GIN_SHMEM_LAUNCH(kernels[scope], INDICES, threads[scope], 0, kind, dests, sources, me, n, rounds);
            KERNELS_DONE("scope %d, kind %d", scope, kind);
            if (me == 0)
                printf("scope %d, kind %d: %.2f us\n", scope, kind, (seconds() - from) * 1e6 / rounds);
            shmem_barrier_all();
        }
    return done();
}
