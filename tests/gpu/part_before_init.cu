/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of a program that has never called shmem_init: part_before_init CASE. Scripts run it, and read the output. */
#include "check.h"

__global__ void put_block(int *p, int *q) { gin_shmem_int_put_block(p, q, 64, 0); }
__global__ void get_warp(int *p, int *q) { gin_shmem_int_get_warp(p, q, 64, 0); }
__global__ void atomic(int *p, int *q) { *q = gin_shmem_int_atomic_fetch_add(p, 1, 0); }
__global__ void signal(int *p, int *) { gin_shmem_signal_op((uint64_t *)p, 1, SHMEM_SIGNAL_ADD, 0); }
__global__ void barrier(int *, int *) { gin_shmem_barrier_all(); }
__global__ void reduce(int *p, int *q) { gin_shmem_int_sum_reduce(SHMEM_TEAM_WORLD, p, q, 64); }
__global__ void wait_for(int *p, int *) { gin_shmem_wait_until(p, SHMEM_CMP_EQ, 1); }
__global__ void my_pe(int *p, int *) { *p = gin_shmem_my_pe(); }

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*kernel)(int *, int *);
    } cases[] = {{"put-block", put_block}, {"get-warp", get_warp}, {"atomic", atomic}, {"signal", signal},
                 {"barrier", barrier},     {"reduce", reduce},     {"wait", wait_for},
                 {"my-pe", my_pe}};
    int *p;
    CU(cudaMalloc(&p, 2 * 64 * sizeof *p));
    CU(cudaMemset(p, 0, 2 * 64 * sizeof *p));
    for (const auto &c : cases) {
        if (argc < 2 || strcmp(argv[1], c.name) != 0)
            continue;
        GIN_SHMEM_LAUNCH(c.kernel, 1, 32, 0, p, p + 64);
        cudaError_t e = cudaDeviceSynchronize();
        fprintf(stderr, "the kernel ended: %s\n", cudaGetErrorString(e));
        return e == cudaSuccess ? 0 : 5;
    }
    fprintf(stderr, "no such case\n");
    return 0; /* which is what a failure looks like here */
}
