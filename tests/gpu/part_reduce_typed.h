/* SPDX-License-Identifier: BSD-3-Clause */
/* Every reduction and reduce-scatter of every type, in the form of GROUP, in place and not, short and long: sum, prod, min
 * and max, or with BITWISE and, or and xor. Values are small, so that sums are exact in every type, half included. */
#include "check.h"

enum { MAX_PES = 8, LONG = 6000, ROOM = LONG * MAX_PES };

template <class T> struct number {
    static __device__ T of(int v) { return (T)v; }
};
template <> struct number<__half> {
    static __device__ __half of(int v) { return __float2half((float)v); }
};
template <> struct number<__nv_bfloat16> {
    static __device__ __nv_bfloat16 of(int v) { return __float2bfloat16((float)v); }
};

enum { SUM, PROD, MIN, MAX, AND, OR, XOR };

/* 0 .. 9; for prod mostly 1, with a few 2. */
__host__ __device__ inline int raw(int op, int pe, size_t i)
{
    int v = (int)(mix(pe, i) % 10);
    return op == PROD ? (v < 2 ? 2 : 1) : v;
}
__device__ int combined(int op, int n, size_t i)
{
    int v = raw(op, 0, i);
    for (int pe = 1; pe < n; pe++) {
        int w = raw(op, pe, i);
        switch (op) {
        case SUM: v += w; break;
        case PROD: v *= w; break;
        case MIN: v = w < v ? w : v; break;
        case MAX: v = w > v ? w : v; break;
        case AND: v &= w; break;
        case OR: v |= w; break;
        default: v ^= w; break;
        }
    }
    return v;
}

template <class T> __device__ void fill(T *p, size_t count, int op, int me)
{
    __syncthreads();
    gin_shmem_sync_all_block(); /* what the last call left has been looked at everywhere */
    for (size_t i = threadIdx.x; i < count; i += blockDim.x)
        p[i] = number<T>::of(raw(op, me, i));
    __syncthreads();
}
template <class T> __device__ bool same(T a, T b) { return a == b; }
template <> __device__ bool same<__half>(__half a, __half b) { return __half2float(a) == __half2float(b); }
template <> __device__ bool same<__nv_bfloat16>(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __bfloat162float(a) == __bfloat162float(b);
}
template <class T> __device__ void check(const T *p, size_t count, int op, int n, size_t first, int what)
{
    __syncthreads();
    for (size_t i = threadIdx.x; i < count; i += blockDim.x)
        EXPECT_TRUE(same<T>(p[i], number<T>::of(combined(op, n, first + i))), what * 1000000ll + (long long)i);
}

#define CALL(what)                                                                                                     \
    do {                                                                                                               \
        if (in_group<GROUP>() && (GROUP != SCOPE_THREAD || threadIdx.x == 0))                                          \
            EXPECT(what, 0, __LINE__);                                                                                 \
    } while (0)

#define ONE(PRE, OP, CODE)                                                                                             \
    fill(source, count * n, CODE, me);                                                                                 \
    CALL(F(PRE##OP##_reduce)(SHMEM_TEAM_WORLD, dest, source, count));                                                  \
    check(dest, count, CODE, n, 0, CODE * 10 + 1);                                                                     \
    CALL(F(PRE##OP##_reduce)(SHMEM_TEAM_WORLD, source, source, count, 1));                                             \
    check(source, count, CODE, n, 0, CODE * 10 + 2);                                                                   \
    fill(source, count * n, CODE, me);                                                                                 \
    CALL(F(PRE##OP##_reducescatter)(SHMEM_TEAM_WORLD, dest, source, count));                                           \
    check(dest, count, CODE, n, me * count, CODE * 10 + 3);
#define USE(NAME, PRE, T, OPS)                                                                                         \
    __global__ void use_##NAME(T *dest, T *source, size_t count, int me, int n) { OPS(PRE) }
#define SUMS(PRE)   ONE(PRE, sum, SUM) ONE(PRE, prod, PROD) ONE(PRE, min, MIN) ONE(PRE, max, MAX)
#define BITS(PRE)   ONE(PRE, and, AND) ONE(PRE, or, OR) ONE(PRE, xor, XOR)
#define USE_SUMS(A, N, T) USE(N, gin_shmem_##N##_, T, SUMS)
#define USE_BITS(A, N, T) USE(bits_##N, gin_shmem_##N##_, T, BITS)
#ifdef BITWISE
GIN_SHMEM_BIT_REDUCE_TYPES(USE_BITS, )
#else
GIN_SHMEM_RMA_TYPES(USE_SUMS, )
USE(any, gin_shmem_, float, SUMS)
#endif

template <class T> static void test(const char *name, void *heap, void (*kernel)(T *, T *, size_t, int, int))
{
    T *dest = (T *)heap, *source = dest + ROOM;
    const size_t counts[] = {1, 7, 600, GROUP == SCOPE_THREAD ? 1000 : LONG};
    for (size_t count : counts) {
        GIN_SHMEM_LAUNCH(kernel, 1, 96, 0, dest, source, count, me, n);
        KERNELS_DONE("%s, %zu elements", name, count);
    }
    shmem_barrier_all();
}

int main()
{
    start();
    CHECK(n <= MAX_PES, "too many PEs");
    void *heap = symmetric<double>(2 * ROOM);
#define RUN(A, N, T)      test<T>(#N, heap, use_##N);
#define RUN_BITS(A, N, T) test<T>(#N " and, or, xor", heap, use_bits_##N);
#ifdef BITWISE
    GIN_SHMEM_BIT_REDUCE_TYPES(RUN_BITS, )
#else
    GIN_SHMEM_RMA_TYPES(RUN, )
    test<float>("any", heap, use_any);
#endif
    return done();
}
