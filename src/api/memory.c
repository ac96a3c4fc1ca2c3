/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory management: OpenSHMEM 1.6 section 9.3. */
#include "api/entry.h"
#include "coll/heap.h"
#include "core/log.h"
#include "core/job.h"

void *pshmem_malloc(size_t size)
{
    gs_need_up("shmem_malloc");
    return gs_heap_malloc("shmem_malloc", size, 1, 0);
}
GS_ALIAS(shmem_malloc)

void pshmem_free(void *ptr)
{
    gs_need_up("shmem_free");
    gs_heap_free("shmem_free", ptr);
}
GS_ALIAS(shmem_free)

void *pshmem_realloc(void *ptr, size_t size)
{
    gs_need_up("shmem_realloc");
    return gs_heap_realloc("shmem_realloc", ptr, size);
}
GS_ALIAS(shmem_realloc)

void *pshmem_align(size_t alignment, size_t size)
{
    gs_need_up("shmem_align");
    if (alignment % sizeof(void *) || (alignment & (alignment - 1)) || alignment == 0)
        gs_die("shmem_align", "alignment %zu is not a power of two and a multiple of %zu", alignment, sizeof(void *));
    return gs_heap_malloc("shmem_align", size, alignment, 0);
}
GS_ALIAS(shmem_align)

void *pshmem_malloc_with_hints(size_t size, long hints)
{
    gs_need_up("shmem_malloc_with_hints");
    return gs_heap_malloc("shmem_malloc_with_hints", size, 1, hints);
}
GS_ALIAS(shmem_malloc_with_hints)

void *pshmem_calloc(size_t count, size_t size)
{
    gs_need_up("shmem_calloc");
    return gs_heap_calloc("shmem_calloc", count, size);
}
GS_ALIAS(shmem_calloc)

/* Deprecated names. */
void *pshmalloc(size_t size)
{
    return pshmem_malloc(size);
}
GS_ALIAS(shmalloc)

void pshfree(void *ptr)
{
    pshmem_free(ptr);
}
GS_ALIAS(shfree)

void *pshrealloc(void *ptr, size_t size)
{
    return pshmem_realloc(ptr, size);
}
GS_ALIAS(shrealloc)

void *pshmemalign(size_t alignment, size_t size)
{
    return pshmem_align(alignment, size);
}
GS_ALIAS(shmemalign)
