/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The system segment: the runtime's own symmetric words, at the end of each PE's heap file, behind what
 * shmem_malloc hands out. Its layout is part of what PEs must agree on: raise GS_ABI when it changes.
 */
#ifndef GS_SYS_H
#define GS_SYS_H

#include <stdatomic.h>
#include <stdint.h>

#include "core/watch.h"

enum {
    GS_ABI = 2,
    GS_LINE = 64,           /* cache line, bytes */
    GS_ROUNDS = 16,         /* of a dissemination barrier: up to 2^16 PEs */
    GS_FLAT_MAX = 8,        /* PEs of a team that may use the flat exchange */
    GS_MAIL_BYTES = 112,    /* payload of one mail: with its number, two cache lines */
    GS_SCRATCH_BYTES = 512, /* one bit per team that may exist, or a few words */
    GS_TEAMS_MAX = GS_SCRATCH_BYTES * 8,
};

#define GS_LINE_ALIGNED _Alignas(GS_LINE)

struct gs_flag {
    GS_LINE_ALIGNED _Atomic uint64_t v;
};

/* One PE's message to another in a flat exchange. */
struct gs_mail {
    _Alignas(128) _Atomic uint64_t seq;
    _Alignas(16) unsigned char data[GS_MAIL_BYTES]; /* elements of any type are combined in place */
};

/* Synchronisation words of one team on one PE. All counters only grow while the team lives. */
struct gs_slot {
    struct gs_flag arrive;            /* on rank 0: arrivals at the central barrier */
    struct gs_flag release;           /* on rank 0: the last epoch that everybody reached */
    struct gs_flag round[GS_ROUNDS];  /* dissemination: epoch reached by the partner of that round */
    struct gs_flag node[GS_ROUNDS];   /* the same between the leaders of nodes */
    GS_LINE_ALIGNED unsigned char scratch[GS_SCRATCH_BYTES]; /* read by the others between two barriers */
    struct gs_mail mail[2][GS_FLAT_MAX]; /* by parity of the exchange and by sender */
};

/* What each PE says of an allocation call, for the others to compare. */
struct gs_alloc_note {
    GS_LINE_ALIGNED uint64_t seq;
    char fn[24];
    uint64_t a, b;
};

struct gs_sys {
    GS_LINE_ALIGNED struct gs_watch_shared watch;
    struct gs_alloc_note note[2];                 /* by parity of the call */
    struct gs_slot team[];                        /* max_teams of them */
};

#endif
