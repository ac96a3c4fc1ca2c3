/* SPDX-License-Identifier: BSD-3-Clause */
/* put_signal by NCCL's GIN: whoever sees the signal sees its own payload, in whatever order signals come. Several blocks at
 * a time, each with a place of its own, so that all contexts carry something.
 * run: gpu-only NCCL's GIN
 * run: timeout 150 */
#include "part_gin.h"

enum { BLOCKS = 6, THREADS = 64, ROUNDS = 12, WORDS = 3000 };

__device__ inline uint64_t word_of(int from, int block, int round, int i)
{
    return mix((unsigned long long)from * 100000 + block * 1000 + round, i);
}

/* Two places by turns: that of round k is free again when the answer to k has come. */
__global__ void exchange(uint64_t *dest, uint64_t *source, uint64_t *signals, int words, bool nbi, int me, int next,
                         int previous)
{
    uint64_t *in = dest + (size_t)blockIdx.x * 2 * WORDS, *out = source + (size_t)blockIdx.x * 2 * WORDS;
    uint64_t *there = signals + 4 * blockIdx.x, *answer = there + 2;
    for (int k = 1; k <= ROUNDS; k++) {
        const int half = k & 1;
        if (threadIdx.x == 0 && k > 2)
            gin_shmem_signal_wait_until(answer + half, SHMEM_CMP_EQ, k - 2);
        __syncthreads();
        for (int i = threadIdx.x; i < words; i += blockDim.x)
            out[half * WORDS + i] = word_of(me, blockIdx.x, k, i);
        if (nbi)
            gin_shmem_uint64_put_signal_nbi_block(in + half * WORDS, out + half * WORDS, words, there + half, k,
                                                  SHMEM_SIGNAL_SET, next);
        else
            gin_shmem_uint64_put_signal_block(in + half * WORDS, out + half * WORDS, words, there + half, k,
                                              SHMEM_SIGNAL_SET, next);
        if (threadIdx.x == 0)
            EXPECT(gin_shmem_signal_wait_until(there + half, SHMEM_CMP_EQ, k), k, k);
        __syncthreads();
        for (int i = threadIdx.x; i < words; i += blockDim.x)
            EXPECT(*(volatile uint64_t *)(in + half * WORDS + i), word_of(previous, blockIdx.x, k, i), k * 10000 + i);
        __syncthreads();
        if (threadIdx.x == 0)
            gin_shmem_signal_set(answer + half, k, previous);
    }
    if (threadIdx.x == 0)
        gin_shmem_quiet();
}

/* Payloads that are not symmetric: out of a thread's own variables. */
__global__ void small(uint64_t *dest, uint64_t *signals, int me, int next, int previous)
{
    const int i = threadIdx.x;
    uint64_t mine[3] = {mix(me, i), mix(me, i) + 1, mix(me, i) + 2};
    gin_shmem_uint64_put_signal(dest + 3 * i, mine, 3, signals + i, 1, SHMEM_SIGNAL_SET, next);
    mine[0] = mine[1] = mine[2] = 0;
    gin_shmem_signal_wait_until(signals + i, SHMEM_CMP_EQ, 1);
    for (int k = 0; k < 3; k++)
        EXPECT(((volatile uint64_t *)dest)[3 * i + k], mix(previous, i) + k, i);
}

int main()
{
    start();
    uint64_t *dest = symmetric<uint64_t>(BLOCKS * 2 * WORDS), *source = symmetric<uint64_t>(BLOCKS * 2 * WORDS);
    uint64_t *signals = symmetric<uint64_t>(256);
    if (!gin_needed(dest))
        return gin_skip();
    for (int words : {1, 100, (int)WORDS})
        for (int nbi = 0; nbi < 2; nbi++) {
            CU(cudaMemset(signals, 0, 256 * 8));
            CU(cudaDeviceSynchronize());
            shmem_barrier_all();
            exchange<<<BLOCKS, THREADS>>>(dest, source, signals, words, nbi, me, next_pe, previous_pe);
            KERNELS_DONE("%d words%s", words, nbi ? ", nbi" : "");
            shmem_barrier_all();
        }
    CU(cudaMemset(signals, 0, 256 * 8));
    CU(cudaDeviceSynchronize());
    shmem_barrier_all();
    small<<<1, 32>>>(dest, signals, me, next_pe, previous_pe);
    KERNELS_DONE("out of variables");
    shmem_barrier_all();
    return done();
}
