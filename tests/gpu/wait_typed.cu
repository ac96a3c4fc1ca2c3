/* SPDX-License-Identifier: BSD-3-Clause */
/* The wait and test families of every type: all comparisons, status arrays, empty sets, vectors, and the group forms. The
 * words are written by the previous PE while this one waits.
 * run: sanitize-quick */
#include "check.h"

enum { LEN = 40, NONE = -1 };

/* The writer: another block of the same launch, at the next PE's words. */
#define WRITE(N, at, value)                                                                                            \
    do {                                                                                                               \
        gin_shmem_##N##_p(at, value, next);                                                                            \
        gin_shmem_quiet();                                                                                             \
    } while (0)

#define USE(A, N, T)                                                                                                   \
    __global__ void use_##N(T *v, const int *status, int next, int previous)                                           \
    {                                                                                                                  \
        const size_t max = ~(size_t)0;                                                                                 \
        if (blockIdx.x == 1) { /* v[i] = i + 1 in turn, then all to 100 */                                             \
            if (threadIdx.x == 0) {                                                                                    \
                for (int i = 0; i < LEN; i++)                                                                          \
                    WRITE(N, v + i, (T)(i + 1));                                                                       \
                gin_shmem_##N##_wait_until(v + LEN, SHMEM_CMP_EQ, 1);                                                  \
                for (int i = LEN - 1; i >= 0; i--)                                                                     \
                    WRITE(N, v + i, (T)(100 + i));                                                                     \
            }                                                                                                          \
            return;                                                                                                    \
        }                                                                                                              \
        T wants[LEN];                                                                                                  \
        size_t indices[LEN], some = 0;                                                                                 \
        if (threadIdx.x == 0) {                                                                                        \
            gin_shmem_##N##_wait_until(v, SHMEM_CMP_NE, 0);                                                            \
            gin_shmem_##N##_wait_until(v + 1, SHMEM_CMP_EQ, 2);                                                        \
            gin_shmem_##N##_wait_until(v + 2, SHMEM_CMP_GT, 2);                                                        \
            gin_shmem_##N##_wait_until(v + 3, SHMEM_CMP_GE, 4);                                                        \
            gin_shmem_##N##_wait_until(v, SHMEM_CMP_LT, 2);                                                            \
            gin_shmem_##N##_wait_until(v, SHMEM_CMP_LE, 1);                                                            \
            size_t any = gin_shmem_##N##_wait_until_any(v, LEN, status, SHMEM_CMP_GE, 3);                              \
            EXPECT_TRUE(any >= 2 && any < LEN && any % 2 == 0, any);                                                   \
            some = gin_shmem_##N##_wait_until_some(v, LEN, indices, status, SHMEM_CMP_GE, 5);                          \
            EXPECT_TRUE(some >= 1, some);                                                                              \
            for (size_t i = 0; i < some; i++)                                                                          \
                EXPECT_TRUE(indices[i] >= 4 && indices[i] < LEN && indices[i] % 2 == 0, indices[i]);                   \
            gin_shmem_##N##_wait_until_all(v, LEN, NULL, SHMEM_CMP_NE, 0);                                             \
            for (int i = 0; i < LEN; i++)                                                                              \
                wants[i] = (T)(i + 1);                                                                                 \
            gin_shmem_##N##_wait_until_all_vector(v, LEN, NULL, SHMEM_CMP_EQ, wants);                                  \
            EXPECT(gin_shmem_##N##_test(v + 5, SHMEM_CMP_EQ, 6), 1, 0);                                                \
            EXPECT(gin_shmem_##N##_test(v + 5, SHMEM_CMP_GT, 6), 0, 0);                                                \
            EXPECT(gin_shmem_##N##_test_all(v, LEN, NULL, SHMEM_CMP_GE, 1), 1, 0);                                     \
            EXPECT(gin_shmem_##N##_test_all(v, LEN, NULL, SHMEM_CMP_GE, 2), 0, 0);                                     \
            EXPECT(gin_shmem_##N##_test_all(v, 0, NULL, SHMEM_CMP_GE, 2), 1, 0);                                       \
            EXPECT(gin_shmem_##N##_test_all_vector(v, LEN, NULL, SHMEM_CMP_EQ, wants), 1, 0);                          \
            EXPECT(gin_shmem_##N##_test_any(v, LEN, NULL, SHMEM_CMP_EQ, 8), 7, 0);                                     \
            EXPECT(gin_shmem_##N##_test_any(v, LEN, status, SHMEM_CMP_EQ, 8), max, 0);                                 \
            EXPECT(gin_shmem_##N##_test_any(v, LEN, NULL, SHMEM_CMP_GT, 99), max, 0);                                  \
            EXPECT(gin_shmem_##N##_test_any(v, 0, NULL, SHMEM_CMP_GT, 0), max, 0);                                     \
            EXPECT_TRUE(gin_shmem_##N##_test_any_vector(v, LEN, NULL, SHMEM_CMP_EQ, wants) < LEN, 0);                  \
            EXPECT(gin_shmem_##N##_test_some(v, LEN, indices, NULL, SHMEM_CMP_LE, 3), 3, 0);                           \
            for (size_t i = 0; i < 3; i++)                                                                             \
                EXPECT(indices[i], i, 0);                                                                              \
            EXPECT(gin_shmem_##N##_test_some(v, LEN, indices, status, SHMEM_CMP_LE, 3), 2, 0);                         \
            EXPECT(gin_shmem_##N##_test_some(v, LEN, indices, NULL, SHMEM_CMP_GT, 99), 0, 0);                          \
            EXPECT(gin_shmem_##N##_test_some_vector(v, LEN, indices, NULL, SHMEM_CMP_EQ, wants), LEN, 0);              \
            EXPECT(gin_shmem_##N##_wait_until_any(v, 0, NULL, SHMEM_CMP_GT, 9), max, 0);                               \
            EXPECT(gin_shmem_##N##_wait_until_some(v, 0, indices, NULL, SHMEM_CMP_GT, 9), 0, 0);                       \
            gin_shmem_##N##_p(v + LEN, 1, previous); /* go on */                                                       \
            for (int i = 0; i < LEN; i++)                                                                              \
                wants[i] = (T)(100 + i);                                                                               \
            EXPECT_TRUE(gin_shmem_##N##_wait_until_any_vector(v, LEN, NULL, SHMEM_CMP_EQ, wants) < LEN, 0);            \
            EXPECT_TRUE(gin_shmem_##N##_wait_until_some_vector(v, LEN, indices, NULL, SHMEM_CMP_EQ, wants) >= 1, 0);   \
            gin_shmem_wait_until(v + 3, SHMEM_CMP_EQ, 103);                                                            \
            EXPECT(gin_shmem_test(v + 3, SHMEM_CMP_EQ, 103), 1, 0);                                                    \
        }                                                                                                              \
        __syncthreads();                                                                                               \
        gin_shmem_##N##_wait_until_block(v + 4, SHMEM_CMP_EQ, 104);                                                    \
        gin_shmem_##N##_wait_until_all_block(v, LEN, NULL, SHMEM_CMP_GE, 100);                                         \
        for (int i = 0; i < LEN; i++)                                                                                  \
            wants[i] = (T)(100 + i);                                                                                   \
        gin_shmem_##N##_wait_until_all_vector_block(v, LEN, NULL, SHMEM_CMP_EQ, wants);                                \
        if (threadIdx.x < 32) {                                                                                        \
            gin_shmem_##N##_wait_until_warp(v + 4, SHMEM_CMP_EQ, 104);                                                 \
            gin_shmem_##N##_wait_until_all_warp(v, LEN, NULL, SHMEM_CMP_GE, 100);                                      \
            gin_shmem_##N##_wait_until_all_vector_warp(v, LEN, NULL, SHMEM_CMP_EQ, wants);                             \
        }                                                                                                              \
        for (int i = threadIdx.x; i < LEN; i += blockDim.x)                                                            \
            EXPECT(gin_shmem_##N##_atomic_fetch(v + i, gin_shmem_my_pe()), (T)(100 + i), i);                           \
    }
SHMEMI_AMO_TYPES(USE, )

template <class T> static void test(const char *name, void *heap, const int *status, void (*kernel)(T *, const int *, int, int))
{
    CU(cudaMemset(heap, 0, (LEN + 1) * sizeof(T)));
    CU(cudaDeviceSynchronize());
    shmem_barrier_all();
    GIN_SHMEM_LAUNCH(kernel, 2, 64, 0, (T *)heap, status, next_pe, previous_pe);
    KERNELS_DONE("%s", name);
    shmem_barrier_all();
}

int main()
{
    start();
    void *heap = symmetric<uint64_t>(LEN + 1);
    int odd[LEN], *status;
    for (int i = 0; i < LEN; i++)
        odd[i] = i % 2;
    CU(cudaMalloc(&status, sizeof odd));
    to_device(status, odd, LEN);
#define RUN(A, N, T) test<T>(#N, heap, status, use_##N);
    SHMEMI_AMO_TYPES(RUN, )
    CU(cudaFree(status));
    return done();
}
