/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups of PEs and how they synchronise. A group is a team, or the active set of a deprecated collective; collectives
 * are written over groups and know nothing else.
 */
#ifndef GS_SYNC_H
#define GS_SYNC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/far.h"
#include "core/fence.h"
#include "core/job.h"
#include "core/sys.h"

struct gs_group {
    int n, me;         /* members, and this PE's rank among them */
    int start, stride; /* world PE of rank r: start + r * stride, unless pes is set */
    const int *pes;
    int slot;          /* index of the team's words in the system segment; -1: an active set, which has psync */
    long *psync;       /* SHMEM_SYNC_SIZE symmetric longs that are SHMEM_SYNC_VALUE between calls */
    uint64_t epoch;    /* barriers entered */
    uint64_t mails;    /* flat exchanges entered */
    bool spread;       /* has members on several nodes; then, of a team: */
    int locals;        /* members on this node */
    int leader;        /* the first of them */
    int place, nleaders, *leaders; /* of all nodes in the order of their first members; place: of ours. Owned. */
};

static inline int gs_group_pe(const struct gs_group *g, int rank)
{
    return g->pes ? g->pes[rank] : g->start + rank * g->stride;
}

static inline struct gs_slot *gs_group_slot(const struct gs_group *g, int rank)
{
    return &((struct gs_sys *)gs.peer[gs_group_pe(g, rank)].sys)->team[g->slot];
}

/* Once the members are known: finds out about nodes. 0, or nonzero and logged. */
int gs_group_look(struct gs_group *g);
/* Frees what that took. */
void gs_group_forget(struct gs_group *g);

/* Returns when every member has entered. What members stored before is visible behind it. */
void gs_group_sync(struct gs_group *g);
/* The last sync of a team: the same, and behind it nobody reads or writes another member's words any more. */
void gs_group_part(struct gs_group *g);

/* Completes this PE's outstanding operations. On shared memory they are done, and must only be ordered before whatever
 * this PE does next, loads included; copies of a device heap, or to other nodes, may still be under way. */
static inline void gs_complete(void)
{
    if (!gs_direct())
        gs_complete_elsewhere();
    gs_fence(memory_order_seq_cst);
}

static inline void gs_group_barrier(struct gs_group *g)
{
    gs_complete();
    gs_group_sync(g);
}

/* The end of a collective, behind which this PE's source may be written, and every dest is complete. */
static inline void gs_group_end(struct gs_group *g)
{
    if (gs_unlikely(g->spread))
        gs_complete();
    gs_group_sync(g);
}

void gs_barrier_world(void);

/*
 * Flat exchange: every member sends each other one message of at most GS_MAIL_BYTES, in one step and without a barrier.
 * Every member must send to and receive from all others. Two mails by turns are enough: whoever is one exchange ahead
 * has heard from everybody that they were done with the last but one.
 */
static inline bool gs_flat_fits(const struct gs_group *g, size_t bytes)
{
    return g->slot >= 0 && g->n <= GS_FLAT_MAX && bytes <= GS_MAIL_BYTES;
}
static inline void gs_flat_begin(struct gs_group *g)
{
    g->mails++;
}
void gs_flat_send(const struct gs_group *g, int to, const void *data, size_t bytes);
/* The message from rank from; valid until the next exchange begins. */
const void *gs_flat_receive(const struct gs_group *g, int from);

#endif
