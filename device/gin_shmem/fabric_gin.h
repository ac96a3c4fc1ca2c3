/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The GIN side of fabric.h: remote operations that NCCL's GIN offers, posted by the calling thread itself. The contract
 * is fabric.h's; what a function here says it has not served, somebody else must do. Functions look like this:
 *
 *   gin_up()           this job has GIN, and this code is compiled for the library's NCCL
 *   gin_put, gin_get, gin_p, gin_signal    false: nothing was done
 *   gin_put_signal     GIN_PAYLOAD_DONE: dest has all of the payload, the signal is still to be made
 *   gin_flush, gin_quiet                   of operations posted here; pe -1: all PEs
 *
 * Contexts. A block keeps to one context, by its number. Nothing is ordered from one context to another, and within one
 * only a signal is, behind what its context sent to that PE before.
 *
 * Sources. GIN sends out of windows alone. Everything else, and small sources that the caller wants back, is copied
 * into a slot's staging room (gin_state.h), and the call need not wait for the network. Positions in a room are aligned
 * as the destination is, so that words stay whole.
 *
 * Quiet. A completion here says no more than that the source was read, on some networks; so a quiet sends each PE a
 * signal that nobody reads: its own completion is that of an atomic operation which was performed behind all earlier
 * puts. Pairs of a context and a PE are listed when they are written to, and a quiet goes through the list. A pair is
 * marked *behind* the post: whoever has observed the call then finds it dirty, or cleaned by somebody who looked later
 * than the post, and whose signal is therefore behind it. Marked before, it could be cleaned in between, and the put be
 * missed. One thread at a time works through the list, for all that wait: positions in it tell them when they are done.
 *
 * Signals. A set is a put of the word, behind the payload's completion: no version of GIN sets. An aligned put of 8 bytes
 * is one write, so it is atomic with what the target's GPU does to the word. An addition is not: NCCL's VA signals are
 * network atomics, which are atomic with one another (of one network device) and not with the GPUs'. Since OpenSHMEM
 * lets near PEs, far ones and AMOs update one word, additions are not made here, but for jobs that say that their
 * words are updated in no other way (GIN_SHMEM_GIN_ADDS).
 */
#ifndef GIN_SHMEM_FABRIC_GIN_H
#define GIN_SHMEM_FABRIC_GIN_H

#include "gin_nccl.h"
#include "types.h"

