/* SPDX-License-Identifier: BSD-3-Clause */
/* Signal calls: set, add, op, fetch, and the wait in its three forms; 10,000 round trips of each kind.
 * run: sanitize-quick */
#include "check.h"

enum { TRIPS = ON_CPU(300, 10000) };

__global__ void calls(uint64_t *sig, int pe)
{
    if (threadIdx.x == 0) {
        gin_shmem_signal_set(sig, 5, pe);
        gin_shmem_fence();
        gin_shmem_signal_add(sig, 6, pe);
        gin_shmem_fence();
        gin_shmem_signal_op(sig, 100, SHMEM_SIGNAL_ADD, pe);
        EXPECT(gin_shmem_signal_wait_until(sig, SHMEM_CMP_EQ, 111), 111, 0);
        EXPECT(gin_shmem_signal_fetch(sig), 111, 0);
    }
    __syncthreads();
    EXPECT(gin_shmem_signal_wait_until_block(sig, SHMEM_CMP_GE, 111), 111, 1);
    if (threadIdx.x < 32)
        EXPECT(gin_shmem_signal_wait_until_warp(sig, SHMEM_CMP_GT, 110), 111, 2);
}

/* PE 0 begins each trip; every PE hands it on. */
__global__ void ring(uint64_t *sig, int me, int next, int trips)
{
    for (uint64_t i = 1; i <= (uint64_t)trips; i++) {
        if (me == 0)
            gin_shmem_signal_op(sig, i, SHMEM_SIGNAL_SET, next);
        EXPECT(gin_shmem_signal_wait_until(sig, SHMEM_CMP_GE, i), i, i);
        if (me != 0)
            gin_shmem_signal_op(sig, i, SHMEM_SIGNAL_SET, next);
    }
}
__global__ void ring_block(uint64_t *sig, uint32_t *data, uint32_t *source, int me, int next, int trips)
{
    for (int i = 1; i <= trips; i++) {
        source[threadIdx.x] = mix(i, threadIdx.x);
        if (me == 0)
            gin_shmem_uint32_put_signal_block(data, source, blockDim.x, sig, 1, SHMEM_SIGNAL_ADD, next);
        gin_shmem_signal_wait_until_block(sig, SHMEM_CMP_EQ, i);
        EXPECT(((volatile uint32_t *)data)[threadIdx.x], (uint32_t)mix(i, threadIdx.x), i);
        if (me != 0)
            gin_shmem_uint32_put_signal_block(data, source, blockDim.x, sig, 1, SHMEM_SIGNAL_ADD, next);
    }
}

int main()
{
    start();
    uint64_t *sig = (uint64_t *)shmem_calloc(3, sizeof *sig);
    uint32_t *data = symmetric<uint32_t>(256), *source = symmetric<uint32_t>(256);
    const int trips = getenv("GS_TEST_SANITIZE") ? 200 : TRIPS;
    GIN_SHMEM_LAUNCH(calls, 1, 96, 0, sig, next_pe);
    KERNELS_DONE("calls");
    GIN_SHMEM_LAUNCH(ring, 1, 1, 0, sig + 1, me, next_pe, trips);
    KERNELS_DONE("ring");
    GIN_SHMEM_LAUNCH(ring_block, 1, 128, 0, sig + 2, data, source, me, next_pe, trips);
    KERNELS_DONE("ring of blocks with data");
    shmem_barrier_all();
    return done();
}
