/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What kernels do with NCCL's GIN (gin_book.h, fabric_gin.h), by threads of the host, over a network as bad as NCCL's
 * rules allow: puts are performed late and in any order, a count says no more than that the source was read, and only a
 * signal comes behind what its context sent to that PE before, as far as its thread knows of it; and in memory as weak as
 * orders allow (weak.h). tests/mutants/run.sh leaves out what orders them, one at a time.
 * arguments: seed; rounds; seconds that a wait may take
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <atomic>
#include <deque>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "weak.h"

/* ---- what the headers take from port.h, report.h and gin_nccl.h ---- */

enum { PES = 3, CONTEXTS = 2, THREADS = 6 };

/* A thread looks at counters before it writes a staging room, and has to fence before that is sent. */
static thread_local bool unfenced;

namespace memory
{
using weak::change;
using weak::load;
using weak::store;
static inline void fence(void)
{
    weak::fence();
    unfenced = false;
}
} // namespace memory
#include "gin_port.h"

#ifdef GIN_SHMEM_MUTANT
enum { LOCK_HELD = 1 };
static inline void gin_shmem_cpu_tick(void) {}
#include <gin_shmem/cpu/mutant.h>
#endif
#include <gin_shmem/fabric_gin.h>
#undef gin_nccl_put /* which mutant.h may have made a macro */

#include "gin_network.h"

/* ---- the job ---- */

enum : size_t { SYMMETRIC = 1 << 20, SOURCE_AT = SYMMETRIC / 2 };

static struct tables job[PES];

static void set_up(void)
{
    for (int pe = 0; pe < PES; pe++) {
        struct tables &t = job[pe];
        heap.memory[pe].assign(SYMMETRIC, 0);
        system_window.memory[pe].assign(4096 + gin_shmem_gin_room_bytes(CONTEXTS), 0);
        t.fill(pe, PES, CONTEXTS, 8);
        t.use(pe);
        for (int c = 0; c < CONTEXTS; c++) /* counters begin anywhere */
            for (int s = 0; s < GIN_SHMEM_GIN_SLOTS; s++)
                counters[pe][c][s] = ((uint64_t)1 << 56) - 3;
    }
}

static int failures;
static std::mutex failures_lock;
#define EXPECT(got, want, what, where)                                                                       \
    do {                                                                                                     \
        unsigned long long expect_got = (got), expect_want = (want);                                         \
        if (expect_got != expect_want) {                                                                     \
            std::lock_guard<std::mutex> hold(failures_lock);                                                 \
            if (failures++ < 10)                                                                             \
                printf("PE %d: %s: %llu, not %llu (%d)\n", me, what, expect_got, expect_want, (int)(where)); \
        }                                                                                                    \
    } while (0)

static uint64_t *word(int pe, size_t i)
{
    return (uint64_t *)heap.memory[pe].data() + i;
}
static uint64_t mix(uint64_t i, uint64_t j)
{
    uint64_t x = i * 0x9e3779b97f4a7c15ull + j + 1;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    return x ^ x >> 31;
}
static void wait_for(const uint64_t *p, uint64_t value)
{
    for (watchdog dog; load_acquire(p) != value;)
        if (dog.late())
            fail_timeout(0, p, 8, 0, value, load_relaxed(p));
}

enum { NETWORKS = 2, FIRST_WORKER = NETWORKS + 1 }; /* actors; 0 is main's */

/* What main knows, the threads that it starts know too; what they know at their end, main does. */
static weak::knowledge mains;
struct actor {
    actor(int number, unsigned seed) { weak::begin(number, mains, seed); }
    ~actor()
    {
        std::lock_guard<std::mutex> hold(weak::lock);
        ends.join(weak::self.now);
    }
    static weak::knowledge ends;
};
weak::knowledge actor::ends;

/* A thread's own part of the heap: words that it receives from the PE before. */
enum { PART = 2048, LONG = 1500 };

