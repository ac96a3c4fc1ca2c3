/* SPDX-License-Identifier: BSD-3-Clause */
/* The receiver's half of a group: see group.h. */
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "group.h"

namespace gin_provider
{

/* The own address that a message names; NULL, and the group is broken, when it is outside what is registered. */
char *group::place(const struct message &m, bool signal, int rank)
{
    const uint32_t id = signal ? m.sig : m.dst;
    const uint64_t offset = signal ? m.sig_off : m.dst_off, bytes = signal ? 8 : m.bytes;
    std::lock_guard<std::mutex> hold(region_lock);
    region *r = id < regions.size() ? regions[id].get() : nullptr;
    if (!r || offset > r->bytes || bytes > r->bytes - offset || (signal && offset % 8)) {
        fail("rank %d writes %llu bytes at %llu of memory %u, which is not registered", rank, (unsigned long long)bytes,
             (unsigned long long)offset, id);
        return nullptr;
    }
    return r->base + offset;
}

/* A few messages at a time: copies run side by side, and additions to the same word become one. False: none came. */
bool group::apply(peer &p, int rank)
{
    enum { BATCH = 64 };
    const uint64_t posted = p.in->posted.load(std::memory_order_acquire), first = p.taken;
    uint64_t copied = 0, sum = 0, ticket = 0;
    uint64_t *word = nullptr;
    auto finish = [&] { /* the data is there first */
                        for (int state; copied; copied = state == 1 ? 0 : copied)
                            if ((state = receiving->state(ticket)) < 0)
                                return false;
                        if (word && !receiving->add(word, sum))
                            return false;
                        word = nullptr;
                        return true;
    };
    bool ok = true;
    for (; ok && p.taken < posted && p.taken - first < BATCH; p.taken++) {
        const struct message m = p.in->ring[p.taken % RING];
        if (m.flags & HAS_DATA) {
            char *to = m.slot < SLOTS && m.bytes <= SLOT_BYTES ? place(m, false, rank) : nullptr;
            ok = to && receiving->start(to, p.in->stage[m.slot], m.bytes, false, &ticket);
            copied++;
        }
        if (ok && (m.flags & HAS_SIGNAL)) {
            uint64_t *at = (uint64_t *)place(m, true, rank);
            ok = at && (!word || word == at || finish());
            sum = (word ? sum : 0) + m.add;
            word = at;
        }
    }
    if (p.taken == first)
        return false;
    if (ok && finish()) {
        p.in->acked.store(p.taken, std::memory_order_release);
    } else {
        p.in->failed.store(1);
        fail("what rank %d sent could not be applied", rank);
    }
    return true;
}

void group::look_for_the_dead()
{
    for (int r = 0; r < n; r++) {
        peer &p = peers[(size_t)r];
        if (r == me || p.gone)
            continue;
        if (p.out->failed.load())
            fail("rank %d could not apply what was sent to it", r);
        if (!hung_up(p.control.get()))
            continue;
        p.gone = true;
        if (!p.in->closed.load())
            fail("rank %d is gone", r);
    }
}

void group::serve()
{
    unsigned idle = 0;
    pthread_setname_np(pthread_self(), "gin_provider");
    while (!stopping) {
        bool some = false;
        for (int r = 0; r < n && !broken; r++)
            some = apply(peers[(size_t)r], r) || some;
        if (some) {
            idle = 0;
            continue;
        }
        if (idle++ % 1024 == 1023)
            look_for_the_dead();
        if (idle > 50000) /* nobody has sent anything for long */
            usleep(50);
        else
            sched_yield();
    }
}

} // namespace gin_provider
