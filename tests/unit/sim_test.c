/* SPDX-License-Identifier: BSD-3-Clause */
/* The simulated network and the store buffers: what is promised holds with every seed, and what is not promised fails
 * with some. */
#define _GNU_SOURCE
#include "unit.h"

#include <gin_shmem/cpu/sim.h>
#include <gin_shmem/cpu/thread.h>
#include <gin_shmem/state.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/log.h"
#include "cpu/sim.h"

enum { PES = 3, BYTES = 8192 };
static _Alignas(64) unsigned char memory[PES][BYTES]; /* 0: own */
static uint64_t seed;

void gin_shmem_cpu_yield(unsigned polls)
{
    (void)polls;
    sched_yield();
}

static void *peer(const void *p, int pe)
{
    return &memory[pe][(const unsigned char *)p - memory[0]];
}
static bool own(const void *p)
{
    return (uintptr_t)p - (uintptr_t)memory[0] < BYTES;
}
static int allgather(const void *mine, size_t len, void *all)
{
    for (int i = 0; i < PES; i++)
        memcpy((char *)all + (size_t)i * len, mine, len);
    return 0;
}

/* Begins with another seed each time. */
static void begin(const char *mode)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)(unit_random(&seed) >> 1));
    setenv("GIN_SHMEM_SIM_SEED", text, 1);
    setenv("GIN_SHMEM_SIM_MODE", mode, 1);
    struct gs_sim_config c = {
        .n = PES, .far = true, .peer = peer, .own = own, .allgather = allgather, .log = gs_log, .die = gs_die};
    memset(memory, 0, sizeof memory);
    assert_int_equal(gs_sim_start(&c), 0);
}

static void fill(unsigned char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        p[i] = (unsigned char)(unit_random(&seed) | 1);
}

static void put(void *dest, const void *source, uint64_t bytes, bool wait)
{
    gin_shmem_sim_put_signal(dest, source, bytes, NULL, 0, 0, 1, wait, 0);
}

static const char *const modes[] = {"instant", "random", "adversarial"};

static uint64_t word(int pe, size_t i)
{
    return __atomic_load_n((uint64_t *)memory[pe] + i, __ATOMIC_ACQUIRE);
}
static uint64_t *at(size_t i)
{
    return (uint64_t *)memory[0] + i;
}

/* Any range to any place, from symmetric memory and other, with and without waiting. */
static void transfers(void **state)
{
    (void)state;
    for (int m = 0; m < 3; m++) {
        begin(modes[m]);
        for (int i = 0; i < 300; i++) {
            unsigned char other[2048], back[2048], expect[4096];
            size_t n = unit_random(&seed) % sizeof other, to = unit_random(&seed) % 2000 + 4096,
                   from = unit_random(&seed) % 2000;
            int pe = 1 + (int)(unit_random(&seed) % 2);
            unsigned char *source = i & 1 ? other : memory[0] + from;
            fill(source, n);
            memcpy(expect, memory[pe] + 4096, sizeof expect);
            memcpy(expect + to - 4096, source, n);
            gin_shmem_sim_put_signal(memory[0] + to, source, n, NULL, 0, 0, pe, i & 2, 0);
            if (i & 2)
                memset(source, 0, n);
            gin_shmem_sim_quiet(i & 4 ? pe : -1, 0);
            assert_memory_equal(memory[pe] + 4096, expect, sizeof expect);
            gin_shmem_sim_get(back, memory[0] + to, n, pe, i & 8, 0);
            if (!(i & 8))
                gin_shmem_sim_quiet(-1, 0);
            assert_memory_equal(back, expect + to - 4096, n);
        }
        gs_sim_stop();
    }
}

struct watch {
    uint64_t stop, wrong, seen;
};

/* A signal's own data is there when it is, whatever else is on the way. */
static void *signal_watcher(void *arg)
{
    struct watch *w = arg;
    for (uint64_t next = 1; next <= 200;) {
        uint64_t s = word(1, 0);
        if (s >= next) {
            for (uint64_t r = next; r <= s; r++, next++)
                for (size_t i = 0; i < 16; i++)
                    w->wrong += word(1, 16 * r + i) != r;
        } else {
            sched_yield();
        }
        if (__atomic_load_n(&w->stop, __ATOMIC_RELAXED))
            break;
        w->seen = next - 1;
    }
    return NULL;
}
static void signals(void **state)
{
    (void)state;
    for (int m = 0; m < 3; m++) {
        struct watch w = {0};
        pthread_t t;
        begin(modes[m]);
        assert_int_equal(pthread_create(&t, NULL, signal_watcher, &w), 0);
        for (uint64_t r = 1; r <= 60; r++) {
            for (size_t i = 0; i < 16; i++)
                *at(16 * r + i) = r;
            put(at(1000), at(16), 64, false); /* others, to be overtaken */
            gin_shmem_sim_put_signal(at(16 * r), at(16 * r), 128, at(0), r, false, 1, r & 1, 0);
            gin_shmem_sim_quiet(1, 0);
        }
        assert_int_equal(word(1, 0), 60);
        __atomic_store_n(&w.stop, 1, __ATOMIC_RELAXED);
        pthread_join(t, NULL);
        assert_int_equal(w.wrong, 0);
        gs_sim_stop();
    }
}

