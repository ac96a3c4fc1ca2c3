/* SPDX-License-Identifier: BSD-3-Clause */
/* Every wait and test of every type: comparisons, status masks, vectors, empty sets, indices. */
#include <string.h>

#include "check.h"

enum { N = 8 };
static int me, n;
static const int nobody[N] = {1, 2, -1, 1, 1, 1, 1, 1}, odd_only[N] = {1, 0, 1, 0, 3, 0, 1, 0};
static size_t index_of[N];

static void indices_are(const char *what, size_t count, size_t first, size_t step)
{
    for (size_t i = 0; i < count; i++)
        CHECK(index_of[i] == first + i * step, "%s: index %zu is %zu", what, i, index_of[i]);
}

#define HOLDS_AS(NAME, cmp, want, yes) \
    CHECK(shmem_##NAME##_test(&one_##NAME, cmp, want) == (yes), #NAME " test " #cmp " " #want)

/* wait_until and test of one word. The value is 5 here. */
#define ONE(A, NAME, T)                                                                                  \
    static T one_##NAME;                                                                                 \
    static void test_one_##NAME(void)                                                                    \
    {                                                                                                    \
        const T minus = (T)-1; /* the largest where T is unsigned */                                     \
        one_##NAME = 5;                                                                                  \
        HOLDS_AS(NAME, SHMEM_CMP_EQ, 5, 1);                                                              \
        HOLDS_AS(NAME, SHMEM_CMP_EQ, 6, 0);                                                              \
        HOLDS_AS(NAME, SHMEM_CMP_NE, 6, 1);                                                              \
        HOLDS_AS(NAME, SHMEM_CMP_NE, 5, 0);                                                              \
        HOLDS_AS(NAME, SHMEM_CMP_GT, 4, 1);                                                              \
        HOLDS_AS(NAME, SHMEM_CMP_GT, 5, 0);                                                              \
        HOLDS_AS(NAME, SHMEM_CMP_GE, 5, 1);                                                              \
        HOLDS_AS(NAME, SHMEM_CMP_GE, 6, 0);                                                              \
        HOLDS_AS(NAME, SHMEM_CMP_LT, 6, 1);                                                              \
        HOLDS_AS(NAME, SHMEM_CMP_LT, 5, 0);                                                              \
        HOLDS_AS(NAME, SHMEM_CMP_LE, 5, 1);                                                              \
        HOLDS_AS(NAME, SHMEM_CMP_LE, 4, 0);                                                              \
        HOLDS_AS(NAME, SHMEM_CMP_GT, minus, minus < (T)5);                                               \
        HOLDS_AS(NAME, SHMEM_CMP_LT, minus, minus > (T)5);                                               \
        shmem_##NAME##_wait_until(&one_##NAME, SHMEM_CMP_EQ, 5);                                         \
        shmem_##NAME##_wait_until(&one_##NAME, SHMEM_CMP_NE, minus);                                     \
        shmem_barrier_all();                                                                             \
        shmem_##NAME##_p(&one_##NAME, (T)(6 + me % 20), (me + 1) % n);                                   \
        shmem_##NAME##_wait_until(&one_##NAME, SHMEM_CMP_GT, 5);                                         \
        CHECK(shmem_##NAME##_g(&one_##NAME, me) == (T)(6 + (me + n - 1) % n % 20), #NAME " wait_until"); \
        shmem_barrier_all();                                                                             \
    }
SHMEMI_AMO_TYPES(ONE, )
SHMEMI_SYNC_OLD_TYPES(ONE, )

#define OLD(A, NAME, T)                                               \
    static void test_old_##NAME(void)                                 \
    {                                                                 \
        one_##NAME = 3;                                               \
        shmem_barrier_all();                                          \
        shmem_##NAME##_p(&one_##NAME, 4, (me + 1) % n);               \
        shmem_##NAME##_wait(&one_##NAME, 3);                          \
        CHECK(shmem_##NAME##_g(&one_##NAME, me) == 4, #NAME " wait"); \
        shmem_barrier_all();                                          \
    }
    SHMEMI_OLD_WAIT_TYPES(OLD, )

/* The array is 0 10 20 ... 70; masks leave out elements; vectors give each element its own value. */
#define MANY(A, NAME, T)                                                                                              \
    static T many_##NAME[N];                                                                                          \
    static void test_many_##NAME(void)                                                                                \
    {                                                                                                                 \
        T *v = many_##NAME, each[N], other[N], one_right[N];                                                          \
        for (int i = 0; i < N; i++) {                                                                                 \
            v[i] = each[i] = (T)(10 * i);                                                                             \
            other[i] = (T)(10 * i + 1);                                                                               \
            one_right[i] = (T)(i == 6 ? 60 : 1);                                                                      \
        }                                                                                                             \
        const int eq = SHMEM_CMP_EQ, ge = SHMEM_CMP_GE, lt = SHMEM_CMP_LT;                                            \
        /* all */                                                                                                     \
        CHECK(shmem_##NAME##_test_all(v, N, NULL, ge, 0) == 1, #NAME " test_all");                                    \
        CHECK(shmem_##NAME##_test_all(v, N, NULL, ge, 1) == 0, #NAME " test_all, no");                                \
        CHECK(shmem_##NAME##_test_all(v, N, odd_only, ge, 10) == 1, #NAME " test_all, mask");                         \
        CHECK(shmem_##NAME##_test_all(v, N, nobody, eq, 99) == 1, #NAME " test_all of nothing");                      \
        CHECK(shmem_##NAME##_test_all(v, 0, NULL, eq, 99) == 1, #NAME " test_all of 0 elements");                     \
        CHECK(shmem_##NAME##_test_all_vector(v, N, NULL, eq, each) == 1, #NAME " test_all_vector");                   \
        CHECK(shmem_##NAME##_test_all_vector(v, N, NULL, eq, one_right) == 0, #NAME " test_all_vector, no");          \
        CHECK(shmem_##NAME##_test_all_vector(v, N, nobody, eq, other) == 1, #NAME " test_all_vector of nothing");     \
        CHECK(shmem_##NAME##_test_all_vector(v, 0, NULL, eq, other) == 1, #NAME " test_all_vector of 0");             \
        shmem_##NAME##_wait_until_all(v, N, NULL, ge, 0);                                                             \
        shmem_##NAME##_wait_until_all(v, N, odd_only, ge, 10);                                                        \
        shmem_##NAME##_wait_until_all(v, N, nobody, eq, 99);                                                          \
        shmem_##NAME##_wait_until_all(v, 0, NULL, eq, 99);                                                            \
        shmem_##NAME##_wait_until_all_vector(v, N, NULL, eq, each);                                                   \
        shmem_##NAME##_wait_until_all_vector(v, N, nobody, eq, other);                                                \
        shmem_##NAME##_wait_until_all_vector(v, 0, NULL, eq, other);                                                  \
        /* any */                                                                                                     \
        CHECK(shmem_##NAME##_test_any(v, N, NULL, eq, 40) == 4, #NAME " test_any");                                   \
        CHECK(shmem_##NAME##_test_any(v, N, NULL, eq, 41) == SIZE_MAX, #NAME " test_any, none");                      \
        CHECK(shmem_##NAME##_test_any(v, N, odd_only, eq, 40) == SIZE_MAX, #NAME " test_any, masked");                \
        CHECK(shmem_##NAME##_test_any(v, N, odd_only, lt, 20) == 1, #NAME " test_any, mask");                         \
        CHECK(shmem_##NAME##_test_any(v, N, nobody, ge, 0) == SIZE_MAX, #NAME " test_any of nothing");                \
        CHECK(shmem_##NAME##_test_any(v, 0, NULL, ge, 0) == SIZE_MAX, #NAME " test_any of 0");                        \
        CHECK(shmem_##NAME##_test_any_vector(v, N, NULL, eq, one_right) == 6, #NAME " test_any_vector");              \
        CHECK(shmem_##NAME##_test_any_vector(v, N, NULL, eq, other) == SIZE_MAX, #NAME " test_any_vector, none");     \
        CHECK(shmem_##NAME##_test_any_vector(v, N, nobody, eq, each) == SIZE_MAX, #NAME " test_any_vector, nothing"); \
        CHECK(shmem_##NAME##_test_any_vector(v, 0, NULL, eq, each) == SIZE_MAX, #NAME " test_any_vector of 0");       \
        CHECK(shmem_##NAME##_wait_until_any(v, N, NULL, eq, 70) == 7, #NAME " wait_until_any");                       \
        CHECK(shmem_##NAME##_wait_until_any(v, N, odd_only, lt, 20) == 1, #NAME " wait_until_any, mask");             \
        CHECK(shmem_##NAME##_wait_until_any(v, N, nobody, eq, 99) == SIZE_MAX, #NAME " wait_until_any of nothing");   \
        CHECK(shmem_##NAME##_wait_until_any(v, 0, NULL, eq, 99) == SIZE_MAX, #NAME " wait_until_any of 0");           \
        CHECK(shmem_##NAME##_wait_until_any_vector(v, N, NULL, eq, one_right) == 6, #NAME " wait_until_any_vector");  \
        CHECK(shmem_##NAME##_wait_until_any_vector(v, N, nobody, eq, other) == SIZE_MAX,                              \
              #NAME " any_vector, nothing");                                                                          \
        CHECK(shmem_##NAME##_wait_until_any_vector(v, 0, NULL, eq, other) == SIZE_MAX, #NAME " any_vector of 0");     \
        /* some */                                                                                                    \
        CHECK(shmem_##NAME##_test_some(v, N, index_of, NULL, ge, 50) == 3, #NAME " test_some");                       \
        indices_are(#NAME " test_some", 3, 5, 1);                                                                     \
        CHECK(shmem_##NAME##_test_some(v, N, index_of, odd_only, ge, 20) == 3, #NAME " test_some, mask");             \
        indices_are(#NAME " test_some, mask", 3, 3, 2);                                                               \
        CHECK(shmem_##NAME##_test_some(v, N, index_of, NULL, eq, 41) == 0, #NAME " test_some, none");                 \
        CHECK(shmem_##NAME##_test_some(v, N, index_of, nobody, ge, 0) == 0, #NAME " test_some of nothing");           \
        CHECK(shmem_##NAME##_test_some(v, 0, index_of, NULL, ge, 0) == 0, #NAME " test_some of 0");                   \
        CHECK(shmem_##NAME##_test_some_vector(v, N, index_of, odd_only, eq, each) == 4, #NAME " test_some_vector");   \
        indices_are(#NAME " test_some_vector", 4, 1, 2);                                                              \
        CHECK(shmem_##NAME##_test_some_vector(v, N, index_of, NULL, eq, other) == 0, #NAME " some_vector, none");     \
        CHECK(shmem_##NAME##_test_some_vector(v, N, index_of, nobody, eq, each) == 0, #NAME " some_vector, nothing"); \
        CHECK(shmem_##NAME##_test_some_vector(v, 0, index_of, NULL, eq, each) == 0, #NAME " some_vector of 0");       \
        CHECK(shmem_##NAME##_wait_until_some(v, N, index_of, NULL, lt, 30) == 3, #NAME " wait_until_some");           \
        indices_are(#NAME " wait_until_some", 3, 0, 1);                                                               \
        CHECK(shmem_##NAME##_wait_until_some(v, N, index_of, nobody, eq, 99) == 0, #NAME " wait_some of nothing");    \
        CHECK(shmem_##NAME##_wait_until_some(v, 0, index_of, NULL, eq, 99) == 0, #NAME " wait_until_some of 0");      \
        CHECK(shmem_##NAME##_wait_until_some_vector(v, N, index_of, NULL, eq, one_right) == 1,                        \
              #NAME " wait_some_vec");                                                                                \
        indices_are(#NAME " wait_until_some_vector", 1, 6, 1);                                                        \
        CHECK(shmem_##NAME##_wait_until_some_vector(v, N, index_of, nobody, eq, other) == 0, #NAME " wait_some_vec"); \
        CHECK(shmem_##NAME##_wait_until_some_vector(v, 0, index_of, NULL, eq, other) == 0, #NAME " wait_some_vec");   \
    }
        SHMEMI_AMO_TYPES(MANY, )

            int main(void)
{
    shmem_init();
    me = shmem_my_pe();
    n = shmem_n_pes();
#define RUN_ONE(A, NAME, T)  test_one_##NAME();
#define RUN_OLD(A, NAME, T)  test_old_##NAME();
#define RUN_MANY(A, NAME, T) test_many_##NAME();
    SHMEMI_AMO_TYPES(RUN_ONE, )
    SHMEMI_SYNC_OLD_TYPES(RUN_ONE, )
    SHMEMI_OLD_WAIT_TYPES(RUN_OLD, )
    SHMEMI_AMO_TYPES(RUN_MANY, )
    shmem_finalize();
    return 0;
}
