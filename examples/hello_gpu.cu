/* SPDX-License-Identifier: BSD-3-Clause */
/* The smallest program: each PE's kernel writes a word into the memory of its neighbour's GPU.
 * nvcc hello_gpu.cu -lginshmem; oshrun -n 2 ./a.out */
#include "gpu.h"

__global__ void hello(int *word)
{
    int me = gin_shmem_my_pe(), n = gin_shmem_n_pes(), next = (me + 1) % n;
    gin_shmem_int_p(word, 100 + me, next);
    gin_shmem_barrier_all();
    printf("PE %d of %d: my GPU's word is %d\n", me, n, gin_shmem_int_g(word, me));
}

int main(void)
{
    shmem_init();
    choose_gpu();
    int *word = symmetric<int>(1), got = 0, n = shmem_n_pes();
    GIN_SHMEM_LAUNCH(hello, 1, 1, 0, word);
    kernels_done();
    CUDA(cudaMemcpy(&got, word, sizeof got, cudaMemcpyDeviceToHost));
    return verdict("hello: each GPU has the word of its neighbour", got != 100 + (shmem_my_pe() + n - 1) % n);
}
