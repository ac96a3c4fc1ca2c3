/* SPDX-License-Identifier: BSD-3-Clause */
#include "heap/addr.h"

#include "core/log.h"
#include "heap/pool.h"
#include "transport/device.h"

enum gs_region gs_addr_region(const void *addr, size_t *offset)
{
    size_t off = (uintptr_t)addr - gs.heap_base;
    if (off < gs.heap_size) {
        *offset = off;
        return GS_REGION_HEAP;
    }
    off = (uintptr_t)addr - gs.data_base;
    if (off < gs.data_size) {
        *offset = off;
        return GS_REGION_DATA;
    }
    off = (uintptr_t)addr - gs.dev_base;
    if (off < gs.dev_span) {
        *offset = off;
        return GS_REGION_DEVICE;
    }
    return GS_REGION_NONE;
}

static _Noreturn void die_in_heap(const char *fn, const char *arg, const void *addr, size_t off, size_t len)
{
    if (!gs_alloc_is_live(gs.live, off))
        gs_die(fn, "%s %p (heap offset %zu) is not allocated: it was freed, or never came from shmem_malloc", arg, addr,
               off);
    gs_die(fn, "%s %p with %zu bytes runs past the end of %s: pass a smaller count, or allocate more", arg, addr, len,
           len > gs.heap_size - off ? "the symmetric heap" : "its allocation");
}

static void *on_device(const char *fn, const char *arg, const void *addr, size_t len, int pe)
{
    const struct gs_pool *pool = gs_pool_of(addr);
    size_t off = pool ? (uintptr_t)addr - (uintptr_t)pool->base : 0;
    if (gs.check) {
        struct gs_alloc_live live = pool ? gs_alloc_live_bits(pool->alloc) : (struct gs_alloc_live){NULL, NULL};
        if (!pool || !gs_alloc_is_live(live, off))
            gs_die(fn, "%s %p (device heap) is not allocated: it was freed, or never came from shmem_malloc", arg, addr);
        if (len > pool->size - off || (len > 1 && !gs_alloc_is_live(live, off + len - 1)))
            gs_die(fn, "%s %p with %zu bytes runs past the end of its allocation in the device heap: pass a smaller "
                   "count, or allocate more", arg, addr, len);
    }
    if (!gs.dev->serves(pe))
        gs_die(fn, "%s %p: the device heap of PE %d is not reachable by load and store from here", arg, addr, pe);
    return (char *)(uintptr_t)addr + gs.dev->delta(pe);
}

void *gs_remote_slow(const char *fn, const char *arg, const void *addr, size_t len, int pe)
{
    size_t off = (uintptr_t)addr - gs.heap_base;
    if (gs_likely(off < gs.heap_size && len - 1 < gs.heap_size - off && (unsigned)pe < (unsigned)gs.n &&
                  gs_alloc_is_live(gs.live, off) && gs_alloc_is_live(gs.live, off + len - 1)))
        return gs.peer[pe].heap + off;
    gs_need_up(fn);
    if ((unsigned)pe >= (unsigned)gs.n)
        gs_bad_pe(fn, pe, gs.n);
    if (len == 0)
        return (void *)(uintptr_t)addr;
    switch (gs_addr_region(addr, &off)) {
    case GS_REGION_HEAP:
        die_in_heap(fn, arg, addr, off, len);
    case GS_REGION_DATA:
        if (len > gs.data_size - off)
            gs_die(fn, "%s %p with %zu bytes runs past the end of the program's global variables: pass a smaller count",
                   arg, addr, len);
        if (pe == gs.me)
            return (void *)(uintptr_t)addr;
        return gs.peer[pe].data + off;
    case GS_REGION_DEVICE:
        return on_device(fn, arg, addr, len, pe);
    case GS_REGION_NONE:
        break;
    }
    gs_die(fn,
           "%s %p is not symmetric (it is neither in the heap nor a global variable of the executable): "
           "allocate it with shmem_malloc, or make it global or static%s",
           arg, addr, gs.data_size ? "" : "; globals are not symmetric in this job (see GIN_SHMEM_SYMMETRIC_DATA)");
}

struct gs_sym gs_symmetric(const char *fn, const char *arg, const void *addr, size_t len)
{
    struct gs_sym s = {GS_REGION_NONE, 0};
    (void)gs_remote(fn, arg, addr, len, gs.me);
    s.region = gs_addr_region(addr, &s.offset);
    return s;
}

char *gs_sym_on_device(struct gs_sym s, int pe)
{
    return (char *)gs.dev_base + s.offset + gs.dev->delta(pe);
}
