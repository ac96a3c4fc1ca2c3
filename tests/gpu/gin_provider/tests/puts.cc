/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts, signals and gets arrive, in the order that they promise: into memory that peers map, and into such that they
 * cannot map. */
#include "check.h"

enum : size_t { WINDOW = 8 << 20, SIGNALS = 64, HALF = WINDOW / 2 };

struct side {
    char *window;
    uint64_t *signals, *inlines;
    void *w, *s, *i;
};

static side set_up(void *g, bool mapped)
{
    side a;
    a.signals = (uint64_t *)calloc(SIGNALS, 8);
    a.inlines = (uint64_t *)calloc(SIGNALS, 8);
    /* Not at the beginning of what is shared. */
    char *all = (char *)(mapped ? shareable(WINDOW + 4096) : calloc(1, WINDOW + 4096));
    CHECK(a.signals && a.inlines && all);
    a.window = all + 4096;
    a.s = reg(g, a.signals, SIGNALS * 8, DEVICE_MEMORY);
    a.i = reg(g, a.inlines, SIGNALS * 8, HOST_MEMORY);
    a.w = reg(g, a.window, WINDOW, DEVICE_MEMORY);
    return a;
}

static void tear_down(void *g, side &a, bool mapped)
{
    for (void *m : {a.w, a.i, a.s})
        CHECK(ncclGinPlugin_v11.dereg(g, m) == OK);
    free(a.signals);
    free(a.inlines);
    if (!mapped)
        free(a.window - 4096);
}

static void put(void *g, side &a, uint64_t from, size_t bytes, uint64_t to, int rank, int sig, uint64_t value,
                void **request)
{
    *request = nullptr;
    CHECK(ncclGinPlugin_v11.put_signal(g, from, a.w, bytes, to, a.w, (uint32_t)rank, (uint64_t)sig * 8, a.s, value,
                                       value == 1 ? SIGNAL_INC : SIGNAL_ADD, request) == OK);
    CHECK(*request);
}

/* Every rank puts to the next, and looks at what came from the one before as soon as the signal is there. */
static void sizes(int n, bool mapped)
{
    ranks(n, [=](int rank, void *g) {
        side a = set_up(g, mapped);
        const int next = (rank + 1) % n, before = (rank + n - 1) % n;
        uint64_t expect = 0;
        for (size_t i = 0; i < HALF; i++)
            a.window[i] = pattern(rank, i);
        for (size_t bytes :
             {(size_t)1, (size_t)4, (size_t)4096, (size_t)262144, (size_t)262145, (size_t)1 << 20, HALF - 12}) {
            void *r;
            put(g, a, 3, bytes, HALF + 5, next, 0, 7, &r);
            finish(g, r);
            wait_for(&a.signals[0], expect += 7);
            for (size_t i = 0; i < bytes; i++)
                CHECK(a.window[HALF + 5 + i] == pattern(before, 3 + i));
            /* The sender may go on when the receiver has looked. */
            CHECK(ncclGinPlugin_v11.put_signal(g, 0, nullptr, 0, 0, nullptr, (uint32_t)before, 8, a.s, 0, SIGNAL_INC,
                                               &r) == OK);
            finish(g, r);
            wait_for(&a.signals[1], expect / 7);
        }
        tear_down(g, a, mapped);
    });
}

/* A signal comes after all earlier puts to that peer, though those carry none; and a request that is done is at its
 * place. */
static void order(bool mapped)
{
    ranks(2, [=](int rank, void *g) {
        enum { PUTS = 300, BYTES = 1000 };
        side a = set_up(g, mapped);
        std::vector<void *> requests;
        if (rank == 0) {
            memset(a.window, 0x5a, PUTS * BYTES);
            for (int k = 0; k < PUTS; k++) {
                requests.push_back(nullptr);
                CHECK(ncclGinPlugin_v11.put(g, (uint64_t)k * BYTES, a.w, BYTES, HALF + (uint64_t)k * BYTES, a.w, 1,
                                            &requests.back()) == OK);
            }
            requests.push_back(nullptr);
            CHECK(ncclGinPlugin_v11.put_signal(g, 0, nullptr, 0, 0, nullptr, 1, 16, a.s, 99, SIGNAL_ADD,
                                               &requests.back()) == OK);
            for (void *r : requests)
                finish(g, r);
        } else {
            wait_for(&a.signals[2], 99);
            for (size_t i = 0; i < PUTS * BYTES; i++)
                CHECK(a.window[HALF + i] == 0x5a);
        }
        tear_down(g, a, mapped);
    });
}

/* More outstanding than any queue has room for; all to one word, and to several. */
static void many(bool mapped)
{
    ranks(2, [=](int rank, void *g) {
        enum { COUNT = 2500 };
        side a = set_up(g, mapped);
        std::vector<void *> requests(COUNT);
        for (int k = 0; k < COUNT; k++)
            memcpy(a.window + k * 8, &k, 4);
        for (int k = 0; k < COUNT; k++)
            put(g, a, (uint64_t)k * 8, 8, HALF + (uint64_t)k * 8, 1 - rank, k % 7 ? 3 : 4, 1, &requests[(size_t)k]);
        for (void *r : requests)
            finish(g, r);
        wait_for(&a.signals[3], COUNT - (COUNT + 6) / 7);
        wait_for(&a.signals[4], (COUNT + 6) / 7);
        for (int k = 0; k < COUNT; k++)
            CHECK(memcmp(a.window + HALF + k * 8, &k, 4) == 0);
        tear_down(g, a, mapped);
    });
}

