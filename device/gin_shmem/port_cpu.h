/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The CPU side of port.h: g++ and clang, C++17, -DGIN_SHMEM_CPU, and libginshmem_cpu (cpu/thread.h says how kernels
 * run). Orders are those of C++. What other processes do ThreadSanitizer cannot see: it is told that every acquire comes
 * after every release of this process, which holds wherever a peer answered in between.
 */
#ifndef GIN_SHMEM_PORT_CPU_H
#define GIN_SHMEM_PORT_CPU_H

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cpu/cuda.h"
#include "cpu/tsan.h"
#include "unit.h"

#define GIN_SHMEM_FN     static inline __attribute__((unused))
#define GIN_SHMEM_METHOD inline
#define GIN_SHMEM_COLD   static inline __attribute__((unused, noinline))
#define GIN_SHMEM_NEVER  static inline __attribute__((unused, noinline, noreturn))
#define GIN_SHMEM_UNROLLED
#define GIN_SHMEM_ROLLED
#define GIN_SHMEM_CLEARED = {}

namespace gin_shmem_impl
{

struct alignas(16) unit16 {
    uint64_t a, b;
};

GIN_SHMEM_FN const struct gin_shmem_state &state()
{
    return gin_shmem_device_state;
}

} // namespace gin_shmem_impl

#include "bits.h"

