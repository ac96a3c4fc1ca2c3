/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reductions and scans. Each member reduces one slice of the elements over all members' sources and stores the result to
 * all dests: every element is combined once, in rank order, so all members get the same bits; and since a slice's
 * sources are read only by the member that overwrites them, dest and source may be the same array.
 */
#include <stdlib.h>
#include <string.h>

#include "coll/device.h"
#include "core/far.h"
#include "heap/addr.h"

enum { BLOCK = 4096 }; /* bytes combined at a time: stays in the first-level cache */

struct slice {
    size_t at, end; /* elements */
};

/* Whole cache lines, so that no two members write to one. */
static struct slice slice_of(const struct gs_group *g, size_t nelems, size_t size)
{
    size_t line = size < GS_LINE ? GS_LINE / size : 1;
    size_t per = (nelems + (size_t)g->n - 1) / (size_t)g->n;
    per = (per + line - 1) / line * line;
    size_t at = per * (size_t)g->me;
    if (at > nelems)
        at = nelems;
    return (struct slice){at, nelems - at < per ? nelems : at + per};
}

/* Small data: everybody gets all contributions and combines them. mine is a copy, for dest may be source. */
struct contributions {
    _Alignas(16) unsigned char mine[GS_MAIL_BYTES];
    const void *of[GS_FLAT_MAX];
};

static void exchange(struct gs_group *g, const void *source, size_t bytes, struct contributions *c)
{
    memcpy(c->mine, source, bytes);
    gs_flat_begin(g);
    for (int r = 0; r < g->n; r++)
        if (r != g->me)
            gs_flat_send(g, r, source, bytes);
    for (int r = 0; r < g->n; r++)
        c->of[r] = r == g->me ? c->mine : gs_flat_receive(g, r);
}

/* acc op= what from has, which may be device memory, or on another node. */
static void combine(const char *fn, struct gs_combine how, void *acc, const void *from, size_t nelems)
{
    _Alignas(GS_LINE) char in[BLOCK];
    if (!gs_direct() && (gs_on_device(from) || gs_far_pointer(from))) {
        gs_load(fn, in, from, nelems * how.size);
        from = in;
    }
    how.kernel(acc, from, nelems);
}

/* Members on several nodes: larger blocks, all fetched at the same time. */
enum { FAR_BLOCK = 64 << 10 };

static void reduce_spread(const char *fn, struct gs_group *g, struct gs_sym to, struct gs_sym from, struct slice s,
                          struct gs_combine how)
{
    size_t size = how.size, most = (s.end - s.at) * size < FAR_BLOCK ? (s.end - s.at) * size : FAR_BLOCK / size * size;
    char *all = most ? malloc(most * (size_t)g->n) : NULL;
    if (most && !all)
        gs_die(fn, "no memory to combine %zu bytes of %d PEs", most, g->n);
    for (size_t len; s.at < s.end; s.at += len / size) {
        len = (s.end - s.at) * size < most ? (s.end - s.at) * size : most;
        for (int r = 0; r < g->n; r++)
            gs_copy(fn, all + most * (size_t)r, gs_sym_at(from, gs_group_pe(g, r)) + s.at * size, len, true);
        gs_complete();
        for (int r = 1; r < g->n; r++)
            how.kernel(all, all + most * (size_t)r, len / size);
        for (int r = 0; r < g->n; r++)
            gs_copy(fn, gs_sym_at(to, gs_group_pe(g, r)) + s.at * size, all, len, false);
    }
    free(all);
}

