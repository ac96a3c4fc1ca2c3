/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives by thread, warp, block, host and stream, over short and long arrays: reductions of integers, reals and
 * half, reduce-scatter, broadcast, fcollect, alltoall. */
#include "nv.h"

#include <vector>

enum { LONG = 20000 };

/* Small whole numbers, which every type adds exactly. */
static __host__ __device__ int value(int pe, size_t i)
{
    return (int)((i * 7 + (size_t)pe * 3) % 5);
}
static int sum_of(int n, size_t i)
{
    int sum = 0;
    for (int pe = 0; pe < n; pe++)
        sum += value(pe, i);
    return sum;
}

#define KERNEL(N, T, OP)                                                         \
    __global__ void k_##N##_##OP(T *dest, const T *source, size_t count)         \
    {                                                                            \
        if (threadIdx.x == 0)                                                    \
            nvshmem_##N##_##OP(NVSHMEM_TEAM_WORLD, dest, source, count);         \
    }                                                                            \
    __global__ void k_##N##_##OP##_warp(T *dest, const T *source, size_t count)  \
    {                                                                            \
        if (threadIdx.x < 32)                                                    \
            nvshmemx_##N##_##OP##_warp(NVSHMEM_TEAM_WORLD, dest, source, count); \
    }                                                                            \
    __global__ void k_##N##_##OP##_block(T *dest, const T *source, size_t count) \
    {                                                                            \
        nvshmemx_##N##_##OP##_block(NVSHMEM_TEAM_WORLD, dest, source, count);    \
    }

template <class T>
struct arrays {
    T *source, *dest;
    size_t all;
    explicit arrays(size_t count) : source(nv_symmetric<T>(count)), dest(nv_symmetric<T>(count)), all(count)
    {
        std::vector<T> v(all);
        for (size_t i = 0; i < all; i++)
            v[i] = (T)(float)value(me, i);
        to_device(source, v.data(), all);
    }
    ~arrays()
    {
        nvshmem_free(source);
        nvshmem_free(dest);
    }
    void clear()
    {
        std::vector<T> zero(all);
        to_device(dest, zero.data(), all);
        nvshmem_barrier_all();
    }
    /* want(i) for each of count results */
    template <class F>
    void check(const char *what, size_t count, F want)
    {
        std::vector<T> v(count);
        from_device(v.data(), dest, count);
        for (size_t i = 0; i < count; i++)
            CHECK((float)v[i] == (float)want(i), "%s of %zu: element %zu is %g, want %g", what, count, i,
                  (double)(float)v[i], (double)(float)want(i));
        clear();
    }
};

/* The same call in its five forms. */
#define FORMS(A, N, OP, COUNT, WANT, RESULTS)                                                                         \
    do {                                                                                                              \
        GIN_SHMEM_LAUNCH(k_##N##_##OP, 1, 32, 0, A.dest, A.source, COUNT);                                            \
        KERNELS_DONE(#N " " #OP " of %zu by a thread", (size_t)(COUNT));                                              \
        A.check(#N " " #OP " by a thread", RESULTS, WANT);                                                            \
        GIN_SHMEM_LAUNCH(k_##N##_##OP##_warp, 1, 64, 0, A.dest, A.source, COUNT);                                     \
        KERNELS_DONE(#N " " #OP " of %zu by a warp", (size_t)(COUNT));                                                \
        A.check(#N " " #OP " by a warp", RESULTS, WANT);                                                              \
        GIN_SHMEM_LAUNCH(k_##N##_##OP##_block, 1, 128, 0, A.dest, A.source, COUNT);                                   \
        KERNELS_DONE(#N " " #OP " of %zu by a block", (size_t)(COUNT));                                               \
        A.check(#N " " #OP " by a block", RESULTS, WANT);                                                             \
        CHECK(nvshmem_##N##_##OP(NVSHMEM_TEAM_WORLD, A.dest, A.source, COUNT) == 0, "it fails");                      \
        A.check(#N " " #OP " by the host", RESULTS, WANT);                                                            \
        CHECK(nvshmemx_##N##_##OP##_on_stream(NVSHMEM_TEAM_WORLD, A.dest, A.source, COUNT, stream) == 0, "it fails"); \
        CU(cudaStreamSynchronize(stream));                                                                            \
        A.check(#N " " #OP " in a stream", RESULTS, WANT);                                                            \
    } while (0)

KERNEL(int, int, sum_reduce)
KERNEL(int, int, sum_reducescatter)
KERNEL(float, float, max_reduce)
KERNEL(half, __half, sum_reduce)
KERNEL(bfloat16, __nv_bfloat16, sum_reducescatter)
KERNEL(uint64, uint64_t, xor_reduce)
KERNEL(double, double, fcollect)
KERNEL(int16, int16_t, alltoall)

static cudaStream_t stream;

static void reductions(size_t count)
{
    auto sum = [](size_t i) { return sum_of(n, i); };
    auto part = [count](size_t i) { return sum_of(n, (size_t)me * count + i); };
    {
        arrays<int> a(count * (size_t)n);
        FORMS(a, int, sum_reduce, count, sum, count);
        FORMS(a, int, sum_reducescatter, count, part, count);
    }
    {
        arrays<float> a(count);
        FORMS(
            a, float, max_reduce, count,
            [](size_t i) {
                int most = 0;
                for (int pe = 0; pe < n; pe++)
                    most = value(pe, i) > most ? value(pe, i) : most;
                return most;
            },
            count);
    }
    {
        arrays<__half> a(count);
        FORMS(a, half, sum_reduce, count, sum, count);
    }
    {
        arrays<__nv_bfloat16> a(count * (size_t)n);
        FORMS(a, bfloat16, sum_reducescatter, count, part, count);
    }
    {
        arrays<uint64_t> a(count);
        FORMS(
            a, uint64, xor_reduce, count,
            [](size_t i) {
                int bits = 0;
                for (int pe = 0; pe < n; pe++)
                    bits ^= value(pe, i);
                return bits;
            },
            count);
    }
}

static void moves(size_t count)
{
    size_t all = count * (size_t)n;
    {
        arrays<double> a(all);
        FORMS(
            a, double, fcollect, count, [count](size_t i) { return value((int)(i / count), i % count); }, all);
    }
    {
        arrays<int16_t> a(all);
        FORMS(
            a, int16, alltoall, count,
            [count](size_t i) { return value((int)(i / count), (size_t)me * count + i % count); }, all);
    }
    arrays<float> a(count);
    int root = n - 1;
    CHECK(nvshmem_float_broadcast(NVSHMEM_TEAM_WORLD, a.dest, a.source, count, root) == 0, "it fails");
    a.check("broadcast by the host", count, [root](size_t i) { return value(root, i); });
    CHECK(nvshmemx_broadcastmem_on_stream(NVSHMEM_TEAM_WORLD, a.dest, a.source, count * sizeof(float), 0, stream) == 0,
          "it fails");
    CU(cudaStreamSynchronize(stream));
    a.check("broadcast in a stream", count, [](size_t i) { return value(0, i); });
}

int main()
{
    nv_start();
    CU(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    const size_t counts[] = {1, 33, LONG};
    for (size_t count : counts) {
        reductions(count);
        moves(count);
    }
    CU(cudaStreamDestroy(stream));
    return nv_done();
}
