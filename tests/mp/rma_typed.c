/* SPDX-License-Identifier: BSD-3-Clause */
/* Every typed RMA and put-with-signal call, all 24 types: by the default context and by that of a reversed team, to the
 * next PE and to itself, on heap memory and on global variables. */
#include <stdlib.h>

#include "check.h"

enum { LEN = 61, SEG = 64, STRIDED = 20, BSIZE = 3, NBLOCKS = 5 };
enum { PUT, PUT_NBI, P, IPUT, IBPUT, PUT_SIGNAL, PUT_SIGNAL_NBI, SEGS };

static int me, n, use_ctx;
static shmem_team_t reversed;
static shmem_ctx_t ctx;
static uint64_t sig[2];
static void *heap_dest, *heap_source;

/* The PE argument of either form. */
#define CALL(N, OP, ...) \
    (use_ctx ? shmem_ctx_##N##_##OP(ctx, __VA_ARGS__, n - 1 - pe) : shmem_##N##_##OP(__VA_ARGS__, pe))
#define VALUE(T, pe, i) ((T)(mix((unsigned)(pe), (unsigned)(i)) % 120 + 1))
#define SAME(what, i, a, b) \
    CHECK((a) == (b), "%s[%d] is %g, not %g (target %d, ctx %d)", what, i, (double)(a), (double)(b), pe, use_ctx)

#define TEST(A, N, T)                                                                                \
    static T global_dest_##N[SEGS][SEG], global_source_##N[SEG] = {1};                               \
    static void test_##N(T dest[][SEG], T *source, int pe, int from)                                 \
    {                                                                                                \
        T local[SEG];                                                                                \
        const uint64_t before[2] = {sig[0], sig[1]};                                                 \
        for (int i = 0; i < SEG; i++)                                                                \
            local[i] = source[i] = VALUE(T, me, i);                                                  \
        for (int i = 0; i < SEGS * SEG; i++)                                                         \
            dest[i / SEG][i % SEG] = 0;                                                              \
        shmem_barrier_all();                                                                         \
        CALL(N, put, dest[PUT], local, LEN);                                                         \
        CALL(N, put_nbi, dest[PUT_NBI], source, LEN);                                                \
        for (int i = 0; i < LEN; i++)                                                                \
            CALL(N, p, &dest[P][i], local[i]);                                                       \
        CALL(N, iput, dest[IPUT], local, 2, 3, STRIDED);                                             \
        CALL(N, ibput, dest[IBPUT], source, 4, 5, BSIZE, NBLOCKS);                                   \
        CALL(N, put_signal, dest[PUT_SIGNAL], local, LEN, &sig[0], before[0] + 5, SHMEM_SIGNAL_SET); \
        CALL(N, put_signal_nbi, dest[PUT_SIGNAL_NBI], source, LEN, &sig[1], 3, SHMEM_SIGNAL_ADD);    \
        shmem_signal_wait_until(&sig[0], SHMEM_CMP_EQ, before[0] + 5);                               \
        shmem_signal_wait_until(&sig[1], SHMEM_CMP_EQ, before[1] + 3);                               \
        for (int i = 0; i < SEG; i++) {                                                              \
            T want = i < LEN ? VALUE(T, from, i) : 0;                                                \
            SAME(#N " put_signal", i, dest[PUT_SIGNAL][i], want);                                    \
            SAME(#N " put_signal_nbi", i, dest[PUT_SIGNAL_NBI][i], want);                            \
        }                                                                                            \
        if (use_ctx)                                                                                 \
            shmem_ctx_quiet(ctx);                                                                    \
        shmem_barrier_all();                                                                         \
        for (int i = 0; i < SEG; i++) {                                                              \
            T want = i < LEN ? VALUE(T, from, i) : 0;                                                \
            SAME(#N " put", i, dest[PUT][i], want);                                                  \
            SAME(#N " put_nbi", i, dest[PUT_NBI][i], want);                                          \
            SAME(#N " p", i, dest[P][i], want);                                                      \
            want = i % 2 == 0 && i / 2 < STRIDED ? VALUE(T, from, i / 2 * 3) : 0;                    \
            SAME(#N " iput", i, dest[IPUT][i], want);                                                \
            want = i % 4 < BSIZE && i / 4 < NBLOCKS ? VALUE(T, from, i / 4 * 5 + i % 4) : 0;         \
            SAME(#N " ibput", i, dest[IBPUT][i], want);                                              \
        }                                                                                            \
        T got[5][SEG] = {{0}};                                                                       \
        CALL(N, get, got[0], source, LEN);                                                           \
        CALL(N, get_nbi, got[1], source, LEN);                                                       \
        for (int i = 0; i < LEN; i++)                                                                \
            got[2][i] = CALL(N, g, &source[i]);                                                      \
        CALL(N, iget, got[3], source, 3, 2, STRIDED);                                                \
        CALL(N, ibget, got[4], source, 5, 4, BSIZE, NBLOCKS);                                        \
        if (use_ctx)                                                                                 \
            shmem_ctx_quiet(ctx);                                                                    \
        else                                                                                         \
            shmem_quiet();                                                                           \
        for (int i = 0; i < SEG; i++) {                                                              \
            T want = i < LEN ? VALUE(T, pe, i) : 0;                                                  \
            SAME(#N " get", i, got[0][i], want);                                                     \
            SAME(#N " get_nbi", i, got[1][i], want);                                                 \
            SAME(#N " g", i, got[2][i], want);                                                       \
            want = i % 3 == 0 && i / 3 < STRIDED ? VALUE(T, pe, i / 3 * 2) : 0;                      \
            SAME(#N " iget", i, got[3][i], want);                                                    \
            want = i % 5 < BSIZE && i / 5 < NBLOCKS ? VALUE(T, pe, i / 5 * 4 + i % 5) : 0;           \
            SAME(#N " ibget", i, got[4][i], want);                                                   \
        }                                                                                            \
        shmem_barrier_all();                                                                         \
    }
SHMEMI_RMA_TYPES(TEST, )

static void all_types(int pe, int from)
{
#define RUN(A, N, T)                            \
    test_##N(heap_dest, heap_source, pe, from); \
    test_##N(global_dest_##N, global_source_##N, pe, from);
    SHMEMI_RMA_TYPES(RUN, )
}

int main(void)
{
    shmem_init();
    me = shmem_my_pe();
    n = shmem_n_pes();
    heap_dest = shmem_malloc(SEGS * SEG * sizeof(long double));
    heap_source = shmem_malloc(SEG * sizeof(long double));
    CHECK(heap_dest && heap_source, "no memory");
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, n - 1, -1, n, NULL, 0, &reversed) == 0, "no team");
    CHECK(shmem_team_create_ctx(reversed, 0, &ctx) == 0, "no context");
    for (use_ctx = 0; use_ctx < 2; use_ctx++) {
        all_types((me + 1) % n, (me + n - 1) % n);
        all_types(me, me);
    }
    shmem_finalize();
    return 0;
}
