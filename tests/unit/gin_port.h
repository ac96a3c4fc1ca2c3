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

} // namespace gin_shmem_impl

#include <gin_shmem/gin_op.h>

namespace gin_shmem_impl
{
static void gin_nccl_put(const struct gin_op *o, int with);
static void gin_nccl_add(const struct gin_op *o);
static void gin_nccl_get(const struct gin_op *o);
static uint64_t gin_nccl_counter(uint32_t context, uint32_t counter);
} // namespace gin_shmem_impl

/* A PE's tables, as the host makes them. */
struct tables {
    struct gin_shmem_gin gin = {};
    std::vector<uint32_t> pairs, ring;
    std::vector<struct gin_shmem_gin_slot> slots;
    struct gin_shmem_gin_book book = {};
    struct gin_shmem_windows windows = {};

    /* n: PEs; entries: of the ring, a power of two */
    void fill(int pe, uint32_t n, uint32_t contexts, uint32_t entries)
    {
        pairs.assign(contexts * n, 0);
        ring.assign(entries, 0);
        slots.assign(contexts * GIN_SHMEM_GIN_SLOTS, {0, 0, GIN_SHMEM_GIN_UNKNOWN});
        gin.nccl = NCCL_VERSION_CODE;
        gin.contexts = contexts;
        gin.n = n;
        gin.ring_mask = entries - 1;
        gin.room = 4096;
        gin.pairs = pairs.data();
        gin.ring = ring.data();
        gin.slots = slots.data();
        gin.book = &book;
        windows.count = 2;
        windows.w[0] = {(uint64_t)system_window.memory[pe].data(), system_window.memory[pe].size(), &system_window};
        windows.w[1] = {(uint64_t)heap.memory[pe].data(), heap.memory[pe].size(), &heap};
    }
    void use(int pe)
    {
        states[pe].windows = &windows;
        states[pe].sys = system_window.memory[pe].data();
        states[pe].gin = &gin;
    }
};

#endif
