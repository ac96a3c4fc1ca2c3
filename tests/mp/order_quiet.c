/* SPDX-License-Identifier: BSD-3-Clause */
/* Store buffering: two PEs each store to the other, call quiet, and load what the other stored to them. At least one
 * must see the other's store. By every form of quiet, and through a third PE's memory. */
#include "check.h"

enum { ROUNDS = 8000 };
static long x[2]; /* on PE home: [i] is set by PE i */
static long mine; /* set by the other */
static long saw, turn;

static void complete(long r, shmem_ctx_t ctx, int other)
{
    switch (r % 4) {
    case 0:
        shmem_quiet();
        break;
    case 1:
        shmem_ctx_quiet(ctx);
        break;
    case 2:
        shmem_pe_quiet(&other, 1);
        break;
    case 3:
        shmem_ctx_pe_quiet(ctx, (int[]){other, other}, 2);
        break;
    }
}

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes(), home = n - 1, other = 1 - me;
    shmem_ctx_t ctx;
    long both_blind = 0;
    CHECK(shmem_ctx_create(0, &ctx) == 0, "no context");
    shmem_pe_quiet(NULL, 0);
    shmem_ctx_pe_quiet(ctx, NULL, 0);
    shmem_barrier_all();
    if (me < 2)
        for (long r = 1; r <= ROUNDS; r++) {
            /* Meet, so that both are at it at the same time. */
            shmem_long_atomic_set(&turn, r, other);
            shmem_long_wait_until(&turn, SHMEM_CMP_GE, r);
            long seen;
            int through_home = r / 4 % 2;
            if (through_home) {
                shmem_ctx_long_p(r % 2 ? ctx : SHMEM_CTX_DEFAULT, &x[me], r, home);
                complete(r, ctx, home);
                seen = shmem_long_g(&x[other], home);
            } else {
                shmem_ctx_long_p(r % 2 ? ctx : SHMEM_CTX_DEFAULT, &mine, r, other);
                complete(r, ctx, other);
                seen = *(volatile long *)&mine;
            }
            shmem_long_p(&saw, seen == r ? 2 * r + 1 : 2 * r, other);
            shmem_long_wait_until(&saw, SHMEM_CMP_GE, 2 * r);
            both_blind += seen != r && saw == 2 * r;
        }
    CHECK(both_blind == 0, "in %ld of %d rounds neither PE saw the other's store behind a quiet", both_blind, ROUNDS);
    shmem_barrier_all();
    shmem_ctx_destroy(ctx);
    shmem_finalize();
    return 0;
}
