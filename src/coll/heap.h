/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The symmetric heap: collective allocation over the offset allocator. Every PE makes the same calls in the same order,
 * so every PE gets the same offsets; with GIN_SHMEM_CHECK the calls are compared.
 */
#ifndef GS_COLL_HEAP_H
#define GS_COLL_HEAP_H

#include <stddef.h>

#include "heap/pool.h"

/* The memory of one PE: a memfd of heap bytes and sys bytes behind them. -1, logged, when there is none. */
int gs_heap_make_fd(size_t heap, size_t sys);
/* Starts allocating from a host heap of size bytes at base. 0, or nonzero and logged. */
int gs_heap_start(char *base, size_t size);
void gs_heap_stop(void);

/* The calls below are collective over all PEs and return with a barrier behind them (free: enter with one before), as
 * OpenSHMEM 1.6 section 9.3 has it. align: a power of two. NULL on every PE when the heap is exhausted. */
void *gs_heap_malloc(const char *fn, enum gs_kind kind, size_t bytes, size_t align);
void *gs_heap_calloc(const char *fn, enum gs_kind kind, size_t count, size_t size);
/* kind is for a NULL p; otherwise the block keeps its kind. */
void *gs_heap_realloc(const char *fn, enum gs_kind kind, void *p, size_t bytes);
void gs_heap_free(const char *fn, void *p);

#endif
