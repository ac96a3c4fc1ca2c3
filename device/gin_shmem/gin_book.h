/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What kernels keep of GIN: slots, which tell when an operation is complete, and the list of what a quiet has to do.
 * fabric_gin.h works with it.
 *
 * Quiet. A completion here says no more than that the source was read, on some networks; so a quiet sends each PE a
 * signal that nobody reads: its own completion is that of an atomic operation which was performed behind all earlier
 * puts. Pairs of a context and a PE are listed when they are written to, and a quiet goes through the list. A pair is
 * marked *behind* the post: whoever has observed the call then finds it dirty, or cleaned by somebody who looked later
 * than the post, and whose signal is therefore behind it. Marked before, it could be cleaned in between, and the put be
 * missed. One thread at a time works through the list, for all that wait: positions in it tell them when they are done.
 */
#ifndef GIN_SHMEM_GIN_BOOK_H
#define GIN_SHMEM_GIN_BOOK_H

#include "gin_nccl.h"
#include "types.h"

namespace gin_shmem_impl
{

GIN_SHMEM_FN const struct gin_shmem_gin *gin_state()
{
    return state().gin;
}
GIN_SHMEM_FN bool gin_up()
{
    const struct gin_shmem_gin *g = gin_state();
    return g && g->nccl == NCCL_VERSION_CODE;
}
GIN_SHMEM_FN int gin_rank(const struct gin_shmem_gin *g, int pe)
{
    return g->rank ? g->rank[pe] : pe;
}
GIN_SHMEM_FN uint32_t gin_context(const struct gin_shmem_gin *g)
{
    return ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) % g->contexts;
}

/* Where own symmetric [p, p + bytes) lies in a window. False: in none. */
GIN_SHMEM_COLD bool gin_find(const void *p, uint64_t bytes, struct gin_place *at)
{
    const struct gin_shmem_windows *w = state().windows;
    const uint32_t count = w ? load_acquire(&w->count) : 0;
    GIN_SHMEM_ROLLED
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t offset = (uint64_t)p - w->w[i].lo;
        if (offset < w->w[i].bytes) {
            at->window = (ncclWindow_t)w->w[i].nccl;
            at->offset = offset;
            return bytes <= w->w[i].bytes - offset;
        }
    }
    return false;
}

/* ---- slots: o->context and o->slot ---- */

GIN_SHMEM_FN struct gin_shmem_gin_slot *gin_slot(const struct gin_op *o)
{
    return &gin_state()->slots[o->context * GIN_SHMEM_GIN_SLOTS + o->slot];
}

/* Waits until all that was posted with the slot's counter is complete. The caller holds the slot. */
GIN_SHMEM_COLD void gin_rest(const struct gin_op *o)
{
    const uint64_t posted = load_relaxed(&gin_slot(o)->posted);
    uint64_t now = gin_nccl_counter(o->context, o->slot);
    if (posted == GIN_SHMEM_GIN_UNKNOWN) {
        store_relaxed(&gin_slot(o)->posted, now);
        return;
    }
    for (watchdog dog; !gin_reached(now, posted); now = gin_nccl_counter(o->context, o->slot))
        if (dog.late())
            fail_timeout(o->fn, o->dest, 8, SHMEM_CMP_GE, posted, now);
}

/* Slots of a kind: those that threads wait with, those with little room and those with much. */
enum gin_kind { GIN_WAITING, GIN_LITTLE, GIN_MUCH };

