/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What kernels know of NCCL's GIN: src/transport/nccl/gin.cc fills it, fabric_gin.h works with it. All of it is device
 * memory of this PE alone, but for the staging room, which is part of window 0. Valid as C11 and C++17; no type of
 * NCCL's. Belongs to state.h's GIN_SHMEM_DEVICE_ABI.
 */
#ifndef GIN_SHMEM_GIN_STATE_H
#define GIN_SHMEM_GIN_STATE_H

#include "state.h"

/*
 * A context has GIN_SHMEM_GIN_SLOTS slots, and a counter of NCCL's for each, of the same number. A slot belongs to the
 * thread that holds its lock; each operation that it posts with the slot's counter makes the counter grow by one when it
 * is complete here, so the slot is at rest when the counter has reached `posted`. The first ones are for threads that
 * wait for their own operation, the others have room to stage what is put: that thread does not wait, the next one does.
 */
enum {
    GIN_SHMEM_GIN_CONTEXTS = 8, /* at most */

    GIN_SHMEM_GIN_QUIET = 0, /* the slot of the thread that quiets all; no room */
    GIN_SHMEM_GIN_WAIT = 1,  /* no room */
    GIN_SHMEM_GIN_WAITS = 47,
    GIN_SHMEM_GIN_SMALL = GIN_SHMEM_GIN_WAIT + GIN_SHMEM_GIN_WAITS,
    GIN_SHMEM_GIN_SMALLS = 192,
    GIN_SHMEM_GIN_BIG = GIN_SHMEM_GIN_SMALL + GIN_SHMEM_GIN_SMALLS,
    GIN_SHMEM_GIN_BIGS = 16,
    GIN_SHMEM_GIN_SLOTS = GIN_SHMEM_GIN_BIG + GIN_SHMEM_GIN_BIGS,

    GIN_SHMEM_GIN_SMALL_BYTES = 512,
    GIN_SHMEM_GIN_BIG_BYTES = 32768,
    /* Before the rooms of all contexts: a word that is put, and one that it is put to, when there is nothing to put. */
    GIN_SHMEM_GIN_NOTHING_BYTES = 64,

    GIN_SHMEM_GIN_SIGNAL = 0, /* NCCL's signal that nobody reads */
    GIN_SHMEM_GIN_SIGNALS = 1,
};

/* Staging room in window 0, behind the system segment: per context, the small slots' and then the big ones'. */
GIN_SHMEM_HD uint64_t gin_shmem_gin_context_bytes(void)
{
    return (uint64_t)GIN_SHMEM_GIN_SMALLS * GIN_SHMEM_GIN_SMALL_BYTES +
           (uint64_t)GIN_SHMEM_GIN_BIGS * GIN_SHMEM_GIN_BIG_BYTES;
}
GIN_SHMEM_HD uint64_t gin_shmem_gin_room_bytes(uint32_t contexts)
{
    return contexts ? GIN_SHMEM_GIN_NOTHING_BYTES + contexts * gin_shmem_gin_context_bytes() : 0;
}
/* Of a slot with room. */
GIN_SHMEM_HD uint64_t gin_shmem_gin_room_at(uint32_t context, uint32_t slot)
{
    uint64_t at = GIN_SHMEM_GIN_NOTHING_BYTES + context * gin_shmem_gin_context_bytes();
    if (slot < GIN_SHMEM_GIN_BIG)
        return at + (uint64_t)(slot - GIN_SHMEM_GIN_SMALL) * GIN_SHMEM_GIN_SMALL_BYTES;
    return at + (uint64_t)GIN_SHMEM_GIN_SMALLS * GIN_SHMEM_GIN_SMALL_BYTES +
           (uint64_t)(slot - GIN_SHMEM_GIN_BIG) * GIN_SHMEM_GIN_BIG_BYTES;
}

/* posted: what the counter shows when all that was posted is complete. Nobody knows where counters begin, so the
 * slot's first owner takes what is there. */
#define GIN_SHMEM_GIN_UNKNOWN (~(uint64_t)0)

struct gin_shmem_gin_slot {
    uint32_t lock, pad;
    uint64_t posted;
};

/* A pair of a context and a PE. */
enum gin_shmem_gin_pair {
    GIN_SHMEM_GIN_CLEAN = 0,
    GIN_SHMEM_GIN_LISTING = 1, /* about to be DIRTY: a thread is putting it into the list */
    GIN_SHMEM_GIN_DIRTY = 2,   /* written to, and in the list */
};

/* The list of dirty pairs is a ring, whose positions only grow: head <= taken <= tail. Pairs before head are quiet;
 * those up to taken are being made so by the thread that has the lock. */
struct gin_shmem_gin_book {
    uint64_t tail;
    uint64_t pad0[15];
    uint64_t head, taken;
    uint32_t lock, pad1;
    uint64_t pad2[13];
    uint32_t turn[GIN_SHMEM_GIN_CONTEXTS][4]; /* which slot to try next: of those that wait, small, big */
};

enum gin_shmem_gin_flags {
    GIN_SHMEM_GIN_ADDS = 1, /* signals may be added with NCCL's VA signals: nobody else updates the words */
};

struct gin_shmem_gin {
    int32_t nccl;   /* NCCL_VERSION_CODE that the library was compiled with; kernels need the same headers */
    uint32_t flags; /* enum gin_shmem_gin_flags */
    uint32_t contexts, n;
    uint32_t ring_mask;               /* the ring has so many entries and one, at least contexts * n */
    uint32_t room;                    /* the staging room's offset in window 0 */
    const int32_t *rank;              /* NCCL's rank by PE; NULL: the same */
    uint32_t *pairs;                  /* [contexts][n], enum gin_shmem_gin_pair */
    uint32_t *ring;                   /* number of the pair and one; 0: not written yet */
    struct gin_shmem_gin_slot *slots; /* [contexts][GIN_SHMEM_GIN_SLOTS] */
    struct gin_shmem_gin_book *book;
};

#endif
