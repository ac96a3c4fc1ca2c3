/* SPDX-License-Identifier: BSD-3-Clause */
/* The device heap grows while a kernel on the first window runs, and without waiting for it; kernels launched afterwards
 * use the new window beside it.
 * run: env SHMEM_SYMMETRIC_SIZE=64m
 * run: timeout 45 */
#include "check.h"

__global__ void until(volatile int *flag, uint64_t *word, int pe)
{
    uint64_t i = 0;
    while (!*flag)
        gin_shmem_uint64_p(word, ++i, pe);
}
__global__ void put_ends(uint64_t *p, size_t words, uint64_t value, int pe)
{
    gin_shmem_uint64_p(p, value, pe);
    gin_shmem_uint64_p(p + words - 1, value + 1, pe);
    gin_shmem_quiet();
}

int main()
{
    start();
    uint64_t *word = symmetric<uint64_t>(1);
    const size_t words = ((size_t)100 << 20) / 8;
    volatile int *flag;
    cudaStream_t s, other;
    CU(cudaHostAlloc((void **)&flag, sizeof *flag, cudaHostAllocMapped));
    CU(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CU(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    cudaFuncAttributes loaded;
    CU(cudaFuncGetAttributes(&loaded, put_ends));
    *flag = 0;
    GIN_SHMEM_LAUNCH(until, 1, 1, s, flag, word, next_pe);
    CU(cudaGetLastError());
    uint64_t *more = symmetric<uint64_t>(words);
    GIN_SHMEM_LAUNCH(put_ends, 1, 1, other, more, words, 50 + me, next_pe);
    CU(cudaStreamSynchronize(other));
    shmem_barrier_all();
    uint64_t got = shmem_uint64_g(more + words - 1, me);
    CHECK(got == 51u + previous_pe, "the new window's last word is %llu", (unsigned long long)got);
    CHECK(cudaStreamQuery(s) == cudaErrorNotReady, "the first kernel had ended");
    *flag = 1;
    KERNELS_DONE("both");
    shmem_barrier_all();
    CU(cudaFreeHost((void *)flag));
    return done();
}
