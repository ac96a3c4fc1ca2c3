/* SPDX-License-Identifier: BSD-3-Clause */
/* Message passing: put, fence, flag. Whoever sees the flag sees the data; by all ways to write and to look. */
#include "check.h"

enum { ROUNDS = 3000, WORDS = 16 };
static long data[WORDS], flag, ack;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes(), to = (me + 1) % n, from = (me + n - 1) % n;
    shmem_ctx_t ctx;
    CHECK(shmem_ctx_create(0, &ctx) == 0, "no context");
    shmem_barrier_all();
    for (long r = 1; r <= ROUNDS; r++) {
        long source[WORDS];
        for (int i = 0; i < WORDS; i++)
            source[i] = r * WORDS + i;
        switch (r % 4) {
        case 0:
            shmem_long_put(data, source, WORDS, to);
            shmem_fence();
            shmem_long_p(&flag, r, to);
            break;
        case 1:
            for (int i = 0; i < WORDS; i++)
                shmem_long_p(&data[i], source[i], to);
            shmem_fence();
            shmem_long_atomic_set(&flag, r, to);
            break;
        case 2:
            shmem_ctx_long_put_nbi(ctx, data, source, WORDS, to);
            shmem_ctx_fence(ctx);
            shmem_ctx_long_atomic_inc(ctx, &flag, to);
            shmem_ctx_quiet(ctx);
            break;
        case 3:
            shmem_long_iput(data, source, 1, 1, WORDS, to);
            shmem_fence();
            shmem_long_put_nbi(&flag, &r, 1, to);
            shmem_quiet();
            break;
        }
        if (r % 3 == 0)
            shmem_long_wait_until(&flag, SHMEM_CMP_EQ, r);
        else if (r % 3 == 1)
            while (!shmem_long_test(&flag, SHMEM_CMP_EQ, r)) {
            }
        else
            while (shmem_long_atomic_fetch(&flag, me) != r) {
            }
        for (int i = 0; i < WORDS; i++)
            CHECK(data[i] == r * WORDS + i, "round %ld: word %d is %ld", r, i, data[i]);
        shmem_fence();               /* I have read my data: */
        shmem_long_p(&ack, r, from); /* it may be written again */
        shmem_long_wait_until(&ack, SHMEM_CMP_EQ, r);
    }
    shmem_ctx_destroy(ctx);
    shmem_finalize();
    return 0;
}
