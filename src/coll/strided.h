/* SPDX-License-Identifier: BSD-3-Clause */
/* Strided copies, shared by RMA (iput, iget, ibput, ibget) and alltoalls. Strides count elements. */
#ifndef GS_STRIDED_H
#define GS_STRIDED_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/far.h"
#include "heap/addr.h"

/* Dies unless both are at least 1. */
void gs_bad_strides(const char *fn, ptrdiff_t dst, ptrdiff_t sst) __attribute__((cold, noreturn));
static inline void gs_check_strides(const char *fn, ptrdiff_t dst, ptrdiff_t sst)
{
    if (gs_unlikely(dst < 1 || sst < 1))
        gs_bad_strides(fn, dst, sst);
}

/* Bytes from the start of the first to the end of the last of nelems elements; SIZE_MAX when that overflows. */
static inline size_t gs_strided_bytes(size_t nelems, ptrdiff_t stride, size_t size)
{
    size_t steps, bytes;
    if (nelems == 0)
        return 0;
    if (__builtin_mul_overflow(nelems - 1, (size_t)stride, &steps) || __builtin_add_overflow(steps, 1, &steps) ||
        __builtin_mul_overflow(steps, size, &bytes))
        return SIZE_MAX;
    return bytes;
}

/* The size is a constant where this is inlined, so each memcpy is one load and one store. */
static inline void gs_copy_elements(char *to, size_t dst, const char *from, size_t sst, size_t nelems, size_t size)
{
    for (size_t i = 0; i < nelems; i++)
        memcpy(to + i * dst * size, from + i * sst * size, size);
}

static inline void gs_copy_strided(void *dest, ptrdiff_t dst, const void *source, ptrdiff_t sst, size_t nelems, size_t size)
{
    char *to = dest;
    const char *from = source;
    switch (size) {
    case 1: gs_copy_elements(to, (size_t)dst, from, (size_t)sst, nelems, 1); break;
    case 2: gs_copy_elements(to, (size_t)dst, from, (size_t)sst, nelems, 2); break;
    case 4: gs_copy_elements(to, (size_t)dst, from, (size_t)sst, nelems, 4); break;
    case 8: gs_copy_elements(to, (size_t)dst, from, (size_t)sst, nelems, 8); break;
    case 16: gs_copy_elements(to, (size_t)dst, from, (size_t)sst, nelems, 16); break;
    default: gs_copy_elements(to, (size_t)dst, from, (size_t)sst, nelems, size); break;
    }
}

/* Blocks of bsize elements each, strides between their starts, between any two memories. */
static inline void gs_copy_strided_any(const char *fn, void *dest, ptrdiff_t dst, const void *source, ptrdiff_t sst,
                                       size_t nblocks, size_t bsize, size_t size)
{
    if (!gs_direct()) {
        gs_copy_rows_elsewhere(fn, dest, (size_t)dst * size, source, (size_t)sst * size, bsize * size, nblocks);
    } else if (bsize == 1) {
        gs_copy_strided(dest, dst, source, sst, nblocks, size);
    } else {
        for (size_t i = 0; i < nblocks; i++)
            memmove((char *)dest + i * (size_t)dst * size, (const char *)source + i * (size_t)sst * size, bsize * size);
    }
}

#endif
