/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
/* Store buffers: what the library stores to other PEs of the node, until a fence, a full buffer or the end of the block.
 * A host thread runs one block at a time, so the block's buffer is the thread's; its fibres change only when they call. */
#include <gin_shmem/cpu/thread.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "cpu/sim.h"

enum { ROOM = 16, HELD_NS = 200000 /* in adversarial mode, while its thread waits */ };

struct entry {
    unsigned char *at;
    unsigned bytes; /* 1, 2, 4, 8, or 16: two words of 8 */
    union {
        uint8_t b;
        uint16_t h;
        uint32_t w;
        uint64_t d[2];
    } v;
};

struct buffer {
    struct gin_shmem_cpu_stores call;
    bool seeded;
    uint64_t row;
    unsigned threads; /* of the block, that are running */
    uint64_t until;   /* then stores begin to drain, poll by poll */
    unsigned n;
    struct entry e[ROOM]; /* oldest first */
};
static __thread struct buffer own;

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static bool overlap(const struct entry *a, const void *p, unsigned bytes)
{
    return (uintptr_t)a->at < (uintptr_t)p + bytes && (uintptr_t)p < (uintptr_t)a->at + a->bytes;
}

static void make(const struct entry *e)
{
    switch (e->bytes) {
    case 1:
        __atomic_store_n(e->at, e->v.b, __ATOMIC_RELAXED);
        break;
    case 2:
        __atomic_store_n((uint16_t *)e->at, e->v.h, __ATOMIC_RELAXED);
        break;
    case 4:
        __atomic_store_n((uint32_t *)e->at, e->v.w, __ATOMIC_RELAXED);
        break;
    default:
        for (unsigned i = e->bytes / 8; i-- > 0;)
            __atomic_store_n((uint64_t *)e->at + i, e->v.d[i], __ATOMIC_RELAXED);
    }
}

/* Makes the stores in the set, a bit each, behind older ones of the same bytes. */
static void drain(struct buffer *b, uint32_t set)
{
    for (unsigned i = b->n; i-- > 0;)
        for (unsigned k = i; set >> i & 1 && k-- > 0;)
            if (overlap(&b->e[k], b->e[i].at, b->e[i].bytes))
                set |= 1u << k;
    unsigned left = 0;
    for (unsigned i = 0; i < b->n; i++)
        if (set >> i & 1)
            make(&b->e[i]);
        else
            b->e[left++] = b->e[i];
    b->n = left;
}

static void drain_one(struct buffer *b)
{
    drain(b, 1u << (gs_sim.mode == GS_SIM_ADVERSARIAL ? b->n - 1 : gs_sim_below(&b->row, b->n)));
}

static void fence(struct gin_shmem_cpu_stores *s)
{
    struct buffer *b = (struct buffer *)s;
    while (b->n)
        drain_one(b);
}

static void load(struct gin_shmem_cpu_stores *s, const void *p, unsigned bytes)
{
    struct buffer *b = (struct buffer *)s;
    uint32_t set = 0;
    if (b->n == 0)
        return;
    for (unsigned i = 0; i < b->n; i++)
        if (overlap(&b->e[i], p, bytes))
            set |= 1u << i;
    if (set)
        drain(b, set);
    else if (now_ns() >= b->until)
        drain_one(b);
}

static int store(struct gin_shmem_cpu_stores *s, void *p, const void *value, unsigned bytes)
{
    struct buffer *b = (struct buffer *)s;
    bool ours = gs_sim.c.own(p) && (uintptr_t)p - (uintptr_t)gs_sim.c.sys >= gs_sim.c.sys_bytes;
    if (ours || (gs_sim.mode == GS_SIM_RANDOM && gs_sim_below(&b->row, 4) == 0)) {
        load(s, p, bytes); /* older ones of the same bytes */
        return 0;
    }
    if (b->n == ROOM)
        drain_one(b);
    b->e[b->n].at = p;
    b->e[b->n].bytes = bytes;
    memcpy(&b->e[b->n].v, value, bytes);
    b->n++;
    b->until = now_ns() + (gs_sim.mode == GS_SIM_ADVERSARIAL ? (uint64_t)HELD_NS : gs_sim_below(&b->row, 20000));
    return 1;
}

void gs_sim_thread_begins(struct gin_shmem_cpu_thread *t)
{
    static uint64_t blocks;
    if (gs_sim.mode == GS_SIM_INSTANT)
        return;
    if (!own.seeded) {
        own.row = gs_sim.seed + ((uint64_t)gs_sim.c.me << 32) + __atomic_add_fetch(&blocks, 1, __ATOMIC_RELAXED);
        own.call.store = store, own.call.load = load, own.call.fence = fence;
        own.seeded = true;
    }
    own.threads++;
    t->stores = &own.call;
}

void gs_sim_thread_ended(struct gin_shmem_cpu_thread *t)
{
    if (!t->stores)
        return;
    t->stores = NULL;
    if (--own.threads == 0)
        fence(&own.call);
}
