/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that brings kernels, where there may be no GPU: its unit is registered, and the host part works. */
#include <gin_shmem.h>
#include <shmem.h>
#include <stdio.h>

__global__ void put(long *word, long value, int pe)
{
    gin_shmem_long_p(word, value, pe);
}

int main()
{
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    long *word = (long *)shmem_calloc(1, sizeof *word), seen = 0;
    if (!word)
        return 1;
    shmem_long_p(word, me + 1, (me + 1) % n);
    shmem_barrier_all();
    shmem_getmem(&seen, word, sizeof seen, me);
    int wrong = seen != (me + n - 1) % n + 1;
    if (me == 0 && seen > n) /* never: the kernel only has to be there */
        put<<<1, 1>>>(word, 1, 0);
    printf("PE %d: %s\n", me, wrong ? "wrong" : "right");
    shmem_finalize();
    return wrong;
}