/* Two puts to one word without a fence: some seed delivers them the wrong way round; with a quiet, none. */
static int overtakes(const char *mode, bool quiet)
{
    int wrong = 0;
    begin(mode);
    for (int i = 0; i < 40; i++) {
        gin_shmem_sim_p(at(0), 1, 8, 1, 0);
        if (quiet)
            gin_shmem_sim_quiet(1, 0);
        gin_shmem_sim_p(at(0), 2, 8, 1, 0);
        gin_shmem_sim_quiet(1, 0);
        wrong += word(1, 0) != 2;
    }
    gs_sim_stop();
    return wrong;
}
/* Data, and then a signal of its own: GIN orders them only on one context. */
static int early_signals(const char *mode, bool quiet)
{
    int wrong = 0;
    begin(mode);
    for (uint64_t i = 1; i <= 40; i++) {
        gin_shmem_sim_p(at(1), i, 8, 1, 0);
        if (quiet)
            gin_shmem_sim_quiet(1, 0);
        gin_shmem_sim_put_signal(NULL, NULL, 0, at(0), 1, true, 1, false, 0);
        while (word(1, 0) < i)
            sched_yield();
        wrong += word(1, 1) != i;
        gin_shmem_sim_quiet(1, 0);
    }
    gs_sim_stop();
    return wrong;
}
/* A busy machine may deliver late enough for nobody to see a difference: a few seeds more. */
static bool some_seed(int (*wrong)(const char *mode, bool ordered), const char *mode)
{
    for (int i = 0; i < 30; i++)
        if (wrong(mode, false))
            return true;
    return false;
}
static void order(void **state)
{
    (void)state;
    for (int m = 1; m < 3; m++) {
        assert_true(some_seed(overtakes, modes[m]));
        assert_int_equal(overtakes(modes[m], true), 0);
        assert_true(some_seed(early_signals, modes[m]));
        assert_int_equal(early_signals(modes[m], true), 0);
    }
}

/* A put that need not wait reads its source late; after a flush it has. */
static void sources(void **state)
{
    (void)state;
    int late = 0;
    begin("adversarial");
    for (uint64_t i = 1; i <= 20; i++) {
        *at(5) = i;
        put(at(0), at(5), 8, false);
        if (i & 1)
            gin_shmem_sim_flush(1, 0);
        *at(5) = 0;
        gin_shmem_sim_quiet(1, 0);
        if (i & 1)
            assert_int_equal(word(1, 0), i);
        else
            late += word(1, 0) != i;
    }
    assert_int_not_equal(late, 0);
    gs_sim_stop();
}

static void atomics(void **state)
{
    (void)state;
    for (int m = 0; m < 3; m++) {
        float f = 1.5f, g;
        uint64_t bits = 0;
        begin(modes[m]);
        for (int i = 0; i < 50; i++)
            gin_shmem_sim_amo(GIN_SHMEM_OP_ADD, at(0), 8, 3, 0, 1, false, 0);
        gin_shmem_sim_quiet(1, 0);
        assert_int_equal(gin_shmem_sim_amo(GIN_SHMEM_OP_ADD, at(0), 8, 1, 0, 1, true, 0), 150);
        assert_int_equal(gin_shmem_sim_amo(GIN_SHMEM_OP_CSWAP, at(0), 8, 7, 150, 1, true, 0), 151);
        assert_int_equal(gin_shmem_sim_amo(GIN_SHMEM_OP_CSWAP, at(0), 8, 7, 151, 1, true, 0), 151);
        assert_int_equal(gin_shmem_sim_amo(GIN_SHMEM_OP_SWAP, at(0), 4, 0xff0, 0, 1, true, 0), 7);
        assert_int_equal(gin_shmem_sim_amo(GIN_SHMEM_OP_AND, at(0), 4, 0x0f0, 0, 1, true, 0), 0xff0);
        assert_int_equal(gin_shmem_sim_amo(GIN_SHMEM_OP_OR, at(0), 2, 0xf, 0, 1, true, 0), 0xf0);
        assert_int_equal(gin_shmem_sim_amo(GIN_SHMEM_OP_XOR, at(0), 1, 0xf, 0, 1, true, 0), 0xff);
        assert_int_equal(gin_shmem_sim_amo(GIN_SHMEM_OP_FETCH, at(0), 8, 0, 0, 1, true, 0), 0xf0);
        memcpy(&bits, &f, sizeof f);
        for (int i = 0; i < 3; i++)
            bits = gin_shmem_sim_amo(GIN_SHMEM_OP_ADD_FLOAT, at(2), 4, 0x3fc00000 /* 1.5f */, 0, 1, true, 0);
        memcpy(&g, &bits, sizeof g);
        assert_true(g == 3.0f);
        (void)gin_shmem_sim_amo(GIN_SHMEM_OP_ADD_BFLOAT16, at(3), 2, 0x3f80 /* 1 */, 0, 1, true, 0);
        assert_int_equal(gin_shmem_sim_amo(GIN_SHMEM_OP_ADD_BFLOAT16, at(3), 2, 0x3f80, 0, 1, true, 0), 0x3f80);
        assert_int_equal(word(1, 3), 0x4000);
        (void)gin_shmem_sim_amo(GIN_SHMEM_OP_ADD_FLOAT, at(4), 2, 0x3c00 /* 1 */, 0, 1, true, 0);
        (void)gin_shmem_sim_amo(GIN_SHMEM_OP_ADD_FLOAT, at(4), 2, 0x3c00, 0, 1, true, 0);
        assert_int_equal(word(1, 4), 0x4000);
        gs_sim_stop();
    }
}

