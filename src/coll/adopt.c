/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll/adopt.h"

#include "coll/sync.h"
#include "core/device.h"
#include "core/log.h"
#include "heap/pool.h"

/* A pool of its own, all of it one block: so every check of addresses knows it, and no allocation is made in it. */
void *gs_heap_adopt(const char *fn, void *memory, size_t bytes)
{
    void *base;
    if (!memory || bytes == 0) {
        gs_error("%s: %zu bytes at %p are no buffer", fn, bytes, memory);
        return NULL;
    }
    if (gs.dev->window_adopt(memory, bytes, &base) != 0)
        return NULL;
    struct gs_pool *pool = gs_pool_add(GS_KIND_ADOPTED, base, bytes);
    if (!pool || gs_alloc_get(pool->alloc, bytes, 1) != 0)
        gs_die(fn, "no room for the books of %zu bytes", bytes); /* here alone, perhaps: nobody can go on */
    gs_barrier_world();
    return base;
}

int gs_heap_disown(const char *fn, void *p, size_t bytes)
{
    struct gs_pool *pool = gs_pool_of(p);
    if (!pool || pool->kind != GS_KIND_ADOPTED || pool->base != p || pool->size != bytes) {
        gs_error("%s: %zu bytes at %p are not what was registered: pass the address that the registration returned", fn,
                 bytes, p);
        return -1;
    }
    gs_barrier_world();
    pool->size = 0; /* its place stays, so that the pools are the same in every PE */
    gs.dev->window_release(p);
    return 0;
}
