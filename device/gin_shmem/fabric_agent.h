/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The agent's side of fabric.h: requests to the thread that performs what nothing else does. Part of fabric.h, whose
 * contract the functions here fulfil.
 *
 * Data of up to GIN_SHMEM_AGENT_INLINE bytes travel in the request, so such a put is over when it is posted; longer ones
 * are read by the agent where they lie, or go piece by piece where only this thread can read them.
 */
#ifndef GIN_SHMEM_FABRIC_AGENT_H
#define GIN_SHMEM_FABRIC_AGENT_H

#include "agent.h"
#include "report.h"
#include "types.h"

namespace gin_shmem_impl
{

enum { AGENT_HEAD, AGENT_FREED, AGENT_QUIET, AGENT_LOOK, AGENT_ASK, AGENT_WAITERS }; /* gin_shmem_agent.words */

GIN_SHMEM_FN uint64_t agent_entry(uint64_t ticket)
{
    return ticket % GIN_SHMEM_AGENT_ENTRIES;
}

/* A ticket whose entry is free. */
GIN_SHMEM_FN uint64_t agent_ticket(const struct gin_shmem_agent *a, uint32_t fn)
{
    uint64_t ticket = atomic_add(&a->words[AGENT_HEAD], (uint64_t)1);
    if (ticket - load_acquire(&a->words[AGENT_FREED]) < GIN_SHMEM_AGENT_ENTRIES)
        return ticket;
    /* One thread at a time looks at the host's word, for all: looks of thousands over the bus would keep the agent's own
     * traffic off it. */
    uint64_t freed;
    for (watchdog dog; ticket - (freed = load_acquire(&a->words[AGENT_FREED])) >= GIN_SHMEM_AGENT_ENTRIES;) {
        if (load_relaxed(&a->words[AGENT_LOOK]) == 0 &&
            atomic_cas(&a->words[AGENT_LOOK], (uint64_t)0, (uint64_t)1) == 0) {
            freed = load_acquire(a->freed);
            store_release(&a->words[AGENT_FREED], freed);
            store_relaxed(&a->words[AGENT_LOOK], (uint64_t)0);
        } else {
            sleep_ns(200);
        }
        if (dog.late())
            fail_timeout(fn, a->freed, 8, SHMEM_CMP_GT, ticket - GIN_SHMEM_AGENT_ENTRIES, freed);
    }
    return ticket;
}

GIN_SHMEM_FN void agent_post(const struct gin_shmem_agent *a, uint64_t ticket, int kind, int op, int flags,
                             uint64_t dest, uint64_t source, uint64_t bytes, uint64_t sig, uint64_t value, int pe,
                             uint32_t fn)
{
    struct gin_shmem_agent_request *r = &a->ring[agent_entry(ticket)];
    uint64_t how = (uint64_t)kind | (uint64_t)op << 8 | (uint64_t)flags << 16 | (uint64_t)(uint32_t)pe << 32;
    store_pair(&r->dest, dest, source);
    store_pair(&r->bytes, bytes, sig);
    store_pair(&r->value, value, how);
    store_relaxed(&r->fn, (uint64_t)fn);
    store_release(&r->turn, ticket / GIN_SHMEM_AGENT_ENTRIES + 1);
}

/* The request with this ticket has been performed. Looks go over the bus, and many threads may wait: a thread's become
 * rarer, up to one in 2 us, and all threads' together are not more than one in 10 ns, so that the agent's own traffic, and
 * the answers, have room there. */
GIN_SHMEM_FN void agent_wait(const struct gin_shmem_agent *a, uint64_t ticket, uint32_t fn)
{
    const uint64_t LONG_NS = 2000, APART_NS = 10, LONGEST_NS = 1000000;
    const uint64_t *done = &a->answers[agent_entry(ticket)].done;
    uint64_t seen, pause = 0;
    bool counted = false;
    for (watchdog dog; (seen = load_acquire(done)) <= ticket;) {
        if (pause)
            sleep_ns((unsigned)pause);
        if (pause < LONG_NS) {
            pause += pause / 4 + 20;
        } else {
            if (!counted)
                atomic_add(&a->words[AGENT_WAITERS], (uint64_t)1);
            counted = true;
            pause = load_relaxed(&a->words[AGENT_WAITERS]) * APART_NS;
            pause = pause < LONG_NS ? LONG_NS : pause < LONGEST_NS ? pause : LONGEST_NS;
        }
        if (dog.late())
            fail_timeout(fn, done, 8, SHMEM_CMP_GT, ticket, seen);
    }
    if (counted)
        atomic_add(&a->words[AGENT_WAITERS], (uint64_t)-1);
}

GIN_SHMEM_FN void agent_taken(const struct gin_shmem_agent *a, uint64_t ticket)
{
    store_release(&a->answers[agent_entry(ticket)].taken, ticket + 1);
}

/* Between memory of this thread's and an entry, at most GIN_SHMEM_AGENT_INLINE bytes. */
GIN_SHMEM_FN void agent_fill(unsigned char *entry, const unsigned char *from, uint64_t bytes)
{
    uint64_t i = 0;
    if ((uint64_t)from % 8 == 0)
        for (; i + 8 <= bytes; i += 8)
            store_relaxed((uint64_t *)(entry + i), load_plain((const uint64_t *)(from + i)));
    for (; i < bytes; i++)
        store_relaxed((uint8_t *)(entry + i), load_plain((const uint8_t *)(from + i)));
}
GIN_SHMEM_FN void agent_drain(unsigned char *to, const unsigned char *entry, uint64_t bytes)
{
    uint64_t i = 0;
    if ((uint64_t)to % 8 == 0)
        for (; i + 8 <= bytes; i += 8)
            store_plain((uint64_t *)(to + i), load_relaxed((const uint64_t *)(entry + i)));
    for (; i < bytes; i++)
        store_plain((uint8_t *)(to + i), load_relaxed((const uint8_t *)(entry + i)));
}

GIN_SHMEM_FN void agent_put_inline(const struct gin_shmem_agent *a, void *dest, const void *source, uint64_t bytes,
                                   uint64_t *sig, uint64_t value, bool add, int pe, uint32_t fn)
{
    uint64_t ticket = agent_ticket(a, fn);
    if (bytes)
        agent_fill(a->inlined + agent_entry(ticket) * GIN_SHMEM_AGENT_INLINE, (const unsigned char *)source, bytes);
    agent_post(a, ticket, GIN_SHMEM_AGENT_PUT, 0, GIN_SHMEM_AGENT_INLINED | (add ? (int)GIN_SHMEM_AGENT_SIGNAL_ADD : 0),
               (uint64_t)dest, 0, bytes, (uint64_t)sig, value, pe, fn);
}

GIN_SHMEM_COLD void agent_put_signal(void *dest, const void *source, uint64_t bytes, uint64_t *sig, uint64_t value,
                                     bool add, int pe, bool wait, uint32_t fn)
{
    const struct gin_shmem_agent *a = state().agent;
    if (bytes > GIN_SHMEM_AGENT_INLINE && is_global(source)) {
        uint64_t ticket = agent_ticket(a, fn);
        agent_post(a, ticket, GIN_SHMEM_AGENT_PUT, 0,
                   (wait ? (int)GIN_SHMEM_AGENT_ANSWER : 0) | (add ? (int)GIN_SHMEM_AGENT_SIGNAL_ADD : 0),
                   (uint64_t)dest, (uint64_t)source, bytes, (uint64_t)sig, value, pe, fn);
        if (wait)
            agent_wait(a, ticket, fn);
        return;
    }
    unsigned char *to = (unsigned char *)dest;
    const unsigned char *from = (const unsigned char *)source;
    for (; bytes > GIN_SHMEM_AGENT_INLINE;
         bytes -= GIN_SHMEM_AGENT_INLINE) { /* the agent keeps one PE's puts in order */
        agent_put_inline(a, to, from, GIN_SHMEM_AGENT_INLINE, nullptr, 0, false, pe, fn);
        to += GIN_SHMEM_AGENT_INLINE, from += GIN_SHMEM_AGENT_INLINE;
    }
    if (bytes || sig)
        agent_put_inline(a, to, from, bytes, sig, value, add, pe, fn);
}

GIN_SHMEM_COLD void agent_p(void *dest, uint64_t value, uint32_t bytes, int pe, uint32_t fn)
{
    agent_put_inline(state().agent, dest, &value, bytes, nullptr, 0, false, pe, fn); /* the low bytes come first */
}

GIN_SHMEM_COLD void agent_get(void *dest, const void *source, uint64_t bytes, int pe, bool wait, uint32_t fn)
{
    const struct gin_shmem_agent *a = state().agent;
    if (is_global(dest)) {
        if (!bytes)
            return;
        uint64_t ticket = agent_ticket(a, fn);
        agent_post(a, ticket, GIN_SHMEM_AGENT_GET, 0, wait ? (int)GIN_SHMEM_AGENT_ANSWER : 0, (uint64_t)dest,
                   (uint64_t)source, bytes, 0, 0, pe, fn);
        if (wait)
            agent_wait(a, ticket, fn);
        return;
    }
    unsigned char *to = (unsigned char *)dest;
    for (uint64_t at = 0, len; at < bytes; at += len) {
        len = bytes - at < GIN_SHMEM_AGENT_INLINE ? bytes - at : (uint64_t)GIN_SHMEM_AGENT_INLINE;
        uint64_t ticket = agent_ticket(a, fn);
        agent_post(a, ticket, GIN_SHMEM_AGENT_GET, 0,
                   GIN_SHMEM_AGENT_INLINED | GIN_SHMEM_AGENT_ANSWER | GIN_SHMEM_AGENT_TAKE, 0, (uint64_t)source + at,
                   len, 0, 0, pe, fn);
        agent_wait(a, ticket, fn);
        agent_drain(to + at, a->inlined + agent_entry(ticket) * GIN_SHMEM_AGENT_INLINE, len);
        agent_taken(a, ticket);
    }
}

GIN_SHMEM_COLD uint64_t agent_amo(int op, void *dest, uint32_t bytes, uint64_t value, uint64_t cond, int pe, bool fetch,
                                  uint32_t fn)
{
    const struct gin_shmem_agent *a = state().agent;
    uint64_t ticket = agent_ticket(a, fn), old = 0;
    agent_post(a, ticket, GIN_SHMEM_AGENT_AMO, op, fetch ? (int)GIN_SHMEM_AGENT_ANSWER | (int)GIN_SHMEM_AGENT_TAKE : 0,
               (uint64_t)dest, cond, bytes, 0, value, pe, fn);
    if (fetch) {
        agent_wait(a, ticket, fn);
        old = load_relaxed(&a->answers[agent_entry(ticket)].value);
        agent_taken(a, ticket);
    }
    return old;
}

GIN_SHMEM_FN uint64_t agent_ask_quiet(const struct gin_shmem_agent *a, int pe, uint32_t fn)
{
    uint64_t ticket = agent_ticket(a, fn);
    agent_post(a, ticket, GIN_SHMEM_AGENT_QUIET, 0, GIN_SHMEM_AGENT_ANSWER, 0, 0, 0, 0, 0, pe, fn);
    agent_wait(a, ticket, fn);
    return ticket;
}

/* Nothing to do where all that was asked for by now has been performed, as a quiet for all PEs has told. One thread at a
 * time asks for such a quiet, for all who wait for one: thousands may. What AGENT_QUIET says is all that tells them of what
 * that thread has waited for: not every caller has a fence behind its quiet. */
GIN_SHMEM_COLD void agent_quiet(int pe, uint32_t fn)
{
    const struct gin_shmem_agent *a = state().agent;
    const uint64_t head = load_relaxed(&a->words[AGENT_HEAD]);
    uint64_t quiet;
    for (watchdog dog; (quiet = load_acquire(&a->words[AGENT_QUIET])) < head;) {
        if (pe >= 0) {
            agent_ask_quiet(a, pe, fn);
            return;
        }
        if (load_relaxed(&a->words[AGENT_ASK]) == 0 &&
            atomic_cas(&a->words[AGENT_ASK], (uint64_t)0, (uint64_t)1) == 0) {
            if (load_relaxed(&a->words[AGENT_QUIET]) < head)
                store_release(&a->words[AGENT_QUIET], agent_ask_quiet(a, pe, fn) + 1);
            store_relaxed(&a->words[AGENT_ASK], (uint64_t)0);
        } else {
            sleep_ns(200);
        }
        if (dog.late())
            fail_timeout(fn, &a->words[AGENT_QUIET], 8, SHMEM_CMP_GE, head, quiet);
    }
}

/* The agent keeps what goes to one PE in order. */
GIN_SHMEM_FN void agent_fence(int, uint32_t) {}
GIN_SHMEM_FN void agent_flush(int pe, uint32_t fn)
{
    agent_quiet(pe, fn);
}

} // namespace gin_shmem_impl

#endif