namespace gin_shmem_impl
{

/* ---- groups ---- */

struct thread_group {
    static const unsigned tag = GIN_SHMEM_SCOPE_THREAD;
    static GIN_SHMEM_METHOD unsigned rank() { return 0; }
    static GIN_SHMEM_METHOD unsigned size() { return 1; }
    static GIN_SHMEM_METHOD void sync() {}
};
struct block_group {
    static const unsigned tag = GIN_SHMEM_SCOPE_BLOCK;
    static GIN_SHMEM_METHOD unsigned rank() { return gin_shmem_cpu_self->rank; }
    static GIN_SHMEM_METHOD unsigned size()
    {
        const struct gin_shmem_cpu_dim &d = gin_shmem_cpu_self->block_dim;
        return d.x * d.y * d.z;
    }
    static GIN_SHMEM_METHOD void sync() { gin_shmem_cpu_sync_block("a call of its block"); }
};
struct warp_group {
    static const unsigned tag = GIN_SHMEM_SCOPE_WARP;
    static GIN_SHMEM_METHOD unsigned rank() { return gin_shmem_cpu_self->rank & 31; }
    /* The last warp of a block may be a short one. */
    static GIN_SHMEM_METHOD unsigned size()
    {
        unsigned left = block_group::size() - (gin_shmem_cpu_self->rank & ~31u);
        return left < 32 ? left : 32;
    }
    static GIN_SHMEM_METHOD unsigned mask() { return ~0u >> (32 - size()); }
    static GIN_SHMEM_METHOD void sync() { gin_shmem_cpu_sync_warp(mask(), "a call of its warp"); }
};

/* ---- the simulator's store buffer ---- */

/* True: the store, or the reduction op, is made later. */
GIN_SHMEM_FN bool deferred(void *p, const void *value, unsigned bytes, int op = GIN_SHMEM_OP_SET)
{
    struct gin_shmem_cpu_stores *s = gin_shmem_cpu_self->stores;
    return __builtin_expect(s != nullptr, 0) && s->store(s, op, p, value, bytes);
}
/* Before this thread reads there. */
GIN_SHMEM_FN void settle(const void *p, unsigned bytes)
{
    struct gin_shmem_cpu_stores *s = gin_shmem_cpu_self->stores;
    if (__builtin_expect(s != nullptr, 0))
        s->load(s, p, bytes);
}
GIN_SHMEM_FN void settle_all()
{
    struct gin_shmem_cpu_stores *s = gin_shmem_cpu_self->stores;
    if (__builtin_expect(s != nullptr, 0))
        s->fence(s);
}

/* ---- memory ---- */

/* Words that may lie in objects of any type. */
template <int BYTES>
struct word_of;
template <>
struct word_of<1> {
    typedef uint8_t __attribute__((may_alias)) type;
};
template <>
struct word_of<2> {
    typedef uint16_t __attribute__((may_alias)) type;
};
template <>
struct word_of<4> {
    typedef uint32_t __attribute__((may_alias)) type;
};
template <>
struct word_of<8> {
    typedef uint64_t __attribute__((may_alias)) type;
};

GIN_SHMEM_FN void fence_order()
{
    settle_all();
    gin_shmem_cpu_fenced();
    __atomic_thread_fence(__ATOMIC_ACQ_REL);
}
GIN_SHMEM_FN void fence_complete()
{
    settle_all();
    gin_shmem_cpu_fenced();
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

#define GIN_SHMEM_ACCESS(T)                                                            \
    GIN_SHMEM_FN T load_relaxed(const T *p)                                            \
    {                                                                                  \
        settle(p, sizeof(T));                                                          \
        return __atomic_load_n((const word_of<sizeof(T)>::type *)p, __ATOMIC_RELAXED); \
    }                                                                                  \
    GIN_SHMEM_FN T load_acquire(const T *p)                                            \
    {                                                                                  \
        settle(p, sizeof(T));                                                          \
        gin_shmem_cpu_tick();                                                          \
        T v = __atomic_load_n((const word_of<sizeof(T)>::type *)p, __ATOMIC_ACQUIRE);  \
        gin_shmem_cpu_acquired();                                                      \
        return v;                                                                      \
    }                                                                                  \
    GIN_SHMEM_FN void store_relaxed(T *p, T v)                                         \
    {                                                                                  \
        gin_shmem_cpu_stores(p);                                                       \
        if (!deferred(p, &v, sizeof v))                                                \
            __atomic_store_n((word_of<sizeof(T)>::type *)p, v, __ATOMIC_RELAXED);      \
    }                                                                                  \
    GIN_SHMEM_FN void store_release(T *p, T v)                                         \
    {                                                                                  \
        settle_all();                                                                  \
        gin_shmem_cpu_released();                                                      \
        if (!deferred(p, &v, sizeof v))                                                \
            __atomic_store_n((word_of<sizeof(T)>::type *)p, v, __ATOMIC_RELEASE);      \
    }
GIN_SHMEM_ACCESS(uint8_t)
GIN_SHMEM_ACCESS(uint16_t)
GIN_SHMEM_ACCESS(uint32_t)
GIN_SHMEM_ACCESS(uint64_t)
#undef GIN_SHMEM_ACCESS

GIN_SHMEM_FN void store_pair(uint64_t *p, uint64_t a, uint64_t b)
{
    store_relaxed(p, a);
    store_relaxed(p + 1, b);
}
GIN_SHMEM_FN void load_pair(const uint64_t *p, uint64_t *a, uint64_t *b)
{
    *a = load_relaxed(p);
    *b = load_relaxed(p + 1);
}
GIN_SHMEM_FN uint64_t load_local(const uint64_t *p)
{
    return load_relaxed(p);
}

/* memcpy: the object there may have any type. */
template <class V>
GIN_SHMEM_FN V load_plain(const V *p)
{
    V v;
    settle(p, sizeof v);
    memcpy(&v, p, sizeof v);
    return v;
}
template <class V>
GIN_SHMEM_FN void store_plain(V *p, V v)
{
    settle(p, sizeof v); /* an older store must not come later */
    memcpy(p, &v, sizeof v);
}
template <class V>
GIN_SHMEM_FN V load_fresh(const V *p)
{
    return load_plain(p);
}
template <class V>
GIN_SHMEM_FN void store_remote(V *p, V v)
{
    if (!deferred(p, &v, sizeof v))
        memcpy(p, &v, sizeof v);
}
GIN_SHMEM_FN void prefetch(const void *) {}

/* ---- read-modify-write ---- */

/* Before one: own stores to the word. */
GIN_SHMEM_FN void atomic_begin(void *p, unsigned bytes)
{
    settle(p, bytes);
    gin_shmem_cpu_tick();
    gin_shmem_cpu_stores(p);
}

#define GIN_SHMEM_ATOMIC(NAME, BUILTIN, T)                                              \
    GIN_SHMEM_FN T atomic_##NAME(T *p, T a)                                             \
    {                                                                                   \
        atomic_begin(p, sizeof(T));                                                     \
        T old = __atomic_##BUILTIN((word_of<sizeof(T)>::type *)p, a, __ATOMIC_RELAXED); \
        gin_shmem_cpu_loaded(p);                                                        \
        return old;                                                                     \
    }
#define GIN_SHMEM_REDUCE(NAME, T, OP)          \
    GIN_SHMEM_FN void reduce_##NAME(T *p, T a) \
    {                                          \
        if (!deferred(p, &a, sizeof a, OP))    \
            (void)atomic_##NAME(p, a);         \
    }
#define GIN_SHMEM_ATOMICS(T)                   \
    GIN_SHMEM_ATOMIC(add, fetch_add, T)        \
    GIN_SHMEM_ATOMIC(and, fetch_and, T)        \
    GIN_SHMEM_ATOMIC(or, fetch_or, T)          \
    GIN_SHMEM_ATOMIC(xor, fetch_xor, T)        \
    GIN_SHMEM_ATOMIC(swap, exchange_n, T)      \
    GIN_SHMEM_REDUCE(add, T, GIN_SHMEM_OP_ADD) \
    GIN_SHMEM_REDUCE(and, T, GIN_SHMEM_OP_AND) \
    GIN_SHMEM_REDUCE(or, T, GIN_SHMEM_OP_OR)   \
    GIN_SHMEM_REDUCE(xor, T, GIN_SHMEM_OP_XOR)
GIN_SHMEM_ATOMICS(uint32_t)
GIN_SHMEM_ATOMICS(uint64_t)
#undef GIN_SHMEM_ATOMICS
#undef GIN_SHMEM_REDUCE
#undef GIN_SHMEM_ATOMIC

GIN_SHMEM_FN void reduce_add_release(uint64_t *p, uint64_t a)
{
    settle_all();
    gin_shmem_cpu_released();
    gin_shmem_cpu_tick();
    if (!deferred(p, &a, sizeof a, GIN_SHMEM_OP_ADD))
        __atomic_fetch_add((word_of<8>::type *)p, a, __ATOMIC_RELEASE);
}

#define GIN_SHMEM_CAS(T)                                                                                  \
    GIN_SHMEM_FN T atomic_cas(T *p, T cond, T value)                                                      \
    {                                                                                                     \
        atomic_begin(p, sizeof(T));                                                                       \
        word_of<sizeof(T)>::type seen = cond;                                                             \
        __atomic_compare_exchange_n((word_of<sizeof(T)>::type *)p, &seen, value, false, __ATOMIC_RELAXED, \
                                    __ATOMIC_RELAXED);                                                    \
        gin_shmem_cpu_loaded(p);                                                                          \
        return seen;                                                                                      \
    }
GIN_SHMEM_CAS(uint16_t)
GIN_SHMEM_CAS(uint32_t)
GIN_SHMEM_CAS(uint64_t)
#undef GIN_SHMEM_CAS

GIN_SHMEM_FN uint64_t opaque(uint64_t v)
{
    return v;
}

/* Additions of floating-point numbers. */
template <class F>
GIN_SHMEM_FN F atomic_add_float(F *p, F a)
{
    typedef typename bits_of<sizeof(F)>::type B;
    B old = load_relaxed((const B *)p);
    for (;;) {
        B seen = atomic_cas((B *)p, old, cast_bits<B>(F(cast_bits<F>(old) + a)));
        if (seen == old)
            return cast_bits<F>(seen);
        old = seen;
    }
}
#define GIN_SHMEM_ADD_FLOAT(F, OP)          \
    GIN_SHMEM_FN F atomic_add(F *p, F a)    \
    {                                       \
        return atomic_add_float(p, a);      \
    }                                       \
    GIN_SHMEM_FN void reduce_add(F *p, F a) \
    {                                       \
        if (!deferred(p, &a, sizeof a, OP)) \
            (void)atomic_add_float(p, a);   \
    }
GIN_SHMEM_ADD_FLOAT(float, GIN_SHMEM_OP_ADD_FLOAT)
GIN_SHMEM_ADD_FLOAT(double, GIN_SHMEM_OP_ADD_FLOAT)
GIN_SHMEM_ADD_FLOAT(__half, GIN_SHMEM_OP_ADD_FLOAT)
GIN_SHMEM_ADD_FLOAT(__nv_bfloat16, GIN_SHMEM_OP_ADD_BFLOAT16)
#undef GIN_SHMEM_ADD_FLOAT

/* ---- time, lanes, ends ---- */

GIN_SHMEM_FN uint64_t clock_ns()
{
    return (uint64_t)clock64();
}
GIN_SHMEM_FN void relax(unsigned polls)
{
    gin_shmem_cpu_yield(polls);
}
GIN_SHMEM_FN void sleep_ns(unsigned)
{
    gin_shmem_cpu_breathe();
}
GIN_SHMEM_FN uint64_t shuffle(uint64_t v, unsigned lane)
{
    return gin_shmem_cpu_shuffle(warp_group::mask(), v, lane, "a call of its warp");
}
GIN_SHMEM_FN void thread_place(uint32_t block[3], uint32_t thread[3])
{
    const struct gin_shmem_cpu_thread *t = gin_shmem_cpu_self;
    block[0] = t->block.x, block[1] = t->block.y, block[2] = t->block.z;
    thread[0] = t->thread.x, thread[1] = t->thread.y, thread[2] = t->thread.z;
}
__attribute__((noreturn)) static inline void trap()
{
    gin_shmem_cpu_trap();
}

} // namespace gin_shmem_impl

#include "bulk_cpu.h"

#ifdef GIN_SHMEM_MUTANT
#include "cpu/mutant.h"
#endif

#endif
