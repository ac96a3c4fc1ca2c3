/* SPDX-License-Identifier: BSD-3-Clause */
/* The host routines of the draft GPU specification 0.1: memory of the device heap. */
#include "coll/heap.h"
#include "core/device.h"

#pragma GCC visibility push(default)
void *shmemg_malloc(size_t size);
void *shmemg_calloc(size_t count, size_t size);
void *shmemg_align(size_t alignment, size_t size);
void shmemg_free(void *ptr);
#pragma GCC visibility pop

void *shmemg_malloc(size_t size)
{
    gs_device_need("shmemg_malloc");
    return gs_heap_malloc("shmemg_malloc", GS_KIND_DEVICE, size, 1);
}

void *shmemg_calloc(size_t count, size_t size)
{
    gs_device_need("shmemg_calloc");
    return gs_heap_calloc("shmemg_calloc", GS_KIND_DEVICE, count, size);
}

void *shmemg_align(size_t alignment, size_t size)
{
    gs_device_need("shmemg_align");
    if (alignment % sizeof(void *) || (alignment & (alignment - 1)) || alignment == 0)
        gs_die("shmemg_align", "alignment %zu is not a power of two and a multiple of %zu", alignment, sizeof(void *));
    return gs_heap_malloc("shmemg_align", GS_KIND_DEVICE, size, alignment);
}

void shmemg_free(void *ptr)
{
    gs_device_need("shmemg_free");
    gs_heap_free("shmemg_free", ptr);
}
