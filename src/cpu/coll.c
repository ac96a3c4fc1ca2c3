/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives in streams: each member's stream thread works on the memory of all, between two barriers on lane 0 of the
 * team, which is the host's. Blocking ones the core does itself, in the same way (its copies reach everything here).
 */
#include <string.h>

#include "coll/kernels.h"
#include "cpu/module.h"
#include "transport/shared/team.h"

enum { BLOCK = 4096, LINE = 64 }; /* bytes combined at a time; of a cache line */

struct op {
    struct gin_shmem_team t; /* its pes lie in state.c's table, as long as there is the team */
    int slot;
    struct gs_device_coll c;
};

/* ---- barriers ---- */

static int pe_of(const struct gin_shmem_team *t, int rank)
{
    return t->pes ? t->pes[rank] : t->start + rank * t->stride;
}

/* Each member writes its epoch to all others and waits until theirs have come; what it did before comes with it. False:
 * a kernel has failed, and the job ends. */
static bool barrier(const struct gin_shmem_team *t, int slot)
{
    struct gin_shmem_lane *lane =
        (void *)(gs_cpu.state.sys + gin_shmem_sys_record_at(&gs_cpu.state.layout, (uint32_t)slot, 0));
    uint64_t *flags = (uint64_t *)(lane + 1), epoch = ++lane->barriers;
    for (int r = 0; r < t->n; r++)
        if (r != t->me)
            __atomic_store_n((uint64_t *)gs_cpu_peer(&flags[t->me], pe_of(t, r)), epoch, __ATOMIC_RELEASE);
    for (int r = 0; r < t->n; r++)
        if (r != t->me && !gs_cpu_await(GIN_SHMEM_FN_barrier, &flags[r], 8, false, SHMEM_CMP_GE, epoch))
            return false;
    return true;
}

static void run_barrier(const void *arg)
{
    const struct op *o = arg;
    (void)barrier(&o->t, o->slot);
}

/* ---- data ---- */

