/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels and the agent, which are threads of one process: ThreadSanitizer tells where one does not wait for the other.
 * Two PEs on two nodes, GIN_SHMEM_REMOTE=agent. The ring goes round several times, so every entry is used again. run.sh
 * leaves out what orders them, one at a time.
 */
#include "check.h"

enum { THREADS = 64, BLOCKS = 2, ROUNDS = 120, BIG = 64, LAPS = 2 };

struct words {
    uint64_t number[THREADS * BLOCKS], count[THREADS * BLOCKS];
    uint64_t from[THREADS * BLOCKS][BIG], to[THREADS * BLOCKS][BIG];
};

/* Each thread has words of its own at the other PE: what it gets is what it put. */
__global__ void ask(struct words *w, int pe)
{
    const int id = blockIdx.x * blockDim.x + threadIdx.x;
    for (uint64_t r = 1; r <= ROUNDS; r++) {
        gin_shmem_uint64_p(&w->number[id], 1000 * r + id, pe);
        gin_shmem_quiet();
        EXPECT(gin_shmem_uint64_g(&w->number[id], pe), 1000 * r + id, id);
        EXPECT(gin_shmem_uint64_atomic_fetch_inc(&w->count[id], pe), r - 1, id);
        if (r % 40 == 0) { /* more than an entry holds */
            for (int i = 0; i < BIG; i++)
                w->from[id][i] = r + i;
            gin_shmem_uint64_put_nbi(w->to[id], w->from[id], BIG, pe);
            gin_shmem_pe_quiet(&pe, 1);
            gin_shmem_uint64_get_nbi(w->from[id], w->to[id], BIG, pe);
            gin_shmem_quiet();
            EXPECT(w->from[id][BIG - 1], r + BIG - 1, id);
        }
    }
}

/* Threads that never wait for an answer use entries again that the agent has read, and may hear from each other that it has. */
__global__ void puts(struct words *w, int pe)
{
    for (uint64_t r = 0; r < LAPS * GIN_SHMEM_AGENT_ENTRIES / gridDim.x; r++)
        gin_shmem_uint64_p(&w->number[r % THREADS], r, pe);
}

/* Threads that ask once read their answers where the agent writes those of the next laps. */
__global__ void once(struct words *w, int pe)
{
    const int id = threadIdx.x;
    const uint64_t number = gin_shmem_uint64_g(&w->number[id], pe);
    EXPECT(gin_shmem_uint64_atomic_fetch(&w->count[id], pe), ROUNDS, id);
    EXPECT(number % THREADS, (uint64_t)id, id);
    if (id == 0)
        for (int r = 0; r < LAPS * GIN_SHMEM_AGENT_ENTRIES / 2; r++) {
            (void)gin_shmem_uint64_g(&w->number[0], pe);
            (void)gin_shmem_uint64_atomic_fetch(&w->count[0], pe);
        }
}

/* Thread 1 asks, thread 2 waits for it, and thread 0 hears from thread 2's quiet alone that there is nothing to wait for:
 * the flag orders nothing, but makes it look when that quiet is over. */
__global__ void early(struct words *w, int pe)
{
    for (int r = 0; r < ROUNDS; r++) {
        if (threadIdx.x == 1)
            gin_shmem_uint64_get_nbi(w->to[0], w->from[0], BIG, pe);
        __syncthreads();
        if (threadIdx.x == 2) {
            gin_shmem_quiet();
            gin_shmem_impl::store_relaxed(&w->count[0], (uint64_t)r + 1);
        }
        if (threadIdx.x == 0) {
            while (gin_shmem_impl::load_relaxed(&w->count[0]) <= (uint64_t)r)
                __nanosleep(100);
            gin_shmem_quiet();
            EXPECT(w->to[0][BIG - 1], w->from[0][BIG - 1], r);
        }
        __syncthreads();
    }
}

int main()
{
    start();
    struct words *w = symmetric<struct words>(1);
    CU(cudaMemset(w, 0, sizeof *w));
    CU(cudaDeviceSynchronize());
    shmem_barrier_all();
    GIN_SHMEM_LAUNCH(ask, BLOCKS, THREADS, 0, w, next_pe);
    KERNELS_DONE("ask");
    shmem_barrier_all();
    GIN_SHMEM_LAUNCH(puts, 2, 1, 0, w, next_pe);
    KERNELS_DONE("puts");
    shmem_barrier_all();
    GIN_SHMEM_LAUNCH(once, 1, THREADS, 0, w, next_pe);
    KERNELS_DONE("once");
    shmem_barrier_all();
    CU(cudaMemset(w, 0, sizeof *w));
    CU(cudaDeviceSynchronize());
    shmem_barrier_all();
    GIN_SHMEM_LAUNCH(early, 1, 3, 0, w, next_pe);
    KERNELS_DONE("early");
    shmem_barrier_all();
    shmem_free(w);
    return done();
}
