/* SPDX-License-Identifier: BSD-3-Clause */
/* A block of data goes round all GPUs by put-with-signal, without the host: one kernel a PE receives, adds one, and sends
 * on. After the laps every block is home again, plus one for each hop. */
#include "gpu.h"

enum { WORDS = 1 << 16, LAPS = 50 };

/* inbox has as many slots as there are PEs, used in turn: the previous PE may be ahead, but by less than the ring is long,
 * for its data comes from round it. Each slot has a signal of its own, which says nothing of the others. */
__global__ void __launch_bounds__(1024) ring(long *inbox, long *block, uint64_t *signals, int steps)
{
    const int n = gin_shmem_n_pes(), next = (gin_shmem_my_pe() + 1) % n;
    for (int step = 1; step <= steps; step++) {
        long *slot = inbox + (size_t)(step % n) * WORDS;
        gin_shmem_long_put_signal_block(slot, block, WORDS, signals + step % n, step, SHMEM_SIGNAL_SET, next);
        gin_shmem_signal_wait_until_block(signals + step % n, SHMEM_CMP_GE, step);
        for (int i = threadIdx.x; i < WORDS; i += blockDim.x)
            block[i] = slot[i] + 1;
        __syncthreads();
    }
}

__global__ void fill(long *block, int me)
{
    for (int i = threadIdx.x; i < WORDS; i += blockDim.x)
        block[i] = 1000l * me + i;
}
__global__ void count_wrong(const long *block, int me, int hops, unsigned long long *wrong)
{
    for (int i = threadIdx.x; i < WORDS; i += blockDim.x)
        if (block[i] != 1000l * me + i + hops)
            atomicAdd(wrong, 1ull);
}

int main(void)
{
    shmem_init();
    choose_gpu();
    int me = shmem_my_pe(), n = shmem_n_pes(), steps = n * LAPS;
    long *inbox = symmetric<long>((size_t)n * WORDS), *block = symmetric<long>(WORDS);
    uint64_t *signals = (uint64_t *)shmem_calloc((size_t)n, sizeof *signals);
    unsigned long long *wrong, got;
    CUDA(cudaMalloc(&wrong, sizeof *wrong));
    CUDA(cudaMemset(wrong, 0, sizeof *wrong));
    GIN_SHMEM_LAUNCH(fill, 1, 1024, 0, block, me);
    CUDA(cudaDeviceSynchronize());
    shmem_barrier_all();
    void *args[] = {&inbox, &block, &signals, &steps};
    if (shmemx_collective_launch(ring, dim3(1), dim3(1024), args, 0, 0) != 0)
        shmem_global_exit(1);
    GIN_SHMEM_LAUNCH(count_wrong, 1, 1024, 0, block, me, steps, wrong);
    kernels_done();
    CUDA(cudaMemcpy(&got, wrong, sizeof got, cudaMemcpyDeviceToHost));
    return verdict("ring: 512 KiB blocks are home after 50 laps, plus one for each hop", (long)got);
}
