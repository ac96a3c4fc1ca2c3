/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels on the CPU: what a kernel's thread sees of the machine in libginshmem_cpu that runs it. Valid as C11 and
 * C++17. A thread of a kernel is a fibre; a block's fibres share one host thread from the block's beginning to its end,
 * so thread-local storage of the host thread is the block's. Fibres change only inside the functions below.
 */
#ifndef GIN_SHMEM_CPU_THREAD_H
#define GIN_SHMEM_CPU_THREAD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct gin_shmem_cpu_dim {
    unsigned x, y, z;
};

struct gin_shmem_cpu_thread {
    struct gin_shmem_cpu_dim thread, block, block_dim, grid_dim;
    unsigned rank;         /* in the block */
    unsigned char *shared; /* dynamic shared memory of the block */
    size_t shared_bytes;
    void *stores; /* the simulator's store buffer of this thread; NULL: stores go straight to memory */
};

/* The running thread. Outside kernels: a block of one thread, alone in its grid, without shared memory. */
extern __thread struct gin_shmem_cpu_thread *gin_shmem_cpu_self;

/* Lets other threads of the block run, and other blocks when none of it gets on. polls: how often this wait has called
 * before; 0 tells that the thread got on. Outside kernels: lets other host threads run. */
void gin_shmem_cpu_yield(unsigned polls);

/* A program may wait in a loop of its own, polling with atomics or tests: every so many of those let others run. */
extern __thread unsigned gin_shmem_cpu_ticks;
static inline void gin_shmem_cpu_tick(void)
{
    if ((++gin_shmem_cpu_ticks & 63) == 0)
        gin_shmem_cpu_yield(gin_shmem_cpu_ticks);
}

/* All threads of the block; the warp's lanes in mask; all blocks of the grid. what names the call for a message, should
 * some never come. */
void gin_shmem_cpu_sync_block(const char *what);
void gin_shmem_cpu_sync_warp(unsigned mask, const char *what);
void gin_shmem_cpu_sync_grid(void);
/* All lanes in mask call it: gives the value that lane `from` passed (one's own, when it is not in mask). */
uint64_t gin_shmem_cpu_shuffle(unsigned mask, uint64_t value, unsigned from, const char *what);
/* The lanes in mask that passed true. Of the block: how many threads did. */
unsigned gin_shmem_cpu_ballot(unsigned mask, int predicate, const char *what);
unsigned gin_shmem_cpu_count(int predicate, const char *what);

/* Ends the kernel: every later call of the runtime fails. */
__attribute__((noreturn)) void gin_shmem_cpu_trap(void);

/* A kernel as launches see it: call(fn, args) calls fn with the values that args point to. */
struct gin_shmem_cpu_kernel {
    void (*call)(const void *fn, void *const *args);
    unsigned nargs;
    const uint32_t *arg_bytes, *arg_align;
};

#ifdef __cplusplus
}
#endif

#endif
