/* SPDX-License-Identifier: BSD-3-Clause */
/* Compiled with -rdc=true: works too, though it is not needed.
 * nvcc: -rdc=true */
#include "check.h"

__device__ __attribute__((noinline)) void send(int *p, int value, int pe);
__global__ void kernel(int *p, int me, int next, int previous)
{
    send(p, me + 10, next);
    gin_shmem_barrier_all();
    EXPECT(*(volatile int *)p, previous + 10, 0);
}
__device__ __attribute__((noinline)) void send(int *p, int value, int pe)
{
    gin_shmem_int_p(p, value, pe);
}

int main()
{
    start();
    int *p = symmetric<int>(1);
    GIN_SHMEM_LAUNCH(kernel, 1, 1, 0, p, me, next_pe, previous_pe);
    KERNELS_DONE("kernel");
    shmem_barrier_all();
    return done();
}
