/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives over groups. Contract: collective over the group's members, all with the same arguments (root, sizes,
 * operation); dest and source symmetric. Returns when this PE's dest is complete and its source may be reused. dest of a
 * member may be written as soon as that member has entered. fn names the caller in messages. Sizes are in bytes unless
 * said otherwise.
 *
 * Two ways each: small data of small teams goes by one flat exchange; the rest by a barrier, direct loads from the
 * peers' sources, and a barrier.
 */
#ifndef GS_COLL_H
#define GS_COLL_H

#include <stddef.h>

#include "coll/sync.h"

/* acc[i] = acc[i] op in[i] for n elements. */
typedef void gs_kernel(void *acc, const void *in, size_t n);

void gs_coll_reduce(const char *fn, struct gs_group *g, void *dest, const void *source, size_t nelems, size_t size,
                    gs_kernel *op);
/* Sums over ranks 0..r (inclusive) or 0..r-1, all zero bits on rank 0. */
void gs_coll_scan(const char *fn, struct gs_group *g, void *dest, const void *source, size_t nelems, size_t size,
                  gs_kernel *op, bool inclusive);
/* write_root: the root's dest gets the data too, as with teams. */
void gs_coll_broadcast(const char *fn, struct gs_group *g, void *dest, const void *source, size_t bytes, int root,
                       bool write_root);
void gs_coll_fcollect(const char *fn, struct gs_group *g, void *dest, const void *source, size_t bytes);
void gs_coll_collect(const char *fn, struct gs_group *g, void *dest, const void *source, size_t bytes);
/* bytes: of the piece for each member. */
void gs_coll_alltoall(const char *fn, struct gs_group *g, void *dest, const void *source, size_t bytes);
/* Strides in elements of size bytes; nelems per member. */
void gs_coll_alltoalls(const char *fn, struct gs_group *g, void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst,
                       size_t nelems, size_t size);

#endif
