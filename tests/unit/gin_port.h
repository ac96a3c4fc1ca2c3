/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What GIN's headers (gin_book.h, fabric_gin.h) take from port.h, report.h and gin_nccl.h, for threads of the host. Who
 * includes it has said PES, and how memory behaves: memory::load(word, acquire), store(word, value, release),
 * change(word, function) and fence(). It defines the network: gin_nccl_put, _add, _get and _counter; and includes
 * gin_shmem/fabric_gin.h behind this.
 */
#ifndef GIN_PORT_H
#define GIN_PORT_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <thread>
#include <vector>

#define GIN_SHMEM_GIN_NCCL_H
#define GIN_SHMEM_TYPES_H
#define GIN_SHMEM_FN     static inline __attribute__((unused))
#define GIN_SHMEM_COLD   static __attribute__((noinline, unused))
#define GIN_SHMEM_METHOD inline
#define GIN_SHMEM_ROLLED
#define __device__
#define __noinline__          __attribute__((noinline))
#define NCCL_VERSION_CODE     22809
#define GIN_SHMEM_GIN_HAS_ADD 1
#define GIN_SHMEM_GIN_HAS_GET 1

#include <gin_shmem/gin_state.h>

enum { SHMEM_CMP_EQ, SHMEM_CMP_NE, SHMEM_CMP_GT, SHMEM_CMP_LE, SHMEM_CMP_LT, SHMEM_CMP_GE };

typedef struct window *ncclWindow_t;
struct window {
    std::vector<unsigned char> memory[PES];
};
static struct window heap, system_window;
static thread_local int me;
static thread_local struct {
    unsigned x, y, z;
} blockIdx, gridDim = {64, 1, 1};
static struct gin_shmem_state states[PES];

static inline void __threadfence(void)
{
    memory::fence();
}
static unsigned patience_s = 60;

namespace gin_shmem_impl
{
static inline struct gin_shmem_state &state()
{
    return states[me];
}
static inline uint8_t load_relaxed(const uint8_t *p)
{
    return __atomic_load_n(p, __ATOMIC_RELAXED);
}
template <class T>
static inline T load_relaxed(const T *p)
{
    return memory::load(p, false);
}
template <class T>
static inline T load_acquire(const T *p)
{
    return memory::load(p, true);
}
template <class T>
static inline void store_relaxed(T *p, T v)
{
    memory::store(p, v, false);
}
template <class T>
static inline void store_release(T *p, T v)
{
    memory::store(p, v, true);
}
template <class T>
static inline T atomic_add(T *p, T v)
{
    return memory::change(p, [v](T old) { return (T)(old + v); });
}
template <class T>
static inline T atomic_swap(T *p, T v)
{
    return memory::change(p, [v](T) { return v; });
}
template <class T>
static inline T atomic_cas(T *p, T cond, T v)
{
    return memory::change(p, [cond, v](T old) { return old == cond ? v : old; });
}
static inline void fence_order()
{
    __threadfence();
}
struct watchdog {
    time_t until = time(nullptr) + (time_t)patience_s;
    bool late()
    {
        std::this_thread::yield();
        return time(nullptr) > until;
    }
};
[[noreturn]] static void fail_timeout(uint32_t, const void *, uint64_t, int, uint64_t wanted, uint64_t seen)
{
    printf("PE %d: a wait without end: wanted %llu, seen %llu\n", me, (unsigned long long)wanted,
           (unsigned long long)seen);
    fflush(stdout);
    _Exit(1);
}

struct gin_place {
    ncclWindow_t window;
    uint64_t offset;
};
enum gin_with { GIN_ALONE, GIN_COUNT, GIN_SIGNAL, GIN_ADD };
struct gin_op {
    const void *dest, *source;
    uint64_t *word;
    uint64_t value;
    int pe;
    uint32_t fn;
    int with;
    bool wait;
    bool add;
    int served;
    uint64_t bytes, length;
    struct gin_place to, from;
    struct gin_place sig;
    uint32_t context, slot;
    int rank;
};
static void gin_nccl_put(const struct gin_op *o, int with);
static void gin_nccl_add(const struct gin_op *o);
static void gin_nccl_get(const struct gin_op *o);
static uint64_t gin_nccl_counter(uint32_t context, uint32_t counter);
static inline bool gin_reached(uint64_t now, uint64_t least)
{
    return ((now - least) & (~(uint64_t)0 >> 8)) <= ~(uint64_t)0 >> 9;
}
} // namespace gin_shmem_impl

#endif
