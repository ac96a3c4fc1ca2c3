/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll/coll.h"

#include <shmem.h>
#include <string.h>

#include "coll/device.h"
#include "coll/strided.h"
#include "core/log.h"
#include "heap/addr.h"


/* The peers' pieces in an order that starts behind this PE, so that not all read from one at a time. */
static inline int turn(const struct gs_group *g, int i)
{
    int r = g->me + 1 + i;
    return r < g->n ? r : r - g->n;
}

bool gs_coll_on_device(const char *fn, struct gs_group *g, const struct gs_device_coll *c)
{
    int rc = g->slot < 0 ? 1 : gs.dev->coll(g, c, NULL);
    if (rc < 0)
        gs_die(fn, "the collective on device memory failed: see the message before this one");
    return rc == 0;
}

/* Is data that all get fetched once for each node, and handed on there? That takes another meeting of all. The same answer
 * on every member. */
enum { LEADERS_BYTES = 4096, LEADERS_LOCALS = 2 };

static bool by_leaders(const struct gs_group *g, size_t bytes)
{
    return g->spread && g->slot >= 0 && bytes >= LEADERS_BYTES && g->n > LEADERS_LOCALS * g->nleaders;
}

void gs_coll_broadcast(const char *fn, struct gs_group *g, void *dest, const void *source, size_t bytes, int root,
                       bool write_root)
{
    if (bytes == 0) {
        gs_group_sync(g);
        return;
    }
    struct gs_sym from = gs_symmetric(fn, "source", source, bytes);
    (void)gs_symmetric(fn, "dest", dest, bytes);
    bool device = gs_coll_touches_device(dest, source);
    if (device && gs_coll_on_device(fn, g, &(struct gs_device_coll){.kind = GS_COLL_BROADCAST, .dest = dest,
                      .source = source, .nelems = bytes, .size = 1, .type = GS_TYPE_bytes, .root = root,
                      .write_root = write_root}))
        return;
    bool own = g->me == root && write_root && dest != source;
    if (!device && gs_flat_fits(g, bytes)) {
        gs_flat_begin(g);
        for (int i = 0; i < g->n - 1; i++)
            gs_flat_send(g, turn(g, i), source, g->me == root ? bytes : 0);
        if (own)
            memcpy(dest, source, bytes);
        for (int i = 0; i < g->n - 1; i++) {
            int r = turn(g, i);
            const void *m = gs_flat_receive(g, r);
            if (r == root)
                memcpy(dest, m, bytes);
        }
        return;
    }
    gs_group_sync(g);
    if (gs_unlikely(by_leaders(g, bytes)) && gs_pe_far(gs_group_pe(g, root))) {
        if (g->me == g->leader)
            gs_copy(fn, dest, gs_sym_at(from, gs_group_pe(g, root)), bytes, true);
        gs_group_end(g);
        if (g->me != g->leader)
            gs_copy(fn, dest, gs_sym_at(gs_symmetric(fn, "dest", dest, bytes), gs_group_pe(g, g->leader)), bytes, false);
        gs_group_sync(g);
        return;
    }
    if (own) /* not before: the others would wait for it */
        gs_copy(fn, dest, source, bytes, false);
    else if (g->me != root)
        gs_copy(fn, dest, gs_sym_at(from, gs_group_pe(g, root)), bytes, g->spread);
    gs_group_end(g);
    if (gs_unlikely(by_leaders(g, bytes)))
        gs_group_sync(g); /* the leaders of other nodes have the data now, and give it to their nodes */
}

void gs_coll_fcollect(const char *fn, struct gs_group *g, void *dest, const void *source, size_t bytes)
{
    if (bytes == 0) {
        gs_group_sync(g);
        return;
    }
    struct gs_sym from = gs_symmetric(fn, "source", source, bytes);
    (void)gs_symmetric(fn, "dest", dest, gs_bytes(bytes, (size_t)g->n));
    char *out = dest;
    bool device = gs_coll_touches_device(dest, source), flat = !device && gs_flat_fits(g, bytes);
    if (device && gs_coll_on_device(fn, g, &(struct gs_device_coll){.kind = GS_COLL_FCOLLECT, .dest = dest, .source = source,
                      .nelems = bytes, .size = 1, .type = GS_TYPE_bytes}))
        return;
    if (flat) {
        gs_flat_begin(g);
        for (int i = 0; i < g->n - 1; i++)
            gs_flat_send(g, turn(g, i), source, bytes);
    } else {
        gs_group_sync(g);
    }
    gs_copy(fn, out + bytes * (size_t)g->me, source, bytes, false);
    for (int i = 0; i < g->n - 1; i++) {
        int r = turn(g, i);
        const void *piece = flat ? gs_flat_receive(g, r) : gs_sym_at(from, gs_group_pe(g, r));
        gs_copy(fn, out + bytes * (size_t)r, piece, bytes, g->spread);
    }
    if (!flat)
        gs_group_end(g);
}

