/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll/coll.h"

#include <shmem.h>
#include <string.h>

#include "coll/strided.h"
#include "core/log.h"
#include "heap/addr.h"


/* The peers' pieces in an order that starts behind this PE, so that not all read from one at a time. */
static inline int turn(const struct gs_group *g, int i)
{
    int r = g->me + 1 + i;
    return r < g->n ? r : r - g->n;
}

void gs_coll_broadcast(const char *fn, struct gs_group *g, void *dest, const void *source, size_t bytes, int root,
                       bool write_root)
{
    struct gs_sym from = gs_symmetric(fn, "source", source, bytes);
    (void)gs_symmetric(fn, "dest", dest, bytes);
    if (g->me == root && write_root && dest != source)
        memcpy(dest, source, bytes);
    if (gs_flat_fits(g, bytes)) {
        gs_flat_begin(g);
        for (int i = 0; i < g->n - 1; i++)
            gs_flat_send(g, turn(g, i), source, g->me == root ? bytes : 0);
        for (int i = 0; i < g->n - 1; i++) {
            int r = turn(g, i);
            const void *m = gs_flat_receive(g, r);
            if (r == root)
                memcpy(dest, m, bytes);
        }
        return;
    }
    gs_group_sync(g);
    if (g->me != root)
        memcpy(dest, gs_sym_at(from, gs_group_pe(g, root)), bytes);
    gs_group_sync(g);
}

void gs_coll_fcollect(const char *fn, struct gs_group *g, void *dest, const void *source, size_t bytes)
{
    struct gs_sym from = gs_symmetric(fn, "source", source, bytes);
    (void)gs_symmetric(fn, "dest", dest, gs_bytes(bytes, (size_t)g->n));
    char *out = dest;
    bool flat = gs_flat_fits(g, bytes);
    if (flat) {
        gs_flat_begin(g);
        for (int i = 0; i < g->n - 1; i++)
            gs_flat_send(g, turn(g, i), source, bytes);
    } else {
        gs_group_sync(g);
    }
    memcpy(out + bytes * (size_t)g->me, source, bytes);
    for (int i = 0; i < g->n - 1; i++) {
        int r = turn(g, i);
        memcpy(out + bytes * (size_t)r, flat ? gs_flat_receive(g, r) : gs_sym_at(from, gs_group_pe(g, r)), bytes);
    }
    if (!flat)
        gs_group_sync(g);
}

void gs_coll_alltoall(const char *fn, struct gs_group *g, void *dest, const void *source, size_t bytes)
{
    size_t total = gs_bytes(bytes, (size_t)g->n), mine = bytes * (size_t)g->me;
    struct gs_sym from = gs_symmetric(fn, "source", source, total);
    (void)gs_symmetric(fn, "dest", dest, total);
    const char *in = source;
    char *out = dest;
    bool flat = gs_flat_fits(g, bytes);
    if (flat) {
        gs_flat_begin(g);
        for (int i = 0; i < g->n - 1; i++)
            gs_flat_send(g, turn(g, i), in + bytes * (size_t)turn(g, i), bytes);
    } else {
        gs_group_sync(g);
    }
    memcpy(out + mine, in + mine, bytes);
    for (int i = 0; i < g->n - 1; i++) {
        int r = turn(g, i);
        memcpy(out + bytes * (size_t)r, flat ? gs_flat_receive(g, r) : gs_sym_at(from, gs_group_pe(g, r)) + mine, bytes);
    }
    if (!flat)
        gs_group_sync(g);
}

void gs_coll_alltoalls(const char *fn, struct gs_group *g, void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst,
                       size_t nelems, size_t size)
{
    gs_check_strides(fn, dst, sst);
    size_t all = gs_bytes(nelems, (size_t)g->n);
    struct gs_sym from = gs_symmetric(fn, "source", source, gs_strided_bytes(all, sst, size));
    (void)gs_symmetric(fn, "dest", dest, gs_strided_bytes(all, dst, size));
    gs_group_sync(g);
    for (int i = 0; i < g->n; i++) {
        int r = i < g->n - 1 ? turn(g, i) : g->me;
        gs_copy_strided((char *)dest + size * nelems * (size_t)r * (size_t)dst, dst,
                        gs_sym_at(from, gs_group_pe(g, r)) + size * nelems * (size_t)g->me * (size_t)sst, sst, nelems,
                        size);
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

void gs_coll_collect(const char *fn, struct gs_group *g, void *dest, const void *source, size_t bytes)
{
    (void)gs_symmetric(fn, "source", source, bytes);
    (void)gs_symmetric(fn, "dest", dest, 0);
    struct small_piece p = {.bytes = bytes};
    const struct small_piece *got[GS_FLAT_MAX];
    bool flat = gs_flat_fits(g, 0), small = bytes <= sizeof p.data;
    if (flat) {
        if (small)
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
        total += flat ? got[r]->bytes : *length_word(g, r);
    (void)gs_symmetric(fn, "dest", dest, total);
    for (int r = 0; r < g->n; r++) {
        size_t len = flat ? got[r]->bytes : *length_word(g, r);
        if (len)
            memcpy((char *)dest + at, small ? (const void *)got[r]->data
                                            : gs_remote(fn, "source", source, len, gs_group_pe(g, r)), len);
        at += len;
    }
    if (!small)
        gs_group_sync(g); /* small is the same on all members */
    if (!flat && g->slot < 0)
        *length_word(g, g->me) = SHMEM_SYNC_VALUE;
}
