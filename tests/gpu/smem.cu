/* SPDX-License-Identifier: BSD-3-Clause */
/* Lent shared memory: several threads and warps use one loan at a time, more than it has places for; loans too small or of
 * no shared memory are empty and harmless; the memory is the program's again afterwards; put_signal with a loan.
 * run: racecheck
 * run: sanitize-quick */
#include "check.h"

enum { LEN = 6000, USERS = ON_TSAN(4, 12), LENT = 40 * 1024 };
enum { BLOCKS = ON_TSAN(4, 64), THREADS = ON_TSAN(64, 256) }; /* that fill and verify */

__global__ void users(uint32_t *to, const uint32_t *from, uint64_t *sig, int pe, int users_at_once)
{
    GIN_SHMEM_SHARED(unsigned char, room);
    for (int round = 0; round < 3; round++) {
        gin_shmem_smem lent = gin_shmem_smem_give(room, LENT, users_at_once);
        if (threadIdx.x % 32 == 0 && threadIdx.x / 32 < USERS) {
            int u = threadIdx.x / 32;
            gin_shmem_uint32_put(to + u * LEN, from + u * LEN, LEN, pe, lent);
            gin_shmem_uint32_put_signal(to + u * LEN, from + u * LEN, LEN, sig, 1, SHMEM_SIGNAL_ADD, pe, lent);
        }
        gin_shmem_smem_take(lent);
        for (int i = threadIdx.x; i < LENT; i += blockDim.x) /* ours again */
            room[i] = (unsigned char)(i + round);
        __syncthreads();
        for (int i = threadIdx.x; i < LENT; i += blockDim.x)
            EXPECT(room[i], (unsigned char)(i + round), i);
        __syncthreads();
    }
    if (threadIdx.x == 0)
        gin_shmem_signal_wait_until(sig, SHMEM_CMP_GE, 3 * USERS);
}
__global__ void warps(uint32_t *to, const uint32_t *from, int pe)
{
    GIN_SHMEM_SHARED(unsigned char, room);
    gin_shmem_smem lent = gin_shmem_smem_give(room, LENT, 4);
    int w = threadIdx.x / 32;
    gin_shmem_uint32_get_warp(to + w * LEN, from + w * LEN, LEN, pe, lent);
}
__global__ void useless(uint32_t *to, const uint32_t *from, int pe)
{
    __shared__ __align__(128) unsigned char little[1024];
    gin_shmem_smem a = gin_shmem_smem_give(little, sizeof little), b = gin_shmem_smem_give(to, 1 << 16);
    EXPECT(a.bays, 0, 0);
    EXPECT(b.bays, 0, 1);
    if (threadIdx.x == 0) {
        gin_shmem_uint32_put(to, from, LEN, pe, a);
        gin_shmem_uint32_put(to + LEN, from + LEN, LEN, pe, b);
    }
    gin_shmem_smem_take(a);
    gin_shmem_smem_take(b);
}
__global__ void fill(uint32_t *p, size_t count, int me)
{
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        p[i] = (uint32_t)mix(me, i);
}
__global__ void verify(uint32_t *p, size_t count, int pe, int which)
{
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        EXPECT(p[i], (uint32_t)mix(pe, i), which * 1000000ll + (long long)i);
        p[i] = 0;
    }
}

int main()
{
    start();
    uint32_t *from = symmetric<uint32_t>(USERS * LEN), *to = symmetric<uint32_t>(USERS * LEN);
    uint64_t *sig = (uint64_t *)shmem_calloc(1, 8);
    GIN_SHMEM_LAUNCH(fill, BLOCKS, THREADS, 0, from, USERS * LEN, me);
    KERNELS_DONE("fill");
    shmem_barrier_all();
    const int at_once[] = {1, 2, 8};
    for (int k : at_once) {
        CU(cudaMemset(sig, 0, 8));
        CU(cudaDeviceSynchronize());
        shmem_barrier_all();
        GIN_SHMEM_LAUNCH_SMEM(users, 1, USERS * 32, LENT, 0, to, from, sig, next_pe, k);
        KERNELS_DONE("%d users of a loan for %d", (int)USERS, k);
        shmem_barrier_all();
        GIN_SHMEM_LAUNCH(verify, BLOCKS, THREADS, 0, to, USERS * LEN, previous_pe, k);
        KERNELS_DONE("data");
        shmem_barrier_all();
    }
    GIN_SHMEM_LAUNCH_SMEM(warps, 1, USERS * 32, LENT, 0, to, from, next_pe);
    GIN_SHMEM_LAUNCH(verify, BLOCKS, THREADS, 0, to, USERS * LEN, next_pe, 10);
    KERNELS_DONE("get by warps");
    shmem_barrier_all();
    GIN_SHMEM_LAUNCH(useless, 1, 64, 0, to, from, next_pe);
    KERNELS_DONE("empty loans");
    shmem_barrier_all();
    GIN_SHMEM_LAUNCH(verify, BLOCKS, THREADS, 0, to, 2 * LEN, previous_pe, 11);
    KERNELS_DONE("data");
    shmem_barrier_all();
    return done();
}
