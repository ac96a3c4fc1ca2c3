/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduce-scatter, which NVSHMEM has beside OpenSHMEM's collectives: each member reduces its own part over all sources. */
#include "coll/scatter.h"

#include "coll/device.h"
#include "heap/addr.h"

enum { BLOCK = 4096 }; /* bytes combined at a time: stays in the first-level cache */

void gs_coll_reducescatter(const char *fn, struct gs_group *g, void *dest, const void *source, size_t nelems,
                           struct gs_combine how)
{
    size_t size = how.size, bytes = gs_bytes(nelems, size);
    if (bytes == 0) {
        gs_group_sync(g);
        return;
    }
    struct gs_sym from = gs_symmetric(fn, "source", source, gs_bytes(bytes, (size_t)g->n));
    (void)gs_symmetric(fn, "dest", dest, bytes);
    if (gs_coll_touches_device(dest, source) &&
        gs_coll_on_device(fn, g,
                          &(struct gs_device_coll){.kind = GS_COLL_REDUCESCATTER,
                                                   .dest = dest,
                                                   .source = source,
                                                   .nelems = nelems,
                                                   .size = size,
                                                   .type = how.type,
                                                   .op = how.op}))
        return;
    _Alignas(GS_LINE) char acc[BLOCK], in[BLOCK];
    gs_group_sync(g);
    size_t part = bytes * (size_t)g->me;
    for (size_t at = 0, len; at < bytes; at += len) {
        len = BLOCK / size * size;
        if (len > bytes - at)
            len = bytes - at;
        gs_load(fn, acc, gs_sym_at(from, gs_group_pe(g, 0)) + part + at, len);
        for (int r = 1; r < g->n; r++) {
            gs_load(fn, in, gs_sym_at(from, gs_group_pe(g, r)) + part + at, len);
            how.kernel(acc, in, len / size);
        }
        gs_store(fn, (char *)dest + at, acc, len);
    }
    gs_group_sync(g);
}
