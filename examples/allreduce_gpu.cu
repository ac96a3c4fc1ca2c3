/* SPDX-License-Identifier: BSD-3-Clause */
/* A one-shot all-reduce: every PE loads the buffers of all peers directly and adds them up, between two barriers of which
 * each block of the grid has its own index. No copies, no staging; but for peers on other nodes, which cannot be loaded from:
 * their buffers are fetched. */
#include "gpu.h"

enum { COUNT = 1 << 20, BLOCKS = 32, THREADS = 256, MAX_PES = 64 }; /* small GPUs hold all blocks at once */

/* fetched: count floats for each PE on another node, by its number. */
__global__ void one_shot(float *result, const float *buffer, float *fetched, size_t count)
{
    const int n = gin_shmem_n_pes();
    const size_t begin = count * blockIdx.x / gridDim.x, end = count * (blockIdx.x + 1) / gridDim.x;
    const float *peer[MAX_PES];
    /* The same block of every PE meets: what the kernels before this one wrote is there. */
    gin_shmem_barrier_all_block(blockIdx.x);
    for (int pe = 0; pe < n; pe++) {
        peer[pe] = (const float *)gin_shmem_ptr(buffer, pe);
        if (!peer[pe]) {
            peer[pe] = fetched + pe * count;
            gin_shmem_float_get_block(fetched + pe * count + begin, buffer + begin, end - begin, pe);
        }
    }
    for (size_t i = begin + threadIdx.x; i < end; i += blockDim.x) {
        float sum = 0;
        for (int pe = 0; pe < n; pe++)
            sum += peer[pe][i];
        result[i] = sum;
    }
    /* Peers have read this part of our buffer: it may change again. */
    gin_shmem_barrier_all_block(blockIdx.x);
}

__global__ void fill(float *p, int me)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < COUNT; i += (size_t)gridDim.x * blockDim.x)
        p[i] = (float)((i * 7 + me * 3) % 1000);
}
__global__ void count_wrong(const float *p, int n, unsigned long long *wrong)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < COUNT; i += (size_t)gridDim.x * blockDim.x) {
        float want = 0; /* whole numbers: exact in any order */
        for (int pe = 0; pe < n; pe++)
            want += (float)((i * 7 + pe * 3) % 1000);
        if (p[i] != want)
            atomicAdd(wrong, 1ull);
    }
}

int main(void)
{
    shmem_init();
    choose_gpu();
    int n = shmem_n_pes();
    size_t count = COUNT;
    if (n > MAX_PES)
        shmem_global_exit(1);
    float *buffer = symmetric<float>(COUNT), *result, *fetched = nullptr;
    unsigned long long *wrong, got;
    CUDA(cudaMalloc(&result, COUNT * sizeof *result));
    if (shmem_team_n_pes(SHMEM_TEAM_SHARED) < n)
        CUDA(cudaMalloc(&fetched, n * count * sizeof *fetched));
    CUDA(cudaMalloc(&wrong, sizeof *wrong));
    CUDA(cudaMemset(wrong, 0, sizeof *wrong));
    GIN_SHMEM_LAUNCH(fill, BLOCKS, THREADS, 0, buffer, shmem_my_pe());
    void *args[] = {&result, &buffer, &fetched, &count};
    if (shmemx_collective_launch(one_shot, dim3(BLOCKS), dim3(THREADS), args, 0, 0) != 0)
        shmem_global_exit(1);
    GIN_SHMEM_LAUNCH(count_wrong, BLOCKS, THREADS, 0, result, n, wrong);
    kernels_done();
    CUDA(cudaMemcpy(&got, wrong, sizeof got, cudaMemcpyDeviceToHost));
    return verdict("all-reduce: 1 Mi floats, each PE adding up the buffers of all", (long)got);
}