static void work(int pe, int thread, int rounds, unsigned seed)
{
    const actor as(FIRST_WORKER + pe * THREADS + thread, seed);
    me = pe;
    blockIdx.x = (unsigned)thread;
    std::mt19937 dice(seed * 1000 + (unsigned)(pe * THREADS + thread));
    const int next = (me + 1) % PES, previous = (me + PES - 1) % PES;
    const size_t in = (size_t)thread * PART, flag = in + PART - 8;
    std::vector<uint64_t> mine(LONG);
    uint64_t *source = word(me, SOURCE_AT / 8 + (size_t)thread * PART);
    for (int k = 1; k <= rounds; k++) {
        const size_t words = dice() % 3 == 0 ? 1 : dice() % 3 ? 1 + dice() % 60 : (size_t)LONG;
        const bool window = dice() % 2, wait = !window || dice() % 2;
        const int kind = (int)(dice() % 4);
        uint64_t *from = window ? source : mine.data();
        for (size_t i = 0; i < words; i++)
            from[i] = mix((uint64_t)me * 1000 + (uint64_t)k, i) ^ words;
        if (kind == 0) {
            (void)gin_put_signal(word(me, in), from, words * 8, word(me, flag), (uint64_t)k, false, next, wait, 0);
        } else {
            EXPECT(gin_put(word(me, in), from, words * 8, next, wait, 0), 1, "put", k);
            if (wait)
                for (size_t i = 0; i < words; i++)
                    from[i] = 0; /* given back */
            for (unsigned i = dice() % 64; i > 0; i--)
                std::this_thread::yield();
            gin_quiet(kind == 1 ? next : -1, 0);
            EXPECT(gin_signal(word(me, flag), (uint64_t)k, false, next, 0), 1, "signal", k);
        }
        wait_for(word(me, flag), (uint64_t)k);
        /* how many words it was follows from the first one */
        uint64_t got = load_acquire(word(me, in)), count = got ^ mix((uint64_t)previous * 1000 + (uint64_t)k, 0);
        if (count < 1 || count > LONG) {
            EXPECT(got, 0, "no such data", k);
            count = 0;
        }
        for (size_t i = 0; i < count; i++)
            EXPECT(load_relaxed(word(me, in + i)), mix((uint64_t)previous * 1000 + (uint64_t)k, i) ^ count, "data", k);
        (void)gin_p(word(me, flag + 1), (uint64_t)k, 8, previous, 0); /* the place is free */
        wait_for(word(me, flag + 1), (uint64_t)k);
    }
    gin_quiet(-1, 0);
}

static void costs(void)
{
    me = 0;
    blockIdx.x = 0;
    gin_quiet(-1, 0);
    uint64_t before = signals_sent;
    for (int k = 0; k < 10; k++)
        gin_quiet(-1, 0);
    EXPECT(signals_sent, before, "signals of idle quiets", 0);
    for (int k = 0; k < 10; k++)
        (void)gin_p(word(0, (size_t)k), 5, 8, 1, 0);
    gin_quiet(-1, 0);
    EXPECT(signals_sent, before + 1, "signals of a quiet", 0);
    for (int k = 0; k < 10; k++)
        EXPECT(*word(1, (size_t)k), 5, "a word", k);
    for (uint32_t pair : job[0].pairs)
        EXPECT(pair, GIN_SHMEM_GIN_CLEAN, "a pair", 0);
    EXPECT(job[0].book.head, job[0].book.tail, "the list's end", 0);
}

/* Threads of one pair: puts are under way while another's quiet takes the pair out of the list. Whoever is told of a quiet,
 * by the network or in memory, sees what was put before. Values only grow. */
static void crossing(unsigned seed)
{
    enum { SENDERS = 4, TIMES = 400 };
    static uint64_t told[SENDERS];
    std::vector<std::thread> threads;
    for (int t = 0; t < SENDERS; t++) {
        const size_t data = 24000 + (size_t)t * 2, flag = data + 1;
        threads.emplace_back([=] {
            const actor as(FIRST_WORKER + t, seed);
            me = 0;
            blockIdx.x = 0;
            for (uint64_t k = 1; k <= TIMES; k++) {
                (void)gin_p(word(0, data), k, 8, 1, 0);
                for (unsigned i = weak::self.dice() % 4; i > 0; i--)
                    std::this_thread::yield();
                gin_quiet(t % 2 ? 1 : -1, 0);
                store_release(&told[t], k);
                (void)gin_p(word(0, flag), k, 8, 1, 0);
            }
        });
        threads.emplace_back([=] {
            const actor as(FIRST_WORKER + SENDERS + t, seed);
            me = 1;
            for (uint64_t k = 0, look = 0; k < TIMES; look++) {
                const uint64_t now = load_acquire(look % 2 ? word(1, flag) : &told[t]);
                if (now > k) { /* not before: a word that has been seen is not read older */
                    EXPECT(load_relaxed(word(1, data)) < now, 0, "data behind its flag", now);
                    k = now;
                }
                std::this_thread::yield();
            }
        });
    }
    for (std::thread &t : threads)
        t.join();
    mains.join(actor::ends);
}

