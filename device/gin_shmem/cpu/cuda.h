/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * As much of CUDA as kernels on the CPU and their host code need, on libginshmem_cpu: the language (built-in variables,
 * synchronisation, warp functions, atomics) and the runtime (memory, streams, events). Meanings are CUDA's; what is
 * missing does not compile. One device, whose memory the host can touch as well: that a program does is not noticed.
 *
 * Different from CUDA: dynamic shared memory is declared with GIN_SHMEM_SHARED (launch.h), kernels are launched with
 * GIN_SHMEM_LAUNCH, and a thread that waits in a loop of its own must poll with atomics, volatile loads being invisible
 * to the machine that has to let the others run.
 */
#ifndef GIN_SHMEM_CPU_CUDA_H
#define GIN_SHMEM_CPU_CUDA_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <type_traits>
#include <utility>

#include "half.h"
#include "thread.h"
#include "tsan.h"

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __shared__      thread_local
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(n)    __attribute__((aligned(n)))
#define __launch_bounds__(...)

typedef struct gin_shmem_cpu_dim uint3;
struct dim3 {
    unsigned x, y, z;
    dim3(unsigned X = 1, unsigned Y = 1, unsigned Z = 1) : x(X), y(Y), z(Z) {}
    dim3(uint3 d) : x(d.x), y(d.y), z(d.z) {}
    operator uint3() const { return {x, y, z}; }
};

#define threadIdx ((const uint3 &)gin_shmem_cpu_self->thread)
#define blockIdx  ((const uint3 &)gin_shmem_cpu_self->block)
#define blockDim  ((const uint3 &)gin_shmem_cpu_self->block_dim)
#define gridDim   ((const uint3 &)gin_shmem_cpu_self->grid_dim)
static const int warpSize = 32;

/* ---- synchronisation in kernels ---- */

inline void __syncthreads()
{
    gin_shmem_cpu_sync_block("__syncthreads");
}
inline int __syncthreads_count(int predicate)
{
    return (int)gin_shmem_cpu_count(predicate != 0, "__syncthreads_count");
}
inline int __syncthreads_or(int predicate)
{
    return gin_shmem_cpu_count(predicate != 0, "__syncthreads_or") != 0;
}
inline int __syncthreads_and(int predicate)
{
    return gin_shmem_cpu_count(predicate == 0, "__syncthreads_and") == 0;
}
inline void __syncwarp(unsigned mask = ~0u)
{
    gin_shmem_cpu_sync_warp(mask, "__syncwarp");
}
inline unsigned __ballot_sync(unsigned mask, int predicate)
{
    return gin_shmem_cpu_ballot(mask, predicate != 0, "__ballot_sync");
}
inline int __any_sync(unsigned mask, int predicate)
{
    return gin_shmem_cpu_ballot(mask, predicate != 0, "__any_sync") != 0;
}
inline int __all_sync(unsigned mask, int predicate)
{
    return gin_shmem_cpu_ballot(mask, predicate == 0, "__all_sync") == 0;
}

namespace gin_shmem_cpu
{

template <class T>
T shuffle(unsigned mask, T v, unsigned from, const char *what)
{
    static_assert(sizeof(T) <= 8, "a shuffle moves up to 8 bytes");
    uint64_t bits = 0;
    memcpy(&bits, &v, sizeof v);
    bits = gin_shmem_cpu_shuffle(mask, bits, from, what);
    memcpy(&v, &bits, sizeof v);
    return v;
}
inline unsigned lane()
{
    return gin_shmem_cpu_self->rank % 32;
}

} // namespace gin_shmem_cpu

template <class T>
T __shfl_sync(unsigned mask, T v, int from, int width = 32)
{
    const unsigned lane = gin_shmem_cpu::lane(), first = lane & ~((unsigned)width - 1);
    return gin_shmem_cpu::shuffle(mask, v, first + ((unsigned)from & ((unsigned)width - 1)), "__shfl_sync");
}
template <class T>
T __shfl_up_sync(unsigned mask, T v, unsigned delta, int width = 32)
{
    const unsigned lane = gin_shmem_cpu::lane(), place = lane & ((unsigned)width - 1);
    return gin_shmem_cpu::shuffle(mask, v, place < delta ? lane : lane - delta, "__shfl_up_sync");
}
template <class T>
T __shfl_down_sync(unsigned mask, T v, unsigned delta, int width = 32)
{
    const unsigned lane = gin_shmem_cpu::lane(), place = lane & ((unsigned)width - 1);
    return gin_shmem_cpu::shuffle(mask, v, place + delta < (unsigned)width ? lane + delta : lane, "__shfl_down_sync");
}
template <class T>
T __shfl_xor_sync(unsigned mask, T v, int bits, int width = 32)
{
    const unsigned lane = gin_shmem_cpu::lane(), from = lane ^ (unsigned)bits;
    const bool inside = (from & ~((unsigned)width - 1)) <= (lane & ~((unsigned)width - 1));
    return gin_shmem_cpu::shuffle(mask, v, inside ? from : lane, "__shfl_xor_sync");
}

