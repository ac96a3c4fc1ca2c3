/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll/kernels.h"

/* Built with -O3 so that the loops become vector code. acc and in never overlap. */
#define KERNEL(N, T, OP, EXPR)                                                                                         \
    void gs_kernel_##N##_##OP(void *acc, const void *in, size_t n)                                                     \
    {                                                                                                                  \
        T *restrict a = acc;                                                                                           \
        const T *restrict b = in;                                                                                      \
        for (size_t i = 0; i < n; i++)                                                                                 \
            a[i] = (T)(EXPR);                                                                                          \
    }

#define BIT(A, N, T)                                                                                                   \
    KERNEL(N, T, and, a[i] & b[i])                                                                                     \
    KERNEL(N, T, or, a[i] | b[i])                                                                                      \
    KERNEL(N, T, xor, a[i] ^ b[i])
#define MINMAX(A, N, T)                                                                                                \
    KERNEL(N, T, min, b[i] < a[i] ? b[i] : a[i])                                                                       \
    KERNEL(N, T, max, b[i] > a[i] ? b[i] : a[i])
/* Signed overflow wraps, as on every machine that people run this on: the sanitizer need not stop there. */
#define SUM(A, N, T)                                                                                                   \
    __attribute__((no_sanitize("signed-integer-overflow"))) KERNEL(N, T, sum, a[i] + b[i])                             \
    __attribute__((no_sanitize("signed-integer-overflow"))) KERNEL(N, T, prod, a[i] * b[i])

GS_BIT_KERNEL_TYPES(BIT, )
SHMEMI_RMA_TYPES(MINMAX, )
SHMEMI_SUM_REDUCE_TYPES(SUM, )
