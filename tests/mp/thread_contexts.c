/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads of every PE at once, each with contexts of its own: puts, gets, atomics, signals and waits do not disturb
 * each other; sums at the end are exact. */
#include <pthread.h>

#include "check.h"

enum { THREADS = 4, TIMES = 400, WORDS = 64 };

/* Thread t of the PE before me writes in[t] and raises sig[t]; I answer by ack[t] when I have looked. */
static struct {
    long in[THREADS][WORDS];
    uint64_t sig[THREADS], ack[THREADS];
    long total, slots[THREADS], cas;
} s;
static int me, n;

static void *work(void *arg)
{
    int t = (int)(intptr_t)arg, to = (me + 1) % n, from = (me + n - 1) % n;
    long local[WORDS], back[WORDS];
    shmem_ctx_t ctx;
    for (int i = 1; i <= TIMES; i++) {
        if (i % 50 == 1) /* now and then a new one, while others use theirs */
            CHECK(shmem_ctx_create(i % 100 == 1 ? SHMEM_CTX_PRIVATE : SHMEM_CTX_SERIALIZED, &ctx) == 0, "no context");
        for (int k = 0; k < WORDS; k++)
            local[k] = (long)mix((unsigned)(me * THREADS + t), (unsigned)(i * WORDS + k));
        if (i % 3 == 0) {
            shmem_ctx_long_put_signal_nbi(ctx, s.in[t], local, WORDS, &s.sig[t], 1, SHMEM_SIGNAL_ADD, to);
        } else {
            shmem_ctx_long_put_nbi(ctx, s.in[t], local, WORDS, to);
            shmem_ctx_fence(ctx);
            shmem_ctx_signal_set(ctx, &s.sig[t], (uint64_t)i, to);
        }
        shmem_signal_wait_until(&s.sig[t], SHMEM_CMP_GE, (uint64_t)i);
        for (int k = 0; k < WORDS; k++)
            CHECK(s.in[t][k] == (long)mix((unsigned)(from * THREADS + t), (unsigned)(i * WORDS + k)),
                  "thread %d round %d", t, i);
        shmem_ctx_long_get_nbi(ctx, back, s.in[t], WORDS, me);
        shmem_ctx_long_atomic_inc(ctx, &s.total, (me + i) % n);
        shmem_ctx_long_atomic_add(ctx, &s.slots[t], i, 0);
        long seen = shmem_ctx_long_atomic_fetch(ctx, &s.cas, 0), want;
        do
            want = seen;
        while ((seen = shmem_ctx_long_atomic_compare_swap(ctx, &s.cas, want, want + 1, 0)) != want);
        shmem_ctx_quiet(ctx);
        CHECK(back[WORDS - 1] == s.in[t][WORDS - 1], "get");
        shmem_ctx_uint64_atomic_set(ctx, &s.ack[t], (uint64_t)i, from);
        shmem_uint64_wait_until(&s.ack[t], SHMEM_CMP_GE, (uint64_t)i);
        if (i % 50 == 0)
            shmem_ctx_destroy(ctx);
    }
    return NULL;
}

int main(void)
{
    int provided;
    pthread_t threads[THREADS];
    CHECK(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) == 0 && provided == SHMEM_THREAD_MULTIPLE, "threads");
    me = shmem_my_pe();
    n = shmem_n_pes();
    shmem_barrier_all();
    for (intptr_t t = 0; t < THREADS; t++)
        CHECK(pthread_create(&threads[t], NULL, work, (void *)t) == 0, "pthread_create");
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    shmem_barrier_all();
    long total = 0;
    for (int pe = 0; pe < n; pe++)
        total += shmem_long_g(&s.total, pe);
    CHECK(total == (long)n * THREADS * TIMES, "%ld increments", total);
    CHECK(shmem_long_g(&s.cas, 0) == (long)n * THREADS * TIMES, "compare_swap counted to %ld", shmem_long_g(&s.cas, 0));
    for (int t = 0; t < THREADS; t++)
        CHECK(shmem_long_g(&s.slots[t], 0) == (long)n * TIMES * (TIMES + 1) / 2, "slot %d", t);
    shmem_finalize();
    return 0;
}