/* Takes one that is at rest. */
GIN_SHMEM_COLD void gin_take(struct gin_op *o, enum gin_kind kind)
{
    const uint32_t first = kind == GIN_WAITING  ? GIN_SHMEM_GIN_WAIT
                           : kind == GIN_LITTLE ? GIN_SHMEM_GIN_SMALL
                                                : GIN_SHMEM_GIN_BIG;
    const uint32_t count = kind == GIN_WAITING  ? GIN_SHMEM_GIN_WAITS
                           : kind == GIN_LITTLE ? GIN_SHMEM_GIN_SMALLS
                                                : GIN_SHMEM_GIN_BIGS;
    uint32_t turn = atomic_add(&gin_state()->book->turn[o->context][kind], 1u);
    for (watchdog dog;; turn++) {
        o->slot = first + turn % count;
        uint32_t *lock = &gin_slot(o)->lock;
        if (load_relaxed(lock) == 0 && atomic_cas(lock, 0u, 1u) == 0)
            break;
        if (dog.late())
            fail_timeout(o->fn, o->dest, 8, SHMEM_CMP_EQ, 0, 1);
    }
    __threadfence(); /* an acquire: what the last holder posted */
    gin_rest(o);
}
/* Takes one with room for what is left behind `skip` bytes, or for some of it: o->length. Gives the room's offset in
 * window 0, behind those bytes. */
GIN_SHMEM_COLD uint64_t gin_take_room(struct gin_op *o, uint32_t skip)
{
    const bool little = o->bytes + skip <= GIN_SHMEM_GIN_SMALL_BYTES;
    const uint64_t room = (little ? GIN_SHMEM_GIN_SMALL_BYTES : GIN_SHMEM_GIN_BIG_BYTES) - skip;
    o->length = o->bytes < room ? o->bytes : room;
    gin_take(o, little ? GIN_LITTLE : GIN_MUCH);
    return gin_state()->room + gin_shmem_gin_room_at(o->context, o->slot) + skip;
}
GIN_SHMEM_FN void gin_posted(const struct gin_op *o)
{
    store_relaxed(&gin_slot(o)->posted, load_relaxed(&gin_slot(o)->posted) + 1);
}
GIN_SHMEM_FN void gin_give(const struct gin_op *o)
{
    store_release(&gin_slot(o)->lock, 0u);
}

/* ---- the list of dirty pairs ---- */

/* Call behind a post. Returns when the pair is in the list. */
GIN_SHMEM_COLD void gin_mark(const struct gin_op *o)
{
    const struct gin_shmem_gin *g = gin_state();
    const uint32_t pair = o->context * g->n + (uint32_t)o->pe;
    uint32_t *p = &g->pairs[pair];
    const uint32_t clean = GIN_SHMEM_GIN_CLEAN, listing = GIN_SHMEM_GIN_LISTING, dirty = GIN_SHMEM_GIN_DIRTY;
    __threadfence(); /* the post before the mark */
    for (watchdog dog;;) {
        uint32_t seen =
            atomic_cas(p, dirty, dirty); /* a write, when it succeeds: whoever cleans the pair acquires it */
        if (seen == dirty)
            return;
        if (seen == clean && atomic_cas(p, clean, listing) == clean) {
            const uint64_t at = atomic_add(&g->book->tail, (uint64_t)1);
            store_relaxed(&g->ring[at & g->ring_mask], pair + 1);
            __threadfence(); /* the list's end before dirty: a quiet of who sees it goes so far */
            (void)atomic_swap(p, dirty);
            return;
        }
        if (dog.late())
            fail_timeout(o->fn, o->dest, 4, SHMEM_CMP_EQ, dirty, seen);
    }
}

/* The signal that nobody reads, behind all that the context sent to o->pe before. With it goes a word that nobody reads
 * either, because a signal alone has no counter. The caller holds the slot. */
GIN_SHMEM_COLD void gin_tell(struct gin_op *o)
{
    const struct gin_shmem_gin *g = gin_state();
    o->rank = gin_rank(g, o->pe);
    o->from = {(ncclWindow_t)state().windows->w[0].nccl, g->room};
    o->to = {o->from.window, o->from.offset + 8};
    o->length = 8;
    gin_nccl_put(o, GIN_SIGNAL);
    gin_posted(o);
}

