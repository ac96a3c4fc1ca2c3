/* SPDX-License-Identifier: BSD-3-Clause */
/* An object of more than 4 GiB: offsets, sizes and strides beyond 32 bits, from kernels and from the host.
 * run: nosanitize
 * run: alone */
#include "check.h"

static const size_t GIB = (size_t)1 << 30;

__global__ void fill(uint64_t *p, size_t words, uint64_t salt)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < words; i += (size_t)gridDim.x * blockDim.x)
        p[i] = i * 3 + salt;
}
__global__ void verify(const uint64_t *p, size_t words, uint64_t salt, int which)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < words; i += (size_t)gridDim.x * blockDim.x)
        EXPECT(p[i], i * 3 + salt, which * 10000000000ll + (long long)i);
}
__global__ void put_all(uint64_t *to, const uint64_t *from, size_t words, int pe)
{
    size_t part = words / gridDim.x;
    gin_shmem_uint64_put_block(to + part * blockIdx.x, from + part * blockIdx.x, part, pe);
}
/* Words at 0, 4 and 8 GiB: a stride of 2^29 words; and beside them by p. */
__global__ void strided(uint64_t *to, const uint64_t *from, int pe)
{
    gin_shmem_uint64_iput_block(to, from, (ptrdiff_t)1 << 29, 1, 3, pe);
    if (threadIdx.x == 0)
        for (int i = 0; i < 3; i++)
            gin_shmem_uint64_p(to + ((size_t)i << 29) + 1, 1000 + i, pe);
    gin_shmem_quiet();
}
__global__ void verify_strided(const uint64_t *p, uint64_t *room, int pe)
{
    gin_shmem_uint64_iget_block(room, p, 1, (ptrdiff_t)1 << 29, 3, pe);
    if (threadIdx.x < 3) {
        EXPECT(p[(size_t)threadIdx.x << 29], threadIdx.x * 3 + 5, threadIdx.x);
        EXPECT(p[((size_t)threadIdx.x << 29) + 1], 1000 + threadIdx.x, threadIdx.x);
        EXPECT(room[threadIdx.x], threadIdx.x * 3 + 5, 10 + threadIdx.x);
        EXPECT(gin_shmem_uint64_g(p + ((size_t)threadIdx.x << 29) + 1, pe), 1000 + threadIdx.x, 20 + threadIdx.x);
    }
}

int main()
{
    start();
    const size_t words = 9 * GIB / 8, half = 9 * GIB / 2 / 8, moved = ON_CPU(1 << 20, half); /* of each half */
    uint64_t *p = symmetric<uint64_t>(words), *room;
    CU(cudaMalloc(&room, 64));
    GIN_SHMEM_LAUNCH(fill, 528, 512, 0, p, moved, 7 + me);
    KERNELS_DONE("fill");
    shmem_barrier_all();
    GIN_SHMEM_LAUNCH(put_all, 128, 1024, 0, p + half, p, moved, next_pe);
    KERNELS_DONE("put of 4.5 GiB");
    shmem_barrier_all();
    GIN_SHMEM_LAUNCH(verify, 528, 512, 0, p + half, moved, 7 + previous_pe, 1);
    KERNELS_DONE("data of the put");
    shmem_barrier_all();
    GIN_SHMEM_LAUNCH(fill, 528, 512, 0, p, moved, 100 + me);
    KERNELS_DONE("fill");
    shmem_barrier_all();
    shmem_getmem(p + half, p, moved * 8, next_pe);
    GIN_SHMEM_LAUNCH(verify, 528, 512, 0, p + half, moved, 100 + next_pe, 2);
    KERNELS_DONE("data of the host's get");
    shmem_barrier_all();
    GIN_SHMEM_LAUNCH(fill, 1, 32, 0, room, 3, 5);
    GIN_SHMEM_LAUNCH(strided, 1, 64, 0, p, room, next_pe);
    KERNELS_DONE("iput");
    shmem_barrier_all();
    GIN_SHMEM_LAUNCH(verify_strided, 1, 64, 0, p, room, next_pe);
    KERNELS_DONE("data of iput and iget");
    uint64_t far = shmem_uint64_g(p + ((size_t)2 << 29) + 1, next_pe);
    CHECK(far == 1002, "host g at 8 GiB: %llu", (unsigned long long)far);
    shmem_barrier_all();
    CU(cudaFree(room));
    shmem_free(p);
    return done();
}
