/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels that are wrong, one a name: wrong NAME. What they print is read by wrong.sh, debug.sh and asan.sh. */
#include <gin_shmem.h>

#include <stdio.h>
#include <string.h>

__global__ void some_return(int *p)
{
    if (threadIdx.x < 5)
        return;
    p[threadIdx.x] = 1;
    __syncthreads();
}
__global__ void two_barriers(int *p)
{
    if (threadIdx.x % 2)
        __syncthreads();
    else
        __syncwarp();
    p[threadIdx.x] = 1;
}
__global__ void lane_missing(int *p)
{
    if (threadIdx.x != 9)
        p[threadIdx.x] = __shfl_sync(~0u, p[threadIdx.x], 0);
}
__global__ void not_in_mask(int *p)
{
    p[threadIdx.x] = __shfl_sync(0xff, p[threadIdx.x], 0);
}
__global__ void different_calls(int *p)
{
    if (threadIdx.x < 16)
        p[threadIdx.x] = __shfl_sync(~0u, p[threadIdx.x], 0);
    else
        __syncwarp();
}
__global__ void block_missing(int *p)
{
    if (blockIdx.x != 2)
        cooperative_groups::this_grid().sync();
    p[blockIdx.x] = 1;
}
__global__ void not_cooperative(int *p)
{
    cooperative_groups::this_grid().sync();
    p[blockIdx.x] = 1;
}
__device__ __attribute__((noinline)) int deep(volatile int *p, int n)
{
    volatile char room[1000];
    room[n % 1000] = (char)n;
    return n == 0 ? 0 : deep(p, n - 1) + room[n % 1000] + *p;
}
__global__ void overflow(int *p)
{
    p[threadIdx.x] = deep(p, threadIdx.x == 3 ? 100000 : 10);
}
__global__ void traps(int *p)
{
    __syncthreads();
    if (threadIdx.x == 7)
        __trap();
    while (atomicAdd(p, 0) == 0)
        ;
}
__global__ void bad_store(int *p, int count)
{
    p[threadIdx.x + count] = 1; /* beyond the end */
}

__global__ void race(int *p)
{
    p[threadIdx.x] = (int)threadIdx.x;
    /* here a __syncthreads is missing */
    p[32 + threadIdx.x] = p[(threadIdx.x + 1) % 32];
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    int *p, count = 64;
    if (cudaMalloc(&p, count * sizeof *p) != cudaSuccess || cudaMemset(p, 0, count * sizeof *p) != cudaSuccess)
        return 2;
    void *args[] = {&p};
#define RUN(kernel, grid, block)    \
    if (strcmp(name, #kernel) == 0) \
    GIN_SHMEM_LAUNCH(kernel, grid, block, 0, p)
    RUN(some_return, 3, 40);
    RUN(two_barriers, 1, 32);
    RUN(lane_missing, 1, 32);
    RUN(not_in_mask, 1, 32);
    RUN(different_calls, 1, 32);
    RUN(not_cooperative, 1, 1);
    RUN(overflow, 1, 8);
    RUN(traps, 3, 32);
    RUN(race, 1, 32);
    if (strcmp(name, "block_missing") == 0)
        cudaLaunchCooperativeKernel(block_missing, 4, 8, args);
    if (strcmp(name, "bad_store") == 0)
        GIN_SHMEM_LAUNCH(bad_store, 1, 4, 0, p, count);
    cudaError_t e = cudaDeviceSynchronize();
    fprintf(stderr, "synchronise: %s; then malloc: %s; last: %s\n", cudaGetErrorString(e),
            cudaGetErrorString(cudaMalloc(&p, 4)), cudaGetErrorString(cudaGetLastError()));
    return e == cudaSuccess ? 0 : 5;
}
