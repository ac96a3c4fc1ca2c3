/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Out-of-band offset allocator: hands out ranges of [0, size) without touching the memory they stand for, so the same
 * code serves host and device heaps. Deterministic: the same calls give the same offsets on every PE.
 * Not thread safe: the caller serialises (allocation is collective anyway); only gs_alloc_is_live may run beside the
 * other calls, and is then right about blocks that those do not touch.
 *
 * malloc and free take constant time, but for the live bitmap (one store for every 256 KiB of the block) and for a
 * request that fits no size class with certainty: then the free blocks that might hold it are looked through, so that
 * a request fails only when no free block can hold it.
 */
#ifndef GS_ALLOC_H
#define GS_ALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Smallest unit and least alignment, bytes. */
enum { GS_ALLOC_GRANULE = 64 };
#define GS_ALLOC_FAIL SIZE_MAX
#define GS_ALLOC_MAX  ((size_t)1 << 48)

struct gs_alloc;

/* size is in bytes, a multiple of GS_ALLOC_GRANULE, at most GS_ALLOC_MAX; 0 makes an allocator that is always full.
 * NULL: no memory for the bookkeeping, or a bad size. */
struct gs_alloc *gs_alloc_create(size_t size);
void gs_alloc_destroy(struct gs_alloc *a);

/* Offset of a block of at least bytes (> 0), aligned to align (a power of two; less than the granule acts as the
 * granule); GS_ALLOC_FAIL when there is no room. The alignment is that of the offset: offset 0 must be aligned as well
 * for the address to be. */
size_t gs_alloc_get(struct gs_alloc *a, size_t bytes, size_t align);
/* False, and nothing changed, when offset is not the start of a live block. */
bool gs_alloc_put(struct gs_alloc *a, size_t offset);
/* Bytes asked for at gs_alloc_get (or the last resize) for the live block that starts at offset; 0 when none does. */
size_t gs_alloc_size(const struct gs_alloc *a, size_t offset);
/* Resizes in place where possible, keeping the start; false (nothing changed) when the block must move, when offset is
 * not the start of a live block, or when bytes is 0. Shrinking always works. */
bool gs_alloc_resize(struct gs_alloc *a, size_t offset, size_t bytes);
/* Finds the live block that contains offset: its start and the bytes asked for. False when none does. An offset past
 * the bytes asked for but within the last granule belongs to the block. Takes time with the number of blocks: for
 * messages, not for every call. */
bool gs_alloc_find(const struct gs_alloc *a, size_t offset, size_t *start, size_t *bytes);

/* Which granules belong to live blocks. Two bitmaps, so that a large block costs few bits: a 4 KiB chunk that lies
 * wholly in one block has its bit in chunks, and none in granules. The pointers stay valid until gs_alloc_destroy. */
struct gs_alloc_live {
    const uint64_t *granules, *chunks;
};
struct gs_alloc_live gs_alloc_live_bits(const struct gs_alloc *a);

/* Is the granule that offset (< size, which is not checked) falls in part of a live block? A load or two: cheap enough
 * for every RMA call, which asks for the first and the last byte of its range. */
static inline __attribute__((always_inline)) bool gs_alloc_is_live(struct gs_alloc_live l, size_t offset)
{
    size_t g = offset / GS_ALLOC_GRANULE, c = g / 64;
    if ((__atomic_load_n(&l.chunks[c / 64], __ATOMIC_RELAXED) >> (c % 64)) & 1)
        return true;
    return (__atomic_load_n(&l.granules[c], __ATOMIC_RELAXED) >> (g % 64)) & 1;
}

/* In bytes, in whole granules; blocks counts live ones. largest_free is what one gs_alloc_get may still get. */
struct gs_alloc_stats {
    size_t size, used, peak, largest_free, blocks;
};
struct gs_alloc_stats gs_alloc_stats(const struct gs_alloc *a);

#endif
