/* SPDX-License-Identifier: BSD-3-Clause */
/* The CUDA side of port.h: sm_70 and newer, inline PTX. */
#ifndef GIN_SHMEM_PORT_CUDA_H
#define GIN_SHMEM_PORT_CUDA_H

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "unit.h"

#ifndef __CUDACC_RTC__
#include <stdio.h>
#endif

#define GIN_SHMEM_FN       static __device__ __forceinline__
#define GIN_SHMEM_METHOD   __device__ __forceinline__
#define GIN_SHMEM_COLD     static inline __device__ __noinline__
#define GIN_SHMEM_NEVER    static inline __device__ __noinline__ __attribute__((noreturn))
#define GIN_SHMEM_UNROLLED _Pragma("unroll")
#define GIN_SHMEM_ROLLED   _Pragma("unroll 1")
#define GIN_SHMEM_CLEARED

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700
#error "gin_shmem needs sm_70 or newer (its memory model): compile with -arch=sm_80 or later"
#endif

namespace gin_shmem_impl
{

typedef uint4 unit16;

} // namespace gin_shmem_impl

#include "bits.h"

namespace gin_shmem_impl
{

GIN_SHMEM_FN const struct gin_shmem_state &state()
{
    return gin_shmem_device_state;
}

/* ---- groups ---- */

GIN_SHMEM_FN unsigned block_rank()
{
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
GIN_SHMEM_FN unsigned block_size()
{
    return blockDim.x * blockDim.y * blockDim.z;
}

struct thread_group {
    static const unsigned tag = GIN_SHMEM_SCOPE_THREAD;
    static GIN_SHMEM_METHOD unsigned rank() { return 0; }
    static GIN_SHMEM_METHOD unsigned size() { return 1; }
    static GIN_SHMEM_METHOD void sync() {}
};
struct warp_group {
    static const unsigned tag = GIN_SHMEM_SCOPE_WARP;
    static GIN_SHMEM_METHOD unsigned rank()
    {
        unsigned lane;
        asm("mov.u32 %0, %%laneid;" : "=r"(lane));
        return lane;
    }
    /* The last warp of a block may be a short one. */
    static GIN_SHMEM_METHOD unsigned size()
    {
        unsigned left = block_size() - (block_rank() & ~31u);
        return left < 32 ? left : 32;
    }
    static GIN_SHMEM_METHOD unsigned mask() { return ~0u >> (32 - size()); }
    static GIN_SHMEM_METHOD void sync() { __syncwarp(mask()); }
};
struct block_group {
    static const unsigned tag = GIN_SHMEM_SCOPE_BLOCK;
    static GIN_SHMEM_METHOD unsigned rank() { return block_rank(); }
    static GIN_SHMEM_METHOD unsigned size() { return block_size(); }
    static GIN_SHMEM_METHOD void sync() { __syncthreads(); }
};

/* ---- memory ---- */

GIN_SHMEM_FN uint64_t global(const volatile void *p)
{
    return __cvta_generic_to_global((const void *)p);
}

/* Registers of PTX: 1- and 2-byte values travel in wider ones. */
#define GIN_SHMEM_ACCESS(T, BITS, R, REG)                                                            \
    GIN_SHMEM_FN T load_relaxed(const T *p)                                                          \
    {                                                                                                \
        REG v;                                                                                       \
        asm volatile("ld.relaxed.sys.global." BITS " %0, [%1];" : R(v) : "l"(global(p)) : "memory"); \
        return (T)v;                                                                                 \
    }                                                                                                \
    GIN_SHMEM_FN T load_acquire(const T *p)                                                          \
    {                                                                                                \
        REG v;                                                                                       \
        asm volatile("ld.acquire.sys.global." BITS " %0, [%1];" : R(v) : "l"(global(p)) : "memory"); \
        return (T)v;                                                                                 \
    }
#define GIN_SHMEM_STORE(T, BITS, R, REG)                                                                 \
    GIN_SHMEM_FN void store_relaxed(T *p, T v)                                                           \
    {                                                                                                    \
        asm volatile("st.relaxed.sys.global." BITS " [%0], %1;" ::"l"(global(p)), R((REG)v) : "memory"); \
    }                                                                                                    \
    GIN_SHMEM_FN void store_release(T *p, T v)                                                           \
    {                                                                                                    \
        asm volatile("st.release.sys.global." BITS " [%0], %1;" ::"l"(global(p)), R((REG)v) : "memory"); \
    }
GIN_SHMEM_ACCESS(uint8_t, "u8", "=h", unsigned short)
GIN_SHMEM_ACCESS(uint16_t, "u16", "=h", unsigned short)
GIN_SHMEM_ACCESS(uint32_t, "u32", "=r", unsigned)
GIN_SHMEM_ACCESS(uint64_t, "u64", "=l", unsigned long long)
GIN_SHMEM_STORE(uint8_t, "u8", "h", unsigned short)
GIN_SHMEM_STORE(uint16_t, "u16", "h", unsigned short)
GIN_SHMEM_STORE(uint32_t, "u32", "r", unsigned)
GIN_SHMEM_STORE(uint64_t, "u64", "l", unsigned long long)
#undef GIN_SHMEM_ACCESS
#undef GIN_SHMEM_STORE

GIN_SHMEM_FN void store_pair(uint64_t *p, uint64_t a, uint64_t b)
{
    asm volatile("st.relaxed.sys.global.v2.b64 [%0], {%1, %2};" ::"l"(global(p)), "l"((unsigned long long)a),
                 "l"((unsigned long long)b)
                 : "memory");
}
GIN_SHMEM_FN void load_pair(const uint64_t *p, uint64_t *a, uint64_t *b)
{
    unsigned long long x, y;
    asm volatile("ld.relaxed.sys.global.v2.b64 {%0, %1}, [%2];" : "=l"(x), "=l"(y) : "l"(global(p)) : "memory");
    *a = x;
    *b = y;
}
GIN_SHMEM_FN uint64_t load_local(const uint64_t *p)
{
    unsigned long long v;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(global(p)) : "memory");
    return v;
}

/* An ordinary load of any memory. */
template <class V>
GIN_SHMEM_FN V load_plain(const V *p)
{
    return *p;
}
template <>
__device__ __forceinline__ unit16 load_plain<unit16>(const unit16 *p)
{
    unit16 v;
    asm volatile("ld.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p) : "memory");
    return v;
}

template <class V>
GIN_SHMEM_FN void store_plain(V *p, V v)
{
    *p = v;
}

GIN_SHMEM_FN void prefetch(const void *p)
{
    asm volatile("prefetch.global.L1 [%0];" ::"l"(global(p)));
}

/* Strong loads pass by the L1 cache, which is not coherent: a get that is repeated sees what changed meanwhile. */
template <class V>
GIN_SHMEM_FN V load_fresh(const V *p)
{
    return load_relaxed(p);
}
template <>
__device__ __forceinline__ unit16 load_fresh<unit16>(const unit16 *p)
{
    unit16 v;
    asm volatile("ld.relaxed.sys.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(global(p))
                 : "memory");
    return v;
}
template <class V>
GIN_SHMEM_FN void store_remote(V *p, V v)
{
    store_relaxed(p, v);
}
template <>
__device__ __forceinline__ void store_remote<unit16>(unit16 *p, unit16 v)
{
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(global(p)), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
                 : "memory");
}

GIN_SHMEM_FN void fence_order()
{
    asm volatile("fence.acq_rel.sys;" ::: "memory");
}
GIN_SHMEM_FN void fence_complete()
{
    asm volatile("fence.sc.sys;" ::: "memory");
}

/* ---- read-modify-write ---- */

#define GIN_SHMEM_ATOMIC(NAME, OP, T, R, REG)                       \
    GIN_SHMEM_FN T atomic_##NAME(T *p, T a)                         \
    {                                                               \
        REG v;                                                      \
        asm volatile("atom.relaxed.sys.global." OP " %0, [%1], %2;" \
                     : "=" R(v)                                     \
                     : "l"(global(p)), R((REG)a)                    \
                     : "memory");                                   \
        return (T)v;                                                \
    }
#define GIN_SHMEM_REDUCE(NAME, OP, T, R, REG)                                                           \
    GIN_SHMEM_FN void reduce_##NAME(T *p, T a)                                                          \
    {                                                                                                   \
        asm volatile("red.relaxed.sys.global." OP " [%0], %1;" ::"l"(global(p)), R((REG)a) : "memory"); \
    }
#define GIN_SHMEM_BOTH(NAME, OP, T, R, REG) GIN_SHMEM_ATOMIC(NAME, OP, T, R, REG) GIN_SHMEM_REDUCE(NAME, OP, T, R, REG)
GIN_SHMEM_BOTH(add, "add.u32", uint32_t, "r", unsigned)
GIN_SHMEM_BOTH(add, "add.u64", uint64_t, "l", unsigned long long)
GIN_SHMEM_BOTH(add, "add.f32", float, "f", float)
GIN_SHMEM_BOTH(add, "add.f64", double, "d", double)
GIN_SHMEM_BOTH(and, "and.b32", uint32_t, "r", unsigned)
GIN_SHMEM_BOTH(and, "and.b64", uint64_t, "l", unsigned long long)
GIN_SHMEM_BOTH(or, "or.b32", uint32_t, "r", unsigned)
GIN_SHMEM_BOTH(or, "or.b64", uint64_t, "l", unsigned long long)
GIN_SHMEM_BOTH(xor, "xor.b32", uint32_t, "r", unsigned)
GIN_SHMEM_BOTH(xor, "xor.b64", uint64_t, "l", unsigned long long)
GIN_SHMEM_ATOMIC(swap, "exch.b32", uint32_t, "r", unsigned)
GIN_SHMEM_ATOMIC(swap, "exch.b64", uint64_t, "l", unsigned long long)
#undef GIN_SHMEM_ATOMIC
#undef GIN_SHMEM_REDUCE
#undef GIN_SHMEM_BOTH

GIN_SHMEM_FN void reduce_add_release(uint64_t *p, uint64_t a)
{
    asm volatile("red.release.sys.global.add.u64 [%0], %1;" ::"l"(global(p)), "l"((unsigned long long)a) : "memory");
}

#define GIN_SHMEM_CAS(T, BITS, R, REG)                                        \
    GIN_SHMEM_FN T atomic_cas(T *p, T cond, T value)                          \
    {                                                                         \
        REG v;                                                                \
        asm volatile("atom.relaxed.sys.global.cas." BITS " %0, [%1], %2, %3;" \
                     : "=" R(v)                                               \
                     : "l"(global(p)), R((REG)cond), R((REG)value)            \
                     : "memory");                                             \
        return (T)v;                                                          \
    }
GIN_SHMEM_CAS(uint16_t, "b16", "h", unsigned short)
GIN_SHMEM_CAS(uint32_t, "b32", "r", unsigned)
GIN_SHMEM_CAS(uint64_t, "b64", "l", unsigned long long)
#undef GIN_SHMEM_CAS

GIN_SHMEM_FN uint64_t opaque(uint64_t v)
{
    asm("" : "+l"(v));
    return v;
}

/* Additions of 16-bit floats; hardware adds a bfloat16 from sm_90 on. */
GIN_SHMEM_FN __half atomic_add(__half *p, __half a)
{
    unsigned short v;
    asm volatile("atom.relaxed.sys.global.add.noftz.f16 %0, [%1], %2;"
                 : "=h"(v)
                 : "l"(global(p)), "h"(cast_bits<unsigned short>(a))
                 : "memory");
    return cast_bits<__half>(v);
}
GIN_SHMEM_FN __nv_bfloat16 atomic_add(__nv_bfloat16 *p, __nv_bfloat16 a)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    unsigned short v;
    asm volatile("atom.relaxed.sys.global.add.noftz.bf16 %0, [%1], %2;"
                 : "=h"(v)
                 : "l"(global(p)), "h"(cast_bits<unsigned short>(a))
                 : "memory");
    return cast_bits<__nv_bfloat16>(v);
#else
    uint16_t *at = (uint16_t *)p, old = load_relaxed(at);
    for (;;) {
        __nv_bfloat16 sum = __float2bfloat16(__bfloat162float(cast_bits<__nv_bfloat16>(old)) + __bfloat162float(a));
        uint16_t seen = atomic_cas(at, old, cast_bits<uint16_t>(sum));
        if (seen == old)
            return cast_bits<__nv_bfloat16>(seen);
        old = seen;
    }
#endif
}
GIN_SHMEM_FN void reduce_add(__half *p, __half a)
{
    (void)atomic_add(p, a);
}
GIN_SHMEM_FN void reduce_add(__nv_bfloat16 *p, __nv_bfloat16 a)
{
    (void)atomic_add(p, a);
}

/* ---- time, lanes, ends ---- */

GIN_SHMEM_FN uint64_t clock_ns()
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}
GIN_SHMEM_FN void relax(unsigned) {}
GIN_SHMEM_FN void sleep_ns(unsigned ns)
{
    asm volatile("nanosleep.u32 %0;" ::"r"(ns));
}
GIN_SHMEM_FN uint64_t shuffle(uint64_t v, unsigned lane)
{
    return __shfl_sync(warp_group::mask(), v, (int)lane);
}
GIN_SHMEM_FN void thread_place(uint32_t block[3], uint32_t thread[3])
{
    block[0] = blockIdx.x, block[1] = blockIdx.y, block[2] = blockIdx.z;
    thread[0] = threadIdx.x, thread[1] = threadIdx.y, thread[2] = threadIdx.z;
}
static __device__ __forceinline__ __attribute__((noreturn)) void trap()
{
    __trap();
    __builtin_unreachable();
}

} // namespace gin_shmem_impl

#include "bulk_cuda.h"

#endif
