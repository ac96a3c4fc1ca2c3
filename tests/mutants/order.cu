/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every promise of order that the device API makes to the PE at the other end, with one neighbour in the node and one in
 * another: data, then whatever orders it, then a flag; whoever sees the flag looks at the data. Values only grow, so data
 * of a later round is as good. A test by itself, and the one that mutants (run.sh) have to fail.
 * argument: the scenario's name; none: all.
 */
#include "check.h"

enum { WORDS = 8, APART = 16, ROUNDS = 30, THREADS = 64, BIG = 9000, SMALL = 5 };

/* What one PE sends to one other. Words of the data are lines of 128 bytes apart. */
struct slot {
    uint64_t data[WORDS * APART];
    uint64_t flag, set;
};

__device__ static void put_words(struct slot *s, uint64_t round, int pe)
{
    for (int i = 0; i < WORDS; i++)
        gin_shmem_uint64_p(&s->data[i * APART], round, pe);
}
__device__ static void see_words(const struct slot *s, uint64_t round, int where)
{
    for (int i = 0; i < WORDS; i++) {
        uint64_t seen = ((const volatile uint64_t *)s->data)[i * APART];
        EXPECT(seen < round ? seen : round, round, where);
    }
}
__device__ static void flag(struct slot *s, uint64_t round, int pe)
{
    gin_shmem_signal_add(&s->flag, 1, pe);
    gin_shmem_signal_wait_until(&s->flag, SHMEM_CMP_GE, round);
    see_words(s, round, (int)round);
}

__global__ void fence(struct slot *s, uint64_t *, int pe)
{
    for (uint64_t r = 1; r <= ROUNDS; r++) {
        put_words(s, r, pe);
        gin_shmem_fence();
        flag(s, r, pe);
    }
}
__global__ void quiet(struct slot *s, uint64_t *, int pe)
{
    for (uint64_t r = 1; r <= ROUNDS; r++) {
        put_words(s, r, pe);
        gin_shmem_quiet();
        flag(s, r, pe);
    }
}
__global__ void pe_quiet(struct slot *s, uint64_t *, int pe)
{
    for (uint64_t r = 1; r <= ROUNDS; r++) {
        put_words(s, r, pe);
        gin_shmem_pe_quiet(&pe, 1);
        flag(s, r, pe);
    }
}
__global__ void signal_add(struct slot *s, uint64_t *source, int pe)
{
    for (uint64_t r = 1; r <= ROUNDS; r++) {
        for (int i = 0; i < WORDS * APART; i++)
            source[i] = r;
        gin_shmem_uint64_put_signal(s->data, source, WORDS * APART, &s->flag, 1, SHMEM_SIGNAL_ADD, pe);
        gin_shmem_signal_wait_until(&s->flag, SHMEM_CMP_GE, r);
        see_words(s, r, (int)r);
        gin_shmem_quiet(); /* signals are counted: the next must not come before this one */
    }
}
__global__ void signal_set(struct slot *s, uint64_t *source, int pe)
{
    for (uint64_t r = 1; r <= ROUNDS; r++) {
        for (int i = threadIdx.x; i < WORDS * APART; i += blockDim.x)
            source[i] = r;
        gin_shmem_uint64_put_signal_block(s->data, source, WORDS * APART, &s->set, r, SHMEM_SIGNAL_SET, pe);
        gin_shmem_signal_wait_until_block(&s->set, SHMEM_CMP_GE, r);
        see_words(s, r, (int)r);
        gin_shmem_quiet_block(); /* the next one sets the same word */
    }
}
__global__ void barrier(struct slot *s, uint64_t *, int pe)
{
    for (uint64_t r = 1; r <= ROUNDS; r++) {
        put_words(s, r, pe);
        gin_shmem_barrier_all();
        see_words(s, r, (int)r);
    }
}

/* Strided: the source may be changed behind the call, and the destination of a get has the data. */
__global__ void sources(struct slot *s, uint64_t *source, int pe)
{
    for (uint64_t r = 1; r <= ROUNDS; r++) {
        for (int i = 0; i < WORDS; i++)
            source[i] = r;
        gin_shmem_uint64_iput(s->data, source, APART, 1, WORDS, pe);
        for (int i = 0; i < WORDS; i++)
            source[i] = 0;
        gin_shmem_quiet();
        flag(s, r, pe);
    }
}
__global__ void results(struct slot *s, uint64_t *back, int pe)
{
    for (int i = 0; i < WORDS * APART; i++)
        s->data[i] = 7;
    gin_shmem_barrier_all();
    for (int r = 1; r <= ROUNDS; r++) {
        for (int i = 0; i < WORDS; i++)
            back[i] = 0;
        gin_shmem_uint64_iget(back, s->data, 1, APART, WORDS, pe);
        for (int i = 0; i < WORDS; i++)
            EXPECT(((volatile uint64_t *)back)[i], 7, r);
    }
}

