/* SPDX-License-Identifier: BSD-3-Clause */
/* Every typed host call on device memory: RMA, atomics, waits and tests, put_signal. */
#include "check.h"

enum { LEN = 33 };

template <class T> static bool same(const T *a, const T *b, size_t count) { return memcmp(a, b, count * sizeof(T)) == 0; }
template <class T> static void fill(T *p, int salt)
{
    for (int i = 0; i < LEN; i++)
        p[i] = (T)(i % 13 + salt % 7);
}

static void *heap, *spare;

#define RMA(A, N, T)                                                                                                   \
    static void rma_##N(void)                                                                                          \
    {                                                                                                                  \
        T *dev = (T *)heap, mine[LEN], want[LEN], got[LEN];                                                            \
        uint64_t *sig = (uint64_t *)spare;                                                                             \
        memset(mine, 0, sizeof mine), memset(want, 0, sizeof want), memset(got, 0, sizeof got);                        \
        fill(mine, me), fill(want, previous_pe);                                                                       \
        shmem_##N##_put(dev, mine, LEN, next_pe);                                                                      \
        shmem_barrier_all();                                                                                           \
        shmem_##N##_get(got, dev, LEN, me);                                                                            \
        CHECK(same(got, want, LEN), #N "_put, get");                                                                   \
        shmem_barrier_all();                                                                                           \
        shmem_##N##_p(dev, mine[3], next_pe);                                                                          \
        shmem_barrier_all();                                                                                           \
        T one = shmem_##N##_g(dev, me);                                                                                \
        CHECK(one == want[3], #N "_p, g");                                                                             \
        shmem_barrier_all();                                                                                           \
        shmem_##N##_iput(dev, mine, 3, 2, LEN / 3, next_pe);                                                           \
        shmem_barrier_all();                                                                                           \
        shmem_##N##_iget(got, dev, 1, 3, LEN / 3, me);                                                                 \
        for (int i = 0; i < LEN / 3; i++)                                                                              \
            CHECK(got[i] == want[2 * i], #N "_iput, iget: %d", i);                                                     \
        uint64_t before = shmem_signal_fetch(sig); /* before the previous PE may send */                               \
        shmem_barrier_all();                                                                                           \
        shmem_##N##_put_signal(dev, mine, LEN, sig, 1, SHMEM_SIGNAL_ADD, next_pe);                                     \
        shmem_signal_wait_until(sig, SHMEM_CMP_EQ, before + 1);                                                        \
        shmem_##N##_get(got, dev, LEN, me);                                                                            \
        CHECK(same(got, want, LEN), #N "_put_signal");                                                                 \
        shmem_barrier_all();                                                                                           \
    }
#define SIMPLE_TYPES(X, A)                                                                                             \
    X(A, float, float) X(A, double, double) X(A, char, char) SHMEMI_C_SIGNED(X, A) SHMEMI_C_UNSIGNED(X, A)             \
    SHMEMI_FIXED_TYPES(X, A) X(A, size, size_t) X(A, ptrdiff, ptrdiff_t)
SIMPLE_TYPES(RMA, )

#define AMO(A, N, T)                                                                                                   \
    static void amo_##N(void)                                                                                          \
    {                                                                                                                  \
        T *at = (T *)heap;                                                                                             \
        shmem_##N##_atomic_set(at, 5, next_pe);                                                                        \
        shmem_quiet();                                                                                                 \
        CHECK(shmem_##N##_atomic_fetch(at, next_pe) == 5, #N "_atomic_set, fetch");                                    \
        CHECK(shmem_##N##_atomic_swap(at, 6, next_pe) == 5, #N "_atomic_swap");                                        \
        CHECK(shmem_##N##_atomic_compare_swap(at, 5, 7, next_pe) == 6, #N "_atomic_compare_swap");                     \
        CHECK(shmem_##N##_atomic_compare_swap(at, 6, 7, next_pe) == 6, #N "_atomic_compare_swap");                     \
        CHECK(shmem_##N##_atomic_fetch_inc(at, next_pe) == 7, #N "_atomic_fetch_inc");                                 \
        CHECK(shmem_##N##_atomic_fetch_add(at, 3, next_pe) == 8, #N "_atomic_fetch_add");                              \
        shmem_##N##_atomic_inc(at, next_pe);                                                                           \
        shmem_##N##_atomic_add(at, 4, next_pe);                                                                        \
        T old = 0;                                                                                                     \
        shmem_##N##_atomic_fetch_add_nbi(&old, at, 1, next_pe);                                                        \
        shmem_quiet();                                                                                                 \
        CHECK(old == 16, #N "_atomic_fetch_add_nbi");                                                                  \
        shmem_barrier_all();                                                                                           \
        CHECK(shmem_##N##_g(at, me) == 17, #N " at home");                                                             \
        shmem_##N##_wait_until(at, SHMEM_CMP_EQ, 17);                                                                  \
        CHECK(shmem_##N##_test(at, SHMEM_CMP_GT, 16) == 1 && shmem_##N##_test(at, SHMEM_CMP_LT, 17) == 0, #N "_test"); \
        shmem_barrier_all();                                                                                           \
        for (int i = 0; i < 4; i++)                                                                                    \
            shmem_##N##_p(at + i, (T)(20 + i), next_pe);                                                               \
        T wants[4] = {20, 21, 22, 23};                                                                                 \
        size_t indices[4];                                                                                             \
        shmem_##N##_wait_until_all_vector(at, 4, NULL, SHMEM_CMP_EQ, wants);                                           \
        shmem_##N##_wait_until_all(at, 4, NULL, SHMEM_CMP_GE, 20);                                                     \
        CHECK(shmem_##N##_wait_until_any(at, 4, NULL, SHMEM_CMP_EQ, 22) == 2, #N "_wait_until_any");                   \
        CHECK(shmem_##N##_wait_until_some(at, 4, indices, NULL, SHMEM_CMP_LE, 21) == 2, #N "_wait_until_some");        \
        CHECK(shmem_##N##_test_all(at, 4, NULL, SHMEM_CMP_GE, 20) == 1, #N "_test_all");                               \
        CHECK(shmem_##N##_test_any(at, 4, NULL, SHMEM_CMP_EQ, 30) == SIZE_MAX, #N "_test_any");                        \
        CHECK(shmem_##N##_test_some(at, 4, indices, NULL, SHMEM_CMP_GT, 21) == 2 && indices[0] == 2, #N "_test_some"); \
        shmem_barrier_all();                                                                                           \
    }
SHMEMI_AMO_TYPES(AMO, )

#define BIT(A, N, T)                                                                                                   \
    static void bit_##N(void)                                                                                          \
    {                                                                                                                  \
        T *at = (T *)heap;                                                                                             \
        shmem_##N##_atomic_set(at, 0x55, next_pe);                                                                     \
        shmem_quiet();                                                                                                 \
        CHECK(shmem_##N##_atomic_fetch_and(at, 0x0f, next_pe) == 0x55, #N "_atomic_fetch_and");                        \
        CHECK(shmem_##N##_atomic_fetch_or(at, 0x70, next_pe) == 0x05, #N "_atomic_fetch_or");                          \
        CHECK(shmem_##N##_atomic_fetch_xor(at, 0x11, next_pe) == 0x75, #N "_atomic_fetch_xor");                        \
        shmem_##N##_atomic_and(at, 0x3c, next_pe);                                                                     \
        shmem_##N##_atomic_or(at, 0x81, next_pe);                                                                      \
        shmem_##N##_atomic_xor(at, 0xff, next_pe);                                                                     \
        shmem_barrier_all();                                                                                           \
        CHECK(shmem_##N##_g(at, me) == 0x5a, #N " and, or, xor: %llx", (unsigned long long)shmem_##N##_g(at, me));     \
        shmem_barrier_all();                                                                                           \
    }
SHMEMI_AMO_BIT_TYPES(BIT, )

#define REAL(A, N, T)                                                                                                  \
    static void real_##N(void)                                                                                         \
    {                                                                                                                  \
        T *at = (T *)heap;                                                                                             \
        shmem_##N##_atomic_set(at, (T)1.5, next_pe);                                                                   \
        shmem_quiet();                                                                                                 \
        CHECK(shmem_##N##_atomic_swap(at, (T)2.5, next_pe) == (T)1.5, #N "_atomic_swap");                              \
        CHECK(shmem_##N##_atomic_fetch(at, next_pe) == (T)2.5, #N "_atomic_fetch");                                    \
        shmem_barrier_all();                                                                                           \
    }
REAL(, float, float)
REAL(, double, double)

__global__ void nothing(void) { gin_shmem_quiet(); }

int main()
{
    start();
    heap = symmetric<double>(LEN * 4);
    spare = shmem_calloc(1, 8);
    CHECK(spare, "no memory");
    GIN_SHMEM_LAUNCH(nothing, 1, 1, 0);
#define RUN_RMA(A, N, T) rma_##N();
#define RUN_AMO(A, N, T) amo_##N();
#define RUN_BIT(A, N, T) bit_##N();
    SIMPLE_TYPES(RUN_RMA, )
    SHMEMI_AMO_TYPES(RUN_AMO, )
    SHMEMI_AMO_BIT_TYPES(RUN_BIT, )
    real_float();
    real_double();
    /* long double has no device counterpart, but the host moves it */
    long double ld = 3.25L * (me + 1);
    shmem_longdouble_put((long double *)heap, &ld, 1, next_pe);
    shmem_barrier_all();
    CHECK(shmem_longdouble_g((long double *)heap, me) == 3.25L * (previous_pe + 1), "longdouble");
    return done();
}