void gs_coll_reduce(const char *fn, struct gs_group *g, void *dest, const void *source, size_t nelems,
                    struct gs_combine how)
{
    size_t size = how.size, bytes = gs_bytes(nelems, size);
    if (bytes == 0) {
        gs_group_sync(g);
        return;
    }
    struct gs_sym from = gs_symmetric(fn, "source", source, bytes), to = gs_symmetric(fn, "dest", dest, bytes);
    _Alignas(GS_LINE) char acc[BLOCK];
    bool device = gs_coll_touches_device(dest, source);
    if (device && gs_coll_on_device(fn, g, &(struct gs_device_coll){.kind = GS_COLL_REDUCE, .dest = dest,
                      .source = source, .nelems = nelems, .size = size, .type = how.type, .op = how.op}))
        return;
    if (!device && gs_flat_fits(g, bytes)) {
        struct contributions c;
        exchange(g, source, bytes, &c);
        memcpy(acc, c.of[0], bytes);
        for (int r = 1; r < g->n; r++)
            how.kernel(acc, c.of[r], nelems);
        memcpy(dest, acc, bytes);
        return;
    }
    gs_group_sync(g);
    struct slice s = slice_of(g, nelems, size);
    if (gs_unlikely(g->spread)) {
        reduce_spread(fn, g, to, from, s, how);
        gs_group_end(g);
        return;
    }
    for (size_t len; s.at < s.end; s.at += len) {
        len = BLOCK / size;
        if (len > s.end - s.at)
            len = s.end - s.at;
        size_t off = s.at * size;
        gs_load(fn, acc, gs_sym_at(from, gs_group_pe(g, 0)) + off, len * size);
        for (int r = 1; r < g->n; r++)
            combine(fn, how, acc, gs_sym_at(from, gs_group_pe(g, r)) + off, len);
        for (int r = 0; r < g->n; r++)
            gs_store(fn, gs_sym_at(to, gs_group_pe(g, r)) + off, acc, len * size);
    }
    gs_group_sync(g);
}

void gs_coll_scan(const char *fn, struct gs_group *g, void *dest, const void *source, size_t nelems,
                  struct gs_combine how, bool inclusive)
{
    size_t size = how.size, bytes = gs_bytes(nelems, size);
    if (bytes == 0) {
        gs_group_sync(g);
        return;
    }
    struct gs_sym from = gs_symmetric(fn, "source", source, bytes), to = gs_symmetric(fn, "dest", dest, bytes);
    _Alignas(GS_LINE) char acc[BLOCK], in[BLOCK];
    const char zeros[BLOCK] = {0};
    bool device = gs_coll_touches_device(dest, source);
    if (device && gs_coll_on_device(fn, g, &(struct gs_device_coll){.kind = inclusive ? GS_COLL_INSCAN : GS_COLL_EXSCAN,
                      .dest = dest, .source = source, .nelems = nelems, .size = size, .type = how.type, .op = how.op}))
        return;
    if (!device && gs_flat_fits(g, bytes)) {
        struct contributions c;
        exchange(g, source, bytes, &c);
        int last = inclusive ? g->me : g->me - 1;
        memset(acc, 0, bytes);
        if (last >= 0)
            memcpy(acc, c.of[0], bytes);
        for (int r = 1; r <= last; r++)
            how.kernel(acc, c.of[r], nelems);
        memcpy(dest, acc, bytes);
        return;
    }
    gs_group_sync(g);
    struct slice s = slice_of(g, nelems, size);
    for (size_t len; s.at < s.end; s.at += len) {
        len = BLOCK / size;
        if (len > s.end - s.at)
            len = s.end - s.at;
        size_t off = s.at * size;
        for (int r = 0; r < g->n; r++) {
            int pe = gs_group_pe(g, r);
            char *out = gs_sym_at(to, pe) + off;
            gs_load(fn, in, gs_sym_at(from, pe) + off, len * size); /* first: out may be the same memory */
            if (!inclusive)
                gs_store(fn, out, r == 0 ? zeros : acc, len * size);
            if (r == 0)
                memcpy(acc, in, len * size);
            else
                how.kernel(acc, in, len);
            if (inclusive)
                gs_store(fn, out, acc, len * size);
        }
    }
    gs_group_end(g);
}
