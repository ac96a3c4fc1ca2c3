/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory management: OpenSHMEM 1.6 section 9.3. */
#include <shmemx.h>

#include "api/entry.h"
#include "coll/heap.h"
#include "core/device.h"
#include "core/log.h"

void *pshmem_malloc(size_t size)
{
    gs_need_up("shmem_malloc");
    gs_device_ready("shmem_malloc");
    return gs_heap_malloc("shmem_malloc", gs_device_default_kind(), size, 1);
}
GS_ALIAS(shmem_malloc)

void pshmem_free(void *ptr)
{
    gs_need_up("shmem_free");
    gs_device_ready("shmem_free");
    gs_heap_free("shmem_free", ptr);
}
GS_ALIAS(shmem_free)

void *pshmem_realloc(void *ptr, size_t size)
{
    gs_need_up("shmem_realloc");
    gs_device_ready("shmem_realloc");
    return gs_heap_realloc("shmem_realloc", gs_device_default_kind(), ptr, size);
}
GS_ALIAS(shmem_realloc)

void *pshmem_align(size_t alignment, size_t size)
{
    gs_need_up("shmem_align");
    gs_device_ready("shmem_align");
    /* The standard wants a multiple of a pointer's size as well, but programs ask for less, and get more anyway. */
    if (alignment == 0 || (alignment & (alignment - 1)))
        gs_die("shmem_align", "alignment %zu is not a power of two", alignment);
    return gs_heap_malloc("shmem_align", gs_device_default_kind(), size, alignment);
}
GS_ALIAS(shmem_align)

#define DEVICE_HINTS (SHMEMX_MALLOC_DEVICE | SHMEM_DEVICE_MALLOC_HOST_INIT | SHMEM_DEVICE_MALLOC_KERNEL_INIT)

void *pshmem_malloc_with_hints(size_t size, long hints)
{
    gs_need_up("shmem_malloc_with_hints");
    gs_device_ready("shmem_malloc_with_hints");
    enum gs_kind kind = hints & SHMEMX_MALLOC_HOST     ? GS_KIND_HOST
                        : hints & DEVICE_HINTS         ? GS_KIND_DEVICE
                                                       : gs_device_default_kind();
    if (kind == GS_KIND_DEVICE)
        gs_device_need("shmem_malloc_with_hints");
    return gs_heap_malloc("shmem_malloc_with_hints", kind, size, 1);
}
GS_ALIAS(shmem_malloc_with_hints)

void *pshmem_calloc(size_t count, size_t size)
{
    gs_need_up("shmem_calloc");
    gs_device_ready("shmem_calloc");
    return gs_heap_calloc("shmem_calloc", gs_device_default_kind(), count, size);
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
