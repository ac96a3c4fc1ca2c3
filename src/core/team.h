/* SPDX-License-Identifier: BSD-3-Clause */
/* Teams and contexts: OpenSHMEM 1.6 sections 9.4 and 9.5. */
#ifndef GS_TEAM_H
#define GS_TEAM_H

#include <shmem.h>

#include "coll/sync.h"

struct gs_ctx;

/*
 * A team's handle is a number: its slot plus 1, and above GS_HANDLE_SLOT_BITS how often the slot has been given out, so
 * that a stale handle is recognised. The slot is the same on every member, so kernels can use a handle too.
 */
enum { GS_HANDLE_SLOT_BITS = 16 };

struct gs_team {
    shmem_team_t handle;
    struct gs_group g;
    shmem_team_config_t config;
    struct gs_ctx *contexts;  /* those made on it */
    int *pes;                 /* owned; NULL when start and stride say it all */
};

struct gs_ctx {
    unsigned magic;
    struct gs_team *team;
    long options;
    struct gs_ctx *prev, *next; /* on the team's list, or (next) among structs to use again */
};

extern struct gs_team gs_team_world;

/* The predefined teams, once peers' memory is mapped. 0, or nonzero and logged. */
int gs_team_start(void);
/* Destroys every team and context, locally. */
void gs_team_stop(void);

/* The team a handle stands for; NULL for SHMEM_TEAM_INVALID; dies when the handle is neither. */
struct gs_team *gs_team_get(const char *fn, shmem_team_t team);
/* The same where the invalid team is no legal argument: dies. */
struct gs_team *gs_team_need(const char *fn, shmem_team_t team);
/* The team that this PE has in a slot, or NULL. */
const struct gs_team *gs_team_in_slot(int slot);
/* SHMEM_TEAM_INVALID for NULL. */
shmem_team_t gs_team_handle(const struct gs_team *t);
/* Rank of world PE pe in t, or -1. */
int gs_team_rank(const struct gs_team *t, int pe);

/* The calls of the standard, arguments unchecked but for the handles. */
int gs_team_split_strided(const char *fn, shmem_team_t parent, int start, int stride, int size,
                          const shmem_team_config_t *config, long mask, shmem_team_t *out);
int gs_team_split_2d(const char *fn, shmem_team_t parent, int xrange, const shmem_team_config_t *xconfig, long xmask,
                     shmem_team_t *xteam, const shmem_team_config_t *yconfig, long ymask, shmem_team_t *yteam);
void gs_team_destroy(const char *fn, shmem_team_t team);

int gs_ctx_create(struct gs_team *t, long options, shmem_ctx_t *out);
/* A context for kernels (SHMEM_DEVICE_CTX). */
int gs_ctx_create_device(const char *fn, struct gs_team *t, shmem_ctx_t *out);
void gs_ctx_destroy(const char *fn, shmem_ctx_t ctx);
/* The team of a context that is not SHMEM_CTX_INVALID; dies when the handle is not a context. */
struct gs_team *gs_ctx_team(const char *fn, shmem_ctx_t ctx);
/* The same for contexts of kernels too. */
struct gs_team *gs_ctx_team_any(const char *fn, shmem_ctx_t ctx);

/* World number of PE pe of ctx; dies when pe is not in its team. The default context's PEs are checked later, with the
 * address. */
int gs_ctx_pe_slow(const char *fn, shmem_ctx_t ctx, int pe);
static inline int gs_ctx_pe(const char *fn, shmem_ctx_t ctx, int pe)
{
    return gs_likely(ctx == SHMEM_CTX_DEFAULT) ? pe : gs_ctx_pe_slow(fn, ctx, pe);
}

#endif
