/* SPDX-License-Identifier: BSD-3-Clause */
/* A message goes round by p and a wait, by put_signal of a block, and by the host: each PE adds its number. */
#include "nv.h"

enum { TURNS = 40, WORDS = 300 };

/* PE 0 begins each turn; the others wait for theirs. */
__global__ void by_words(int *slot, uint64_t *turn, int me, int next)
{
    const int n = nvshmem_n_pes();
    for (int t = 1; t <= TURNS; t++) {
        nvshmem_uint64_wait_until(turn, NVSHMEM_CMP_GE, me == 0 ? t - 1 : t);
        if (me == 0)
            EXPECT(nvshmem_int_g(slot, me), (t - 1) * n * (n + 1) / 2, t);
        nvshmem_int_p(slot, nvshmem_int_atomic_fetch(slot, me) + me + 1, next);
        nvshmem_fence();
        nvshmemx_signal_op(turn, t, NVSHMEM_SIGNAL_SET, next);
    }
    if (me == 0)
        nvshmem_uint64_wait_until(turn, NVSHMEM_CMP_EQ, TURNS);
}

__global__ void by_blocks(uint32_t *to, uint32_t *from, uint64_t *sig, int me, int next)
{
    for (int t = 1; t <= TURNS; t++) {
        for (int i = (int)threadIdx.x; i < WORDS; i += (int)blockDim.x)
            from[i] = (uint32_t)mix(me * 1000 + t, i);
        nvshmemx_uint32_put_signal_nbi_block(to, from, WORDS, sig, 1, NVSHMEM_SIGNAL_ADD, next);
        if (threadIdx.x == 0)
            EXPECT(nvshmem_signal_wait_until(sig, NVSHMEM_CMP_GE, t), (uint64_t)t, t);
        __syncthreads();
        int previous = (me + nvshmem_n_pes() - 1) % nvshmem_n_pes();
        for (int i = (int)threadIdx.x; i < WORDS; i += (int)blockDim.x)
            EXPECT(to[i], (uint32_t)mix(previous * 1000 + t, i), i);
        nvshmemx_barrier_all_block(); /* to may be written again */
    }
}

int main()
{
    nv_start();
    int *slot = nv_symmetric<int>(1);
    uint64_t *turn = nv_symmetric<uint64_t>(1), *sig = nv_symmetric<uint64_t>(1);
    uint32_t *to = nv_symmetric<uint32_t>(WORDS), *from = nv_symmetric<uint32_t>(WORDS);

    GIN_SHMEM_LAUNCH(by_words, 1, 1, 0, slot, turn, me, next_pe);
    KERNELS_DONE("a ring of words");
    nvshmem_barrier_all();
    if (me == 0) {
        int sum = nvshmem_int_g(slot, 0);
        CHECK(sum == TURNS * n * (n + 1) / 2, "the sum that came round is %d", sum);
    }

    GIN_SHMEM_LAUNCH(by_blocks, 1, 128, 0, to, from, sig, me, next_pe);
    KERNELS_DONE("a ring of blocks");

    nvshmem_barrier_all();
    nvshmem_int_p(slot, 100 + me, next_pe);
    nvshmem_barrier(NVSHMEM_TEAM_WORLD);
    CHECK(nvshmem_int_g(slot, me) == 100 + previous_pe, "%d came from the host of PE %d", nvshmem_int_g(slot, me),
          previous_pe);
    nvshmem_free(slot);
    nvshmem_free(turn);
    nvshmem_free(sig);
    nvshmem_free(to);
    nvshmem_free(from);
    return nv_done();
}
