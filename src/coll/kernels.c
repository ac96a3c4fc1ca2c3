/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll/kernels.h"

#include <string.h>

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

/* ---- 16-bit reals: computed as float, and rounded to the nearest (even of two) ---- */

static inline float float_of(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static inline uint32_t bits_of(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static inline float read_bfloat16(uint16_t v)
{
    return float_of((uint32_t)v << 16);
}

static inline uint16_t write_bfloat16(float f)
{
    uint32_t b = bits_of(f);
    if ((b & 0x7fffffff) > 0x7f800000)
        return 0x7fff; /* not a number, as CUDA writes it */
    return (uint16_t)((b + 0x7fff + (b >> 16 & 1)) >> 16);
}

/* Half: 5 bits of exponent with bias 15, 10 of mantissa. A multiplication by a power of two moves the exponent, and makes
 * numbers of what is denormal there. */
static inline float read_half(uint16_t v)
{
    uint32_t b = (uint32_t)(v & 0x7fff) << 13;
    float f = (v & 0x7c00) == 0x7c00 ? float_of(b | 0x7f800000) : float_of(b) * 0x1p112f;
    return v & 0x8000 ? -f : f;
}

static inline uint16_t write_half(float f)
{
    uint32_t b = bits_of(f), sign = b >> 16 & 0x8000, a = b & 0x7fffffff;
    if (a > 0x7f800000)
        return 0x7fff;
    if (a >= 0x477ff000) /* rounds to 65536 */
        return (uint16_t)(sign | 0x7c00);
    if (a < 0x38800000) /* denormal: an addition rounds to multiples of 2^-24 */
        return (uint16_t)(sign | (bits_of(float_of(a) + 0.5f) - bits_of(0.5f)));
    a += 0xfff + (a >> 13 & 1);
    return (uint16_t)(sign | ((a >> 13) - (112 << 10)));
}

#define HALF_KERNEL(N, OP, EXPR)                                                                                       \
    void gs_kernel_##N##_##OP(void *acc, const void *in, size_t n)                                                     \
    {                                                                                                                  \
        uint16_t *restrict to = acc;                                                                                   \
        const uint16_t *restrict from = in;                                                                            \
        for (size_t i = 0; i < n; i++) {                                                                               \
            float a = read_##N(to[i]), b = read_##N(from[i]);                                                          \
            to[i] = write_##N(EXPR);                                                                                   \
        }                                                                                                              \
    }
#define HALF(A, N, T)                                                                                                  \
    HALF_KERNEL(N, min, b < a ? b : a)                                                                                 \
    HALF_KERNEL(N, max, b > a ? b : a)                                                                                 \
    HALF_KERNEL(N, sum, a + b)                                                                                         \
    HALF_KERNEL(N, prod, a *b)
GS_HALF_TYPES(HALF, )
