/* SPDX-License-Identifier: BSD-3-Clause */
/* Quiet by NCCL's GIN: what was put before it is there before what comes behind, while other threads put and quiet at
 * the same time; and it costs a signal for each pair of a context and a PE that was written to, nothing where none was.
 * run: gpu-only NCCL's GIN
 * run: timeout 150 */
#include "part_gin.h"

enum { BLOCKS = 6, THREADS = 32, ROUNDS = 8 };
using namespace gin_shmem_impl;

/* Each thread puts a word, quiets, and puts a flag; the reader must find the word when it finds the flag. all: quiet, or
 * pe_quiet. */
__global__ void flags(uint64_t *words, uint64_t *signs, bool all, int base, int me, int next, int previous)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = base + 1; k <= base + ROUNDS; k++) {
        gin_shmem_uint64_p(words + i, mix(me * 1000 + k, i), next);
        if (all)
            gin_shmem_quiet();
        else
            gin_shmem_pe_quiet(&next, 1);
        gin_shmem_uint64_p(signs + 2 * i, k, next);
        gin_shmem_uint64_wait_until(signs + 2 * i, SHMEM_CMP_EQ, (uint64_t)k);
        EXPECT(*(volatile uint64_t *)(words + i), mix(previous * 1000 + k, i), k * 10000 + i);
        gin_shmem_signal_set(signs + 2 * i + 1, k, previous); /* the word may be written again */
        gin_shmem_uint64_wait_until(signs + 2 * i + 1, SHMEM_CMP_EQ, (uint64_t)k);
    }
}

/* Signals that quiets have sent so far, over all contexts, and pairs that are dirty now. */
__device__ uint64_t sent()
{
    const struct gin_shmem_gin *g = gin_state();
    uint64_t sum = 0;
    for (uint32_t c = 0; c < g->contexts; c++) {
        const uint64_t posted = g->slots[c * GIN_SHMEM_GIN_SLOTS + GIN_SHMEM_GIN_QUIET].posted;
        sum += posted == GIN_SHMEM_GIN_UNKNOWN ? 0 : posted;
    }
    return sum;
}
__global__ void costs(uint64_t *word, int pe, int me)
{
    const struct gin_shmem_gin *g = gin_state();
    gin_shmem_quiet();
    const uint64_t before = sent();
    EXPECT(g->book->head, g->book->tail, 0);
    for (int k = 0; k < 100; k++)
        gin_shmem_quiet();
    EXPECT(sent(), before, 1);
    for (int k = 0; k < 10; k++)
        gin_shmem_uint64_p(word + k, mix(me, k), pe);
    EXPECT(g->book->tail, g->book->head + 1, 2);
    gin_shmem_quiet();
    EXPECT(sent(), before + 1, 3);
    EXPECT(g->book->head, g->book->tail, 4);
    for (uint32_t i = 0; i < g->contexts * g->n; i++)
        EXPECT(g->pairs[i], GIN_SHMEM_GIN_CLEAN, 100 + i);
}

/* A put that nobody quiets in the kernel: the host's quiet does. */
__global__ void leave(uint64_t *word, uint64_t value, int pe)
{
    gin_shmem_uint64_p(word + blockIdx.x, value, pe);
}

int main()
{
    start();
    uint64_t *words = symmetric<uint64_t>(BLOCKS * THREADS), *signs = symmetric<uint64_t>(2 * BLOCKS * THREADS);
    if (!gin_needed(words))
        return gin_skip();
    CU(cudaMemset(signs, 0, 2 * BLOCKS * THREADS * 8));
    CU(cudaDeviceSynchronize());
    shmem_barrier_all();
    for (int all = 0; all < 2; all++) {
        flags<<<BLOCKS, THREADS>>>(words, signs, all, all * ROUNDS, me, next_pe, previous_pe);
        KERNELS_DONE("%s", all ? "quiet" : "pe_quiet");
        shmem_barrier_all();
    }
    costs<<<1, 1>>>(words, next_pe, me);
    KERNELS_DONE("what a quiet costs");
    shmem_barrier_all();
    leave<<<BLOCKS, 1>>>(words, 77 + me, next_pe);
    KERNELS_DONE("puts");
    shmem_quiet();
    shmem_barrier_all();
    for (int i = 0; i < BLOCKS; i++) {
        uint64_t seen = device_value(words + i);
        CHECK(seen == (uint64_t)(77 + previous_pe), "word %d is %llu behind the host's quiet", i, (unsigned long long)seen);
    }
    shmem_barrier_all();
    return done();
}
