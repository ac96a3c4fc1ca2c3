/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll/lock.h"

#include "coll/sync.h"
#include "core/far.h"
#include "core/log.h"
#include "core/wait.h"
#include "heap/addr.h"

/*
 * The long's two halves. tail, used on one PE only, the lock's home: the last PE in the queue, plus 1; 0: free.
 * mine, used on each PE: the PE behind this one in the queue, plus 1, and WAITING until the lock is handed over.
 */
struct lock_word {
    _Atomic uint32_t tail, mine;
};
_Static_assert(sizeof(struct lock_word) == sizeof(long), "both halves fit the lock variable");
#define WAITING 0x80000000u

static struct lock_word *word_at(const char *fn, long *lock, int pe)
{
    return gs_remote(fn, "lock", lock, sizeof *lock, pe);
}

/* Homes are spread over the PEs by the variable's place. */
static struct lock_word *home(const char *fn, long *lock)
{
    size_t off = 0;
    (void)gs_addr_region(lock, &off);
    return word_at(fn, lock, (int)(off / sizeof(long) % (size_t)gs.n));
}

/* The atomics of 32 bits on the home's and on other PEs' words, which may be on other nodes. They return the old value. */
static uint32_t word_amo(const char *fn, enum gs_amo_op op, _Atomic uint32_t *word, uint32_t value, uint32_t cond)
{
    uint32_t old;
    if (!gs_direct() && gs_amo_elsewhere(fn, op, (void *)word, sizeof old, &value, &cond, &old))
        return old;
    switch (op) {
    case GS_AMO_FETCH: return atomic_load(word);
    case GS_AMO_SWAP: return atomic_exchange(word, value);
    case GS_AMO_OR: return atomic_fetch_or(word, value);
    case GS_AMO_AND: return atomic_fetch_and(word, value);
    default: /* GS_AMO_CSWAP */
        atomic_compare_exchange_strong(word, &cond, value);
        return cond;
    }
}

bool gs_trylock(const char *fn, long *lock)
{
    gs_need_up(fn);
    return word_amo(fn, GS_AMO_CSWAP, &home(fn, lock)->tail, (uint32_t)gs.me + 1, 0) == 0;
}

void gs_lock(const char *fn, long *lock)
{
    gs_need_up(fn);
    struct lock_word *self = word_at(fn, lock, gs.me);
    uint32_t me = (uint32_t)gs.me + 1, was = word_amo(fn, GS_AMO_FETCH, &home(fn, lock)->tail, 0, 0);
    if (was == me)
        gs_die(fn, "lock %p is held, or waited for, by this PE already: locks are not recursive", (void *)lock);
    atomic_store(&self->mine, WAITING);
    uint32_t before = word_amo(fn, GS_AMO_SWAP, &home(fn, lock)->tail, me, 0);
    if (before == 0) {
        atomic_fetch_and(&self->mine, ~WAITING); /* the next in the queue may be there already */
        return;
    }
    (void)word_amo(fn, GS_AMO_OR, &word_at(fn, lock, (int)before - 1)->mine, me, 0);
    for (unsigned turn = 0; atomic_load_explicit(&self->mine, memory_order_acquire) & WAITING;)
        gs_relax(&turn);
}

void gs_unlock(const char *fn, long *lock)
{
    gs_need_up(fn);
    gs_complete(); /* what was done under the lock is visible to the next holder */
    struct lock_word *self = word_at(fn, lock, gs.me);
    uint32_t me = (uint32_t)gs.me + 1, next = atomic_load(&self->mine);
    if (next == 0) {
        uint32_t last = word_amo(fn, GS_AMO_CSWAP, &home(fn, lock)->tail, 0, me);
        if (last == me)
            return;
        if (last == 0)
            gs_die(fn, "lock %p is not held by anybody: set it before clearing it", (void *)lock);
        /* Somebody has joined the queue, and is about to say so here. */
        for (unsigned turn = 0; (next = atomic_load(&self->mine)) == 0;)
            gs_relax(&turn);
    }
    atomic_store(&self->mine, 0);
    (void)word_amo(fn, GS_AMO_AND, &word_at(fn, lock, (int)next - 1)->mine, ~WAITING, 0);
}
