/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Out-of-band offset allocator: hands out ranges of [0, size) without touching the memory they stand for, so the same
 * code serves host and device heaps. Deterministic: the same calls give the same offsets on every PE.
 * malloc and free take constant time. Not thread safe: the caller serialises (allocation is collective anyway).
 */
#ifndef GS_ALLOC_H
#define GS_ALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Smallest unit and least alignment, bytes. */
enum { GS_ALLOC_GRANULE = 64 };
#define GS_ALLOC_FAIL SIZE_MAX

struct gs_alloc;

/* size is in bytes, a multiple of GS_ALLOC_GRANULE. NULL: no memory for the bookkeeping. */
struct gs_alloc *gs_alloc_create(size_t size);
void gs_alloc_destroy(struct gs_alloc *a);

/* Offset of a block of at least bytes (> 0), aligned to align (a power of two; less than the granule acts as the
 * granule); GS_ALLOC_FAIL when there is no room. */
size_t gs_alloc_get(struct gs_alloc *a, size_t bytes, size_t align);
/* False, and nothing changed, when offset is not the start of a live block. */
bool gs_alloc_put(struct gs_alloc *a, size_t offset);
/* Bytes asked for at gs_alloc_get for the live block that starts at offset; 0 when none does. */
size_t gs_alloc_size(const struct gs_alloc *a, size_t offset);
/* Resizes in place where possible, keeping the start; false (nothing changed) when the block must move. */
bool gs_alloc_resize(struct gs_alloc *a, size_t offset, size_t bytes);
/* Finds the live block that contains offset: its start and the bytes asked for. False when none does. Not constant time. */
bool gs_alloc_find(const struct gs_alloc *a, size_t offset, size_t *start, size_t *bytes);

/* Is every granule of [offset, offset+len) that the ends fall in part of a live block? Looks only at the first and the
 * last granule, through a bitmap: cheap enough for every RMA call. Inline so that it costs a load or two. */
struct gs_alloc_live { const uint64_t *bits; };
struct gs_alloc_live gs_alloc_live_bits(const struct gs_alloc *a);
static inline bool gs_alloc_is_live(struct gs_alloc_live l, size_t offset)
{
    size_t g = offset / GS_ALLOC_GRANULE;
    return (l.bits[g / 64] >> (g % 64)) & 1;
}

struct gs_alloc_stats { size_t size, used, peak, largest_free, blocks; };
struct gs_alloc_stats gs_alloc_stats(const struct gs_alloc *a);

#endif
