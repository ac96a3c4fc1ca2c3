/* SPDX-License-Identifier: BSD-3-Clause */
/* Every atomic x type x context, blocking and nonblocking, and the deprecated names; neighbours of the word stay. */
#include "check.h"

static int me, n, use_ctx, pe;
static shmem_ctx_t ctx;

#define CALL(N, OP, ...) \
    (use_ctx ? shmem_ctx_##N##_##OP(ctx, __VA_ARGS__, n - 1 - pe) : shmem_##N##_##OP(__VA_ARGS__, pe))
#define EXPECT(N, what, a, b) \
    CHECK((a) == (b), #N " " what ": %g, not %g (target %d, ctx %d)", (double)(a), (double)(b), pe, use_ctx)
/* The word now holds want. */
#define HOLDS(N, what, want) EXPECT(N, what, CALL(N, atomic_fetch, &cell_##N[me][1]), want)
/* A nonblocking call has fetched want, and left holds. */
#define FETCHED(N, what, want, holds)              \
    do {                                           \
        if (use_ctx)                               \
            shmem_ctx_quiet(ctx);                  \
        else                                       \
            shmem_quiet();                         \
        EXPECT(N, what " fetches", fetched, want); \
        HOLDS(N, what, holds);                     \
    } while (0)

enum { MAX_PES = 16 };

/* Each PE has a cell of its own on the target: a word between two guards. */
#define EXT(A, N, T)                                                    \
    static T cell_##N[MAX_PES][3];                                      \
    static void ext_##N(void)                                           \
    {                                                                   \
        T *word = &cell_##N[me][1], fetched = 0;                        \
        T guards[3] = {(T)-5, (T)0, (T)-6};                             \
        shmem_##N##_put(cell_##N[me], guards, 3, pe);                   \
        CALL(N, atomic_set, word, 9);                                   \
        HOLDS(N, "set", 9);                                             \
        EXPECT(N, "swap", CALL(N, atomic_swap, word, (T)-3), 9);        \
        HOLDS(N, "swap", (T)-3);                                        \
        CALL(N, atomic_fetch_nbi, &fetched, word);                      \
        FETCHED(N, "fetch_nbi", (T)-3, (T)-3);                          \
        CALL(N, atomic_swap_nbi, &fetched, word, 8);                    \
        FETCHED(N, "swap_nbi", (T)-3, 8);                               \
        EXPECT(N, "guard", shmem_##N##_g(&cell_##N[me][0], pe), (T)-5); \
        EXPECT(N, "guard", shmem_##N##_g(&cell_##N[me][2], pe), (T)-6); \
    }
SHMEMI_AMO_EXT_TYPES(EXT, )

#define STD(A, N, T)                                                                                             \
    static void std_##N(void)                                                                                    \
    {                                                                                                            \
        T *word = &cell_##N[me][1], fetched = 0;                                                                 \
        const T most = (T)(sizeof(T) == 4 ? 0x7fffffff : 0x7fffffffffffffff), wrapped = (T)((uint64_t)most + 1); \
        shmem_##N##_p(word, 10, pe);                                                                             \
        EXPECT(N, "compare_swap", CALL(N, atomic_compare_swap, word, 10, 11), 10);                               \
        EXPECT(N, "compare_swap that fails", CALL(N, atomic_compare_swap, word, 10, 12), 11);                    \
        HOLDS(N, "compare_swap", 11);                                                                            \
        EXPECT(N, "fetch_inc", CALL(N, atomic_fetch_inc, word), 11);                                             \
        CALL(N, atomic_inc, word);                                                                               \
        HOLDS(N, "inc", 13);                                                                                     \
        EXPECT(N, "fetch_add", CALL(N, atomic_fetch_add, word, 7), 13);                                          \
        CALL(N, atomic_add, word, (T)-10);                                                                       \
        HOLDS(N, "add", 10);                                                                                     \
        CALL(N, atomic_compare_swap_nbi, &fetched, word, 10, 20);                                                \
        FETCHED(N, "compare_swap_nbi", 10, 20);                                                                  \
        CALL(N, atomic_compare_swap_nbi, &fetched, word, 10, 30);                                                \
        FETCHED(N, "compare_swap_nbi that fails", 20, 20);                                                       \
        CALL(N, atomic_fetch_inc_nbi, &fetched, word);                                                           \
        FETCHED(N, "fetch_inc_nbi", 20, 21);                                                                     \
        CALL(N, atomic_fetch_add_nbi, &fetched, word, 9);                                                        \
        FETCHED(N, "fetch_add_nbi", 21, 30);                                                                     \
        CALL(N, atomic_set, word, most);                                                                         \
        EXPECT(N, "fetch_inc of the largest", CALL(N, atomic_fetch_inc, word), most);                            \
        HOLDS(N, "wrap", wrapped);                                                                               \
        EXPECT(N, "guard", shmem_##N##_g(&cell_##N[me][0], pe), (T)-5);                                          \
        EXPECT(N, "guard", shmem_##N##_g(&cell_##N[me][2], pe), (T)-6);                                          \
    }
SHMEMI_AMO_TYPES(STD, )

#define BIT(A, N, T)                                                         \
    static void bit_##N(void)                                                \
    {                                                                        \
        T *word = &cell_##N[me][1], fetched = 0;                             \
        shmem_##N##_p(word, 0xff, pe);                                       \
        EXPECT(N, "fetch_and", CALL(N, atomic_fetch_and, word, 0x3c), 0xff); \
        CALL(N, atomic_and, word, 0x1f);                                     \
        HOLDS(N, "and", 0x1c);                                               \
        EXPECT(N, "fetch_or", CALL(N, atomic_fetch_or, word, 0x60), 0x1c);   \
        CALL(N, atomic_or, word, 0x01);                                      \
        HOLDS(N, "or", 0x7d);                                                \
        EXPECT(N, "fetch_xor", CALL(N, atomic_fetch_xor, word, 0x0f), 0x7d); \
        CALL(N, atomic_xor, word, 0x70);                                     \
        HOLDS(N, "xor", 0x02);                                               \
        CALL(N, atomic_fetch_or_nbi, &fetched, word, 0x31);                  \
        FETCHED(N, "fetch_or_nbi", 0x02, 0x33);                              \
        CALL(N, atomic_fetch_and_nbi, &fetched, word, 0x0f);                 \
        FETCHED(N, "fetch_and_nbi", 0x33, 0x03);                             \
        CALL(N, atomic_fetch_xor_nbi, &fetched, word, 0x05);                 \
        FETCHED(N, "fetch_xor_nbi", 0x03, 0x06);                             \
    }
SHMEMI_AMO_BIT_TYPES(BIT, )

#define OLD_EXT(A, N, T)                                         \
    static void old_ext_##N(void)                                \
    {                                                            \
        T *word = &cell_##N[me][1];                              \
        shmem_##N##_set(word, 5, pe);                            \
        EXPECT(N, "old swap", shmem_##N##_swap(word, 6, pe), 5); \
        EXPECT(N, "old fetch", shmem_##N##_fetch(word, pe), 6);  \
    }
SHMEMI_OLD_AMO_EXT_TYPES(OLD_EXT, )

#define OLD(A, N, T)                                                              \
    static void old_##N(void)                                                     \
    {                                                                             \
        T *word = &cell_##N[me][1];                                               \
        shmem_##N##_set(word, 5, pe);                                             \
        shmem_##N##_add(word, 2, pe);                                             \
        shmem_##N##_inc(word, pe);                                                \
        EXPECT(N, "old fadd", shmem_##N##_fadd(word, 2, pe), 8);                  \
        EXPECT(N, "old finc", shmem_##N##_finc(word, pe), 10);                    \
        EXPECT(N, "old cswap", shmem_##N##_cswap(word, 11, 1, pe), 11);           \
        EXPECT(N, "old cswap that fails", shmem_##N##_cswap(word, 11, 2, pe), 1); \
    }
SHMEMI_OLD_AMO_TYPES(OLD, )

int main(void)
{
    shmem_team_t reversed;
    shmem_init();
    me = shmem_my_pe();
    n = shmem_n_pes();
    CHECK(n <= MAX_PES, "at most %d PEs", MAX_PES);
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, n - 1, -1, n, NULL, 0, &reversed) == 0, "no team");
    CHECK(shmem_team_create_ctx(reversed, 0, &ctx) == 0, "no context");
    shmem_barrier_all();
    for (use_ctx = 0; use_ctx < 2; use_ctx++)
        for (pe = 0; pe < n; pe++) {
#define RUN_EXT(A, N, T)     ext_##N();
#define RUN_STD(A, N, T)     std_##N();
#define RUN_BIT(A, N, T)     bit_##N();
#define RUN_OLD_EXT(A, N, T) old_ext_##N();
#define RUN_OLD(A, N, T)     old_##N();
            SHMEMI_AMO_EXT_TYPES(RUN_EXT, )
            SHMEMI_AMO_TYPES(RUN_STD, )
            SHMEMI_AMO_BIT_TYPES(RUN_BIT, )
            SHMEMI_OLD_AMO_EXT_TYPES(RUN_OLD_EXT, )
            SHMEMI_OLD_AMO_TYPES(RUN_OLD, )
        }
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
