/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The agent: one thread of a PE's process that performs what the PE's kernels ask of far PEs, by requests in a ring in
 * host memory (device/gin_shmem/agent.h), and for other PEs' agents what they ask of this one. Part of the device modules
 * (libginshmem_nccl, libginshmem_cpu): each gives it a machine, the few things that a GPU and a CPU do differently.
 *
 * Two ways lead to a far PE. Direct: its memory is mapped here (another GPU of this host, in a node of its own), so that
 * this agent's own queue copies there and changes words there. Messages: its agent gets them, through the core, from
 * libginshmem_ucx, and performs them in its queue. On either way what goes to one PE is performed in the order in which
 * it was asked for, but for gets: so a fence has nothing to do.
 *
 * Nothing here waits for the program, or for a kernel.
 */
#ifndef GS_AGENT_H
#define GS_AGENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "transport/device.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gin_shmem_agent;
struct gin_shmem_state;

/* Called by the agent's thread, but for pinned and unpin. Nonzero: it failed, and said why. */
struct gs_agent_machine {
    const struct gs_device_core *core;
    const struct gin_shmem_state *state; /* of which the reach of both heaps is used, now and later */
    /* Host memory, zeroed, that kernels and the queue reach at the same address; NULL, logged. */
    void *(*pinned)(size_t bytes);
    void (*unpin)(void *p);
    uint64_t *words; /* GIN_SHMEM_AGENT_WORDS, zeroed, in memory of the device */
    int (*thread_begins)(void);
    /* Where the object at pe lies of which p is this PE's; NULL: not mapped here. */
    void *(*reach)(int pe, const void *p);
    /* Into the machine's queue, which performs them one after the other; an aligned word of 8 bytes or less arrives
     * whole. Sources in memory that is not pinned have been read when copy returns. ready: from is host memory that
     * nothing in the queue changes, so it may be read now. op: enum gin_shmem_remote_op, on a word of 1, 2, 4 or 8 bytes,
     * atomic with everything that changes it. old: pinned, gets what was there; or NULL. */
    int (*copy)(void *to, const void *from, size_t bytes, bool ready);
    int (*amo)(int op, void *at, uint32_t bytes, uint64_t value, uint64_t cond, uint64_t *old);
    /* Everything queued so far is performed, and seen by all, when reached() has become n. Numbers rise. */
    int (*mark)(uint64_t n);
    uint64_t (*reached)(void);
    const char *blocked; /* why one of these calls might not return, and what to do, for a warning; NULL: none might */
};

/* Starts the thread. *shared: what kernels get, for the machine to hand on. Collective. 0, or -1 with the reason logged. */
int gs_agent_start(const struct gs_agent_machine *m, struct gin_shmem_agent *shared);
/* Performs what has been asked for, and ends the thread. No kernel runs, and no PE asks for anything any more. */
void gs_agent_stop(void);

/* Everything that this PE's kernels and the calls below have asked for so far is performed. Any thread of the program's. */
void gs_agent_quiet(void);

/* The same operations for the host, on PEs whose memory is not mapped here: dest of a put and source of a get are own
 * symmetric addresses; the other side is any memory of this process. They return when all is performed; an AMO without
 * old may return earlier, unless wait. */
void gs_agent_put(int pe, void *dest, const void *source, size_t bytes);
void gs_agent_get(int pe, void *dest, const void *source, size_t bytes);
void gs_agent_amo(int pe, int op, void *dest, uint32_t bytes, uint64_t value, uint64_t cond, uint64_t *old, bool wait);

#ifdef __cplusplus
}
#endif

#endif
