/* SPDX-License-Identifier: BSD-3-Clause */
/* PE 0 computes without any call, for a second at least and until the others are done: puts, gets, atomics, locks and
 * signals at it need no help. */
#include "check.h"

enum { WORDS = 1000, TIMES = 2000 };
static long data[WORDS], sum, lock;
static uint64_t sig;
static volatile int sink, done;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    long local[WORDS] = {0}, *heap = shmem_calloc(WORDS, sizeof *heap);
    shmem_ctx_t ctx;
    CHECK(shmem_ctx_create(0, &ctx) == 0, "no context");
    shmem_barrier_all();
    double start = seconds();
    if (me == 0) {
        while (seconds() - start < 1.0 || (done < n - 1 && seconds() - start < 40))
            sink++;
        CHECK(done == n - 1, "the others have not got anywhere in 40 s");
        CHECK(sum == (long)TIMES * (n - 1), "only %ld atomics arrived", sum);
        CHECK(sig == (uint64_t)TIMES * (unsigned)(n - 1), "only %llu signals arrived", (unsigned long long)sig);
    } else {
        for (int i = 0; i < TIMES; i++) {
            shmem_long_put(&data[me], local, 1, 0);
            shmem_ctx_long_put_nbi(ctx, heap, local, WORDS, 0);
            shmem_ctx_quiet(ctx);
            shmem_long_get(local, heap, WORDS, 0);
            shmem_long_atomic_inc(&sum, 0);
            (void)shmem_long_atomic_fetch(&sum, 0);
            shmem_long_put_signal(&heap[WORDS / 2], local, 10, &sig, 1, SHMEM_SIGNAL_ADD, 0);
            shmem_quiet();
            if (i % 100 == 0) {
                shmem_set_lock(&lock);
                shmem_clear_lock(&lock);
            }
        }
        printf("PE %d was done in %.3f s beside a PE that computes\n", me, seconds() - start);
        shmem_int_atomic_inc((int *)&done, 0);
    }
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