/* Rooms are used again by other threads, as soon as what was in them has been read. */
static void rooms(unsigned seed)
{
    enum { SENDERS = 4, TIMES = 100, WORDS = 80 };
    std::vector<std::thread> threads;
    for (size_t t = 0; t < SENDERS; t++)
        threads.emplace_back([=] {
            const actor as(FIRST_WORKER + (int)t, seed);
            uint64_t mine[WORDS];
            me = 0;
            blockIdx.x = 0;
            for (size_t k = t; k < TIMES * SENDERS; k += SENDERS) {
                for (size_t i = 0; i < WORDS; i++)
                    mine[i] = mix(k, i);
                (void)gin_put(word(0, k * WORDS), mine, sizeof mine, 1, true, 0);
            }
            gin_quiet(-1, 0);
        });
    for (std::thread &t : threads)
        t.join();
    for (size_t k = 0; k < TIMES * SENDERS; k++)
        for (size_t i = 0; i < WORDS; i++)
            EXPECT(*word(1, k * WORDS + i), mix(k, i), "a room's words", k);
    mains.join(actor::ends);
}

/* The host adds windows, entries first, under threads that look. */
static void windows(unsigned seed)
{
    enum { MORE = 30, BYTES = 64 };
    static unsigned char area[MORE][BYTES];
    struct gin_shmem_windows *w = &job[0].windows;
    const uint32_t first = w->count;
    std::thread host([w, first, seed] {
        const actor as(FIRST_WORKER, seed);
        for (uint32_t i = first; i < first + MORE; i++) {
            weak::store_late(&w->w[i].lo, (uint64_t)area[i - first]);
            weak::store_late(&w->w[i].bytes, BYTES);
            weak::store_late((uint64_t *)&w->w[i].nccl, (uint64_t)&heap);
            store_release(&w->count, i + 1);
        }
    });
    me = 0;
    for (int i = 0; i < MORE; i++) {
        struct gin_place at = {};
        for (watchdog dog; !gin_find(area[i], BYTES, &at);)
            if (dog.late())
                fail_timeout(0, nullptr, 4, 0, (uint64_t)i, w->count);
        EXPECT((uint64_t)at.window, (uint64_t)&heap, "a window that was added", i);
    }
    host.join();
}

/* One thread puts and another, which has heard of it, quiets and tells. What it has heard by is relaxed: the quiet is the
 * fence. */
static void observed(int pe, unsigned seed)
{
    enum { TIMES = 500 };
    static uint64_t heard, told, seen;
    uint64_t *data = word(1, 20000);
    std::thread puts([=] {
        const actor as(FIRST_WORKER, seed);
        me = 0;
        blockIdx.x = 0;
        for (uint64_t k = 1; k <= TIMES; k++) {
            (void)gin_p(word(0, 20000), k, 8, 1, 0);
            store_release(&heard, k);
            wait_for(&seen, k);
        }
    });
    std::thread tells([=] {
        const actor as(FIRST_WORKER + 1, seed);
        me = 0;
        blockIdx.x = 1;
        for (uint64_t k = 1; k <= TIMES; k++) {
            for (watchdog dog; load_relaxed(&heard) != k;)
                if (dog.late())
                    fail_timeout(0, &heard, 8, 0, k, heard);
            gin_quiet(pe, 0);
            store_release(&told, k);
        }
    });
    me = 1;
    for (uint64_t k = 1; k <= TIMES; k++) {
        wait_for(&told, k);
        EXPECT(load_relaxed(data), k, "what another thread has quieted", k);
        store_release(&seen, k);
    }
    puts.join();
    tells.join();
    heard = told = seen = 0;
    *data = 0;
    mains.join(actor::ends);
    weak::begin(0, mains, seed);
}

