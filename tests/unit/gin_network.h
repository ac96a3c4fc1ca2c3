/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A network as bad as GIN's rules allow, for gin_kernels_test.cc, which includes this behind gin_port.h and GIN's headers:
 * puts are performed late and in any order by threads that run carry(); memory is weak.h's.
 */
#ifndef GIN_NETWORK_H
#define GIN_NETWORK_H

#include <atomic>
#include <deque>
#include <mutex>
#include <random>
#include <vector>

#include "weak.h"

using namespace gin_shmem_impl;

struct sent {
    struct gin_op o;
    int with;
    bool wrong; /* the source was not fenced */
    bool slow;
    weak::stamp posted;
    weak::knowledge known, published; /* of the thread that posted it */
    bool read = false, performed = false;
    std::vector<unsigned char> data;
};
static struct queue {
    std::mutex lock;
    std::deque<sent> all;
    weak::knowledge performed;
} queues[PES][CONTEXTS][PES];
static uint64_t counters[PES][CONTEXTS][GIN_SHMEM_GIN_SLOTS];
static std::atomic<uint64_t> signals_sent;
static std::atomic<bool> stopping;

/* Words whole, as a network keeps them; perform(to, word): instead of a store. */
template <class F>
static void copy(unsigned char *to, const unsigned char *from, size_t bytes, F perform)
{
    while (bytes) {
        if (((uintptr_t)to | (uintptr_t)from) % 8 == 0 && bytes >= 8) {
            perform((uint64_t *)to, __atomic_load_n((const uint64_t *)from, __ATOMIC_RELAXED));
            to += 8, from += 8, bytes -= 8;
        } else {
            __atomic_store_n(to, __atomic_load_n(from, __ATOMIC_RELAXED), __ATOMIC_RELEASE);
            to++, from++, bytes--;
        }
    }
}
static void store_word(uint64_t *to, uint64_t v)
{
    __atomic_store_n(to, v, __ATOMIC_RELEASE);
}

static void gin_shmem_impl::gin_nccl_put(const struct gin_op *o, int with)
{
    struct queue &q = queues[me][o->context][o->rank];
    const bool word = o->from.offset == gin_state()->room; /* that nobody reads */
    sent s = {};
    s.o = *o;
    s.with = with;
    s.wrong = unfenced && !word && o->from.window == &system_window;
    s.slow = weak::self.dice() % 8 == 0;
    s.posted = weak::tick();
    s.known = weak::self.now;
    s.published = weak::self.published;
    s.data.resize(o->length + 8);
    signals_sent += with == GIN_SIGNAL;
    std::lock_guard<std::mutex> hold(q.lock);
    q.all.push_back(s);
}
static void gin_shmem_impl::gin_nccl_add(const struct gin_op *o)
{
    gin_nccl_put(o, GIN_ADD);
}
static void gin_shmem_impl::gin_nccl_get(const struct gin_op *o)
{
    copy(&o->to.window->memory[me][o->to.offset], &o->from.window->memory[o->rank][o->from.offset], o->length,
         store_word);
}
static uint64_t gin_shmem_impl::gin_nccl_counter(uint32_t context, uint32_t counter)
{
    unfenced = true;
    return weak::load(&counters[me][context][counter], true) & ~(uint64_t)0 >> 8; /* NCCL counts in 56 bits */
}

/* It is behind what its thread knew of when it sent it, and behind nothing else. */
static bool held_back(const struct queue &q, size_t at)
{
    const sent &s = q.all[at];
    for (size_t i = 0; i < at; i++)
        if (!q.all[i].performed && s.known.of(q.all[i].posted))
            return s.with == GIN_SIGNAL || s.with == GIN_ADD;
    return false;
}

static void perform(struct queue &q, sent &s, int to)
{
    std::lock_guard<std::mutex> hold(weak::lock);
    copy(&s.o.to.window->memory[to][s.o.to.offset], s.data.data() + (s.o.from.offset & 7), s.o.length,
         [&](uint64_t *at, uint64_t v) { weak::store_telling(at, v, s.published); });
    weak::knowledge tells = s.published;
    q.performed.add({weak::self.actor, weak::self.now.at[weak::self.actor]});
    tells.join(q.performed);
    if (s.with == GIN_ADD)
        weak::add_telling((uint64_t *)&s.o.sig.window->memory[to][s.o.sig.offset], s.o.value, tells);
    s.performed = true;
}

static void step(int from, int context, int to, std::mt19937 &dice)
{
    struct queue &q = queues[from][context][to];
    std::lock_guard<std::mutex> hold(q.lock);
    if (q.all.empty())
        return;
    size_t at = dice() % q.all.size();
    sent &s = q.all[at];
    const auto count = [&](const weak::knowledge &tells) {
        std::lock_guard<std::mutex> hold_words(weak::lock);
        weak::add_telling(&counters[from][context][s.o.slot], (uint64_t)1, tells);
    };
    if (!s.read && s.slow && dice() % 16)
        return;
    if (!s.read) { /* the data lies aligned as its source did */
        copy(s.data.data() + (s.o.from.offset & 7), &s.o.from.window->memory[from][s.o.from.offset], s.o.length,
             store_word);
        if (s.wrong)
            memset(s.data.data(), 0xee, s.data.size());
        s.read = true;
        if (s.with == GIN_COUNT)
            count(s.published);
        return;
    }
    if (dice() % (s.slow ? 64 : 4) || s.performed || held_back(q, at))
        return;
    perform(q, s, to);
    if (s.with == GIN_SIGNAL || (s.with == GIN_ADD && s.o.length)) {
        weak::knowledge tells = s.published;
        tells.join(q.performed);
        count(tells);
    }
    while (!q.all.empty() && q.all.front().performed)
        q.all.pop_front();
}

static void carry(int actor, unsigned seed)
{
    std::mt19937 dice(seed * 10 + (unsigned)actor);
    weak::begin(actor, {}, seed);
    while (!stopping)
        step(dice() % PES, dice() % CONTEXTS, dice() % PES, dice);
}

#endif
