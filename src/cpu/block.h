/* SPDX-License-Identifier: BSD-3-Clause */
/* A block of a kernel while a host thread runs it, and the host thread that does (a runner). */
#ifndef GS_CPU_BLOCK_H
#define GS_CPU_BLOCK_H

#include <pthread.h>

#include "cpu/fibre.h"
#include "cpu/machine.h"

enum { GS_BLOCK_THREADS_MAX = 1024, GS_WARP = 32, GS_SHARED_MAX = 227 << 10 };

/* A kernel that has been launched. Blocks take its numbers in order; the last that ends completes it. */
struct gs_grid {
    struct gs_launch l;
    void **args;
    unsigned long long blocks, threads; /* how many, and of each block */
    unsigned helpers;                   /* runners at it beside the stream's own; under the pool's lock */
    unsigned long long seen;            /* blocks that had ended when the pool last looked */
    struct gs_grid *more;               /* in the pool's list of those with blocks that nobody has begun */
    bool listed;
    /* atomic from here on */
    unsigned long long next, ended;
    unsigned long long arrived; /* of the blocks, in the grid's barrier */
    unsigned generation;        /* of the barrier */
};

/* Why a thread does not run. */
enum gs_wait { GS_WAIT_NONE, GS_WAIT_TURN, GS_WAIT_BLOCK, GS_WAIT_WARP, GS_WAIT_ENDED };

/* A thread. */
struct gs_lane {
    struct gin_shmem_cpu_thread t; /* first: gin_shmem_cpu_self points here */
    struct gs_fibre fibre;
    struct gs_lane *next; /* in the queue of those that can run */
    enum gs_wait wait;
    const char *what; /* the call it waits in */
    /* in a meeting of the warp or the block: what it brings and gets */
    int kind;
    unsigned mask, from;
    uint64_t value;
};

struct gs_warp {
    unsigned waiting; /* lanes that have come */
};

struct gs_runner {
    struct gs_runner *next;
    pthread_t thread;
    pthread_cond_t wake;
    struct gs_grid *job;  /* a helper's, from the pool */
    struct gs_grid *grid; /* whose block it runs */

    /* the block that it runs */
    struct gs_fibre_home home;
    struct gs_lane *lanes; /* GS_BLOCK_THREADS_MAX of them */
    struct gs_lane *running;
    struct gs_lane *first, **last; /* those that can run */
    unsigned threads, started, ended, queued;
    unsigned at_barrier, count; /* threads in the block's barrier; how many of them with a true predicate */
    struct gs_warp warps[GS_BLOCK_THREADS_MAX / GS_WARP];
    struct gs_stack *spare; /* stacks of threads that have ended */
    struct gs_stack *used;  /* the same, not to be used again in this block */
    unsigned char *shared;
    size_t shared_bytes;
    /* no thread gets on: turns of threads in library waits since one did, and since when */
    unsigned idle, breaths;
    uint64_t idle_since;
    bool trapped;
    char order[4]; /* addresses for ThreadSanitizer: begin, end, barrier by turns */
    unsigned turn;
};

/* The runner of this host thread; NULL on other threads. */
extern __thread struct gs_runner *gs_runner_self;

/* Runs block number i of g from start to end. False: a kernel has trapped, here or elsewhere; nothing more is run. */
bool gs_block_run(struct gs_runner *r, struct gs_grid *g, unsigned long long i);

/* Ends the job: the thread, which runs, has overflowed its stack. */
__attribute__((noreturn)) void gs_block_overflowed(const struct gs_lane *l);

/* ---- machine.c ---- */
/* Ends the job: a message, then the module's abort, or the process. */
__attribute__((noreturn, format(printf, 1, 2))) void gs_machine_die(const char *fmt, ...);
/* A kernel has trapped. */
void gs_machine_trapped(void);
void gs_machine_thread_begins(struct gin_shmem_cpu_thread *t);
void gs_machine_thread_ended(struct gin_shmem_cpu_thread *t);
uint64_t gs_machine_ns(void);

/* ---- grid.c ---- */
/* No thread of the runner's block gets on: other blocks may have to run first. */
void gs_grid_stalls(struct gs_grid *g);
/* Runs a kernel to its end, or until one has trapped: then the grid must stay. */
void gs_grid_run(struct gs_grid *g);
/* The calling thread runs no more kernels. */
void gs_grid_thread_ends(void);

/* ---- name.c ---- */
/* The name of a function of the program, for messages, or its address. Gives buffer. */
const char *gs_function_name(const void *fn, char *buffer, size_t bytes);
/* Stack overflows of this runner's fibres are told of. */
void gs_overflow_watch(void);

#endif
