/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels on the CPU: what a kernel's thread sees of the machine in libginshmem_cpu that runs it. Valid as C11 and
 * C++17. A thread of a kernel is a fibre; a block's fibres share one host thread from the block's beginning to its end,
 * so thread-local storage of the host thread is the block's. Fibres change only inside the functions below.
 */
#ifndef GIN_SHMEM_CPU_THREAD_H
#define GIN_SHMEM_CPU_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct gin_shmem_cpu_dim {
    unsigned x, y, z;
};

struct gin_shmem_cpu_bulk;

/*
 * The simulator's store buffer of the running thread: all that others know of it.
 *   store       takes a store (op: GIN_SHMEM_OP_SET) of 1 .. 16 bytes, or a reduction, for later, or gives 0
 *   load        performs what the thread has stored or observed that overlaps the range: before a load or an atomic
 *               operation there. bytes 0: the thread polls, and time passes
 *   fence       performs all that the thread has stored or observed
 *   share       the block observes what the thread has
 *   meet        the warp's lanes, or (warp -1u) all threads of the block, observe what any of them has
 *   bulk        makes a bulk copy
 *   bulk_fence  bulk copies see what the thread did to global memory, or else to shared memory
 *   bulk_touch  it stores to shared memory that it has fenced; all: that every thread has
 */
struct gin_shmem_cpu_stores {
    int (*store)(struct gin_shmem_cpu_stores *s, int op, void *p, const void *value, unsigned bytes);
    void (*load)(struct gin_shmem_cpu_stores *s, const void *p, unsigned bytes);
    void (*fence)(struct gin_shmem_cpu_stores *s);
    void (*share)(struct gin_shmem_cpu_stores *s);
    void (*meet)(struct gin_shmem_cpu_stores *s, unsigned warp, unsigned lanes);
    void (*bulk)(struct gin_shmem_cpu_stores *s, const struct gin_shmem_cpu_bulk *b);
    void (*bulk_fence)(struct gin_shmem_cpu_stores *s, int shared);
    void (*bulk_touch)(struct gin_shmem_cpu_stores *s, int all);
};

/* A bulk copy that has been asked for and not been made. */
struct gin_shmem_cpu_bulk {
    void *to;
    const void *from;
    uint64_t *bar; /* NULL: a store */
    uint32_t bytes;
};
enum { GIN_SHMEM_CPU_BULKS = 8 };

struct gin_shmem_cpu_thread {
    struct gin_shmem_cpu_dim thread, block, block_dim, grid_dim;
    unsigned rank;         /* in the block */
    bool fenced;           /* since it began: tests/pe-threads */
    unsigned char *shared; /* dynamic shared memory of the block */
    size_t shared_bytes;
    unsigned char *stack; /* lowest address of this thread's stack; NULL outside kernels */
    size_t stack_bytes;
    struct gin_shmem_cpu_stores *stores;                 /* NULL: stores go straight to memory */
    struct gin_shmem_cpu_bulk bulk[GIN_SHMEM_CPU_BULKS]; /* oldest first */
    unsigned bulks;
};

/* The running thread. Outside kernels: a block of one thread, alone in its grid, without shared memory. */
extern __thread struct gin_shmem_cpu_thread *gin_shmem_cpu_self;

/* Lets other threads of the block run, and other blocks when none of it gets on. polls: how often this wait has called
 * before; 0 tells that the thread got on. Outside kernels: lets other host threads run. */
void gin_shmem_cpu_yield(unsigned polls);

/* A program may wait in a loop of its own, polling with atomics or tests: every so many of those let others run. */
void gin_shmem_cpu_breathe(void);
extern __thread unsigned gin_shmem_cpu_ticks;
static inline void gin_shmem_cpu_tick(void)
{
    /* atomic for ThreadSanitizer alone: the block's threads share it */
    const unsigned ticks = __atomic_load_n(&gin_shmem_cpu_ticks, __ATOMIC_RELAXED) + 1;
    __atomic_store_n(&gin_shmem_cpu_ticks, ticks, __ATOMIC_RELAXED);
    if ((ticks & 63) == 0)
        gin_shmem_cpu_breathe();
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

/* A kernel as launches see it: call(fn, args) calls fn with the values that args point to, of the sizes arg_bytes. */
struct gin_shmem_cpu_kernel {
    void (*call)(const void *fn, void *const *args);
    unsigned nargs;
    const uint32_t *arg_bytes;
};

#ifdef __cplusplus
}
#endif

#endif
