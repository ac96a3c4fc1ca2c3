/* SPDX-License-Identifier: BSD-3-Clause */
/* Many blocks of both PEs at once: every thread writes and reads words of its own at the peer, 200 rounds, while other
 * blocks move larger pieces.
 * run: sanitize-quick */
#include "check.h"

enum { BLOCKS = ON_TSAN(20, 264), BLOCKS_FAR = BLOCKS / 4, THREADS = ON_TSAN(64, 256), ROUNDS = ON_CPU(10, 200) };

__global__ void work(uint64_t *words, uint32_t *piece, const uint32_t *source, int me, int pe, int rounds)
{
    size_t id = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    uint64_t *mine = words + id * 2;
    for (int round = 0; round < rounds; round++) {
        uint64_t v = mix(id, round * 2 + me);
        gin_shmem_uint64_p(mine, v, pe);
        gin_shmem_uint64_put(mine + 1, &v, 1, pe);
        gin_shmem_quiet();
        EXPECT(gin_shmem_uint64_g(mine, pe), v, round);
        uint64_t back = 0;
        gin_shmem_uint64_get(&back, mine + 1, 1, pe);
        EXPECT(back, v, round);
    }
    gin_shmem_uint32_put_block(piece + blockIdx.x * 1000, source, 1000, pe);
}
__global__ void verify(const uint64_t *words, const uint32_t *piece, int from, int rounds)
{
    size_t id = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    for (int k = 0; k < 2; k++)
        EXPECT(words[id * 2 + k], mix(id, (rounds - 1) * 2 + from), id);
    for (int i = threadIdx.x; i < 1000; i += blockDim.x)
        EXPECT(piece[blockIdx.x * 1000 + i], (uint32_t)(i + from), i);
}
__global__ void fill(uint32_t *p, int me)
{
    for (int i = threadIdx.x; i < 1000; i += blockDim.x)
        p[i] = i + me;
}

int main()
{
    start();
    const int rounds = some_far() ? ON_CPU(ROUNDS, 2) : ROUNDS;
    /* Between nodes on one GPU CUDA's copies are kernels, and need room beside ours. */
    const int blocks = some_far() ? BLOCKS_FAR : BLOCKS;
    uint64_t *words = symmetric<uint64_t>(BLOCKS * THREADS * 2);
    uint32_t *piece = symmetric<uint32_t>(BLOCKS * 1000), *source;
    CU(cudaMalloc(&source, 4000)); /* need not be symmetric */
    GIN_SHMEM_LAUNCH(fill, 1, 256, 0, source, me);
    CU(cudaDeviceSynchronize());
    shmem_barrier_all();
    GIN_SHMEM_LAUNCH(work, blocks, THREADS, 0, words, piece, source, me, next_pe, rounds);
    KERNELS_DONE("work");
    shmem_barrier_all();
    GIN_SHMEM_LAUNCH(verify, blocks, THREADS, 0, words, piece, previous_pe, rounds);
    KERNELS_DONE("data");
    CU(cudaFree(source));
    return done();
}
