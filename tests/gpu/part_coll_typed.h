/* SPDX-License-Identifier: BSD-3-Clause */
/* Every collective that moves data, of every type, in the form of GROUP, short and long, by two indices at once. */
#include "check.h"

enum { SHORT = 5, LONG = 12000, INDICES = 2, MAX_PES = 8, ROOM = LONG * MAX_PES };

template <class T> __host__ __device__ T value_of(int pe, int round, size_t i)
{
    T t;
    unsigned long long bits[2] = {mix(pe * 1000 + round, i), 7};
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

template <class T> __device__ void fill(T *p, size_t count, int me, int round)
{
    for (size_t i = threadIdx.x; i < count; i += blockDim.x)
        p[i] = value_of<T>(me, round, i);
    __syncthreads();
}
template <class T> __device__ void check(const T *p, size_t count, int pe, int round, size_t first)
{
    for (size_t i = threadIdx.x; i < count; i += blockDim.x)
        EXPECT_TRUE(same_bits(*(p + i), value_of<T>(pe, round, first + i)), round * 1000000ll + (long long)i);
}

/* A call by the group; the others of the block wait. Everybody must have read dest before the next call writes there. */
#define CALL(what)                                                                                                     \
    do {                                                                                                               \
        if (in_group<GROUP>() && (GROUP != SCOPE_THREAD || threadIdx.x == 0))                                          \
            EXPECT(what, 0, __LINE__);                                                                                 \
        __syncthreads();                                                                                               \
    } while (0)
#define NEXT_CALL()                                                                                                    \
    do {                                                                                                               \
        __syncthreads();                                                                                               \
        gin_shmem_sync_all_block(index);                                                                               \
    } while (0)

/* T: element type of dest and source; MEM and UNIT: for the calls that count bytes. */
#define USE(NAME, PRE, MEM, T, UNIT)                                                                                   \
    __global__ void use_##NAME(T *all_dest, T *all_source, size_t count, int me, int n, int round)                     \
    {                                                                                                                  \
        int index = blockIdx.x;                                                                                        \
        T *dest = all_dest + (size_t)index * ROOM, *source = all_source + (size_t)index * ROOM;                        \
        shmem_team_t team = SHMEM_TEAM_WORLD;                                                                          \
        fill(source, count * n, me, round);                                                                            \
        for (int root = 0; root < n; root++) {                                                                         \
            CALL(F(PRE##broadcast##MEM)(team, dest, source, count * UNIT, root, index));                               \
            check(dest, count, root, round, 0);                                                                        \
            NEXT_CALL();                                                                                               \
        }                                                                                                              \
        CALL(F(PRE##fcollect##MEM)(team, dest, source, count * UNIT, index));                                          \
        for (int pe = 0; pe < n; pe++)                                                                                 \
            check(dest + pe * count, count, pe, round, 0);                                                             \
        NEXT_CALL();                                                                                                   \
        CALL(F(PRE##alltoall##MEM)(team, dest, source, count * UNIT, index));                                          \
        for (int pe = 0; pe < n; pe++)                                                                                 \
            check(dest + pe * count, count, pe, round, me * count);                                                    \
        NEXT_CALL();                                                                                                   \
        /* each PE brings another number, PE 0 none; and once the other way round */                                   \
        for (int way = 0; way < 2; way++) {                                                                            \
            size_t mine = count * (way ? n - 1 - me : me) / n, at = 0;                                                 \
            CALL(F(PRE##collect##MEM)(team, dest, source, mine * UNIT, index));                                        \
            for (int pe = 0; pe < n; pe++) {                                                                           \
                size_t theirs = count * (way ? n - 1 - pe : pe) / n;                                                   \
                check(dest + at, theirs, pe, round, 0);                                                                \
                at += theirs;                                                                                          \
            }                                                                                                          \
            NEXT_CALL();                                                                                               \
        }                                                                                                              \
    }
#define USE_TYPED(A, N, T) USE(N, gin_shmem_##N##_, , T, 1)
GIN_SHMEM_RMA_TYPES(USE_TYPED, )
USE(mem, gin_shmem_, mem, uint8_t, 1)
USE(any, gin_shmem_, , double, 1)

template <class T> static void test(const char *name, void *heap, void (*kernel)(T *, T *, size_t, int, int, int))
{
    const size_t counts[] = {1, SHORT, 400, LONG};
    T *dest = (T *)heap, *source = dest + INDICES * ROOM;
    for (int k = 0; k < 4; k++) {
        size_t count = GROUP == SCOPE_THREAD && counts[k] > 2000 ? 2000 : counts[k]; /* slow by one thread */
        GIN_SHMEM_LAUNCH(kernel, INDICES, 96, 0, dest, source, count, me, n, k);
        KERNELS_DONE("%s, %zu elements", name, count);
    }
    shmem_barrier_all();
}

int main()
{
    start();
    CHECK(n <= MAX_PES, "too many PEs");
    void *heap = symmetric<double>(2 * INDICES * ROOM);
#define RUN(A, N, T) test<T>(#N, heap, use_##N);
    GIN_SHMEM_RMA_TYPES(RUN, )
    test<uint8_t>("mem", heap, use_mem);
    test<double>("any", heap, use_any);
    return done();
}
