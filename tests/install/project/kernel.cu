/* SPDX-License-Identifier: BSD-3-Clause */
/* A kernel that the C++ compiler compiles, for the CPU. */
#include <gin_shmem.h>
#include <stdio.h>

__global__ void send(int *dest, int value, int pe)
{
    gin_shmem_int_p(dest + threadIdx.x, value + (int)threadIdx.x, pe);
}

int main()
{
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes(), wrong = 0, got[64];
    int *dest = (int *)shmem_malloc(sizeof got);
    GIN_SHMEM_LAUNCH(send, 1, 64, 0, dest, 1000 * me, (me + 1) % n);
    if (!dest || cudaDeviceSynchronize() != cudaSuccess)
        shmem_global_exit(1);
    shmem_barrier_all();
    cudaMemcpy(got, dest, sizeof got, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64; i++)
        wrong |= got[i] != 1000 * ((me + n - 1) % n) + i;
    if (!wrong)
        printf("hello from PE %d of %d\n", me, n);
    shmem_finalize();
    return wrong;
}
