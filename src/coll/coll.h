/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives over groups. Contract: collective over the group's members, all with the same arguments (root, sizes,
 * operation); dest and source symmetric. Returns when this PE's dest is complete and its source may be reused. dest of a
 * member may be written as soon as that member has entered. fn names the caller in messages. Sizes are in bytes unless
 * said otherwise. Without data they synchronise, for programs that reuse pSync rely on it, and dest and source may be
 * anything.
 *
 * Two ways each: small data of small teams goes by one flat exchange; the rest by a barrier, direct loads from the
 * peers' sources, and a barrier. Where buffers lie on a device the GPU module does it if it can; the second way, with
 * copies in place of loads, is there for what it cannot.
 */
#ifndef GS_COLL_H
#define GS_COLL_H

#include <stddef.h>

#include "coll/sync.h"
#include "transport/device.h"

/* acc[i] = acc[i] op in[i] for n elements. */
typedef void gs_kernel(void *acc, const void *in, size_t n);

/* How to combine two elements: on the host, and as the GPU module knows it. */
struct gs_combine {
    gs_kernel *kernel;
    size_t size; /* bytes of an element */
    enum gs_type type;
    enum gs_reduce_op op;
};

void gs_coll_reduce(const char *fn, struct gs_group *g, void *dest, const void *source, size_t nelems,
                    struct gs_combine how);
/* Sums over ranks 0..r (inclusive) or 0..r-1, all zero bits on rank 0. */
void gs_coll_scan(const char *fn, struct gs_group *g, void *dest, const void *source, size_t nelems,
                  struct gs_combine how, bool inclusive);
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
