/* SPDX-License-Identifier: BSD-3-Clause */
/* Signals without data: set, add, fetch, wait_until with every comparison, by contexts too; put_signal of zero length;
 * additions from all PEs add up. */
#include "check.h"

enum { ADDS = 1000 };
static uint64_t sig, sum, flag;
static long data = -1;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes(), to = (me + 1) % n;
    shmem_team_t reversed, got;
    shmem_ctx_t ctx;
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, n - 1, -1, n, NULL, 0, &reversed) == 0, "no team");
    CHECK(shmem_team_create_ctx(reversed, SHMEM_CTX_SERIALIZED, &ctx) == 0, "no context");
    CHECK(shmem_ctx_get_team(ctx, &got) == 0 && got == reversed, "the context's team");

    shmem_signal_set(&sig, 5, to);
    CHECK(shmem_signal_wait_until(&sig, SHMEM_CMP_EQ, 5) == 5, "EQ");
    shmem_barrier_all();
    shmem_ctx_signal_add(ctx, &sig, 2, n - 1 - to);
    CHECK(shmem_signal_wait_until(&sig, SHMEM_CMP_NE, 5) == 7, "NE");
    CHECK(shmem_signal_wait_until(&sig, SHMEM_CMP_GT, 6) == 7, "GT");
    CHECK(shmem_signal_wait_until(&sig, SHMEM_CMP_GE, 7) == 7, "GE");
    CHECK(shmem_signal_wait_until(&sig, SHMEM_CMP_LT, 8) == 7, "LT");
    CHECK(shmem_signal_wait_until(&sig, SHMEM_CMP_LE, 7) == 7, "LE");
    shmem_barrier_all();
    shmem_ctx_signal_set(ctx, &sig, UINT64_MAX, n - 1 - to);
    CHECK(shmem_signal_wait_until(&sig, SHMEM_CMP_GT, 1ull << 63) == UINT64_MAX, "signals are unsigned");
    CHECK(shmem_signal_fetch(&sig) == UINT64_MAX, "fetch");
    shmem_barrier_all();
    shmem_signal_add(&sig, 2, to); /* wraps */
    CHECK(shmem_signal_wait_until(&sig, SHMEM_CMP_LT, 100) == 1, "wrap");
    shmem_barrier_all();

    /* No data, but the signal is sent; and data may be the signal's neighbour on the same call. */
    shmem_long_put_signal(&data, &data, 0, &sig, 11, SHMEM_SIGNAL_SET, to);
    shmem_signal_wait_until(&sig, SHMEM_CMP_EQ, 11);
    shmem_barrier_all();
    shmem_ctx_putmem_signal_nbi(ctx, &data, &data, 0, &sig, 1, SHMEM_SIGNAL_ADD, n - 1 - to);
    shmem_signal_wait_until(&sig, SHMEM_CMP_EQ, 12);
    CHECK(data == -1, "a put of no elements wrote %ld", data);
    shmem_barrier_all();

    /* The generic forms. */
    shmem_signal_set(ctx, &flag, (uint64_t)1, n - 1 - to);
    shmem_signal_wait_until(&flag, SHMEM_CMP_EQ, 1);
    shmem_barrier_all();
    long value = me;
    shmem_put_signal(ctx, &data, &value, 1, &flag, 2, SHMEM_SIGNAL_SET, n - 1 - to);
    shmem_signal_wait_until(&flag, SHMEM_CMP_EQ, 2);
    CHECK(data == (me + n - 1) % n, "data is %ld", data);
    shmem_barrier_all();

    for (int i = 0; i < ADDS; i++)
        for (int pe = 0; pe < n; pe++)
            if (i % 2)
                shmem_signal_add(&sum, (uint64_t)(i + me), pe);
            else
                shmem_ctx_signal_add(ctx, &sum, (uint64_t)(i + me), n - 1 - pe);
    uint64_t want = (uint64_t)n * ADDS * (ADDS - 1) / 2 + (uint64_t)ADDS * (uint64_t)n * (uint64_t)(n - 1) / 2;
    shmem_signal_wait_until(&sum, SHMEM_CMP_EQ, want);
    shmem_ctx_destroy(ctx);
    shmem_team_destroy(reversed);
    shmem_finalize();
    return 0;
}