/* Collectives whose data goes directly, by blocks, and by mail. a: the source, and at `BIG` words the results. */
__device__ static uint64_t value(int pe, int i, int r)
{
    return mix(pe, i) + r;
}
template <int N>
__device__ void collect(uint64_t *a, int me, int n)
{
    for (int r = 1; r <= (N == BIG ? 6 : ROUNDS); r++) {
        uint64_t *to = a + BIG;
        for (int i = threadIdx.x; i < N; i += blockDim.x)
            a[i] = value(me, i, r);
        gin_shmem_uint64_fcollect_block(SHMEM_TEAM_WORLD, to, a, N);
        for (int k = 0; k < n; k++)
            for (int i = threadIdx.x; i < N; i += blockDim.x)
                EXPECT(((volatile uint64_t *)to)[k * N + i], value(k, i, r), i);
        __syncthreads();
        gin_shmem_uint64_broadcast_block(SHMEM_TEAM_WORLD, to, a, N, r % n);
        for (int i = threadIdx.x; i < N; i += blockDim.x)
            EXPECT(((volatile uint64_t *)to)[i], value(r % n, i, r), i);
        __syncthreads();
    }
}
__global__ void direct(struct slot *, uint64_t *a, int)
{
    collect<BIG>(a, gin_shmem_my_pe(), gin_shmem_n_pes());
}
__global__ void mail(struct slot *, uint64_t *a, int)
{
    collect<SMALL>(a, gin_shmem_my_pe(), gin_shmem_n_pes());
}

/* Through lent shared memory: what a thread put is ordered like any put. */
__global__ void lent(struct slot *s, uint64_t *a, int pe)
{
    GIN_SHMEM_SHARED(unsigned char, room);
    gin_shmem_smem loan = gin_shmem_smem_give(room, 8192);
    const int n = 4000;
    for (uint64_t r = 1; r <= 10; r++) {
        for (int i = threadIdx.x; i < n; i += blockDim.x)
            a[i] = r * 10000 + i;
        __syncthreads();
        if (threadIdx.x == 0) {
            gin_shmem_uint64_put(a + BIG, a, n, pe, loan);
            gin_shmem_fence();
            gin_shmem_signal_add(&s->flag, 1, pe);
            gin_shmem_signal_wait_until(&s->flag, SHMEM_CMP_GE, r);
        }
        __syncthreads();
        for (int i = threadIdx.x; i < n; i += blockDim.x)
            EXPECT_TRUE(((volatile uint64_t *)a)[BIG + i] >= r * 10000 + i &&
                            (((volatile uint64_t *)a)[BIG + i] - i) % 10000 == 0,
                        i);
        __syncthreads();
        gin_shmem_barrier_all_block();
    }
    gin_shmem_smem_take(loan);
}

typedef void kernel_fn(struct slot *, uint64_t *, int);
static const struct {
    const char *name;
    kernel_fn *kernel;
    int threads, smem;
} scenarios[] = {
    {"fence", fence, 1, 0},
    {"quiet", quiet, 1, 0},
    {"pe_quiet", pe_quiet, 1, 0},
    {"signal_add", signal_add, 1, 0},
    {"signal_set", signal_set, THREADS, 0},
    {"barrier", barrier, 1, 0},
    {"sources", sources, 1, 0},
    {"results", results, 1, 0},
    {"direct", direct, THREADS, 0},
    {"mail", mail, THREADS, 0},
    {"lent", lent, THREADS, 8192},
};

int main(int argc, char **argv)
{
    start();
    CHECK(n % 2 == 0, "%d PEs; an even number is needed", n);
    uint64_t *a = symmetric<uint64_t>(BIG * (n + 1));
    struct slot *s = symmetric<struct slot>(1);
    int ran = 0;
    for (const auto &sc : scenarios)
        for (int far = 0; far < 2; far++) {
            /* PEs are dealt to nodes by runs: the partner beside, and the one half the job away */
            const int partner = far ? (me + n / 2) % n : me ^ 1;
            if (argc > 1 && strcmp(argv[1], sc.name) != 0)
                continue;
            CU(cudaMemset(s, 0, sizeof *s));
            CU(cudaDeviceSynchronize());
            shmem_barrier_all();
            GIN_SHMEM_LAUNCH_SMEM(sc.kernel, 1, sc.threads, sc.smem, 0, s, a, partner);
            KERNELS_DONE("%s, PE %d with PE %d", sc.name, me, partner);
            shmem_barrier_all();
            ran++;
        }
    CHECK(ran > 0, "no scenario of that name");
    return done();
}