/* Values in host memory may change right after the call; and puts to oneself work like others. */
static void values(bool mapped)
{
    ranks(2, [=](int rank, void *g) {
        side a = set_up(g, mapped);
        std::vector<void *> requests;
        for (int to = 0; to < 2; to++)
            for (uint64_t k = 0; k < 100; k++) {
                a.inlines[5] = 1000 * (uint64_t)rank + k;
                requests.push_back(nullptr);
                CHECK(ncclGinPlugin_v11.put_signal(g, 40, a.i, 8, HALF + 800 * (uint64_t)rank + k * 8, a.w,
                                                   (uint32_t)to, 40, a.s, 1, SIGNAL_INC, &requests.back()) == OK);
                a.inlines[5] = 0xdead;
            }
        for (void *r : requests)
            finish(g, r);
        wait_for(&a.signals[5], 200);
        for (uint64_t from = 0; from < 2; from++)
            for (uint64_t k = 0; k < 100; k++) {
                uint64_t v;
                memcpy(&v, a.window + HALF + 800 * from + k * 8, 8);
                CHECK(v == 1000 * from + k);
            }
        tear_down(g, a, mapped);
    });
}

/* The table of newer versions is the same group, and can get too. */
static void gets()
{
    ranks(2, [](int rank, void *g) {
        side a = set_up(g, true), b = set_up(g, false);
        rma_config_v14 config = {4, 0, 1};
        void *context, *r = nullptr;
        CHECK(ncclRmaPlugin_v14.create_context(g, &config, &context) == OK);
        for (size_t i = 0; i < HALF; i++)
            a.window[i] = pattern(rank, i);
        void *ready;
        put(g, a, 0, 1, HALF, 1 - rank, 6, 1, &ready);
        finish(g, ready);
        wait_for(&a.signals[6], 1);
        CHECK(ncclRmaPlugin_v14.get(context, 3, 100, a.w, 300000, HALF + 9, a.w, (uint32_t)(1 - rank), &r) == OK);
        finish(g, r);
        for (size_t i = 0; i < 300000; i++)
            CHECK(a.window[HALF + 9 + i] == pattern(1 - rank, 100 + i));
        /* What cannot be mapped cannot be got, and says so. */
        CHECK(ncclRmaPlugin_v14.get(context, 0, 0, b.w, 8, HALF, b.w, (uint32_t)(1 - rank), &r) == INVALID_USAGE);
        r = &r;
        CHECK(ncclRmaPlugin_v14.flush(context, 0, a.s, (uint32_t)(1 - rank), &r) == OK && r == nullptr);
        CHECK(ncclRmaPlugin_v14.put_signal(context, 1, 0, a.w, 64, WINDOW - 64, a.w, (uint32_t)(1 - rank), 56, a.s, 11,
                                           SIGNAL_ADD, true, &r) == OK);
        finish(g, r);
        wait_for(&a.signals[7], 11);
        CHECK(ncclRmaPlugin_v14.destroy_context(context) == OK);
        tear_down(g, b, false);
        tear_down(g, a, true);
    });
}

static void refused()
{
    ranks(2, [](int, void *g) {
        side a = set_up(g, true);
        void *r = nullptr;
        const gin_v11 &p = ncclGinPlugin_v11;
        CHECK(p.put(g, WINDOW - 3, a.w, 4, 0, a.w, 1, &r) == INVALID_ARGUMENT);
        CHECK(p.put(g, 0, a.w, 4, WINDOW - 3, a.w, 1, &r) == INVALID_ARGUMENT);
        CHECK(p.put(g, ~0ul - 1, a.w, 4, 0, a.w, 1, &r) == INVALID_ARGUMENT);
        CHECK(p.put(g, 0, a.w, 4, 0, a.w, 2, &r) == INVALID_ARGUMENT);
        CHECK(p.put_signal(g, 0, a.w, 4, 0, a.w, 1, SIGNALS * 8, a.s, 1, SIGNAL_INC, &r) == INVALID_ARGUMENT);
        CHECK(p.put_signal(g, 0, a.w, 4, 0, a.w, 1, 0, a.s, 1, 3, &r) == INVALID_ARGUMENT);
        CHECK(p.reg(g, a.window, 8, 4, 0, &r, &r) == INVALID_ARGUMENT && !r);
        tear_down(g, a, true);
    });
}

int main()
{
    for (bool mapped : {true, false}) {
        sizes(2, mapped);
        sizes(3, mapped);
        order(mapped);
        many(mapped);
        values(mapped);
    }
    gets();
    refused();
    return 0;
}
