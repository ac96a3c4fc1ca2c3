/* SPDX-License-Identifier: BSD-3-Clause */
/* Every RMA function of every type, in the form of GROUP: values arrive, at the right place and nowhere else. */
#include "check.h"

enum { LEN = 37, GAP = 3, PUTS = 6, SLOT = LEN * GAP + 8 };

__device__ inline unsigned long long raw(int pe, int slot, int i) { return mix(pe * 100 + slot, i); }

template <class T> __device__ T value_of(int pe, int slot, int i)
{
    T t;
    unsigned long long bits[2] = {raw(pe, slot, i), ~raw(pe, slot, i)};
    memcpy(&t, bits, sizeof t);
    return t;
}
template <class T> __device__ bool same_bits(const T &a, const T &b)
{
    const unsigned char *x = (const unsigned char *)&a, *y = (const unsigned char *)&b;
    for (size_t i = 0; i < sizeof(T); i++)
        if (x[i] != y[i])
            return false;
    return true;
}

template <class T> __global__ void prepare(T *slots, T *source, T *local, int me)
{
    for (int i = threadIdx.x; i < PUTS * SLOT; i += blockDim.x) {
        slots[i] = value_of<T>(0, 99, 0);
        local[i] = value_of<T>(0, 99, 0);
    }
    for (int i = threadIdx.x; i < SLOT; i += blockDim.x)
        source[i] = value_of<T>(me, 0, i);
}

/* What a slot holds after a transfer of kind from the source array of PE pe: 0, 1 contiguous, 2 strided on the target
 * side, 3 in blocks of 4 every 9 elements there, 4 one element, 5 like 2 but from every second element. */
template <class T> __device__ T expected(int kind, int pe, int i)
{
    int from = -1;
    switch (kind) {
    case 0: case 1: from = i < LEN ? i : -1; break;
    case 2: from = i % GAP == 0 && i / GAP < LEN ? i / GAP : -1; break;
    case 3: from = i % 9 < 4 && i / 9 < 5 ? i / 9 * 5 + i % 9 : -1; break;
    case 4: from = i == 0 ? 5 : -1; break;
    case 5: from = i % GAP == 0 && i / GAP < LEN ? i / GAP * 2 : -1; break;
    }
    return from < 0 ? value_of<T>(0, 99, 0) : value_of<T>(pe, 0, from);
}
template <class T> __global__ void verify(const T *slots, int pe, int which)
{
    for (int i = threadIdx.x; i < PUTS * SLOT; i += blockDim.x)
        EXPECT_TRUE(same_bits(slots[i], expected<T>(i / SLOT, pe, i % SLOT)), which * 10000 + i);
}

