/* SPDX-License-Identifier: BSD-3-Clause */
#include "heap/pool.h"

#include "core/log.h"

static struct gs_pool pools[GS_POOLS_MAX];
static int count;

struct gs_pool *gs_pool_add(enum gs_kind kind, char *base, size_t size)
{
    if (count == GS_POOLS_MAX) {
        gs_error("the symmetric heap cannot grow a further time: it has %d pieces already; raise SHMEM_SYMMETRIC_SIZE", count);
        return NULL;
    }
    struct gs_alloc *alloc = gs_alloc_create(size);
    if (!alloc) {
        gs_error("no memory for the bookkeeping of a symmetric heap of %zu bytes: lower SHMEM_SYMMETRIC_SIZE", size);
        return NULL;
    }
    pools[count] = (struct gs_pool){.kind = kind, .base = base, .size = size, .alloc = alloc};
    return &pools[count++];
}

void gs_pool_drop(void)
{
    gs_alloc_destroy(pools[--count].alloc);
}

void gs_pool_clear(void)
{
    while (count)
        gs_pool_drop();
}

struct gs_pool *gs_pool_at(int i)
{
    return &pools[i];
}

int gs_pool_count(void)
{
    return count;
}

struct gs_pool *gs_pool_of(const void *addr)
{
    for (int i = 0; i < count; i++)
        if ((uintptr_t)addr - (uintptr_t)pools[i].base < pools[i].size)
            return &pools[i];
    return NULL;
}

void *gs_pool_get(enum gs_kind kind, size_t bytes, size_t align)
{
    for (int i = 0; i < count; i++) {
        if (pools[i].kind != kind)
            continue;
        size_t off = gs_alloc_get(pools[i].alloc, bytes, align);
        if (off != GS_ALLOC_FAIL)
            return pools[i].base + off;
    }
    return NULL;
}
