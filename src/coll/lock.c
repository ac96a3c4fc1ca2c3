/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll/lock.h"

#include "coll/sync.h"
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

bool gs_trylock(const char *fn, long *lock)
{
    gs_need_up(fn);
    uint32_t nobody = 0;
    return atomic_compare_exchange_strong(&home(fn, lock)->tail, &nobody, (uint32_t)gs.me + 1);
}

void gs_lock(const char *fn, long *lock)
{
    gs_need_up(fn);
    struct lock_word *self = word_at(fn, lock, gs.me);
    uint32_t me = (uint32_t)gs.me + 1, was = atomic_load(&home(fn, lock)->tail);
    if (was == me)
        gs_die(fn, "lock %p is held, or waited for, by this PE already: locks are not recursive", (void *)lock);
    atomic_store(&self->mine, WAITING);
    uint32_t before = atomic_exchange(&home(fn, lock)->tail, me);
    if (before == 0) {
        atomic_fetch_and(&self->mine, ~WAITING); /* the next in the queue may be there already */
        return;
    }
    atomic_fetch_or(&word_at(fn, lock, (int)before - 1)->mine, me);
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
        uint32_t last = me;
        if (atomic_compare_exchange_strong(&home(fn, lock)->tail, &last, 0))
            return;
        if (last == 0)
            gs_die(fn, "lock %p is not held by anybody: set it before clearing it", (void *)lock);
        /* Somebody has joined the queue, and is about to say so here. */
        for (unsigned turn = 0; (next = atomic_load(&self->mine)) == 0;)
            gs_relax(&turn);
    }
    atomic_store(&self->mine, 0);
    atomic_fetch_and(&word_at(fn, lock, (int)next - 1)->mine, ~WAITING);
}
