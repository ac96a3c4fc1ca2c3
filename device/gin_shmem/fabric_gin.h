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
 * Signals. A set is a put of the word, behind the payload's completion: no version of GIN sets. An aligned put of 8 bytes
 * is one write, so it is atomic with what the target's GPU does to the word. An addition is not: NCCL's VA signals are
 * network atomics, which are atomic with one another (of one network device) and not with the GPUs'. Since OpenSHMEM
 * lets near PEs, far ones and AMOs update one word, additions are not made here, but for jobs that say that their
 * words are updated in no other way (GIN_SHMEM_GIN_ADDS).
 */
#ifndef GIN_SHMEM_FABRIC_GIN_H
#define GIN_SHMEM_FABRIC_GIN_H

#include "gin_book.h"

namespace gin_shmem_impl
{

enum gin_served { GIN_NOT_SERVED, GIN_DONE, GIN_PAYLOAD_DONE };

/* Longer puts are cut: NCCL 2.28.9 hands them to the network in one piece. */
static const uint64_t GIN_PIECE = (uint64_t)1 << 30;

/* ---- staging ---- */

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
GIN_SHMEM_COLD void gin_put_staged(struct gin_op *o)
{
    const unsigned char *from = (const unsigned char *)o->source;
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

/* With GIN_SIGNAL it is performed at pe when the call returns. False: not served. */
GIN_SHMEM_COLD bool gin_put_any(struct gin_op *o)
{
    if (!gin_find(o->dest, o->bytes, &o->to))
        return false;
    /* To copy a little is quicker than to wait for the network. */
    const bool copy = o->wait && o->with != GIN_SIGNAL && o->bytes + 15 <= GIN_SHMEM_GIN_SMALL_BYTES;
    if (!copy && gin_find(o->source, o->bytes, &o->from))
        gin_put_direct(o);
    else
        gin_put_staged(o);
    if (o->with != GIN_SIGNAL)
        gin_mark(o);
    return true;
}

/* ---- signals ---- */

GIN_SHMEM_FN int gin_put_signal_any(struct gin_op *o)
{
    const bool payload = o->bytes != 0;
    if (!gin_find(o->word, sizeof *o->word, &o->sig))
        return GIN_NOT_SERVED;
    if (o->add && GIN_SHMEM_GIN_HAS_ADD && (gin_state()->flags & GIN_SHMEM_GIN_ADDS)) {
        o->with = GIN_ADD;
        if (payload)
            return gin_put_any(o) ? GIN_DONE : GIN_NOT_SERVED;
        o->length = 0;
        gin_nccl_add(o);
        gin_mark(o);
        return GIN_DONE;
    }
    if (payload) {
        o->with = GIN_SIGNAL;
        o->wait = true;
        if (!gin_put_any(o))
            return GIN_NOT_SERVED;
    }
    if (o->add)
        return payload ? GIN_PAYLOAD_DONE : GIN_NOT_SERVED;
    o->dest = o->word;
    o->source = &o->value;
    o->bytes = sizeof *o->word;
    o->with = GIN_COUNT;
    o->wait = true;
    return gin_put_any(o) ? GIN_DONE : GIN_NOT_SERVED;
}

/* ---- gets ---- */

GIN_SHMEM_FN bool gin_get_any(struct gin_op *o)
{
    if (!gin_find(o->source, o->bytes, &o->from))
        return false;
    const bool direct = gin_find(o->dest, o->bytes, &o->to);
    unsigned char *out = (unsigned char *)o->dest;
    while (o->bytes) {
        if (direct) {
            o->length = o->bytes < GIN_PIECE ? o->bytes : GIN_PIECE;
            gin_nccl_get(o);
            o->to.offset += o->length;
        } else {
            const uint64_t room = gin_take_room(o, (uint32_t)(o->from.offset & 15));
            o->to = {(ncclWindow_t)state().windows->w[0].nccl, room};
            gin_nccl_get(o);
            gin_copy_out(out, state().sys + room, o->length);
            gin_give(o);
            out += o->length;
        }
        o->from.offset += o->length;
        o->bytes -= o->length;
    }
    return true;
}

/* ---- the calls ---- */

enum gin_what { GIN_PUT, GIN_PUT_SIGNAL, GIN_GET, GIN_QUIET };

static __device__ __noinline__ void gin_perform(int what, struct gin_op *o)
{
    o->context = gin_context(gin_state());
    o->rank = what != GIN_QUIET ? gin_rank(gin_state(), o->pe) : 0;
    switch (what) {
    case GIN_PUT:
        o->served = !o->bytes || gin_put_any(o);
        break;
    case GIN_PUT_SIGNAL:
        o->served = gin_put_signal_any(o);
        break;
    case GIN_GET:
        o->served = !o->bytes || gin_get_any(o);
        break;
    case GIN_QUIET:
        fence_order(); /* what the thread has observed of others is in the list; behind it, waits are acquires */
        if (o->pe < 0)
            gin_quiet_all(o->fn);
        else
            gin_quiet_one(o);
        break;
    }
}

/* Through a pointer that the compiler cannot follow: a function called so keeps what it needs of registers on the stack.
 * Otherwise every kernel with a put would have the registers of NCCL's code on top of its own, whether it comes here or
 * not, and no room for 1024 threads. */
GIN_SHMEM_FN void gin_call(int what, struct gin_op *o)
{
    void (*f)(int, struct gin_op *) = gin_perform;
    asm volatile("" : "+l"(f));
    f(what, o);
}

GIN_SHMEM_COLD bool gin_put(void *dest, const void *source, uint64_t bytes, int pe, bool wait, uint32_t fn)
{
    struct gin_op o;
    if (!gin_up())
        return false;
    o.dest = dest, o.source = source, o.bytes = bytes;
    o.pe = pe, o.fn = fn;
    o.with = wait ? GIN_COUNT : GIN_ALONE;
    o.wait = wait;
    gin_call(GIN_PUT, &o);
    return o.served;
}

/* bytes: 1, 2, 4 or 8. */
GIN_SHMEM_COLD bool gin_p(void *dest, uint64_t value, uint32_t bytes, int pe, uint32_t fn)
{
    return gin_put(dest, &value, bytes, pe, true, fn);
}

GIN_SHMEM_COLD enum gin_served gin_put_signal(void *dest, const void *source, uint64_t bytes, uint64_t *sig,
                                              uint64_t value, bool add, int pe, bool wait, uint32_t fn)
{
    struct gin_op o;
    if (!sig)
        return gin_put(dest, source, bytes, pe, wait, fn) ? GIN_DONE : GIN_NOT_SERVED;
    if (!gin_up())
        return GIN_NOT_SERVED;
    o.dest = dest, o.source = source, o.bytes = bytes;
    o.word = sig, o.value = value, o.add = add;
    o.pe = pe, o.fn = fn;
    o.wait = wait;
    gin_call(GIN_PUT_SIGNAL, &o);
    return (enum gin_served)o.served;
}
GIN_SHMEM_FN bool gin_signal(uint64_t *sig, uint64_t value, bool add, int pe, uint32_t fn)
{
    return gin_put_signal(nullptr, nullptr, 0, sig, value, add, pe, false, fn) == GIN_DONE;
}

/* Complete when it returns, whether that is asked for or not. */
GIN_SHMEM_COLD bool gin_get(void *dest, const void *source, uint64_t bytes, int pe, bool, uint32_t fn)
{
    struct gin_op o;
    if (!GIN_SHMEM_GIN_HAS_GET || !gin_up())
        return false;
    o.dest = dest, o.source = source, o.bytes = bytes;
    o.pe = pe, o.fn = fn;
    gin_call(GIN_GET, &o);
    return o.served;
}

GIN_SHMEM_COLD void gin_quiet(int pe, uint32_t fn)
{
    struct gin_op o;
    if (!gin_up())
        return;
    o.dest = nullptr;
    o.pe = pe, o.fn = fn;
    gin_call(GIN_QUIET, &o);
}
/* No version that we serve tells of one PE's sources for less. */
GIN_SHMEM_FN void gin_flush(int pe, uint32_t fn)
{
    gin_quiet(pe, fn);
}

} // namespace gin_shmem_impl

#endif
