/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that is as weak as the orders of C++ allow, for threads of one process: whoever has not been told of a store may
 * read what was there before it. What releases, acquires, fences and read-modify-writes tell is kept in vector clocks, one
 * number for each thread (an actor) that stores. A word has one older value; plain stores that others read behind an acquire
 * (store_late) come late, but for whoever has been told.
 */
#ifndef WEAK_H
#define WEAK_H

#include <stdint.h>
#include <string.h>

#include <mutex>
#include <random>
#include <unordered_map>
#include <vector>

namespace weak
{

enum { ACTORS = 32 };

struct stamp {
    int actor;
    uint32_t time;
};

struct knowledge {
    uint32_t at[ACTORS] = {};
    void join(const knowledge &k)
    {
        for (int i = 0; i < ACTORS; i++)
            at[i] = at[i] < k.at[i] ? k.at[i] : at[i];
    }
    bool of(stamp s) const { return at[s.actor] >= s.time; }
    void add(stamp s) { at[s.actor] = at[s.actor] < s.time ? s.time : at[s.actor]; }
};

struct word {
    uint64_t before = 0;
    stamp last = {0, 0};
    knowledge tells, told; /* with the value, and with the one before it */
    uint32_t version = 0, seen[ACTORS] = {};
};

struct late {
    uint64_t *at, value;
    stamp when;
};

static std::mutex lock;
static std::unordered_map<const void *, word> words;
static std::vector<late> stores;

/* A thread's. Behind a fence it has acquired what it has heard, and publishes what it then knew. */
struct thread {
    int actor = 0;
    knowledge now, heard, published;
    std::mt19937 dice;
};
static thread_local thread self;

static void begin(int actor, const knowledge &known, unsigned seed)
{
    self = {};
    self.actor = actor;
    self.now = known;
    self.dice.seed(seed * 100 + (unsigned)actor);
}

/* ---- under the lock ---- */

static stamp tick()
{
    return {self.actor, ++self.now.at[self.actor]};
}

static void learnt()
{
    for (size_t i = 0; i < stores.size();)
        if (self.now.of(stores[i].when) || self.dice() % 64 == 0) {
            *stores[i].at = stores[i].value;
            stores.erase(stores.begin() + (long)i);
        } else {
            i++;
        }
}

template <class T>
static word &changing(T *p)
{
    word &w = words[p];
    w.before = *p;
    w.told = w.tells;
    w.last = tick();
    w.seen[self.actor] = ++w.version;
    return w;
}

/* ---- what threads do ---- */

template <class T>
static T load(const T *p, bool acquire)
{
    std::lock_guard<std::mutex> hold(lock);
    word &w = words[p];
    const bool old = !self.now.of(w.last) && w.seen[self.actor] != w.version && self.dice() % 4 == 0;
    if (!old)
        w.seen[self.actor] = w.version;
    (acquire ? self.now : self.heard).join(old ? w.told : w.tells);
    const T value = old ? (T)w.before : *p;
    learnt();
    return value;
}

/* tells: what an acquire of it learns. */
template <class T>
static void store_telling(T *p, T v, const knowledge &tells)
{
    word &w = changing(p);
    *p = v;
    w.tells = tells;
}
template <class T>
static void add_telling(T *p, T v, const knowledge &tells)
{
    changing(p).tells.join(tells);
    *p += v;
}
template <class T>
static void store(T *p, T v, bool release)
{
    std::lock_guard<std::mutex> hold(lock);
    store_telling(p, v, self.published);
    if (release)
        words[p].tells = self.now;
}

/* change: gives the new value. */
template <class T, class F>
static T change(T *p, F change)
{
    std::lock_guard<std::mutex> hold(lock);
    word &w = changing(p);
    const T old = *p;
    *p = change(old);
    self.heard.join(w.tells);
    w.tells.join(self.published);
    return old;
}

static void fence()
{
    std::lock_guard<std::mutex> hold(lock);
    self.now.join(self.heard);
    self.published = self.now;
    learnt();
}

static void store_late(uint64_t *p, uint64_t v)
{
    std::lock_guard<std::mutex> hold(lock);
    stores.push_back({p, v, tick()});
}

} // namespace weak

#endif