/* ---- store buffers ---- */

__thread struct gin_shmem_cpu_thread *gin_shmem_cpu_self;

/* Two stores to a neighbour, seen by a reader the wrong way round. fence: between them. */
static int reordered(const char *mode, bool fence)
{
    int wrong = 0;
    for (int i = 0; i < 60; i++) {
        begin(mode);
        struct gin_shmem_cpu_thread t = {.block_dim = {1, 1, 1}};
        gin_shmem_cpu_self = &t;
        gs_sim_thread_begins(&t);
        uint64_t one = 1, *data = (uint64_t *)memory[1], *flag = (uint64_t *)memory[1] + 8;
        for (int k = 0; k < 2; k++) {
            uint64_t *p = k ? flag : data;
            if (k && fence)
                t.stores->fence(t.stores);
            if (!t.stores->store(t.stores, GIN_SHMEM_OP_SET, p, &one, 8))
                *p = one;
        }
        for (int polls = 0; !word(1, 8); polls++) { /* as a thread that waits for something else */
            assert_true(polls < 100000);
            t.stores->load(t.stores, NULL, 0);
        }
        wrong += !word(1, 0);
        gs_sim_thread_ended(&t);
        assert_int_equal(word(1, 0), 1);
        gs_sim_stop();
    }
    return wrong;
}
static void stores(void **state)
{
    (void)state;
    for (int m = 1; m < 3; m++) {
        assert_true(some_seed(reordered, modes[m]));
        assert_int_equal(reordered(modes[m], true), 0);
    }
}

/* A thread finds what it stored, and stores to the same bytes stay in order. */
static void same_bytes(void **state)
{
    (void)state;
    for (int m = 1; m < 3; m++) {
        struct gin_shmem_cpu_thread t = {.block_dim = {1, 1, 1}};
        unsigned char expect[256] = {0};
        begin(modes[m]);
        gin_shmem_cpu_self = &t;
        gs_sim_thread_begins(&t);
        for (int i = 0; i < 5000; i++) {
            unsigned char v[16];
            unsigned bytes = 1u << unit_random(&seed) % 5;
            size_t to = unit_random(&seed) % (sizeof expect / bytes) * bytes;
            _Alignas(16) unsigned char aligned[16];
            fill(v, sizeof v);
            memcpy(aligned, v, sizeof v);
            if (!t.stores->store(t.stores, GIN_SHMEM_OP_SET, memory[1] + to, aligned, bytes))
                memcpy(memory[1] + to, v, bytes);
            memcpy(expect + to, v, bytes);
            if (i % 3 == 0) {
                to = unit_random(&seed) % (sizeof expect / 8) * 8;
                t.stores->load(t.stores, memory[1] + to, 8);
                assert_memory_equal(memory[1] + to, expect + to, 8);
            }
        }
        t.stores->fence(t.stores);
        assert_memory_equal(memory[1], expect, sizeof expect);
        gs_sim_thread_ended(&t);
        gs_sim_stop();
    }
}

static void wrong_mode(void *arg)
{
    assert_int_equal(gs_sim_start(arg), -1);
}
static void bad_values(void **state)
{
    (void)state;
    char text[256];
    struct gs_sim_config c = {.n = PES, .far = true, .peer = peer, .own = own, .allgather = allgather, .log = gs_log};
    setenv("GIN_SHMEM_SIM_MODE", "bad", 1);
    unit_capture(wrong_mode, &c, text, sizeof text);
    assert_non_null(strstr(text, "GIN_SHMEM_SIM_MODE=bad: unknown; choose instant"));
    setenv("GIN_SHMEM_SIM_MODE", "random", 1);
    setenv("GIN_SHMEM_SIM_SEED", "12x", 1);
    unit_capture(wrong_mode, &c, text, sizeof text);
    assert_non_null(strstr(text, "GIN_SHMEM_SIM_SEED=12x: not a number"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transfers),  cmocka_unit_test(signals),    cmocka_unit_test(order),
        cmocka_unit_test(sources),    cmocka_unit_test(atomics),    cmocka_unit_test(stores),
        cmocka_unit_test(same_bytes), cmocka_unit_test(bad_values),
    };
    seed = unit_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
