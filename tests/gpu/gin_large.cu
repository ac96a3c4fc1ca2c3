/* SPDX-License-Identifier: BSD-3-Clause */
/* A put by NCCL's GIN of more than a GiB, which goes in pieces.
 * run: gpu-only NCCL's GIN
 * run: alone
 * run: env SHMEM_SYMMETRIC_SIZE=3500M
 * run: timeout 150 */
#include "part_gin.h"

__global__ void fill(uint64_t *p, size_t words, uint64_t salt)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < words; i += (size_t)gridDim.x * blockDim.x)
        p[i] = i * 3 + salt;
}
__global__ void verify(const uint64_t *p, size_t words, uint64_t salt)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < words; i += (size_t)gridDim.x * blockDim.x)
        EXPECT(p[i], i * 3 + salt, i);
}
__global__ void put(uint64_t *to, const uint64_t *from, size_t words, uint64_t *signal, int pe)
{
    gin_shmem_uint64_put_signal(to, from, words, signal, 1, SHMEM_SIGNAL_SET, pe);
    gin_shmem_signal_wait_until(signal, SHMEM_CMP_EQ, 1);
}

int main()
{
    start();
    const size_t words = ((size_t)3 << 29) / 8 + 5;
    uint64_t *dest = symmetric<uint64_t>(words + 1), *source = symmetric<uint64_t>(words), *signal = symmetric<uint64_t>(1);
    if (!gin_needed(dest))
        return gin_skip();
    CU(cudaMemset(signal, 0, 8));
    fill<<<528, 512>>>(source, words, 11 + me);
    KERNELS_DONE("fill");
    shmem_barrier_all();
    put<<<1, 1>>>(dest + 1, source, words, signal, next_pe);
    KERNELS_DONE("put of 1.5 GiB");
    verify<<<528, 512>>>(dest + 1, words, 11 + previous_pe);
    KERNELS_DONE("data of the put");
    shmem_barrier_all();
    return done();
}
