/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages that no PE sends, handed to the handler of the transport between nodes: with another token nothing happens, with
 * the right one nothing beyond the symmetric memory. message_fuzz [SEED]
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "transport/ucx/ucx.h"

enum { MEMORY = 1 << 16, GUARD = 1 << 16, ROUNDS = 300000, N = 4 };

struct ux ux = {.lock = PTHREAD_MUTEX_INITIALIZER};
static unsigned char all[GUARD + MEMORY + GUARD], was[sizeof all];
static uint64_t seed;
static int warnings;

static uint64_t next(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static void count(enum gs_level level, const char *fmt, ...)
{
    (void)fmt;
    warnings += level == GS_WARN;
}

static void lost(int pe, const char *why)
{
    fprintf(stderr, "lost PE %d: %s\n", pe, why);
    exit(1);
}

static void must(int holds, const char *what, uint64_t first)
{
    if (holds)
        return;
    fprintf(stderr, "%s; repeat with seed %llu\n", what, (unsigned long long)first);
    exit(1);
}

/* A number near a limit, or any. */
static uint64_t number(void)
{
    switch (next() % 5) {
    case 0:
        return next() % 64;
    case 1:
        return MEMORY - 32 + next() % 64;
    case 2:
        return next() % MEMORY;
    case 3:
        return UINT64_MAX - next() % 64;
    default:
        return next();
    }
}

int main(int argc, char **argv)
{
    static unsigned char data[512];
    struct gs_far_core core = {.me = 0, .n = N, .log = count, .lost = lost, .token = "the right token"};
    core.region[GS_FAR_HEAP].base = (char *)all + GUARD;
    core.region[GS_FAR_HEAP].bytes = MEMORY;
    ux.core = &core;
    ux.tasks_end = &ux.tasks;
    ux.peer = calloc(N, sizeof *ux.peer);
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : (uint64_t)time(NULL) * 2 + 1;
    seed = first | 1;
    printf("seed %llu\n", (unsigned long long)first);
    int performed = 0;
    for (int round = 0; round < ROUNDS; round++) {
        ucp_am_recv_param_t param = {.recv_attr = 0};
        struct ux_head h;
        int right = next() % 2, whole = next() % 16 != 0;
        size_t len = next() % sizeof data;
        for (size_t k = 0; k < sizeof h; k += 8) {
            uint64_t r = next();
            memcpy((char *)&h + k, &r, 8);
        }
        memcpy(h.token, core.token, sizeof h.token);
        if (!right)
            h.token[next() % sizeof h.token] ^= (uint8_t)(1 + next() % 255);
        if (next() % 4)
            h.from = (int32_t)(next() % N);
        /* no answers: their id is a pointer that this process gave away itself */
        h.kind = (uint8_t[]){UX_PUT, UX_GET, UX_AMO, UX_FLUSH, UX_KINDS, 255}[next() % 6];
        h.op = (uint8_t)(next() % 12);
        h.size = (uint8_t[]){4, 8, 0, 1, 16}[next() % 5];
        h.sig = (uint8_t)(next() % 4);
        h.place = number();
        h.bytes = next() % 2 ? len : number();
        h.a = number();
        h.width = next() % 2 ? 0 : next() % 2 ? 1 + next() % 16 : number();
        h.pitch = next() % 2 ? next() % 64 : number();
        uint64_t applied = 0, now = 0;
        for (int i = 0; i < N; i++)
            applied += ux.peer[i].applied;
        if (round % 64 == 0)
            memcpy(was, all, sizeof all);
        ux_on_message(NULL, &h, whole ? sizeof h : next() % sizeof h, data, len, &param);
        for (int i = 0; i < N; i++)
            now += ux.peer[i].applied;
        performed += now > applied;
        if (!right || !whole) {
            must(!ux.tasks && now == applied, "a message without the token was performed", first);
            must(round % 64 || memcmp(was, all, sizeof all) == 0, "a message without the token wrote", first);
        }
        while (ux.tasks) {
            struct ux_task *t = ux.tasks;
            ux.tasks = t->next;
            must(t->head.from >= 0 && t->head.from < N, "an answer to no PE", first);
            free(t);
        }
        ux.tasks_end = &ux.tasks;
    }
    for (int k = 0; k < GUARD; k++)
        must(!all[k] && !all[GUARD + MEMORY + k], "memory beyond the symmetric heap was written", first);
    must(warnings == 1, "strangers are told once", first);
    must(performed > ROUNDS / 1000, "hardly a message was performed: the test tests nothing", first);
    printf("%d of %d messages were performed\n", performed, (int)ROUNDS);
    free(ux.peer);
    return 0;
}