/* Additions: the payload is there and the signal somebody else's, unless the job lets the network add. */
static void adds(bool network)
{
    enum { TIMES = 20, WORDS = 70 };
    uint64_t *sum = word(1, 9000);
    me = 0;
    job[0].gin.flags = network ? GIN_SHMEM_GIN_ADDS : 0;
    for (int k = 0; k < TIMES; k++) {
        uint64_t mine[WORDS];
        const size_t words = k % 2 ? WORDS : 2;
        blockIdx.x = (unsigned)k;
        for (int i = 0; i < WORDS; i++)
            mine[i] = mix((uint64_t)(k + 100 * network), (uint64_t)i);
        const enum gin_served served =
            gin_put_signal(word(0, (size_t)k * WORDS), mine, words * 8, word(0, 9000), 3, true, 1, true, 0);
        EXPECT(served, network ? GIN_DONE : GIN_PAYLOAD_DONE, "put_signal with an addition", k);
        for (size_t i = 0; !network && i < words; i++)
            EXPECT(*word(1, (size_t)k * WORDS + i), mine[i], "payload of an addition", k);
    }
    EXPECT(gin_signal(word(0, 9000), 7, true, 1, 0), network, "an addition alone", 0);
    if (network) {
        wait_for(sum, TIMES * 3 + 7);
        for (int k = 0; k < TIMES; k++)
            for (int i = 0; i < (k % 2 ? WORDS : 2); i++)
                EXPECT(*word(1, (size_t)k * WORDS + (size_t)i), mix((uint64_t)(k + 100), (uint64_t)i),
                       "payload before its signal", k);
    } else {
        EXPECT(load_acquire(sum), 0, "a signal that is not made here", 0);
    }
    gin_quiet(-1, 0);
    job[0].gin.flags = 0;
}

static void gets(void)
{
    me = 0;
    for (size_t i = 0; i < 40000; i++)
        heap.memory[2][i] = (unsigned char)mix(i, 5);
    for (size_t bytes : {1, 7, 500, 33000})
        for (size_t from : {0, 3, 8}) {
            std::vector<unsigned char> plain(bytes + 1, 0);
            EXPECT(gin_get(plain.data(), &heap.memory[0][from], bytes, 2, true, 0), 1, "get", bytes);
            EXPECT(gin_get(&heap.memory[0][SOURCE_AT], &heap.memory[0][from], bytes, 2, false, 0), 1, "get", bytes);
            EXPECT(memcmp(plain.data(), &heap.memory[2][from], bytes), 0, "data of a get", bytes);
            EXPECT(memcmp(&heap.memory[0][SOURCE_AT], &heap.memory[2][from], bytes), 0, "data of a get", bytes);
            EXPECT(plain[bytes], 0, "behind a get", bytes);
        }
}

/* What is no place in a window is not served. */
static void refusals(void)
{
    uint64_t here = 0;
    me = 0;
    EXPECT(gin_put(&here, word(0, 0), 8, 1, true, 0), 0, "put to no window", 0);
    EXPECT(gin_put(&heap.memory[0][SYMMETRIC - 8], word(0, 0), 16, 1, true, 0), 0, "put over a window's end", 0);
    EXPECT(gin_get(&here, &here, 8, 1, true, 0), 0, "get from no window", 0);
    EXPECT(gin_put_signal(word(0, 0), &here, 8, &here, 1, false, 1, true, 0), GIN_NOT_SERVED, "signal in no window", 0);
    EXPECT(gin_put(word(0, 0), &here, 0, 1, true, 0), 1, "put of nothing", 0);
}

int main(int argc, char **argv)
{
    const unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : (unsigned)time(nullptr);
    const int rounds = argc > 2 ? atoi(argv[2]) : 60;
    patience_s = argc > 3 ? (unsigned)atoi(argv[3]) : patience_s;
    std::vector<std::thread> network, threads;
    printf("seed %u\n", seed);
    fflush(stdout);
    set_up();
    for (int i = 1; i <= NETWORKS; i++)
        network.emplace_back(carry, i, seed);
    for (int pe = 0; pe < PES; pe++)
        for (int t = 0; t < THREADS; t++)
            threads.emplace_back(work, pe, t, rounds, seed);
    for (std::thread &t : threads)
        t.join();
    mains = actor::ends;
    weak::begin(0, mains, seed);
    costs();
    windows(seed);
    crossing(seed);
    rooms(seed);
    weak::begin(0, mains, seed);
    observed(-1, seed);
    observed(1, seed);
    *word(1, 9000) = 0;
    adds(false);
    adds(true);
    gets();
    refusals();
    stopping = true;
    for (std::thread &t : network)
        t.join();
    printf("%d failures, %llu signals\n", failures, (unsigned long long)signals_sent.load());
    return failures != 0;
}