void gs_coll_alltoall(const char *fn, struct gs_group *g, void *dest, const void *source, size_t bytes)
{
    if (bytes == 0) {
        gs_group_sync(g);
        return;
    }
    size_t total = gs_bytes(bytes, (size_t)g->n), mine = bytes * (size_t)g->me;
    struct gs_sym from = gs_symmetric(fn, "source", source, total);
    (void)gs_symmetric(fn, "dest", dest, total);
    const char *in = source;
    char *out = dest;
    bool device = gs_coll_touches_device(dest, source), flat = !device && gs_flat_fits(g, bytes);
    if (device && gs_coll_on_device(fn, g, &(struct gs_device_coll){.kind = GS_COLL_ALLTOALL, .dest = dest, .source = source,
                      .nelems = bytes, .size = 1, .type = GS_TYPE_bytes}))
        return;
    if (flat) {
        gs_flat_begin(g);
        for (int i = 0; i < g->n - 1; i++)
            gs_flat_send(g, turn(g, i), in + bytes * (size_t)turn(g, i), bytes);
    } else {
        gs_group_sync(g);
    }
    gs_copy(fn, out + mine, in + mine, bytes, false);
    for (int i = 0; i < g->n - 1; i++) {
        int r = turn(g, i);
        const void *piece = flat ? gs_flat_receive(g, r) : gs_sym_at(from, gs_group_pe(g, r)) + mine;
        gs_copy(fn, out + bytes * (size_t)r, piece, bytes, g->spread);
    }
    if (!flat)
        gs_group_end(g);
}

void gs_coll_alltoalls(const char *fn, struct gs_group *g, void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst,
                       size_t nelems, size_t size)
{
    gs_check_strides(fn, dst, sst);
    if (nelems == 0) {
        gs_group_sync(g);
        return;
    }
    size_t all = gs_bytes(nelems, (size_t)g->n);
    struct gs_sym from = gs_symmetric(fn, "source", source, gs_strided_bytes(all, sst, size));
    (void)gs_symmetric(fn, "dest", dest, gs_strided_bytes(all, dst, size));
    if (gs_coll_touches_device(dest, source) &&
        gs_coll_on_device(fn, g, &(struct gs_device_coll){.kind = GS_COLL_ALLTOALLS, .dest = dest, .source = source,
                      .nelems = nelems, .size = size, .type = GS_TYPE_bytes, .dst = dst, .sst = sst}))
        return;
    gs_group_sync(g);
    for (int i = 0; i < g->n; i++) {
        int r = i < g->n - 1 ? turn(g, i) : g->me;
        gs_copy_strided_any(fn, (char *)dest + size * nelems * (size_t)r * (size_t)dst, dst,
                            gs_sym_at(from, gs_group_pe(g, r)) + size * nelems * (size_t)g->me * (size_t)sst, sst, nelems,
                            1, size);
    }
    gs_group_sync(g);
}

/* ---- collect: every member's piece may have another length ---- */

struct small_piece {
    uint64_t bytes;
    unsigned char data[GS_MAIL_BYTES - sizeof(uint64_t)];
};

/* Where each member tells its length when mails are not to be had. */
static uint64_t *length_word(struct gs_group *g, int rank)
{
    if (g->slot >= 0)
        return (uint64_t *)gs_group_slot(g, rank)->scratch;
    return gs_remote("active-set collect", "pSync", &g->psync[2], sizeof(long), gs_group_pe(g, rank));
}

static uint64_t length_of(const char *fn, struct gs_group *g, int rank)
{
    uint64_t length;
    gs_load(fn, &length, length_word(g, rank), sizeof length);
    return length;
}

void gs_coll_collect(const char *fn, struct gs_group *g, void *dest, const void *source, size_t bytes)
{
    (void)gs_symmetric(fn, "source", source, bytes);
    (void)gs_symmetric(fn, "dest", dest, 0);
    struct small_piece p = {.bytes = bytes};
    const struct small_piece *got[GS_FLAT_MAX];
    bool device = gs_coll_touches_device(dest, source), flat = !device && gs_flat_fits(g, 0);
    bool small = bytes <= sizeof p.data;
    if (device && gs_coll_on_device(fn, g, &(struct gs_device_coll){.kind = GS_COLL_COLLECT, .dest = dest,
                      .source = source, .nelems = bytes, .size = 1, .type = GS_TYPE_bytes}))
        return;
    if (flat) {
        if (small && bytes)
            memcpy(p.data, source, bytes);
        gs_flat_begin(g);
        for (int i = 0; i < g->n - 1; i++)
            gs_flat_send(g, turn(g, i), &p, small ? offsetof(struct small_piece, data) + bytes : sizeof p.bytes);
        for (int r = 0; r < g->n; r++) {
            got[r] = r == g->me ? &p : gs_flat_receive(g, r);
            small &= got[r]->bytes <= sizeof p.data;
        }
    } else {
        small = false;
        *length_word(g, g->me) = bytes;
        gs_group_sync(g);
    }
    size_t at = 0, total = 0;
    for (int r = 0; r < g->n; r++)
        total += flat ? got[r]->bytes : length_of(fn, g, r);
    (void)gs_symmetric(fn, "dest", dest, total);
    for (int r = 0; r < g->n; r++) {
        size_t len = flat ? got[r]->bytes : length_of(fn, g, r);
        if (len)
            gs_copy(fn, (char *)dest + at, small ? (const void *)got[r]->data
                                                 : gs_remote(fn, "source", source, len, gs_group_pe(g, r)), len,
                    g->spread && !small);
        at += len;
    }
    if (!small)
        gs_group_end(g); /* small is the same on all members */
    if (!flat && g->slot < 0)
        *length_word(g, g->me) = SHMEM_SYNC_VALUE;
}