/* Quiets what is listed by now. The caller has the book's lock. */
GIN_SHMEM_COLD void gin_clean(uint32_t fn)
{
    const struct gin_shmem_gin *g = gin_state();
    struct gin_shmem_gin_book *b = g->book;
    struct gin_op o = {};
    uint64_t at = load_relaxed(&b->head);
    const uint64_t to = load_relaxed(&b->tail);
    uint32_t touched = 0;
    o.fn = fn;
    o.slot = GIN_SHMEM_GIN_QUIET;
    store_relaxed(&b->taken, to);
    GIN_SHMEM_ROLLED
    for (; at < to; at++) {
        uint32_t *entry = &g->ring[at & g->ring_mask], pair, seen;
        for (watchdog dog; (pair = load_relaxed(entry)) == 0;)
            if (dog.late())
                fail_timeout(fn, nullptr, 4, SHMEM_CMP_NE, 0, 0);
        pair -= 1;
        store_relaxed(entry, 0u);
        __threadfence(); /* taken and the free entry before the pair is clean */
        for (watchdog dog; (seen = atomic_cas(&g->pairs[pair], (uint32_t)GIN_SHMEM_GIN_DIRTY,
                                              (uint32_t)GIN_SHMEM_GIN_CLEAN)) != GIN_SHMEM_GIN_DIRTY;)
            if (dog.late())
                fail_timeout(fn, nullptr, 4, SHMEM_CMP_EQ, GIN_SHMEM_GIN_DIRTY, seen);
        __threadfence(); /* an acquire: posts before marks */
        o.context = pair / g->n;
        o.pe = (int)(pair % g->n);
        if (!(touched >> o.context & 1))
            gin_rest(&o);
        touched |= 1u << o.context;
        gin_tell(&o);
    }
    GIN_SHMEM_ROLLED
    for (o.context = 0; o.context < g->contexts; o.context++)
        if (touched >> o.context & 1)
            gin_rest(&o);
    store_release(&b->head, to);
}

GIN_SHMEM_COLD void gin_quiet_all(uint32_t fn)
{
    struct gin_shmem_gin_book *b = gin_state()->book;
    const uint64_t to = load_relaxed(&b->tail);
    for (watchdog dog; load_acquire(&b->head) < to;) {
        if (load_relaxed(&b->lock) == 0 && atomic_cas(&b->lock, 0u, 1u) == 0) {
            __threadfence(); /* an acquire: where the last one got to */
            if (load_relaxed(&b->head) < to)
                gin_clean(fn);
            store_release(&b->lock, 0u);
        } else if (dog.late()) {
            fail_timeout(fn, nullptr, 8, SHMEM_CMP_GE, to, load_relaxed(&b->head));
        }
    }
}

/* The pair stays in the list: its next quiet is one signal more than was needed. Where it is clean, it may be that
 * another thread's quiet has taken it, and is not done. */
GIN_SHMEM_COLD void gin_quiet_one(struct gin_op *o)
{
    const struct gin_shmem_gin *g = gin_state();
    struct gin_shmem_gin_book *b = g->book;
    bool clean = false;
    if ((uint32_t)o->pe >= g->n)
        return;
    GIN_SHMEM_ROLLED
    for (o->context = 0; o->context < g->contexts; o->context++) {
        if (load_acquire(&g->pairs[o->context * g->n + (uint32_t)o->pe]) == GIN_SHMEM_GIN_CLEAN) {
            clean = true;
            continue;
        }
        gin_take(o, GIN_WAITING);
        gin_tell(o);
        gin_rest(o);
        gin_give(o);
    }
    if (!clean)
        return;
    const uint64_t to = load_relaxed(&b->taken);
    for (watchdog dog; load_acquire(&b->head) < to;)
        if (dog.late())
            fail_timeout(o->fn, nullptr, 8, SHMEM_CMP_GE, to, load_relaxed(&b->head));
}

} // namespace gin_shmem_impl

#endif
