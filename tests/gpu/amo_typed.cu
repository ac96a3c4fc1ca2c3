/* SPDX-License-Identifier: BSD-3-Clause */
/* Every atomic of every type, plain, _nbi and as overload: old values, new values, and no byte beside the word. */
#include "check.h"

/* Five words; the middle one is the target, at the next PE. */
template <class T> __device__ T word_of(const T *at, int pe) { return gin_shmem_g(at, pe); }
template <class T> __device__ bool eq(T a, T b)
{
    const unsigned char *x = (const unsigned char *)&a, *y = (const unsigned char *)&b;
    for (size_t i = 0; i < sizeof(T); i++)
        if (x[i] != y[i])
            return false;
    return true;
}

#define SEEN(want) EXPECT_TRUE(eq(word_of(at, pe), (T)(want)), __LINE__)
#define OLD(call, want) EXPECT_TRUE(eq((call), (T)(want)), __LINE__)
#define NBI(call, want)                                                                                                \
    do {                                                                                                               \
        T old = (T)123.0f;                                                                                             \
        T *fetch = &old;                                                                                               \
        call;                                                                                                          \
        gin_shmem_quiet();                                                                                             \
        EXPECT_TRUE(eq(old, (T)(want)), __LINE__);                                                                     \
    } while (0)

