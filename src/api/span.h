/* SPDX-License-Identifier: BSD-3-Clause */
/* How far block-strided operands reach: ibput and ibget, on the host and in streams. */
#ifndef GS_SPAN_H
#define GS_SPAN_H

#include "coll/strided.h"
#include "core/log.h"

/* Bytes from the start of the first to the end of the last of nblocks blocks of bsize elements, whose starts lie stride
 * elements apart. Dies when blocks would overlap. */
static inline size_t gs_block_span(const char *fn, size_t nblocks, ptrdiff_t stride, size_t bsize, size_t size)
{
    if (stride < 1 || (size_t)stride < bsize)
        gs_die(fn, "stride %td is less than a block of %zu elements: blocks must not overlap", stride, bsize);
    size_t bytes = gs_strided_bytes(nblocks, stride, size), more = gs_bytes(bsize - 1, size);
    if (nblocks == 0 || bsize == 0)
        return 0;
    return bytes > SIZE_MAX - more ? SIZE_MAX : bytes + more;
}

#endif
