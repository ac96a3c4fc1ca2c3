/* SPDX-License-Identifier: BSD-3-Clause */
/* shmemx_collective_launch: all blocks of all PEs meet in a barrier; a grid beyond residency is refused; the query.
 *
 * run: whole GPUs */
#include "check.h"

__global__ void meet(int *count, int blocks, uint64_t *words, int next)
{
    /* every block of every PE is here at one time: blocks meet at home, then PEs, by all of the first blocks */
    if (threadIdx.x == 0) {
        atomicAdd(count, 1);
        while (atomicAdd(count, 0) < blocks)
            ;
    }
    __syncthreads();
    if (blockIdx.x < 200) {
        gin_shmem_barrier_all_block(blockIdx.x);
        if (threadIdx.x == 0)
            gin_shmem_uint64_p(words + blockIdx.x, blocks + blockIdx.x, next);
        gin_shmem_barrier_all_block(blockIdx.x);
        EXPECT(*(volatile uint64_t *)(words + blockIdx.x), (uint64_t)blocks + blockIdx.x, blockIdx.x);
    }
}

int main()
{
    start();
    uint64_t *words = (uint64_t *)shmem_calloc(256, 8);
    int *count, limit = 0;
    CU(cudaMalloc(&count, sizeof *count));
    const dim3 block(128);
    CHECK(shmemx_collective_launch_query_gridsize(meet, block, 0, &limit) == 0, "query");
    CHECK(limit >= 1, "the query says %d blocks", limit);
    int sizes[] = {1, limit / 2 ? limit / 2 : 1, limit};
    for (int blocks : sizes) {
        CU(cudaMemset(count, 0, sizeof *count));
        CU(cudaDeviceSynchronize());
        void *args[] = {&count, &blocks, &words, &next_pe};
        CHECK(shmemx_collective_launch(meet, dim3(blocks), block, args, 0, 0) == 0, "%d blocks", blocks);
        KERNELS_DONE("%d blocks", blocks);
        shmem_barrier_all();
    }
    /* 0: as many as fit; every PE has the same GPU here */
    CU(cudaMemset(count, 0, sizeof *count));
    CU(cudaDeviceSynchronize());
    void *args[] = {&count, &limit, &words, &next_pe};
    CHECK(shmemx_collective_launch(meet, dim3(0, 0, 0), block, args, 0, 0) == 0, "grid 0");
    KERNELS_DONE("grid 0");
    shmem_barrier_all();
    int many = limit + 1;
    CHECK(shmemx_collective_launch(meet, dim3(many), block, args, 0, 0) != 0, "%d blocks were launched", many);
    CHECK(cudaDeviceSynchronize() == cudaSuccess, "the refusal left an error");
    shmem_barrier_all();
    return done();
}
