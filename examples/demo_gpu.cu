/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The main job in small, on GPUs: kernels pass blocks of data around a ring with put-with-signal, over the memory of the
 * GPUs and without the host; then a reduction over all PEs, in a kernel too, checks the result. Run with:
 * oshrun -n 2 demo_gpu
 */
#include "gpu.h"

enum { WORDS = 1 << 17, BLOCKS = 16, LAPS = 200 };

/* Each block of the grid passes its own part of the data round, with its own signals. The inbox has as many slots as there
 * are PEs, used in turn, so that a neighbour some steps ahead overwrites nothing: it can be as far ahead as the ring is long. */
__global__ void __launch_bounds__(1024) ring(long *inbox, long *data, uint64_t *signals, int steps)
{
    const int n = gin_shmem_n_pes(), next = (gin_shmem_my_pe() + 1) % n, part = WORDS / gridDim.x;
    long *mine = data + blockIdx.x * part;
    for (int step = 1; step <= steps; step++) {
        long *slot = inbox + (size_t)(step % n) * WORDS + blockIdx.x * part;
        uint64_t *signal = signals + step % n * gridDim.x + blockIdx.x;
        gin_shmem_long_put_signal_block(slot, mine, part, signal, step, SHMEM_SIGNAL_SET, next);
        gin_shmem_signal_wait_until_block(signal, SHMEM_CMP_GE, step);
        for (int i = threadIdx.x; i < part; i += blockDim.x)
            mine[i] = slot[i] + 1;
        __syncthreads();
    }
}

__global__ void fill(long *data, int me)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < WORDS; i += gridDim.x * blockDim.x)
        data[i] = me + i;
}

/* counts: own wrong words, and behind it the sum over all PEs. */
__global__ void check(const long *data, long *counts, int steps)
{
    const int me = gin_shmem_my_pe();
    if (threadIdx.x == 0)
        counts[0] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < WORDS; i += blockDim.x)
        if (data[i] != me + i + (long)steps)
            atomicAdd((unsigned long long *)counts, 1ull);
    gin_shmem_long_sum_reduce_block(SHMEM_TEAM_WORLD, counts + 1, counts, 1);
}

int main(void)
{
    shmem_init();
    choose_gpu();
    int me = shmem_my_pe(), n = shmem_n_pes(), steps = n * LAPS;
    long *inbox = symmetric<long>((size_t)n * WORDS), *data = symmetric<long>(WORDS), *counts = symmetric<long>(2), got[2];
    uint64_t *signals = (uint64_t *)shmem_calloc((size_t)n * BLOCKS, sizeof *signals);
    cudaEvent_t before, after;
    float ms = 0;
    CUDA(cudaEventCreate(&before));
    CUDA(cudaEventCreate(&after));
    GIN_SHMEM_LAUNCH(fill, BLOCKS, 512, 0, data, me);
    CUDA(cudaDeviceSynchronize());
    shmem_barrier_all();
    CUDA(cudaEventRecord(before));
    void *args[] = {&inbox, &data, &signals, &steps};
    if (shmemx_collective_launch(ring, dim3(BLOCKS), dim3(512), args, 0, 0) != 0)
        shmem_global_exit(1);
    CUDA(cudaEventRecord(after));
    GIN_SHMEM_LAUNCH(check, 1, 1024, 0, data, counts, steps);
    kernels_done();
    CUDA(cudaMemcpy(got, counts, sizeof got, cudaMemcpyDeviceToHost));
    CUDA(cudaEventElapsedTime(&ms, before, after));
    CUDA(cudaEventDestroy(before));
    CUDA(cudaEventDestroy(after));
    printf("PE %d of %d: kernels put %d times %zu KiB to the GPU of PE %d with put_signal, got as many back, %ld wrong words\n",
           me, n, steps, WORDS * sizeof *data / 1024, (me + 1) % n, got[0]);
    fflush(stdout);
    shmem_barrier_all();
    if (me == 0) {
        char name[SHMEM_MAX_NAME_LEN];
        shmem_info_get_name(name);
        printf("%s: %d GPUs moved %.1f MiB each around a ring in %d steps of %.1f us; a sum over all PEs says %ld words are "
               "wrong: %s\n",
               name, n, (double)steps * WORDS * sizeof *data / (1 << 20), steps, ms * 1e3 / steps, got[1],
               got[1] ? "FAILED" : "correct");
    }
    shmem_finalize();
    return got[1] != 0;
}
