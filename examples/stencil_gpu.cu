/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A 1-D heat stencil whose PEs find each other through the variables that torchrun sets, without any launcher of ours:
 *     torchrun --no-python --nproc-per-node 2 ./stencil_gpu
 * or by hand, on one host:
 *     export WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=29517
 *     RANK=1 LOCAL_RANK=1 ./stencil_gpu & RANK=0 LOCAL_RANK=0 ./stencil_gpu
 * The kernel runs all steps by itself: PEs exchange one cell a side with p, and meet in a barrier of the kernel.
 */
#include "gpu.h"

#include <stdlib.h>

enum { CELLS = 1024, STEPS = 2000 };

/* Cells 1 .. CELLS are own; 0 and CELLS + 1 are the neighbours' or the fixed ends. Whole numbers: exact everywhere. */
__host__ __device__ static long relaxed(long left, long middle, long right) { return (left + 2 * middle + right) / 4; }
__host__ __device__ static long initial(long cell, long cells)
{
    return cell == 0 ? 1l << 40 : cell == cells + 1 ? 0 : (cell * 7919) % 1000 << 20;
}

__global__ void stencil(long *u, long *v)
{
    const int me = gin_shmem_my_pe(), n = gin_shmem_n_pes();
    for (int step = 0; step < STEPS; step++) {
        for (int i = 1 + threadIdx.x; i <= CELLS; i += blockDim.x) {
            long w = relaxed(u[i - 1], u[i], u[i + 1]);
            v[i] = w;
            if (i == 1 && me > 0)
                gin_shmem_long_p(v + CELLS + 1, w, me - 1);
            if (i == CELLS && me < n - 1)
                gin_shmem_long_p(v, w, me + 1);
        }
        gin_shmem_barrier_all_block(); /* completes the puts, and the block */
        long *t = u;
        u = v, v = t;
    }
}

int main(void)
{
    if (!getenv("RANK") && !getenv("PMIX_RANK"))
        fprintf(stderr, "stencil_gpu: RANK is not set, so this is one PE alone; see the head of stencil_gpu.cu\n");
    shmem_init();
    choose_gpu();
    const int me = shmem_my_pe(), n = shmem_n_pes();
    const long cells = (long)CELLS * n;
    long *u = symmetric<long>(CELLS + 2), *v = symmetric<long>(CELLS + 2), wrong = 0;
    long *all = (long *)malloc(2 * (cells + 2) * sizeof *all), mine[CELLS + 2];
    if (!all)
        shmem_global_exit(1);
    for (long i = 0; i < CELLS + 2; i++)
        mine[i] = initial((long)me * CELLS + i, cells);
    CUDA(cudaMemcpy(u, mine, sizeof mine, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(v, mine, sizeof mine, cudaMemcpyHostToDevice));
    CUDA(cudaDeviceSynchronize());
    shmem_barrier_all();
    GIN_SHMEM_LAUNCH(stencil, 1, 512, 0, u, v);
    CUDA(cudaGetLastError());
    long *a = all, *b = all + cells + 2; /* meanwhile, the whole of it on the CPU */
    for (long i = 0; i < cells + 2; i++)
        a[i] = b[i] = initial(i, cells);
    for (int step = 0; step < STEPS; step++) {
        for (long i = 1; i <= cells; i++)
            b[i] = relaxed(a[i - 1], a[i], a[i + 1]);
        long *t = a;
        a = b, b = t;
    }
    kernels_done();
    CUDA(cudaMemcpy(mine, STEPS % 2 ? v : u, sizeof mine, cudaMemcpyDeviceToHost));
    for (int i = 1; i <= CELLS; i++)
        wrong += mine[i] != a[(long)me * CELLS + i];
    free(all);
    return verdict("stencil: 2000 steps by PEs that met through RANK and WORLD_SIZE equal those on the CPU", wrong);
}