#define EXT(A, N, T_)                                                                                                  \
    __global__ void ext_##N(T_ *words, int pe)                                                                         \
    {                                                                                                                  \
        typedef T_ T;                                                                                                  \
        T *at = words + 2;                                                                                             \
        gin_shmem_##N##_atomic_set(at, 7, pe);                                                                         \
        gin_shmem_quiet();                                                                                             \
        OLD(gin_shmem_##N##_atomic_fetch(at, pe), 7);                                                                  \
        OLD(gin_shmem_##N##_atomic_swap(at, 9, pe), 7);                                                                \
        SEEN(9);                                                                                                       \
        NBI(gin_shmem_##N##_atomic_fetch_nbi(fetch, at, pe), 9);                                                       \
        NBI(gin_shmem_##N##_atomic_swap_nbi(fetch, at, 11, pe), 9);                                                    \
        SEEN(11);                                                                                                      \
        OLD(gin_shmem_atomic_fetch(at, pe), 11);                                                                       \
        OLD(gin_shmem_atomic_swap(at, 12, pe), 11);                                                                    \
        gin_shmem_atomic_set(at, 13, pe);                                                                              \
        gin_shmem_quiet();                                                                                             \
        SEEN(13);                                                                                                      \
        OLD(gin_shmem_##N##_atomic_fetch_add(at, 4, pe), 13);                                                          \
        gin_shmem_##N##_atomic_add(at, 5, pe);                                                                         \
        gin_shmem_quiet();                                                                                             \
        SEEN(22);                                                                                                      \
        NBI(gin_shmem_##N##_atomic_fetch_add_nbi(fetch, at, 2, pe), 22);                                               \
        gin_shmem_atomic_add(at, 1, pe);                                                                               \
        gin_shmem_quiet();                                                                                             \
        OLD(gin_shmem_atomic_fetch_add(at, 1, pe), 25);                                                                \
        SEEN(26);                                                                                                      \
    }
SHMEMI_AMO_EXT_TYPES(EXT, )

#define STD(A, N, T_)                                                                                                  \
    __global__ void std_##N(T_ *words, int pe)                                                                         \
    {                                                                                                                  \
        typedef T_ T;                                                                                                  \
        T *at = words + 2, big = (T)~(T)0;                                                                             \
        gin_shmem_##N##_atomic_set(at, 7, pe);                                                                         \
        gin_shmem_quiet();                                                                                             \
        OLD(gin_shmem_##N##_atomic_compare_swap(at, 6, 1, pe), 7);                                                     \
        SEEN(7);                                                                                                       \
        OLD(gin_shmem_##N##_atomic_compare_swap(at, 7, 1, pe), 7);                                                     \
        SEEN(1);                                                                                                       \
        NBI(gin_shmem_##N##_atomic_compare_swap_nbi(fetch, at, 1, 2, pe), 1);                                          \
        OLD(gin_shmem_##N##_atomic_fetch_inc(at, pe), 2);                                                              \
        NBI(gin_shmem_##N##_atomic_fetch_inc_nbi(fetch, at, pe), 3);                                                   \
        gin_shmem_##N##_atomic_inc(at, pe);                                                                            \
        gin_shmem_quiet();                                                                                             \
        SEEN(5);                                                                                                       \
        OLD(gin_shmem_atomic_compare_swap(at, 5, 6, pe), 5);                                                           \
        gin_shmem_atomic_inc(at, pe);                                                                                  \
        gin_shmem_quiet();                                                                                             \
        OLD(gin_shmem_atomic_fetch_inc(at, pe), 7);                                                                    \
        /* round the end of the type */                                                                                \
        gin_shmem_##N##_atomic_set(at, big, pe);                                                                       \
        gin_shmem_quiet();                                                                                             \
        OLD(gin_shmem_##N##_atomic_fetch_add(at, 1, pe), big);                                                         \
        SEEN(0);                                                                                                       \
    }
SHMEMI_AMO_TYPES(STD, )

#define BIT(A, N, T_)                                                                                                  \
    __global__ void bit_##N(T_ *words, int pe)                                                                         \
    {                                                                                                                  \
        typedef T_ T;                                                                                                  \
        T *at = words + 2;                                                                                             \
        gin_shmem_##N##_atomic_set(at, 0x55, pe);                                                                      \
        gin_shmem_quiet();                                                                                             \
        OLD(gin_shmem_##N##_atomic_fetch_and(at, 0x0f, pe), 0x55);                                                     \
        OLD(gin_shmem_##N##_atomic_fetch_or(at, 0x70, pe), 0x05);                                                      \
        OLD(gin_shmem_##N##_atomic_fetch_xor(at, 0x11, pe), 0x75);                                                     \
        SEEN(0x64);                                                                                                    \
        gin_shmem_##N##_atomic_and(at, 0x3c, pe);                                                                      \
        gin_shmem_quiet();                                                                                             \
        SEEN(0x24);                                                                                                    \
        gin_shmem_##N##_atomic_or(at, 0x81, pe);                                                                       \
        gin_shmem_quiet();                                                                                             \
        SEEN(0xa5);                                                                                                    \
        gin_shmem_##N##_atomic_xor(at, 0xff, pe);                                                                      \
        gin_shmem_quiet();                                                                                             \
        SEEN(0x5a);                                                                                                    \
        NBI(gin_shmem_##N##_atomic_fetch_and_nbi(fetch, at, 0x0f, pe), 0x5a);                                          \
        NBI(gin_shmem_##N##_atomic_fetch_or_nbi(fetch, at, 0x10, pe), 0x0a);                                           \
        NBI(gin_shmem_##N##_atomic_fetch_xor_nbi(fetch, at, 0x1f, pe), 0x1a);                                          \
        OLD(gin_shmem_atomic_fetch_or(at, 0x20, pe), 0x05);                                                            \
        gin_shmem_atomic_and(at, 0x24, pe);                                                                            \
        gin_shmem_quiet();                                                                                             \
        SEEN(0x24);                                                                                                    \
    }
SHMEMI_AMO_BIT_TYPES(BIT, )

#define HALF(A, N, T_)                                                                                                 \
    __global__ void half_##N(T_ *words, int pe)                                                                        \
    {                                                                                                                  \
        typedef T_ T;                                                                                                  \
        T *at = words + 2;                                                                                             \
        gin_shmem_##N##_atomic_set(at, (T)1.5f, pe);                                                                   \
        gin_shmem_quiet();                                                                                             \
        OLD(gin_shmem_##N##_atomic_fetch(at, pe), 1.5f);                                                               \
        OLD(gin_shmem_##N##_atomic_fetch_add(at, (T)2.0f, pe), 1.5f);                                                  \
        gin_shmem_##N##_atomic_add(at, (T)0.25f, pe);                                                                  \
        gin_shmem_quiet();                                                                                             \
        SEEN(3.75f);                                                                                                   \
        NBI(gin_shmem_##N##_atomic_fetch_add_nbi(fetch, at, (T)1.0f, pe), 3.75f);                                      \
        NBI(gin_shmem_##N##_atomic_fetch_nbi(fetch, at, pe), 4.75f);                                                   \
    }
GIN_SHMEM_HALF_TYPES(HALF, )

template <class T> static void test(const char *name, void *heap, void (*kernel)(T *, int))
{
    unsigned char bytes[5 * sizeof(T)];
    CU(cudaMemset(heap, 0xA5, sizeof bytes));
    CU(cudaDeviceSynchronize());
    shmem_barrier_all();
    GIN_SHMEM_LAUNCH(kernel, 1, 1, 0, (T *)heap, next_pe);
    KERNELS_DONE("%s", name);
    shmem_barrier_all();
    from_device(bytes, (unsigned char *)heap, sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++)
        CHECK(bytes[i] == 0xA5 || i / sizeof(T) == 2, "%s: byte %zu beside the word changed", name, i);
    shmem_barrier_all();
}

int main()
{
    start();
    void *heap = symmetric<char>(256);
#define RUN_EXT(A, N, T) test<T>(#N " set, swap, add", heap, ext_##N);
#define RUN_STD(A, N, T) test<T>(#N " compare_swap, inc", heap, std_##N);
#define RUN_BIT(A, N, T) test<T>(#N " and, or, xor", heap, bit_##N);
#define RUN_HALF(A, N, T) test<T>(#N, heap, half_##N);
    SHMEMI_AMO_EXT_TYPES(RUN_EXT, )
    SHMEMI_AMO_TYPES(RUN_STD, )
    SHMEMI_AMO_BIT_TYPES(RUN_BIT, )
    GIN_SHMEM_HALF_TYPES(RUN_HALF, )
    return done();
}
