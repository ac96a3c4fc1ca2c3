/* SPDX-License-Identifier: BSD-3-Clause */
/* Store buffering: two PEs each store to the other, call quiet, and load what the other stored to them. At least one
 * must see the other's store. By every form of quiet, and through a third PE's memory. In batches of words, a cache
 * line each, so that the PEs are now and then at the same one. */
#include "check.h"

enum { BATCHES = 1500, WORDS = 64, LINE = 8 };
static _Alignas(64) long box[WORDS * LINE];        /* set by the other PE */
static _Alignas(64) long at_home[2][WORDS * LINE]; /* on PE home: [i] is set by PE i */
static _Alignas(64) long saw[WORDS];               /* what this PE saw */
static _Alignas(64) long turn;

static void meet(long r, int me, int other)
{
    shmem_quiet();
    shmem_long_atomic_set(&turn, r, other);
    while (shmem_long_atomic_fetch(&turn, me) < r) /* not a wait: it may sleep */
        if (shmem_long_test(&turn, SHMEM_CMP_GE, r))
            break;
}

/* One word of the litmus test; kind is a constant where this is inlined. */
static inline __attribute__((always_inline)) long one(int kind, shmem_ctx_t ctx, long *mine, const long *theirs, long r,
                                                      int target, int via)
{
    if (kind % 2)
        shmem_ctx_long_p(ctx, mine, r, target);
    else
        shmem_long_p(mine, r, target);
    switch (kind) {
    case 0:
        shmem_quiet();
        break;
    case 1:
        shmem_ctx_quiet(ctx);
        break;
    case 2:
        shmem_pe_quiet(&target, 1);
        break;
    case 3:
        shmem_ctx_pe_quiet(ctx, (int[]){target, target}, 2);
        break;
    }
    return via ? shmem_long_g(theirs, target) : *(const volatile long *)theirs;
}

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes(), home = n - 1, other = 1 - me;
    shmem_ctx_t ctx;
    long blind = 0, theirs[WORDS];
    CHECK(shmem_ctx_create(0, &ctx) == 0, "no context");
    shmem_pe_quiet(NULL, 0);
    shmem_ctx_pe_quiet(ctx, NULL, 0);
    shmem_barrier_all();
    if (me < 2)
        for (long r = 1; r <= BATCHES; r++) {
            int via = r / 4 % 2 && n > 2, target = via ? home : other;
            long *out = via ? at_home[me] : box, *in = via ? at_home[other] : box;
            meet(2 * r, me, other);
#define BATCH(kind)                                                                 \
    case kind:                                                                      \
        for (int i = 0; i < WORDS; i++)                                             \
            saw[i] = one(kind, ctx, &out[i * LINE], &in[i * LINE], r, target, via); \
        break;
            switch (r % 4) {
                BATCH(0) BATCH(1) BATCH(2) BATCH(3)
            }
            meet(2 * r + 1, me, other);
            shmem_long_get(theirs, saw, WORDS, other);
            for (int i = 0; i < WORDS; i++)
                blind += saw[i] != r && theirs[i] != r;
        }
    CHECK(blind == 0, "%ld times neither PE saw the other's store behind a quiet", blind);
    shmem_barrier_all();
    shmem_ctx_destroy(ctx);
    shmem_finalize();
    return 0;
}
