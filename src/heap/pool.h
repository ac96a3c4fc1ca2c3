/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The symmetric heap's pools: ranges of symmetric memory, each with an allocator of its own. Pool 0 is the host heap; a
 * device heap is one pool per window, added as it grows. The same pools in the same order on every PE.
 */
#ifndef GS_POOL_H
#define GS_POOL_H

#include <stdbool.h>
#include <stddef.h>

#include "heap/alloc.h"

enum gs_kind { GS_KIND_HOST, GS_KIND_DEVICE, GS_KIND_ADOPTED };

struct gs_pool {
    enum gs_kind kind;
    char *base;  /* this PE's copy */
    size_t size; /* bytes */
    struct gs_alloc *alloc;
};

enum { GS_POOLS_MAX = 64 };

/* Adds a pool; NULL, logged, when there is no memory for its bookkeeping or no room in the table. */
struct gs_pool *gs_pool_add(enum gs_kind kind, char *base, size_t size);
/* Takes the last one back, and all. */
void gs_pool_drop(void);
void gs_pool_clear(void);

struct gs_pool *gs_pool_at(int i);
int gs_pool_count(void);
/* The pool that addr lies in, or NULL. */
struct gs_pool *gs_pool_of(const void *addr);

/* The block of the first pool of this kind that has room, or NULL. align: a power of two. */
void *gs_pool_get(enum gs_kind kind, size_t bytes, size_t align);

#endif
