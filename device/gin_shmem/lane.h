/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What collectives are made of: a barrier and an exchange of mail on one lane of a team (state.h has the layout). One
 * group of each member works on a lane at a time; different lanes are independent.
 */
#ifndef GIN_SHMEM_LANE_H
#define GIN_SHMEM_LANE_H

#include "team.h"

namespace gin_shmem_impl
{

/* Kept small, for the registers: places are offsets into the system segment. */
struct lane_view {
    struct team_view t;
    uint32_t record, mail;
    uint32_t payload; /* bytes of one message at most; its room in the mail is twice that */
    uint32_t fn;
};

GIN_SHMEM_FN struct lane_view lane_of(shmem_team_t team, int index, uint32_t fn)
{
    const struct gin_shmem_state &s = state();
    struct lane_view l;
    uint32_t slot = (uint32_t)((uint64_t)team & 0xffff) - 1;
    l.fn = fn;
    if (!team_find((uint64_t)team, &l.t))
        fail(GIN_SHMEM_REPORT_TEAM, fn, -1, -1, nullptr, 0, (uint64_t)team, 0);
    uint32_t lane = (uint32_t)(index + 1), lanes = gin_shmem_sys_lanes(slot);
    if (lane >= lanes)
        fail(GIN_SHMEM_REPORT_INDEX, fn, -1, -1, nullptr, 0, (uint64_t)index, lanes - 1);
    l.record = (uint32_t)gin_shmem_sys_record_at(&s.layout, slot, lane);
    l.mail = (uint32_t)gin_shmem_sys_mail_at(&s.layout, slot, lane, &l.payload);
    return l;
}

/* The peer pointer for rank r; NULL when it is far. */
GIN_SHMEM_FN void *member(const void *p, struct team_view t, int r, uint32_t fn)
{
    return peer((void *)p, team_pe(t, r), fn);
}

/* The team has members out of reach: on every PE the same. */
GIN_SHMEM_COLD bool team_far(const struct team_view t)
{
    GIN_SHMEM_ROLLED
    for (int r = 0; r < t.n; r++)
        if (!try_peer(state().sys, team_pe(t, r)))
            return true;
    return false;
}

/* This PE's counters; its barrier flags by member lie behind them, two for each: a far PE's flags of two epochs may
 * overtake each other. When the next but one is sent, this one has been seen. */
GIN_SHMEM_FN struct gin_shmem_lane *lane_own(const struct lane_view &l)
{
    return (struct gin_shmem_lane *)(state().sys + l.record);
}
GIN_SHMEM_FN uint64_t *lane_flag(const struct lane_view &l, int rank, uint64_t epoch)
{
    return (uint64_t *)(lane_own(l) + 1) + 2 * rank + (epoch & 1);
}

/* What a barrier does for the group's operations on other PEs, besides the order of its own accesses. */
enum lane_order {
    LANE_SYNC,  /* nothing for those on far PEs */
    LANE_ORDER, /* they are performed before anybody leaves */
    LANE_QUIET, /* as quiet does it */
};

/*
 * All members arrive, in one step: each writes its epoch into its word at every other, and waits for theirs, one thread
 * of the group to a peer. Epochs only grow, so a word that is ahead (its writer is in the next barrier) counts as well.
 *
 * Order: sync hands the group's accesses to the threads that signal; each fences at system scope before it stores,
 * which is cumulative, so all of them are ordered before the flag; each acquires the flag it waits for, and the last
 * sync hands that to the group. What far PEs were sent is waited for before anybody is told.
 *
 * FAR: some PEs are far. A job without them runs the code without: it is a fifth faster (two PEs on one H200, by a warp: 1.6
 * and 1.9 us).
 */
template <class G, bool FAR>
GIN_SHMEM_FN void lane_barrier_among(struct lane_view l, enum lane_order order)
{
    const int rank = (int)G::rank(), size = (int)G::size();
    const uint64_t epoch = load_local(&lane_own(l)->barriers) + 1; /* before sync: rank 0 writes it behind */
    G::sync();
    if (FAR && order != LANE_SYNC) {
        if (rank == 0)
            remote_quiet(-1, l.fn);
        G::sync();
    }
    if (rank < l.t.n || rank == 0) {
        if (order == LANE_QUIET)
            fence_complete();
        else
            fence_order();
        GIN_SHMEM_ROLLED
        for (int r = rank; r < l.t.n; r += size) {
            if (r == l.t.me)
                continue;
            uint64_t *flag = (uint64_t *)member(lane_flag(l, l.t.me, epoch), l.t, r, l.fn);
            if (FAR && is_far(flag))
                remote_signal(lane_flag(l, l.t.me, epoch), epoch, false, team_pe(l.t, r), l.fn);
            else
                store_relaxed(flag, epoch);
        }
        GIN_SHMEM_ROLLED
        for (int r = rank; r < l.t.n; r += size) {
            if (r == l.t.me)
                continue;
            const uint64_t *flag = lane_flag(l, r, epoch);
            uint64_t seen;
            for (watchdog dog; (seen = load_acquire(flag)) < epoch;)
                if (dog.late())
                    fail_timeout(l.fn, flag, 8, SHMEM_CMP_GE, epoch, seen);
        }
    }
    if (rank == 0)
        lane_own(l)->barriers = epoch;
    G::sync();
}
template <class G>
GIN_SHMEM_COLD void lane_barrier_far(struct lane_view l, enum lane_order order)
{
    lane_barrier_among<G, true>(l, order);
}
template <class G>
GIN_SHMEM_FN void lane_barrier(struct lane_view l, enum lane_order order)
{
    if (has_far())
        lane_barrier_far<G>(l, order);
    else
        lane_barrier_among<G, false>(l, order);
}

/*
 * An exchange: every member sends every other at least one line, and receives at least one from every other. A line is
 * 16 bytes: 8 of payload, each half with the exchange's number as a flag beside it in one 8-byte word, which arrives
 * whole. So data needs no fence and no signal of its own, and there is no barrier: a member begins with what it has.
 *
 * Two sets of mail by turns are enough. A member that sends in exchange e has heard from everybody in e - 1, and
 * whoever sent in e - 1 had received all of e - 2, whose mail is written over now. (Relaxed accesses do: a receiver's
 * loads have given their value before it goes on to send, and stores are not made ahead of the loads that decide on
 * them.)
 *
 * To a far member a message goes as one put of its lines, the 8-byte words of which arrive whole. They are put together
 * in this PE's own room for mail from itself, where nothing else is.
 *
 * Flags are the low half of the count, so what an old exchange left could look new 2^32 exchanges later. Every 2^31 the
 * members clear their mail between two barriers, and pass over the number 0.
 */
struct exchange {
    struct lane_view l; /* mail: this turn's */
    uint32_t count;     /* low half of the number of the exchange, which is the flag */
};

template <class G>
GIN_SHMEM_COLD void exchange_clear(struct lane_view l)
{
    uint64_t *words = (uint64_t *)(state().sys + l.mail);
    size_t n = (size_t)state().n * l.payload / 2; /* two sets of n rooms, in words */
    GIN_SHMEM_ROLLED
    for (size_t i = G::rank(); i < n; i += G::size())
        store_relaxed(&words[i], (uint64_t)0);
    lane_barrier<G>(l, LANE_SYNC);
}

/* Collective over the group; what the group wrote before is visible to all its threads behind it. */
template <class G>
GIN_SHMEM_FN struct exchange exchange_begin(const struct lane_view &l)
{
    struct exchange x;
    x.l = l;
    x.count = (uint32_t)load_local(&lane_own(l)->mails) + 1; /* before sync: rank 0 writes it in exchange_end */
    G::sync();
    if ((x.count & 0x7fffffff) == 0) {
        exchange_clear<G>(l);
        x.count += 2; /* the same parity */
    }
    x.l.mail += (x.count & 1) * (uint32_t)state().n * 2 * l.payload;
    return x;
}

template <class G>
GIN_SHMEM_FN void exchange_end(const struct exchange &x)
{
    if (G::rank() == 0)
        lane_own(x.l)->mails = x.count;
    G::sync();
}

/* Where this PE's lines for rank r go (NULL: r is far), and where those of rank r come. */
GIN_SHMEM_FN uint64_t *mail_to(const struct exchange &x, int r)
{
    return (uint64_t *)member(state().sys + x.l.mail + (uint32_t)x.l.t.me * 2 * x.l.payload, x.l.t, r, x.l.fn);
}
GIN_SHMEM_FN const uint64_t *mail_from(const struct exchange &x, int r)
{
    return (const uint64_t *)(state().sys + x.l.mail + (uint32_t)r * 2 * x.l.payload);
}

GIN_SHMEM_FN void line_send(uint64_t *line, uint64_t payload, uint32_t flag)
{
    uint64_t f = (uint64_t)flag << 32;
    store_pair(line, (payload & 0xffffffffu) | f, payload >> 32 | f);
}

GIN_SHMEM_FN bool line_here(uint64_t a, uint64_t b, uint32_t flag)
{
    return (uint32_t)(a >> 32) == flag && (uint32_t)(b >> 32) == flag;
}

/* The payload of a line of which (a, b) has been seen; waits until it is there. */
GIN_SHMEM_FN uint64_t line_value(const uint64_t *line, uint64_t a, uint64_t b, uint32_t flag, uint32_t fn)
{
    for (watchdog dog; !line_here(a, b, flag); load_pair(line, &a, &b))
        if (dog.late())
            fail_timeout(fn, line, 16, SHMEM_CMP_EQ, flag, a >> 32);
    return (a & 0xffffffffu) | b << 32;
}

GIN_SHMEM_FN uint64_t line_receive(const uint64_t *line, uint32_t flag, uint32_t fn)
{
    uint64_t a, b;
    load_pair(line, &a, &b);
    return line_value(line, a, b, flag, fn);
}

/* ---- 8 bytes of a buffer of E-byte elements, which is aligned to E; the last may be fewer ---- */

template <int E>
GIN_SHMEM_FN uint64_t chunk_load(const void *buffer, uint32_t line, uint32_t bytes)
{
    const uint32_t at = line * 8;
    const unsigned char *p = (const unsigned char *)buffer + at;
    if (((uintptr_t)p & 7) == 0 && at + 8 <= bytes)
        return load_plain((const uint64_t *)p);
    typedef typename bits_of < E<8 ? E : 8>::type V;
    uint64_t v = 0;
    GIN_SHMEM_UNROLLED
    for (int k = 0; k < 8; k += sizeof(V))
        if (at + k < bytes)
            v |= (uint64_t)load_plain((const V *)(p + k)) << (8 * k);
    return v;
}

template <int E>
GIN_SHMEM_FN void chunk_store(void *buffer, uint32_t line, uint32_t bytes, uint64_t v)
{
    const uint32_t at = line * 8;
    unsigned char *p = (unsigned char *)buffer + at;
    if (((uintptr_t)p & 7) == 0 && at + 8 <= bytes) {
        store_plain((uint64_t *)p, v);
        return;
    }
    typedef typename bits_of < E<8 ? E : 8>::type V;
    GIN_SHMEM_UNROLLED
    for (int k = 0; k < 8; k += sizeof(V))
        if (at + k < bytes)
            store_plain((V *)(p + k), (V)(v >> (8 * k)));
}

enum { LINE_FLIGHT = 4 };

/* bytes of buffer, as lines from mail on. */
template <class G, int E>
GIN_SHMEM_FN void lines_send(uint64_t *mail, const void *buffer, uint32_t bytes, uint32_t flag)
{
    const uint32_t lines = (bytes + 7) / 8, step = G::size();
    GIN_SHMEM_ROLLED
    for (uint32_t i = G::rank(); i < lines; i += LINE_FLIGHT * step) {
        uint64_t v[LINE_FLIGHT] GIN_SHMEM_CLEARED;
        GIN_SHMEM_UNROLLED
        for (int k = 0; k < LINE_FLIGHT; k++)
            if (i + k * step < lines)
                v[k] = chunk_load<E>(buffer, i + k * step, bytes);
        GIN_SHMEM_UNROLLED
        for (int k = 0; k < LINE_FLIGHT; k++)
            if (i + k * step < lines)
                line_send(mail + 2 * (i + k * step), v[k], flag);
    }
}

/* All of a turn are asked for before any is waited for. */
template <class G, int E>
GIN_SHMEM_FN void lines_receive(const uint64_t *mail, void *buffer, uint32_t bytes, uint32_t flag, uint32_t fn)
{
    const uint32_t lines = (bytes + 7) / 8, step = G::size();
    GIN_SHMEM_ROLLED
    for (uint32_t i = G::rank(); i < lines; i += LINE_FLIGHT * step) {
        uint64_t a[LINE_FLIGHT] GIN_SHMEM_CLEARED, b[LINE_FLIGHT] GIN_SHMEM_CLEARED;
        GIN_SHMEM_UNROLLED
        for (int k = 0; k < LINE_FLIGHT; k++)
            if (i + k * step < lines)
                load_pair(mail + 2 * (i + k * step), &a[k], &b[k]);
        GIN_SHMEM_UNROLLED
        for (int k = 0; k < LINE_FLIGHT; k++)
            if (i + k * step < lines)
                chunk_store<E>(buffer, i + k * step, bytes,
                               line_value(mail + 2 * (i + k * step), a[k], b[k], flag, fn));
    }
}

/* Own room for mail from this PE: by the address, also its room at every other member. */
GIN_SHMEM_FN uint64_t *mail_own(const struct exchange &x)
{
    return (uint64_t *)mail_from(x, x.l.t.me);
}

template <class G, int E>
GIN_SHMEM_COLD void mail_send_far(const struct exchange &x, int r, uint32_t line, const void *buffer, uint32_t bytes)
{
    uint64_t *room = mail_own(x) + 2 * line;
    lines_send<G, E>(room, buffer, bytes, x.count);
    G::sync();
    if (G::rank() == 0)
        remote_put(room, room, (bytes + 7) / 8 * 16, team_pe(x.l.t, r), true, x.l.fn);
    G::sync();
}
GIN_SHMEM_COLD void word_send_far(const struct exchange &x, int r, uint64_t payload)
{
    uint64_t *room = mail_own(x);
    line_send(room, payload, x.count);
    remote_put(room, room, 16, team_pe(x.l.t, r), true, x.l.fn);
}

/* bytes of buffer to rank r, as lines from its line-th on. */
template <class G, int E>
GIN_SHMEM_FN void mail_send(const struct exchange &x, int r, uint32_t line, const void *buffer, uint32_t bytes)
{
    uint64_t *mail = mail_to(x, r);
    if (is_far(mail))
        mail_send_far<G, E>(x, r, line, buffer, bytes);
    else
        lines_send<G, E>(mail + 2 * line, buffer, bytes, x.count);
}

/* One line with a payload: a length, or 0 of a member that has nothing to say. */
template <class G>
GIN_SHMEM_FN void word_send(const struct exchange &x, int r, uint64_t payload)
{
    if (G::rank() != 0)
        return;
    uint64_t *mail = mail_to(x, r);
    if (is_far(mail))
        word_send_far(x, r, payload);
    else
        line_send(mail, payload, x.count);
}

} // namespace gin_shmem_impl

#endif
