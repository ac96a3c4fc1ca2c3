/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every way by which a kernel of one PE tells one of another that data is there, and every way to hear of it. The data is
 * read with plain loads, so ThreadSanitizer tells when an end of the two lacks its release or acquire.
 */
#include "check.h"

enum { ROUNDS = 16, WORDS = 8, WAYS = 7 };

struct words {
    uint64_t data[WORDS];
    uint64_t told, read;
};

__device__ static void tell(int way, struct words *w, const uint64_t *mine, uint64_t r, int pe)
{
    switch (way) {
    case 0:
        gin_shmem_uint64_put_signal(w->data, mine, WORDS, &w->told, r, SHMEM_SIGNAL_SET, pe);
        return;
    case 1:
        gin_shmem_uint64_put_signal_nbi(w->data, mine, WORDS, &w->told, 1, SHMEM_SIGNAL_ADD, pe);
        return;
    }
    gin_shmem_uint64_put(w->data, mine, WORDS, pe);
    switch (way) {
    case 2:
        gin_shmem_fence();
        gin_shmem_signal_set(&w->told, r, pe);
        break;
    case 3:
        gin_shmem_fence();
        gin_shmem_signal_add(&w->told, 1, pe);
        break;
    case 4:
        gin_shmem_fence();
        gin_shmem_uint64_p(&w->told, r, pe);
        break;
    case 5:
        gin_shmem_quiet();
        gin_shmem_uint64_atomic_inc(&w->told, pe);
        break;
    default:
        gin_shmem_pe_quiet(&pe, 1);
        gin_shmem_uint64_atomic_set(&w->told, r, pe);
    }
}

__device__ static void hear(struct words *w, uint64_t r)
{
    switch (r % 4) {
    case 0:
        gin_shmem_signal_wait_until(&w->told, SHMEM_CMP_GE, r);
        break;
    case 1:
        while (gin_shmem_signal_fetch(&w->told) < r)
            ;
        break;
    case 2:
        gin_shmem_uint64_wait_until(&w->told, SHMEM_CMP_GE, r);
        break;
    default:
        while (!gin_shmem_uint64_test(&w->told, SHMEM_CMP_GE, r))
            ;
    }
}

__global__ void signals(struct words *w, int way, int me, int next, int previous)
{
    uint64_t mine[WORDS];
    for (uint64_t r = 1; r <= ROUNDS; r++) {
        for (int i = 0; i < WORDS; i++)
            mine[i] = mix(me * 1000 + r, i);
        tell(way, w, mine, r, next);
        hear(w, r);
        for (int i = 0; i < WORDS; i++)
            EXPECT(w->data[i], mix(previous * 1000 + r, i), r);
        gin_shmem_fence(); /* it has been read */
        gin_shmem_signal_add(&w->read, 1, previous);
        gin_shmem_signal_wait_until(&w->read, SHMEM_CMP_GE, r);
    }
}

/* One PE's put is seen by another behind a barrier, and may be overwritten behind the next. */
__global__ void barriers(struct words *w, int me, int next, int previous)
{
    for (uint64_t r = 1; r <= ROUNDS; r++) {
        for (int i = threadIdx.x; i < WORDS; i += blockDim.x)
            gin_shmem_uint64_p(w->data + i, mix(me + r, i), next);
        gin_shmem_barrier_all_block();
        for (int i = threadIdx.x; i < WORDS; i += blockDim.x)
            EXPECT(w->data[i], mix(previous + r, i), r);
        gin_shmem_barrier_all_block();
    }
}

/* What a PE has stored itself, others get behind a sync. */
__global__ void syncs(struct words *w, int me, int next)
{
    for (uint64_t r = 1; r <= ROUNDS; r++) {
        for (int i = threadIdx.x; i < WORDS; i += blockDim.x)
            w->data[i] = mix(me + r, i);
        gin_shmem_sync_all_block();
        for (int i = threadIdx.x; i < WORDS; i += blockDim.x)
            EXPECT(gin_shmem_uint64_g(w->data + i, next), mix(next + r, i), r);
        gin_shmem_sync_all_block();
    }
}

int main()
{
    start();
    struct words *w = (struct words *)shmem_calloc(WAYS + 2, sizeof *w);
    CHECK(w, "no memory");
    for (int way = 0; way < WAYS; way++) {
        GIN_SHMEM_LAUNCH(signals, 1, 1, 0, w + way, way, me, next_pe, previous_pe);
        KERNELS_DONE("way %d", way);
    }
    GIN_SHMEM_LAUNCH(barriers, 1, 4, 0, w + WAYS, me, next_pe, previous_pe);
    KERNELS_DONE("barriers");
    GIN_SHMEM_LAUNCH(syncs, 1, 4, 0, w + WAYS + 1, me, next_pe);
    KERNELS_DONE("syncs");
    shmem_barrier_all();
    return done();
}