/* Of the library's stores, which may be held back. What the kernel stores itself goes straight to memory. */
inline void __threadfence_system()
{
    struct gin_shmem_cpu_stores *s = gin_shmem_cpu_self->stores;
    if (s)
        s->fence(s);
    gin_shmem_cpu_fenced();
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
inline void __threadfence()
{
    __threadfence_system();
}
inline void __threadfence_block()
{
    struct gin_shmem_cpu_stores *s = gin_shmem_cpu_self->stores;
    if (s)
        s->share(s);
    gin_shmem_cpu_fenced();
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
inline void __nanosleep(unsigned)
{
    gin_shmem_cpu_breathe();
}
[[noreturn]] inline void __trap()
{
    gin_shmem_cpu_trap();
}
inline long long clock64()
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (long long)t.tv_sec * 1000000000 + t.tv_nsec;
}
inline int __popc(unsigned v)
{
    return __builtin_popcount(v);
}
inline int __ffs(int v)
{
    return __builtin_ffs(v);
}
inline int __clz(int v)
{
    return v ? __builtin_clz((unsigned)v) : 32;
}
template <class T>
T __ldg(const T *p)
{
    return *p;
}

/* ---- atomics: any scope is the system's ---- */

#define GIN_SHMEM_CPU_ATOMIC(NAME, BUILTIN, T)              \
    inline T NAME(T *p, T v)                                \
    {                                                       \
        gin_shmem_cpu_tick();                               \
        gin_shmem_cpu_stores(p);                            \
        T old = __atomic_##BUILTIN(p, v, __ATOMIC_RELAXED); \
        gin_shmem_cpu_loaded(p);                            \
        return old;                                         \
    }                                                       \
    inline T NAME##_system(T *p, T v)                       \
    {                                                       \
        return NAME(p, v);                                  \
    }
/* What has no builtin: by compare-and-swap. */
#define GIN_SHMEM_CPU_ATOMIC_LOOP(NAME, T, BITS, EXPR)                                                            \
    inline T NAME(T *p, T v)                                                                                      \
    {                                                                                                             \
        gin_shmem_cpu_tick();                                                                                     \
        gin_shmem_cpu_stores(p);                                                                                  \
        BITS seen = __atomic_load_n((BITS *)p, __ATOMIC_RELAXED), next;                                           \
        T old;                                                                                                    \
        do {                                                                                                      \
            memcpy(&old, &seen, sizeof old);                                                                      \
            T now = EXPR;                                                                                         \
            memcpy(&next, &now, sizeof next);                                                                     \
        } while (!__atomic_compare_exchange_n((BITS *)p, &seen, next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)); \
        gin_shmem_cpu_loaded(p);                                                                                  \
        return old;                                                                                               \
    }                                                                                                             \
    inline T NAME##_system(T *p, T v)                                                                             \
    {                                                                                                             \
        return NAME(p, v);                                                                                        \
    }
#define GIN_SHMEM_CPU_ATOMICS(T, BITS)                                                       \
    GIN_SHMEM_CPU_ATOMIC(atomicAdd, fetch_add, T)                                            \
    GIN_SHMEM_CPU_ATOMIC(atomicAnd, fetch_and, T)                                            \
    GIN_SHMEM_CPU_ATOMIC(atomicOr, fetch_or, T)                                              \
    GIN_SHMEM_CPU_ATOMIC(atomicXor, fetch_xor, T)                                            \
    GIN_SHMEM_CPU_ATOMIC(atomicExch, exchange_n, T)                                          \
    GIN_SHMEM_CPU_ATOMIC_LOOP(atomicMin, T, BITS, v < old ? v : old)                         \
    GIN_SHMEM_CPU_ATOMIC_LOOP(atomicMax, T, BITS, v > old ? v : old)                         \
    inline T atomicCAS(T *p, T cond, T v)                                                    \
    {                                                                                        \
        gin_shmem_cpu_tick();                                                                \
        gin_shmem_cpu_stores(p);                                                             \
        __atomic_compare_exchange_n(p, &cond, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
        gin_shmem_cpu_loaded(p);                                                             \
        return cond;                                                                         \
    }                                                                                        \
    inline T atomicCAS_system(T *p, T cond, T v)                                             \
    {                                                                                        \
        return atomicCAS(p, cond, v);                                                        \
    }

typedef uint32_t __attribute__((may_alias)) gin_shmem_cpu_word32;
typedef uint64_t __attribute__((may_alias)) gin_shmem_cpu_word64;
GIN_SHMEM_CPU_ATOMICS(int, gin_shmem_cpu_word32)
GIN_SHMEM_CPU_ATOMICS(unsigned, gin_shmem_cpu_word32)
GIN_SHMEM_CPU_ATOMICS(unsigned long long, gin_shmem_cpu_word64)
GIN_SHMEM_CPU_ATOMIC(atomicSub, fetch_sub, int)
GIN_SHMEM_CPU_ATOMIC(atomicSub, fetch_sub, unsigned)
GIN_SHMEM_CPU_ATOMIC_LOOP(atomicAdd, float, gin_shmem_cpu_word32, old + v)
GIN_SHMEM_CPU_ATOMIC_LOOP(atomicAdd, double, gin_shmem_cpu_word64, old + v)
#undef GIN_SHMEM_CPU_ATOMICS
#undef GIN_SHMEM_CPU_ATOMIC_LOOP
#undef GIN_SHMEM_CPU_ATOMIC

#include "runtime.h"

#endif
