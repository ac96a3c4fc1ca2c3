/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a quiet costs that has one dirty PE among few and among many: GIN's headers over a network that performs everything
 * at once, so that it is their own bookkeeping that is timed. Prints nanoseconds of a p and a quiet, and the ratio, which
 * should not tell how many PEs there are.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PES = 64, FEW = 2, CONTEXTS = 4, TIMES = 100000, ROUNDS = 15 };

namespace memory
{
template <class T>
static inline T load(const T *p, bool acquire)
{
    return acquire ? __atomic_load_n(p, __ATOMIC_ACQUIRE) : __atomic_load_n(p, __ATOMIC_RELAXED);
}
template <class T>
static inline void store(T *p, T v, bool release)
{
    release ? __atomic_store_n(p, v, __ATOMIC_RELEASE) : __atomic_store_n(p, v, __ATOMIC_RELAXED);
}
template <class T, class F>
static inline T change(T *p, F to)
{
    T old = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(p, &old, to(old), false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    return old;
}
static inline void fence(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
} // namespace memory
#include "gin_port.h"

#include <gin_shmem/fabric_gin.h>

using namespace gin_shmem_impl;

static uint64_t counters[CONTEXTS][GIN_SHMEM_GIN_SLOTS];

static void gin_shmem_impl::gin_nccl_put(const struct gin_op *o, int with)
{
    memcpy(&o->to.window->memory[o->rank][o->to.offset], &o->from.window->memory[me][o->from.offset], o->length);
    if (with != GIN_ALONE)
        counters[o->context][o->slot]++;
}
static void gin_shmem_impl::gin_nccl_add(const struct gin_op *) {}
static void gin_shmem_impl::gin_nccl_get(const struct gin_op *) {}
static uint64_t gin_shmem_impl::gin_nccl_counter(uint32_t context, uint32_t counter)
{
    return counters[context][counter];
}

static double time_of_one(struct tables *t)
{
    struct timespec from, to;
    t->use(0);
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (int i = 0; i < TIMES; i++) {
        if (gin_p(heap.memory[0].data(), (uint64_t)i, 8, (int)t->gin.n - 1, 0) == GIN_NOT_SERVED)
            abort();
        gin_quiet(-1, 0);
    }
    clock_gettime(CLOCK_MONOTONIC, &to);
    return ((double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec)) / TIMES;
}

int main(void)
{
    for (int pe = 0; pe < PES; pe++) {
        heap.memory[pe].assign(4096, 0);
        system_window.memory[pe].assign(4096 + gin_shmem_gin_room_bytes(CONTEXTS), 0);
    }
    static struct tables few, many; /* PE 0's */
    few.fill(0, FEW, CONTEXTS, CONTEXTS * FEW);
    many.fill(0, PES, CONTEXTS, CONTEXTS * PES);
    double of_few = 1e30, of_many = 1e30;
    for (int i = 0; i < ROUNDS; i++) {
        double a = time_of_one(&few), b = time_of_one(&many);
        of_few = a < of_few ? a : of_few;
        of_many = b < of_many ? b : of_many;
    }
    printf("p + quiet by GIN's headers, 1 dirty PE: of %d %.1f ns, of %d %.1f ns, ratio %.2f (goal <= 1.2: %s)\n", FEW, of_few,
           PES, of_many, of_many / of_few, of_many <= 1.2 * of_few ? "met" : "missed");
    return 0;
}
