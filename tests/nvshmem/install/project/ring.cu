/* SPDX-License-Identifier: BSD-3-Clause */
#include <nvshmem.h>
#include <nvshmemx.h>
#include <stdio.h>

__global__ void shift(int *word)
{
    nvshmem_int_p(word, 100 + nvshmem_my_pe(), (nvshmem_my_pe() + 1) % nvshmem_n_pes());
}

int main()
{
    nvshmem_init();
    cudaSetDevice(0);
    int me = nvshmem_my_pe(), n = nvshmem_n_pes(), *word = (int *)nvshmem_malloc(sizeof(int));
    GIN_SHMEM_LAUNCH(shift, 1, 1, 0, word);
    nvshmemx_barrier_all_on_stream(0);
    cudaDeviceSynchronize();
    int from = nvshmem_int_g(word, me), wrong = from != 100 + (me + n - 1) % n;
    if (!wrong)
        printf("PE %d of %d has what its neighbour sent\n", me, n);
    nvshmem_free(word);
    nvshmem_finalize();
    return wrong;
}
