/* SPDX-License-Identifier: BSD-3-Clause */
/* Every put_signal, in the form of GROUP: the data is there when the signal is, for SET and ADD. */
#include "check.h"

enum { LEN = 45 };

__device__ inline unsigned char byte_of(int pe, int round, size_t i) { return (unsigned char)mix(pe * 1000 + round, i); }

__device__ void fill(void *p, size_t bytes, int me, int round)
{
    for (size_t i = threadIdx.x; i < bytes; i += blockDim.x)
        ((unsigned char *)p)[i] = byte_of(me, round, i);
    __syncthreads();
}
/* The reader polls with one thread, and all threads look at the data. */
__device__ void arrived(const void *p, size_t bytes, uint64_t *sig, uint64_t value, int from, int round)
{
    if (threadIdx.x == 0)
        EXPECT(gin_shmem_signal_wait_until(sig, SHMEM_CMP_EQ, value), value, round);
    __syncthreads();
    for (size_t i = threadIdx.x; i < bytes; i += blockDim.x)
        EXPECT(((const volatile unsigned char *)p)[i], byte_of(from, round, i), round * 1000 + i);
    __syncthreads();
}

/* sig starts at 0. Four rounds, a barrier between them by signals back. */
#define ROUND(CALL, COUNT, BYTES, VALUE, ROUND_NUMBER)                                                                 \
    do {                                                                                                               \
        fill(source, BYTES, me, ROUND_NUMBER);                                                                         \
        if (in_group<GROUP>() && (GROUP != SCOPE_THREAD || threadIdx.x == 0)) {                                        \
            CALL;                                                                                                      \
        }                                                                                                              \
        arrived(dest, BYTES, sig, VALUE, previous, ROUND_NUMBER);                                                      \
        if (threadIdx.x == 0) {                                                                                        \
            gin_shmem_fence(); /* all have read */                                                                     \
            gin_shmem_signal_op(sig + 1, 1, SHMEM_SIGNAL_ADD, previous);                                               \
            gin_shmem_signal_wait_until(sig + 1, SHMEM_CMP_EQ, ROUND_NUMBER);                                          \
        }                                                                                                              \
        __syncthreads();                                                                                               \
    } while (0)

#define USE(NAME, PUT, T, COUNT, BYTES)                                                                                \
    __global__ void use_##NAME(T *dest, T *source, uint64_t *sig, int me, int next, int previous)                      \
    {                                                                                                                  \
        ROUND(F(PUT##_signal)(dest, source, COUNT, sig, 5, SHMEM_SIGNAL_SET, next), COUNT, BYTES, 5, 1);               \
        ROUND(F(PUT##_signal)(dest, source, COUNT, sig, 2, SHMEM_SIGNAL_ADD, next), COUNT, BYTES, 7, 2);               \
        ROUND(F(PUT##_signal_nbi)(dest, source, COUNT, sig, 1, SHMEM_SIGNAL_SET, next), COUNT, BYTES, 1, 3);           \
        ROUND(F(PUT##_signal_nbi)(dest, source, COUNT, sig, 3, SHMEM_SIGNAL_ADD, next), COUNT, BYTES, 4, 4);           \
        /* no data: the signal alone */                                                                                \
        if (in_group<GROUP>() && (GROUP != SCOPE_THREAD || threadIdx.x == 0))                                          \
            F(PUT##_signal)(dest, source, 0, sig, 9, SHMEM_SIGNAL_SET, next);                                          \
        arrived(dest, BYTES, sig, 9, previous, 4);                                                                     \
    }
#define USE_TYPED(A, N, T) USE(N, gin_shmem_##N##_put, T, LEN, LEN * sizeof(T))
#define USE_SIZED(A, B)    USE(B, gin_shmem_put##B, void, LEN, LEN * B / 8)
GIN_SHMEM_RMA_TYPES(USE_TYPED, )
SHMEMI_SIZES(USE_SIZED, )
USE(mem, gin_shmem_putmem, void, LEN, LEN)
USE(any, gin_shmem_put, double, LEN, LEN * sizeof(double))

template <class T>
static void test(const char *name, void *heap, uint64_t *sig, void (*kernel)(T *, T *, uint64_t *, int, int, int))
{
    CU(cudaMemset(sig, 0, 16));
    CU(cudaDeviceSynchronize());
    shmem_barrier_all();
    GIN_SHMEM_LAUNCH(kernel, 1, 96, 0, (T *)heap, (T *)((char *)heap + 2048), sig, me, next_pe, previous_pe);
    KERNELS_DONE("%s", name);
    shmem_barrier_all();
}

int main()
{
    start();
    void *heap = symmetric<char>(4096);
    uint64_t *sig = symmetric<uint64_t>(2);
#define RUN(A, N, T)   test<T>(#N, heap, sig, use_##N);
#define RUN_SIZED(A, B) test<void>(#B, heap, sig, use_##B);
    GIN_SHMEM_RMA_TYPES(RUN, )
    SHMEMI_SIZES(RUN_SIZED, )
    test<void>("mem", heap, sig, use_mem);
    test<double>("any", heap, sig, use_any);
    return done();
}
