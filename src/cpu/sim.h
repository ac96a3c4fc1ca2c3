/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The simulator: a network between nodes that oshrun --fake-nodes made, and the store buffers of a GPU's weak memory
 * model within a node. Both behave as badly as the rules allow, from GIN_SHMEM_SIM_SEED.
 *
 * The network carries out the remote operations of device/gin_shmem/fabric.h. Kernels post them; the delivery thread of
 * the PE's process performs them in the target's memory, which it has mapped. Modes (GIN_SHMEM_SIM_MODE):
 *   instant      at once, by the thread that posts; stores go straight to memory. No delivery thread
 *   random       every step (reading the source, each of up to 8 pieces, the signal, the acknowledgement) is delayed
 *   adversarial  nothing is done before somebody waits for it, or it has been held for milliseconds; what is waited for
 *                is done newest first, and last piece first
 *
 * Store buffers, one for each thread of a kernel, hold up to 16 of the library's own stores and reductions (atomic
 * operations that give nothing back) to memory of other PEs of the node, to the system segment and to the report.
 *   - Any may become visible first, but for those to the same bytes, which keep their order.
 *   - A thread sees its own: a load or a fetching atomic operation performs what it overlaps first. A fetching one acts at
 *     once, and orders nothing else.
 *   - A barrier of the block or the warp (__syncthreads, __syncwarp, those of the library; not shuffles and ballots) makes
 *     what each thread has stored or observed observed by all that meet; __threadfence_block, and a bay of lent memory
 *     that is given on, by the block. They perform nothing.
 *   - A fence of the library, a release and __threadfence_system perform what their thread has stored or observed. They
 *     are cumulative, then. A release store comes behind that, and is held back itself.
 *   - Held is a store until such a fence, the end of the block, or (random) some microseconds, (adversarial) 200 us in
 *     which threads wait, and then newest first; or until the buffer is full. A trap ends the block without.
 *   - In adversarial mode the host's thread looks at the report after each store there.
 * A step more than a GPU promises: __threadfence and a barrier of the grid perform all, as __threadfence_system does, since
 * other blocks have no place to observe from but memory; and order among stores to the same bytes holds for any two
 * threads of the block. Not modelled: loads, which are made at once and in order (ThreadSanitizer finds acquires that are
 * missing); and a program's own accesses: its stores through gin_shmem_ptr go straight to memory, and its loads there do
 * not see what its thread has put through the library and not fenced. More than 256 stores a block does not hold back.
 *
 * Bulk copies are a proxy of their own, to which ordinary accesses are carried by fences for proxies alone:
 *   - Global memory that copies of the block have read they read again as it was, until a thread of the block fences.
 *   - A thread that has not fenced since it stored to shared memory (before the loan; or mbarriers) may have stores there
 *     that come behind what a copy brings, which is lost. A fence is taken to cover its own thread's accesses to shared memory
 *     alone, as programs do it: PTX does not say in so many words that it is cumulative. Of global memory it has to cover
 *     what was observed as well, or one thread could not copy for a block.
 */
#ifndef GS_CPU_SIM_H
#define GS_CPU_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/log.h"

struct gin_shmem_cpu_thread;

struct gs_sim_config {
    int me, n;
    bool far; /* some PEs are out of reach: random is the default, else instant */
    /* pe's copy of own symmetric address p, as this process has it mapped; for every PE of the job. */
    void *(*peer)(const void *p, int pe);
    /* Is p memory of this PE's own heaps? Sources there are read late, and stores there are not buffered, since a program
     * reads them with loads of its own; but for stores to the system segment, which only the library reads. */
    bool (*own)(const void *p);
    const void *sys;
    size_t sys_bytes;
    int (*allgather)(const void *mine, size_t len, void *all); /* collective */
    /* The kernels' report, which the host's thread looks at now and then. */
    const void *report;
    size_t report_bytes;
    void (*look)(void);
    void (*log)(enum gs_level level, const char *fmt, ...);
    void (*die)(const char *fn, const char *fmt, ...);
};

/* Collective. 0, or -1 with the reason logged: a bad value in the environment. */
int gs_sim_start(const struct gs_sim_config *c);
/* Performs what is still on its way, and ends the delivery thread. Not collective, no kernel runs. */
void gs_sim_stop(void);

/* Everything that this PE's kernels have begun so far is performed at its target: for the host's quiet and barriers. */
void gs_sim_quiet(void);

/* What the machine calls for each thread of a kernel (gs_machine_thread_hooks). */
void gs_sim_thread_begins(struct gin_shmem_cpu_thread *t);
void gs_sim_thread_ended(struct gin_shmem_cpu_thread *t);

/* ---- between the simulator's files ---- */

enum gs_sim_mode { GS_SIM_INSTANT, GS_SIM_RANDOM, GS_SIM_ADVERSARIAL };

struct gs_sim {
    struct gs_sim_config c;
    enum gs_sim_mode mode;
    uint64_t seed; /* the job's, and this PE mixed in */
};
extern struct gs_sim gs_sim;

/* The next of a row of numbers that look random. */
static inline uint64_t gs_sim_next(uint64_t *row)
{
    uint64_t z = *row += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}
static inline unsigned gs_sim_below(uint64_t *row, unsigned n)
{
    return (unsigned)((gs_sim_next(row) >> 32) * n >> 32);
}

/* sim_word.cc: op (enum gin_shmem_remote_op) on a word of 1, 2, 4 or 8 bytes, which other PEs may be changing. Gives the
 * old value. */
uint64_t gs_sim_word(int op, void *at, uint32_t bytes, uint64_t value, uint64_t cond);
/* sim_op.c: words of the target arrive whole, behind all that this thread has done. */
void gs_sim_copy(unsigned char *to, const unsigned char *from, size_t bytes);
/* gs_sim_word, behind the same. */
uint64_t gs_sim_word_release(int op, void *at, uint32_t bytes, uint64_t value, uint64_t cond);

#endif
