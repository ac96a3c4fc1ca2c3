/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The simulator's store buffers (src/cpu/sim.h): PE 0 stores data at PE 1 and then a flag; whoever sees the flag looks at
 * the data. Right ways to order the two are never caught, wrong ones are. Two PEs of one node, adversarial.
 */
#include "check.h"

enum { THREADS = 64, APART = 16, ROUNDS = 20 };

struct slot {
    uint64_t data[THREADS * APART];
    uint64_t flag, answer, counter;
    unsigned long long arrived; /* atomics of the program */
};

enum way {
    BLOCK,        /* all threads; a barrier of the block; one fences */
    WARP,         /* the same in a warp */
    TWO_STEPS,    /* lanes, their warp's first lane, then the block's first thread, which alone fences */
    RELEASE,      /* put_signal of a warp: a release covers what was observed, not only its own data */
    REDUCE,       /* reductions, then a fence */
    THREADFENCE,  /* CUDA's fence */
    OWN,          /* no fence: a thread sees its own */
    RIGHT = OWN,  /* the ways up to here */
    NO_FENCE,     /* from here on wrong */
    NO_FENCE_RED, /* the same with reductions */
    NO_BARRIER,   /* another thread fences, which has heard of the stores by a relaxed atomic */
    SHUFFLE,      /* or by a shuffle */
    FETCHING,     /* the flag is a fetching atomic, which orders nothing */
    BLOCK_FENCE,  /* a fence of the block's scope */
    SIGNAL_FIRST, /* the fence is in front of the data */
    WAYS
};

__device__ static uint64_t *word(struct slot *s, int i)
{
    return &s->data[i * APART];
}
__device__ static void put_all(struct slot *s, uint64_t r)
{
    for (int i = 0; i < 8; i++)
        gin_shmem_uint64_p(word(s, i), r, 1);
}

/* How many words go with the flag. */
__host__ __device__ static int words_of(int way)
{
    return way == BLOCK || way == TWO_STEPS || way == NO_BARRIER ? THREADS : way == WARP || way == SHUFFLE ? 32 : 8;
}

__device__ static void send(enum way way, struct slot *s, uint64_t r)
{
    const int t = (int)threadIdx.x;
    if (way == BLOCK || way == NO_BARRIER || way == TWO_STEPS) {
        gin_shmem_uint64_p(word(s, t), r, 1);
        if (way == NO_BARRIER) {
            atomicAdd(&s->arrived, 1ull);
            while (t == 0 && atomicAdd(&s->arrived, 0ull) < r * THREADS)
                ;
        } else if (way == BLOCK) {
            __syncthreads();
        } else {
            __syncwarp();
            __syncthreads();
        }
        if (t == 0) {
            gin_shmem_fence();
            gin_shmem_signal_set(&s->flag, r, 1);
        }
    } else if (way == WARP || way == SHUFFLE) {
        if (t >= 32)
            return;
        gin_shmem_uint64_p(word(s, t), r, 1);
        if (way == WARP)
            __syncwarp();
        else
            (void)__shfl_sync(~0u, t, 0);
        if (t == 0) {
            gin_shmem_fence();
            gin_shmem_signal_set(&s->flag, r, 1);
        }
    } else if (way == RELEASE) {
        if (t >= 32)
            return;
        if (t < 8)
            gin_shmem_uint64_p(word(s, t), r, 1);
        gin_shmem_uint64_put_signal_warp(&s->data[1], &s->counter, 1, &s->flag, r, SHMEM_SIGNAL_SET, 1);
    } else if (t == 0) {
        if (way == SIGNAL_FIRST)
            gin_shmem_fence();
        if (way == REDUCE || way == NO_FENCE_RED)
            for (int i = 0; i < 8; i++)
                gin_shmem_uint64_atomic_add(word(s, i), 1, 1);
        else
            put_all(s, r);
        if (way == REDUCE)
            gin_shmem_fence();
        else if (way == THREADFENCE)
            __threadfence_system();
        else if (way == BLOCK_FENCE)
            __threadfence_block();
        if (way == FETCHING)
            (void)gin_shmem_uint64_atomic_fetch_inc(&s->flag, 1);
        else if (way == OWN) {
            gin_shmem_uint64_atomic_inc(word(s, 1), 1);
            for (int i = 0; i < 8; i++) {
                const uint64_t seen =
                    i % 2 ? gin_shmem_uint64_atomic_fetch(word(s, i), 1) : gin_shmem_uint64_g(word(s, i), 1);
                EXPECT(seen, r + (i == 1), i);
            }
            gin_shmem_quiet();
        }
        if (way != FETCHING)
            gin_shmem_signal_set(&s->flag, r, 1);
    }
}

__global__ void exchange(int way, struct slot *s, unsigned *missing)
{
    for (uint64_t r = 1; r <= ROUNDS; r++) {
        if (gin_shmem_my_pe() == 0) {
            send((enum way)way, s, r);
            __syncthreads();
            if (threadIdx.x == 0)
                gin_shmem_signal_wait_until(&s->answer, SHMEM_CMP_EQ, r);
        } else if (threadIdx.x == 0) {
            gin_shmem_signal_wait_until(&s->flag, SHMEM_CMP_GE, r);
            for (int i = 0; i < words_of(way); i++)
                *missing += *(volatile uint64_t *)word(s, i) < r;
            while (*(volatile uint64_t *)word(s, 0) < r || *(volatile uint64_t *)word(s, words_of(way) - 1) < r)
                __nanosleep(1000); /* all comes some time, whatever the sender waits for */
            gin_shmem_signal_set(&s->answer, r, 0);
        }
        __syncthreads();
    }
}

int main()
{
    start();
    CHECK(n == 2, "%d PEs, not 2", n);
    struct slot *s = symmetric<struct slot>(WAYS);
    unsigned *missing = symmetric<unsigned>(WAYS);
    CU(cudaMemset(s, 0, WAYS * sizeof *s));
    CU(cudaMemset(missing, 0, WAYS * sizeof *missing));
    CU(cudaDeviceSynchronize());
    shmem_barrier_all();
    for (int way = 0; way < WAYS; way++) {
        GIN_SHMEM_LAUNCH(exchange, 1, THREADS, 0, way, s + way, missing + way);
        KERNELS_DONE("way %d", way);
        shmem_barrier_all();
        const unsigned seen = device_value(missing + way);
        CHECK(me == 0 || (way <= RIGHT) == (seen == 0), "way %d is %s: %u of %d words came behind their flag", way,
              way <= RIGHT ? "right" : "wrong", seen, words_of(way) * ROUNDS);
    }
    return done();
}
