/* SPDX-License-Identifier: BSD-3-Clause */
/* Many blocks of all PEs, and the host, at the same words of PE 0: nothing is lost, every ticket is drawn once.
 * run: sanitize-quick */
#include "check.h"

enum { BLOCKS = ON_CPU(20, 132), THREADS = 128, ROUNDS = 20, HOST = 2000, TICKETS = 1 << 20 };

struct words {
    unsigned long long add64, tickets, bits_or, bits_xor, cas, signal;
    int inc32;
    unsigned add32;
    float addf;
    __half addh[2];
    double addd;
};

__global__ void work(struct words *w, unsigned char *drawn)
{
    size_t id = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    for (int r = 0; r < ROUNDS; r++) {
        gin_shmem_ulonglong_atomic_add(&w->add64, id + 1, 0);
        gin_shmem_int_atomic_inc(&w->inc32, 0);
        gin_shmem_uint_atomic_add(&w->add32, 3, 0);
        gin_shmem_float_atomic_add(&w->addf, 1, 0);
        gin_shmem_double_atomic_add(&w->addd, 0.5, 0);
        gin_shmem_signal_op((uint64_t *)&w->signal, 2, SHMEM_SIGNAL_ADD, 0);
        if (r % 16 == 0) {
            unsigned long long t = gin_shmem_ulonglong_atomic_fetch_add(&w->tickets, 1, 0);
            EXPECT_TRUE(t < TICKETS, t);
            gin_shmem_uchar_p(drawn + t, 1, 0);
        }
        gin_shmem_ulonglong_atomic_xor(&w->bits_xor, 1ull << (id + r) % 64, 0);
    }
    gin_shmem_ulonglong_atomic_or(&w->bits_or, 1ull << id % 64, 0);
    /* small enough to be exact: 64 halves of each PE */
    if (id < 64)
        gin_shmem_half_atomic_add(&w->addh[id % 2], __float2half(0.5f), 0);
    if (threadIdx.x == 0)
        for (int i = 0; i < 10; i++)
            for (;;) { /* an increment by compare-and-swap */
                unsigned long long seen = gin_shmem_ulonglong_atomic_fetch(&w->cas, 0);
                if (gin_shmem_ulonglong_atomic_compare_swap(&w->cas, seen, seen + 1, 0) == seen)
                    break;
            }
}

int main()
{
    start();
    struct words *w = (struct words *)shmem_calloc(1, sizeof *w);
    unsigned char *drawn = (unsigned char *)shmem_calloc(TICKETS, 1);
    CHECK(w && drawn, "no memory");
    GIN_SHMEM_LAUNCH(work, BLOCKS, THREADS, 0, w, drawn);
    CU(cudaGetLastError());
    for (int i = 0; i < HOST; i++) { /* while the kernels run */
        shmem_ulonglong_atomic_add(&w->add64, 1, 0);
        shmem_int_atomic_inc(&w->inc32, 0);
    }
    KERNELS_DONE("work");
    shmem_barrier_all();
    if (me == 0) {
        struct words got;
        unsigned long long threads = (unsigned long long)n * BLOCKS * THREADS, calls = threads * ROUNDS;
        unsigned long long sum = (unsigned long long)n * (ROUNDS * (BLOCKS * THREADS) * (BLOCKS * THREADS + 1ull) / 2 + HOST);
        unsigned long long drawings = threads * ((ROUNDS + 15) / 16);
        from_device(&got, w, 1);
        CHECK(got.add64 == sum, "add: %llu, not %llu", got.add64, sum);
        CHECK(got.inc32 == (int)(calls + n * HOST), "inc: %d", got.inc32);
        CHECK(got.add32 == (unsigned)(3 * calls), "add of 32 bits: %u", got.add32);
        CHECK(got.addf == (float)calls, "float add: %g, not %llu", got.addf, calls);
        CHECK(got.addd == 0.5 * calls, "double add: %g", got.addd);
        CHECK(got.signal == 2 * calls, "signal add: %llu", got.signal);
        CHECK(got.tickets == drawings, "tickets: %llu, not %llu", got.tickets, drawings);
        CHECK(got.bits_or == ~0ull, "or: %llx", got.bits_or);
        CHECK(got.bits_xor == 0, "xor: %llx", got.bits_xor); /* each bit an even number of times */
        CHECK(got.cas == 10ull * BLOCKS * n, "compare_swap: %llu", got.cas);
        for (int k = 0; k < 2; k++)
            CHECK(__half2float(got.addh[k]) == 16.0f * n, "half add: %g", __half2float(got.addh[k]));
        unsigned char *seen = (unsigned char *)malloc(TICKETS);
        CHECK(seen, "no memory");
        from_device(seen, drawn, TICKETS);
        for (unsigned long long t = 0; t < TICKETS; t++)
            CHECK(seen[t] == (t < drawings), "ticket %llu was %sdrawn", t, seen[t] ? "" : "not ");
        free(seen);
    }
    shmem_barrier_all();
    return done();
}