/* The combining function, or NULL: not this operation on this type. */
static gs_kernel *kernel_of(enum gs_type type, enum gs_reduce_op op)
{
#define KERNEL(N, OP)                            \
    if (type == GS_TYPE_##N && op == GS_OP_##OP) \
        return gs_kernel_##N##_##OP;
#define BITS(A, N, T)  KERNEL(N, and) KERNEL(N, or) KERNEL(N, xor)
#define ORDER(A, N, T) KERNEL(N, min) KERNEL(N, max)
#define SUMS(A, N, T)  KERNEL(N, sum) KERNEL(N, prod)
    GS_BIT_KERNEL_TYPES(BITS, )
    SHMEMI_RMA_TYPES(ORDER, )
    SHMEMI_SUM_REDUCE_TYPES(SUMS, )
    GS_HALF_TYPES(ORDER, )
    GS_HALF_TYPES(SUMS, )
    return NULL;
}

static const char *source_of(const struct op *o, int rank)
{
    return gs_cpu_peer(o->c.source, pe_of(&o->t, rank));
}

/* This member's share of the elements, in blocks: body gets each. Whole cache lines, so that no two write to one. Only
 * the member that writes an element reads it before, so dest may be source. */
static void for_share(const struct op *o, void (*body)(const struct op *o, size_t first, size_t count))
{
    size_t size = o->c.size, line = size < LINE ? LINE / size : 1, n = (size_t)o->t.n, block = BLOCK / size;
    size_t each = ((o->c.nelems + n - 1) / n + line - 1) / line * line, at = each * (size_t)o->t.me;
    size_t end = at + each < o->c.nelems ? at + each : o->c.nelems;
    for (; at < end; at += block)
        body(o, at, end - at < block ? end - at : block);
}

static void reduce(const struct op *o, size_t first, size_t count)
{
    _Alignas(LINE) char acc[BLOCK];
    gs_kernel *kernel = kernel_of(o->c.type, o->c.op);
    size_t at = first * o->c.size, bytes = count * o->c.size;
    memcpy(acc, source_of(o, 0) + at, bytes);
    for (int r = 1; r < o->t.n; r++)
        kernel(acc, source_of(o, r) + at, count);
    for (int r = 0; r < o->t.n; r++)
        memcpy((char *)gs_cpu_peer(o->c.dest, pe_of(&o->t, r)) + at, acc, bytes);
}

/* This member's part, which nobody else reads. */
static void reducescatter(const struct op *o)
{
    _Alignas(LINE) char acc[BLOCK];
    gs_kernel *kernel = kernel_of(o->c.type, o->c.op);
    size_t size = o->c.size, bytes = o->c.nelems * size, part = bytes * (size_t)o->t.me;
    for (size_t at = 0, len; at < bytes; at += len) {
        len = bytes - at < BLOCK / size * size ? bytes - at : BLOCK / size * size;
        memcpy(acc, source_of(o, 0) + part + at, len);
        for (int r = 1; r < o->t.n; r++)
            kernel(acc, source_of(o, r) + part + at, len / size);
        memcpy((char *)o->c.dest + at, acc, len);
    }
}

static void scan(const struct op *o, size_t first, size_t count)
{
    _Alignas(LINE) char acc[BLOCK], in[BLOCK];
    gs_kernel *kernel = kernel_of(o->c.type, GS_OP_sum);
    size_t at = first * o->c.size, bytes = count * o->c.size;
    memset(acc, 0, bytes);
    for (int r = 0; r < o->t.n; r++) {
        char *out = (char *)gs_cpu_peer(o->c.dest, pe_of(&o->t, r)) + at;
        memcpy(in, source_of(o, r) + at, bytes); /* first: out may be the same memory */
        if (o->c.kind == GS_COLL_EXSCAN)
            memcpy(out, acc, bytes);
        if (r == 0)
            memcpy(acc, in, bytes);
        else
            kernel(acc, in, count);
        if (o->c.kind == GS_COLL_INSCAN)
            memcpy(out, acc, bytes);
    }
}

/* Where each member tells the length of its piece: in the mail of the host's lane, which nothing else uses. */
static uint64_t *length_word(const struct op *o)
{
    uint32_t payload;
    return (uint64_t *)(gs_cpu.state.sys + gin_shmem_sys_mail_at(&gs_cpu.state.layout, (uint32_t)o->slot, 0, &payload));
}

static void copy_pieces(const struct op *o)
{
    const struct gs_device_coll *c = &o->c;
    size_t bytes = c->nelems * c->size, at = 0;
    for (int r = 0; r < o->t.n; r++) {
        const char *from = source_of(o, r);
        if (c->kind == GS_COLL_ALLTOALL)
            from += bytes * (size_t)o->t.me;
        if (c->kind == GS_COLL_COLLECT)
            bytes = *(uint64_t *)gs_cpu_peer(length_word(o), pe_of(&o->t, r)) * c->size;
        if (bytes && (char *)c->dest + at != from)
            memmove((char *)c->dest + at, from, bytes);
        at += bytes;
    }
}

static void alltoalls(const struct op *o)
{
    const struct gs_device_coll *c = &o->c;
    for (int r = 0; r < o->t.n; r++) {
        const char *from = source_of(o, r) + (ptrdiff_t)(c->nelems * (size_t)o->t.me * c->size) * c->sst;
        char *to = (char *)c->dest + (ptrdiff_t)(c->nelems * (size_t)r * c->size) * c->dst;
        (void)gs_cpu_copy_rows(to, (size_t)c->dst * c->size, from, (size_t)c->sst * c->size, c->size, c->nelems, NULL,
                               true);
    }
}

static void run_coll(const void *arg)
{
    const struct op *o = arg;
    const struct gs_device_coll *c = &o->c;
    if (c->kind == GS_COLL_COLLECT)
        *length_word(o) = c->nelems; /* the barrier takes it along */
    if (!barrier(&o->t, o->slot))
        return;
    switch (c->kind) {
    case GS_COLL_REDUCE:
        for_share(o, reduce);
        break;
    case GS_COLL_INSCAN:
    case GS_COLL_EXSCAN:
        for_share(o, scan);
        break;
    case GS_COLL_BROADCAST:
        if (o->t.me != c->root || (c->write_root && c->dest != c->source))
            memcpy(c->dest, source_of(o, c->root), c->nelems * c->size);
        break;
    case GS_COLL_FCOLLECT:
    case GS_COLL_COLLECT:
    case GS_COLL_ALLTOALL:
        copy_pieces(o);
        break;
    case GS_COLL_ALLTOALLS:
        alltoalls(o);
        break;
    case GS_COLL_REDUCESCATTER:
        reducescatter(o);
        break;
    }
    (void)barrier(&o->t, o->slot);
}

/* ---- entry ---- */

static void describe(struct op *o, struct gs_group *g)
{
    int n, me;
    gs_cpu.core.group_info(g, &n, &me, &o->slot);
    o->t = gs_cpu.teams[o->slot];
}

int gs_cpu_coll(struct gs_group *g, const struct gs_device_coll *c, void *stream)
{
    struct op o = {.c = *c};
    bool scans = c->kind == GS_COLL_INSCAN || c->kind == GS_COLL_EXSCAN;
    bool combines = scans || c->kind == GS_COLL_REDUCE || c->kind == GS_COLL_REDUCESCATTER;
    if (!stream || !gs_cpu_peer(c->dest, gs_cpu.core.me) || !gs_cpu_peer(c->source, gs_cpu.core.me) ||
        (combines && !kernel_of(c->type, scans ? GS_OP_sum : c->op)))
        return 1;
    if (c->nelems == 0 && c->kind != GS_COLL_COLLECT)
        return 0;
    describe(&o, g);
    return gs_cpu_enqueue(run_coll, &o, sizeof o, stream);
}

int gs_cpu_barrier_on_stream(struct gs_group *g, bool quiet, void *stream)
{
    struct op o = {0};
    describe(&o, g);
    if (quiet && gs_cpu_quiet_on_stream(stream))
        return -1;
    if (stream)
        return gs_cpu_enqueue(run_barrier, &o, sizeof o, stream);
    run_barrier(&o);
    return 0;
}