#define USE(A, N, T)                                                                                                   \
    __global__ void put_##N(T *slots, T *source, int pe)                                                               \
    {                                                                                                                  \
        F(gin_shmem_##N##_put)(slots, source, LEN, pe);                                                                \
        F(gin_shmem_##N##_put_nbi)(slots + SLOT, source, LEN, pe);                                                     \
        F(gin_shmem_##N##_iput)(slots + 2 * SLOT, source, GAP, 1, LEN, pe);                                            \
        F(gin_shmem_##N##_ibput)(slots + 3 * SLOT, source, 9, 5, 4, 5, pe);                                            \
        if (group_rank<GROUP>() == 0)                                                                                  \
            gin_shmem_##N##_p(slots + 4 * SLOT, source[5], pe);                                                        \
        F(gin_shmem_iput)(slots + 5 * SLOT, source, GAP, 2, LEN, pe);                                                  \
        gin_shmem_quiet();                                                                                             \
    }                                                                                                                  \
    __global__ void get_##N(T *local, T *source, int pe)                                                               \
    {                                                                                                                  \
        F(gin_shmem_##N##_get)(local, source, LEN, pe);                                                                \
        F(gin_shmem_##N##_get_nbi)(local + SLOT, source, LEN, pe);                                                     \
        F(gin_shmem_##N##_iget)(local + 2 * SLOT, source, GAP, 1, LEN, pe);                                            \
        F(gin_shmem_##N##_ibget)(local + 3 * SLOT, source, 9, 5, 4, 5, pe);                                            \
        if (group_rank<GROUP>() == 0)                                                                                  \
            local[4 * SLOT] = gin_shmem_##N##_g(source + 5, pe);                                                       \
        F(gin_shmem_iget)(local + 5 * SLOT, source, GAP, 2, LEN, pe);                                                  \
        gin_shmem_quiet();                                                                                             \
    }
GIN_SHMEM_RMA_TYPES(USE, )

/* Elements by their size: one of as many bytes stands for them. */
struct alignas(16) wide { unsigned long long half[2]; };
#define USE_SIZED(A, B, T)                                                                                             \
    __global__ void put_##B(T *slots, T *source, int pe)                                                               \
    {                                                                                                                  \
        F(gin_shmem_put##B)(slots, source, LEN, pe);                                                                   \
        F(gin_shmem_put##B##_nbi)(slots + SLOT, source, LEN, pe);                                                      \
        F(gin_shmem_iput##B)(slots + 2 * SLOT, source, GAP, 1, LEN, pe);                                               \
        F(gin_shmem_ibput##B)(slots + 3 * SLOT, source, 9, 5, 4, 5, pe);                                               \
        F(gin_shmem_putmem)(slots + 4 * SLOT, source + 5, sizeof(T), pe);                                              \
        F(gin_shmem_iput##B)(slots + 5 * SLOT, source, GAP, 2, LEN, pe);                                               \
        gin_shmem_quiet();                                                                                             \
    }                                                                                                                  \
    __global__ void get_##B(T *local, T *source, int pe)                                                               \
    {                                                                                                                  \
        F(gin_shmem_get##B)(local, source, LEN, pe);                                                                   \
        F(gin_shmem_get##B##_nbi)(local + SLOT, source, LEN, pe);                                                      \
        F(gin_shmem_iget##B)(local + 2 * SLOT, source, GAP, 1, LEN, pe);                                               \
        F(gin_shmem_ibget##B)(local + 3 * SLOT, source, 9, 5, 4, 5, pe);                                               \
        F(gin_shmem_getmem)(local + 4 * SLOT, source + 5, sizeof(T), pe);                                              \
        F(gin_shmem_iget##B)(local + 5 * SLOT, source, GAP, 2, LEN, pe);                                               \
        gin_shmem_quiet();                                                                                             \
    }
#define SIZED_TYPES(X) X(, 8, uint8_t) X(, 16, uint16_t) X(, 32, uint32_t) X(, 64, uint64_t) X(, 128, wide)
SIZED_TYPES(USE_SIZED)

/* mem_nbi and the overloads, once: their bodies are those of the rest. */
#define USE_REST                                                                                                       \
    __global__ void put_rest(double *slots, double *source, int pe)                                                    \
    {                                                                                                                  \
        F(gin_shmem_put)(slots, source, LEN, pe);                                                                      \
        F(gin_shmem_putmem_nbi)(slots + SLOT, source, LEN * sizeof(double), pe);                                       \
        F(gin_shmem_iput)(slots + 2 * SLOT, source, GAP, 1, LEN, pe);                                                  \
        F(gin_shmem_ibput)(slots + 3 * SLOT, source, 9, 5, 4, 5, pe);                                                  \
        if (group_rank<GROUP>() == 0)                                                                                  \
            gin_shmem_p(slots + 4 * SLOT, source[5], pe);                                                              \
        F(gin_shmem_iput)(slots + 5 * SLOT, source, GAP, 2, LEN, pe);                                                  \
        gin_shmem_quiet();                                                                                             \
    }                                                                                                                  \
    __global__ void get_rest(double *local, double *source, int pe)                                                    \
    {                                                                                                                  \
        F(gin_shmem_get)(local, source, LEN, pe);                                                                      \
        F(gin_shmem_getmem_nbi)(local + SLOT, source, LEN * sizeof(double), pe);                                       \
        F(gin_shmem_iget)(local + 2 * SLOT, source, GAP, 1, LEN, pe);                                                  \
        F(gin_shmem_ibget)(local + 3 * SLOT, source, 9, 5, 4, 5, pe);                                                  \
        if (group_rank<GROUP>() == 0)                                                                                  \
            local[4 * SLOT] = gin_shmem_g(source + 5, pe);                                                             \
        F(gin_shmem_iget)(local + 5 * SLOT, source, GAP, 2, LEN, pe);                                                  \
        gin_shmem_quiet();                                                                                             \
    }
USE_REST

static int tested;

template <class T>
static void test(const char *name, void *heap, void *room, void (*put)(T *, T *, int), void (*get)(T *, T *, int))
{
    const int threads = GROUP == SCOPE_BLOCK ? 96 : GROUP == SCOPE_WARP ? 32 : 1;
    T *slots = (T *)heap, *source = slots + PUTS * SLOT, *local = (T *)room;
    GIN_SHMEM_LAUNCH(prepare<T>, 1, 128, 0, slots, source, local, me);
    CU(cudaDeviceSynchronize());
    shmem_barrier_all();
    GIN_SHMEM_LAUNCH(put, 1, threads, 0, slots, source, next_pe);
    GIN_SHMEM_LAUNCH(get, 1, threads, 0, local, source, next_pe);
    CU(cudaDeviceSynchronize());
    shmem_barrier_all();
    GIN_SHMEM_LAUNCH(verify<T>, 1, 128, 0, slots, previous_pe, 1);
    KERNELS_DONE("put_%s", name);
    GIN_SHMEM_LAUNCH(verify<T>, 1, 128, 0, local, next_pe, 2);
    KERNELS_DONE("get_%s", name);
    shmem_barrier_all();
    tested++;
}

int main()
{
    start();
    void *heap = symmetric<wide>((PUTS + 1) * SLOT), *room;
    CU(cudaMalloc(&room, PUTS * SLOT * sizeof(wide)));
#define RUN(A, N, T) test<T>(#N, heap, room, put_##N, get_##N);
    GIN_SHMEM_RMA_TYPES(RUN, )
    SIZED_TYPES(RUN)
    test<double>("rest", heap, room, put_rest, get_rest);
    if (me == 0)
        printf("%d types and sizes\n", tested);
    CU(cudaFree(room));
    shmem_free(heap);
    return done();
}
