/* SPDX-License-Identifier: BSD-3-Clause */
#include "heap/addr.h"

#include "core/log.h"

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

void *gs_remote_slow(const char *fn, const char *arg, const void *addr, size_t len, int pe)
{
    gs_need_up(fn);
    if ((unsigned)pe >= (unsigned)gs.n)
        gs_bad_pe(fn, pe, gs.n);
    size_t off = 0;
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