namespace gin_shmem_impl
{

enum gin_served { GIN_NOT_SERVED, GIN_DONE, GIN_PAYLOAD_DONE };

/* Longer puts are cut: NCCL 2.28.9 hands them to the network in one piece. */
static const uint64_t GIN_PIECE = (uint64_t)1 << 30;

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
            fail_timeout(o->fn, o->of, 8, SHMEM_CMP_GE, posted, now);
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
            fail_timeout(o->fn, o->of, 8, SHMEM_CMP_EQ, 0, 1);
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

/* By one thread, between a staging room and any memory. The room is read past the L1 cache: the network wrote it. */
GIN_SHMEM_COLD void gin_copy_in(unsigned char *room, const unsigned char *from, uint64_t bytes)
{
    uint64_t i = 0;
    if ((((uint64_t)room ^ (uint64_t)from) & 7) == 0) {
        for (; i < bytes && ((uint64_t)(room + i) & 7); i++)
            room[i] = from[i];
        for (; i + 8 <= bytes; i += 8)
            *(uint64_t *)(room + i) = *(const uint64_t *)(from + i);
    }
    for (; i < bytes; i++)
        room[i] = from[i];
}
GIN_SHMEM_COLD void gin_copy_out(unsigned char *to, const unsigned char *room, uint64_t bytes)
{
    uint64_t i = 0;
    if ((((uint64_t)room ^ (uint64_t)to) & 7) == 0) {
        for (; i < bytes && ((uint64_t)(room + i) & 7); i++)
            to[i] = load_relaxed(room + i);
        for (; i + 8 <= bytes; i += 8)
            *(uint64_t *)(to + i) = load_relaxed((const uint64_t *)(room + i));
    }
    for (; i < bytes; i++)
        to[i] = load_relaxed(room + i);
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
            __threadfence();
            (void)atomic_swap(p, dirty);
            return;
        }
        if (dog.late())
            fail_timeout(o->fn, o->of, 4, SHMEM_CMP_EQ, dirty, seen);
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
    const uint64_t to = load_acquire(&b->tail);
    uint32_t touched = 0;
    o.fn = fn;
    o.slot = GIN_SHMEM_GIN_QUIET;
    store_relaxed(&b->taken, to);
    GIN_SHMEM_ROLLED
    for (; at < to; at++) {
        uint32_t *entry = &g->ring[at & g->ring_mask], pair, seen;
        for (watchdog dog; (pair = load_acquire(entry)) == 0;)
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
    const uint64_t to = load_acquire(&b->tail);
    for (watchdog dog; load_acquire(&b->head) < to;) {
        if (load_relaxed(&b->lock) == 0 && atomic_cas(&b->lock, 0u, 1u) == 0) {
            __threadfence();
            if (load_acquire(&b->head) < to)
                gin_clean(fn);
            store_release(&b->lock, 0u);
        } else if (dog.late()) {
            fail_timeout(fn, nullptr, 8, SHMEM_CMP_GE, to, load_relaxed(&b->head));
        }
    }
}

/* The pair stays in the list: its next quiet is one signal more than was needed. Where it is clean, it may be that
 * another thread's quiet has taken it, and is not done. */
GIN_SHMEM_COLD void gin_quiet_one(int pe, uint32_t fn)
{
    const struct gin_shmem_gin *g = gin_state();
    struct gin_shmem_gin_book *b = g->book;
    struct gin_op o = {};
    bool clean = false;
    if ((uint32_t)pe >= g->n)
        return;
    o.pe = pe;
    o.fn = fn;
    GIN_SHMEM_ROLLED
    for (o.context = 0; o.context < g->contexts; o.context++) {
        if (load_acquire(&g->pairs[o.context * g->n + (uint32_t)pe]) == GIN_SHMEM_GIN_CLEAN) {
            clean = true;
            continue;
        }
        gin_take(&o, GIN_WAITING);
        gin_tell(&o);
        gin_rest(&o);
        gin_give(&o);
    }
    if (!clean)
        return;
    const uint64_t to = load_acquire(&b->taken);
    for (watchdog dog; load_acquire(&b->head) < to;)
        if (dog.late())
            fail_timeout(fn, nullptr, 8, SHMEM_CMP_GE, to, load_relaxed(&b->head));
}

/* ---- puts: of o->bytes, to o->to ---- */

/* with: of this piece, which is then behind us. */
GIN_SHMEM_COLD void gin_post(struct gin_op *o, int with)
{
    if (with == GIN_ADD)
        gin_nccl_add(o);
    else
        gin_nccl_put(o, with);
    if (with != GIN_ALONE)
        gin_posted(o);
    o->to.offset += o->length;
    o->from.offset += o->length;
    o->bytes -= o->length;
}

/* Out of a window: o->from. */
GIN_SHMEM_COLD void gin_put_direct(struct gin_op *o)
{
    const bool counted = o->with != GIN_ALONE;
    if (counted)
        gin_take(o, GIN_WAITING);
    while (o->bytes) {
        o->length = GIN_PIECE - (o->to.offset & 15);
        if (o->length > o->bytes)
            o->length = o->bytes;
        gin_post(o, o->length == o->bytes ? o->with : counted ? GIN_COUNT : GIN_ALONE);
    }
    if (counted && o->wait)
        gin_rest(o);
    if (counted)
        gin_give(o);
}

/* Out of any memory, which may be changed when the call returns. */
GIN_SHMEM_COLD void gin_put_staged(struct gin_op *o, const void *source)
{
    const unsigned char *from = (const unsigned char *)source;
    while (o->bytes) {
        const uint64_t room = gin_take_room(o, (uint32_t)(o->to.offset & 15));
        const bool last = o->length == o->bytes;
        gin_copy_in(state().sys + room, from, o->length);
        fence_order();
        from += o->length;
        o->from = {(ncclWindow_t)state().windows->w[0].nccl, room};
        gin_post(o, last && o->with != GIN_ALONE ? o->with : GIN_COUNT);
        if (last && o->with == GIN_SIGNAL)
            gin_rest(o);
        gin_give(o);
    }
}

/* o has what it ends with; false: not served. With GIN_SIGNAL it is performed at pe when the call returns. */
GIN_SHMEM_COLD bool gin_put_ending(struct gin_op *o, const void *source)
{
    if (!gin_find(o->of, o->bytes, &o->to))
        return false;
    o->context = gin_context(gin_state());
    o->rank = gin_rank(gin_state(), o->pe);
    /* To copy a little is quicker than to wait for the network. */
    const bool copy = o->wait && o->with != GIN_SIGNAL && o->bytes + 15 <= GIN_SHMEM_GIN_SMALL_BYTES;
    if (!copy && gin_find(source, o->bytes, &o->from))
        gin_put_direct(o);
    else
        gin_put_staged(o, source);
    if (o->with != GIN_SIGNAL)
        gin_mark(o);
    return true;
}

GIN_SHMEM_FN void gin_begin(struct gin_op *o, const void *dest, uint64_t bytes, int pe, int with, bool wait,
                            uint32_t fn)
{
    o->of = dest;
    o->bytes = bytes;
    o->pe = pe;
    o->with = with;
    o->wait = wait;
    o->fn = fn;
}

GIN_SHMEM_COLD bool gin_put(void *dest, const void *source, uint64_t bytes, int pe, bool wait, uint32_t fn)
{
    struct gin_op o;
    if (!gin_up())
        return false;
    gin_begin(&o, dest, bytes, pe, wait ? GIN_COUNT : GIN_ALONE, wait, fn);
    return !bytes || gin_put_ending(&o, source);
}

/* bytes: 1, 2, 4 or 8. */
GIN_SHMEM_COLD bool gin_p(void *dest, uint64_t value, uint32_t bytes, int pe, uint32_t fn)
{
    struct gin_op o;
    if (!gin_up())
        return false;
    gin_begin(&o, dest, bytes, pe, GIN_COUNT, true, fn);
    o.value = value;
    return gin_put_ending(&o, &o.value);
}

/* ---- signals ---- */

GIN_SHMEM_COLD enum gin_served gin_put_signal(void *dest, const void *source, uint64_t bytes, uint64_t *sig,
                                              uint64_t value, bool add, int pe, bool wait, uint32_t fn)
{
    struct gin_op o;
    if (!sig)
        return gin_put(dest, source, bytes, pe, wait, fn) ? GIN_DONE : GIN_NOT_SERVED;
    if (!gin_up() || !gin_find(sig, sizeof *sig, &o.sig))
        return GIN_NOT_SERVED;
    if (add && GIN_SHMEM_GIN_HAS_ADD && (gin_state()->flags & GIN_SHMEM_GIN_ADDS)) {
        gin_begin(&o, dest, bytes, pe, GIN_ADD, wait, fn);
        o.value = value;
        if (bytes)
            return gin_put_ending(&o, source) ? GIN_DONE : GIN_NOT_SERVED;
        o.length = 0;
        o.context = gin_context(gin_state());
        o.rank = gin_rank(gin_state(), pe);
        gin_nccl_add(&o);
        gin_mark(&o);
        return GIN_DONE;
    }
    if (bytes) {
        gin_begin(&o, dest, bytes, pe, GIN_SIGNAL, true, fn);
        if (!gin_put_ending(&o, source))
            return GIN_NOT_SERVED;
    }
    if (add)
        return bytes ? GIN_PAYLOAD_DONE : GIN_NOT_SERVED;
    return gin_p(sig, value, sizeof *sig, pe, fn) ? GIN_DONE : GIN_NOT_SERVED;
}
GIN_SHMEM_FN bool gin_signal(uint64_t *sig, uint64_t value, bool add, int pe, uint32_t fn)
{
    return gin_put_signal(nullptr, nullptr, 0, sig, value, add, pe, false, fn) == GIN_DONE;
}

/* ---- gets ---- */

/* Complete when it returns, whether that is asked for or not. */
GIN_SHMEM_COLD bool gin_get(void *dest, const void *source, uint64_t bytes, int pe, bool, uint32_t fn)
{
    struct gin_op o;
    if (!GIN_SHMEM_GIN_HAS_GET || !gin_up())
        return false;
    if (!bytes)
        return true;
    if (!gin_find(source, bytes, &o.from))
        return false;
    gin_begin(&o, source, bytes, pe, GIN_ALONE, true, fn);
    o.context = gin_context(gin_state());
    o.rank = gin_rank(gin_state(), pe);
    const bool direct = gin_find(dest, bytes, &o.to);
    unsigned char *out = (unsigned char *)dest;
    while (o.bytes) {
        if (direct) {
            o.length = o.bytes < GIN_PIECE ? o.bytes : GIN_PIECE;
            gin_nccl_get(&o);
            o.to.offset += o.length;
        } else {
            const uint64_t room = gin_take_room(&o, (uint32_t)(o.from.offset & 15));
            o.to = {(ncclWindow_t)state().windows->w[0].nccl, room};
            gin_nccl_get(&o);
            gin_copy_out(out, state().sys + room, o.length);
            gin_give(&o);
            out += o.length;
        }
        o.from.offset += o.length;
        o.bytes -= o.length;
    }
    fence_order(); /* an acquire, for the data */
    return true;
}

/* ---- completion ---- */

/* Sequentially consistent around it, as fence_complete is: what went before is performed when it returns. */
GIN_SHMEM_COLD void gin_quiet(int pe, uint32_t fn)
{
    if (!gin_up())
        return;
    fence_order();
    if (pe < 0)
        gin_quiet_all(fn);
    else
        gin_quiet_one(pe, fn);
    fence_order();
}
/* No version that we serve tells of one PE's sources for less. */
GIN_SHMEM_FN void gin_flush(int pe, uint32_t fn)
{
    gin_quiet(pe, fn);
}

} // namespace gin_shmem_impl

#endif
