/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Symmetric addresses: from an address of this PE to a pointer that reaches the same object on another.
 */
#ifndef GS_ADDR_H
#define GS_ADDR_H

#include "core/job.h"

/* What an address belongs to. */
enum gs_region { GS_REGION_NONE, GS_REGION_HEAP, GS_REGION_DATA, GS_REGION_DEVICE };

/* Region of addr and its offset there; no checks beyond the region's bounds. */
enum gs_region gs_addr_region(const void *addr, size_t *offset);

/* The long way round: ranges longer than a granule, global variables, the device heap, and every error with its
 * message. */
void *gs_remote_slow(const char *fn, const char *arg, const void *addr, size_t len, int pe);

/* Pointer in this process to [addr, addr+len) of PE pe (world numbering); dies with a message that names fn and arg when
 * pe or the address is not usable. With len 0 only pe matters: there is nothing to reach.
 * Always inline, and with one look at the bitmaps, for a small put or get takes no longer than a call or two. */
static inline __attribute__((always_inline)) void *gs_remote(const char *fn, const char *arg, const void *addr,
                                                             size_t len, int pe)
{
    size_t off = (uintptr_t)addr - gs.heap_base;
    if (gs_likely(off < gs.heap_size && len - 1 < gs.heap_size - off && (unsigned)pe < (unsigned)gs.n)) {
        if (!gs.check)
            return gs.peer[pe].heap + off;
        if (gs_likely(off % GS_ALLOC_GRANULE + len <= GS_ALLOC_GRANULE && gs_alloc_is_live(gs.live, off)))
            return gs.peer[pe].heap + off;
    }
    return gs_remote_slow(fn, arg, addr, len, pe);
}

/* Dies unless [addr, addr+len) is symmetric here; for the arguments that are used locally (wait variables, locks). */
static inline void gs_check_local(const char *fn, const char *arg, const void *addr, size_t len)
{
    if (gs_likely(gs.check) || gs_unlikely(!gs.depth))
        (void)gs_remote(fn, arg, addr, len, gs.me);
}

/* A symmetric object, looked up once and then reached on any PE. */
struct gs_sym {
    enum gs_region region;
    size_t offset;
};

/* [addr, addr+len) as a symmetric object; dies as gs_remote does when it is none. */
struct gs_sym gs_symmetric(const char *fn, const char *arg, const void *addr, size_t len);

char *gs_sym_on_device(struct gs_sym s, int pe);

static inline char *gs_sym_at(struct gs_sym s, int pe)
{
    if (gs_unlikely(s.region == GS_REGION_DEVICE))
        return gs_sym_on_device(s, pe);
    return (s.region == GS_REGION_HEAP ? gs.peer[pe].heap : gs.peer[pe].data) + s.offset;
}

/* count * size in bytes; SIZE_MAX, which no region holds, when it overflows. */
static inline size_t gs_bytes(size_t count, size_t size)
{
    size_t bytes;
    return gs_unlikely(__builtin_mul_overflow(count, size, &bytes)) ? SIZE_MAX : bytes;
}

#endif
