/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
/*
 * Store buffers (sim.h says what they model). A host thread runs one block at a time, and its fibres change only when they
 * call, so the buffers of a block's threads lie in one table, oldest store first, and each store knows who has observed it.
 */
#include "cpu/sim_stores.h"

#include <gin_shmem/state.h>
#include <stdlib.h>
#include <time.h>

#include "cpu/sim.h"

enum {
    HELD_NS = 200000,    /* in adversarial mode, while threads wait; the first to go is then alone for half as long */
    STARVED_NS = 2000000 /* the oldest goes, whatever else there is */
};

static __thread struct gs_stores *own;

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static bool adversarial(void)
{
    return gs_sim.mode == GS_SIM_ADVERSARIAL;
}

/* ---- the table ---- */

static bool overlap(const struct gs_store *e, const void *p, unsigned bytes)
{
    return (uintptr_t)e->at < (uintptr_t)p + bytes && (uintptr_t)p < (uintptr_t)e->at + e->bytes;
}

static bool observed(const struct gs_store *e, unsigned rank)
{
    return e->block || (e->warp == rank / 32 && e->lanes >> rank % 32 & 1);
}

static uint16_t *line(struct gs_stores *b, uintptr_t number)
{
    return &b->lines[(number ^ number >> 8) % GS_STORES_LINES];
}

/* More than `others` stores may overlap the range. */
static bool perhaps(struct gs_stores *b, const void *p, unsigned bytes, unsigned others)
{
    const uintptr_t first = (uintptr_t)p >> 4, last = ((uintptr_t)p + bytes - 1) >> 4;
    if (last - first >= 8)
        return true;
    for (uintptr_t l = first; l <= last; l++)
        if (*line(b, l) > others)
            return true;
    return false;
}

static void count_lines(struct gs_stores *b, const struct gs_store *e, int by)
{
    for (uintptr_t l = (uintptr_t)e->at >> 4; l <= ((uintptr_t)e->at + e->bytes - 1) >> 4; l++)
        *line(b, l) = (uint16_t)(*line(b, l) + by);
}

static void perform(const struct gs_store *e)
{
    if (e->op != GIN_SHMEM_OP_SET) {
        (void)gs_sim_word(e->op, e->at, e->bytes, e->v[0], 0);
        return;
    }
    switch (e->bytes) {
    case 1:
        __atomic_store_n(e->at, (uint8_t)e->v[0], __ATOMIC_RELAXED);
        break;
    case 2:
        __atomic_store_n((uint16_t *)e->at, (uint16_t)e->v[0], __ATOMIC_RELAXED);
        break;
    case 4:
        __atomic_store_n((uint32_t *)e->at, (uint32_t)e->v[0], __ATOMIC_RELAXED);
        break;
    default:
        for (unsigned i = e->bytes / 8; i-- > 0;)
            __atomic_store_n((uint64_t *)e->at + i, e->v[i], __ATOMIC_RELAXED);
    }
}

/* Performs store i, behind older ones of the same bytes. Places stay: sweep() closes the gaps. */
static void make(struct gs_stores *b, unsigned i)
{
    struct gs_store *e = &b->e[i];
    if (e->made)
        return;
    if (perhaps(b, e->at, e->bytes, 1))
        for (unsigned k = 0; k < i; k++)
            if (!b->e[k].made && overlap(&b->e[k], e->at, e->bytes))
                make(b, k);
    e->made = true;
    b->count[e->owner]--;
    count_lines(b, e, -1);
    perform(e);
    if (adversarial() && (uintptr_t)e->at - (uintptr_t)gs_sim.c.report < gs_sim.c.report_bytes)
        gs_sim.c.look(); /* the host's thread, at the worst moment */
}

static void sweep(struct gs_stores *b)
{
    unsigned left = 0;
    for (unsigned i = 0; i < b->n; i++)
        if (!b->e[i].made) {
            if (left != i)
                b->e[left] = b->e[i];
            left++;
        }
    b->n = left;
}

/* Performs one store, of thread `rank` alone when that is not -1u: the newest, or any. */
static void make_one(struct gs_stores *b, unsigned rank)
{
    const unsigned from = adversarial() ? b->n - 1 : gs_sim_below(&b->row, b->n);
    for (unsigned k = 0; k < b->n; k++) {
        const unsigned i = (from + b->n - k) % b->n;
        if (rank == -1u || b->e[i].owner == rank) {
            make(b, i);
            break;
        }
    }
    sweep(b);
}

/* Time passes: somebody waits, or reads. */
static void drain(struct gs_stores *b)
{
    const uint64_t now = b->n ? now_ns() : 0;
    if (b->n == 0 || now < b->until)
        return;
    const bool starved = now - b->e[0].born > STARVED_NS;
    if (starved) {
        make(b, 0);
        sweep(b);
    } else {
        for (unsigned more = 1 + b->n / 8; more-- > 0 && b->n;)
            make_one(b, -1u);
    }
    if (!b->draining && adversarial())
        b->until = now + HELD_NS / 2;
    b->draining = true;
}

/* ---- what threads call ---- */

static void fence(struct gin_shmem_cpu_stores *s)
{
    struct gs_stores *b = (struct gs_stores *)s;
    const unsigned rank = gin_shmem_cpu_self->rank;
    uint16_t order[GS_STORES_BLOCK];
    unsigned n = 0;
    for (unsigned i = b->n; i-- > 0;)
        if (observed(&b->e[i], rank))
            order[n++] = (uint16_t)i;
    if (n == 0)
        return;
    for (unsigned i = 0; i < n; i++) {
        const unsigned k = adversarial() ? i : i + gs_sim_below(&b->row, n - i);
        const uint16_t next = order[k];
        order[k] = order[i];
        make(b, next);
    }
    sweep(b);
    __atomic_thread_fence(__ATOMIC_RELEASE);
}

static void load(struct gin_shmem_cpu_stores *s, const void *p, unsigned bytes)
{
    struct gs_stores *b = (struct gs_stores *)s;
    bool some = false;
    if (b->n == 0)
        return;
    if (bytes && perhaps(b, p, bytes, 0)) {
        const unsigned rank = gin_shmem_cpu_self->rank;
        for (unsigned i = 0; i < b->n; i++)
            if (!b->e[i].made && overlap(&b->e[i], p, bytes) && observed(&b->e[i], rank)) {
                make(b, i);
                some = true;
            }
    }
    if (some)
        sweep(b);
    else
        drain(b);
}

static void take(struct gs_store *e, const void *value, unsigned bytes)
{
    e->v[0] = e->v[1] = 0;
    switch (bytes) { /* no call of memcpy, which ThreadSanitizer would see */
    case 1:
        __builtin_memcpy(e->v, value, 1);
        break;
    case 2:
        __builtin_memcpy(e->v, value, 2);
        break;
    case 4:
        __builtin_memcpy(e->v, value, 4);
        break;
    case 8:
        __builtin_memcpy(e->v, value, 8);
        break;
    default:
        __builtin_memcpy(e->v, value, 16);
    }
}

static int store(struct gin_shmem_cpu_stores *s, int op, void *p, const void *value, unsigned bytes)
{
    struct gs_stores *b = (struct gs_stores *)s;
    const unsigned rank = gin_shmem_cpu_self->rank;
    const bool ours = gs_sim.c.own(p) && (uintptr_t)p - (uintptr_t)gs_sim.c.sys >= gs_sim.c.sys_bytes;
    if (ours || (!adversarial() && gs_sim_below(&b->row, 4) == 0)) {
        load(s, p, bytes); /* older ones of the same bytes */
        return 0;
    }
    if (b->count[rank] == GS_STORES_EACH)
        make_one(b, rank);
    else if (b->n == GS_STORES_BLOCK)
        make_one(b, -1u);
    const uint64_t now = now_ns();
    if (b->n == 0) {
        b->until = now + (adversarial() ? (uint64_t)HELD_NS : gs_sim_below(&b->row, 20000));
        b->draining = false;
    }
    struct gs_store *e = &b->e[b->n++];
    e->at = p;
    take(e, value, bytes);
    e->born = now;
    e->lanes = 1u << rank % 32;
    e->owner = (uint16_t)rank;
    e->warp = (uint8_t)(rank / 32);
    e->bytes = (uint8_t)bytes;
    e->op = (uint8_t)op;
    e->block = e->made = false;
    b->count[rank]++;
    count_lines(b, e, 1);
    return 1;
}

static void share(struct gin_shmem_cpu_stores *s)
{
    struct gs_stores *b = (struct gs_stores *)s;
    for (unsigned i = 0; i < b->n; i++)
        b->e[i].block = b->e[i].block || observed(&b->e[i], gin_shmem_cpu_self->rank);
}

static void meet(struct gin_shmem_cpu_stores *s, unsigned warp, unsigned lanes)
{
    struct gs_stores *b = (struct gs_stores *)s;
    for (unsigned i = 0; i < b->n; i++) {
        struct gs_store *e = &b->e[i];
        if (warp == -1u)
            e->block = true;
        else if (e->warp == warp && e->lanes & lanes)
            e->lanes |= lanes;
    }
}

/* ---- blocks ---- */

void gs_sim_thread_begins(struct gin_shmem_cpu_thread *t)
{
    static uint64_t blocks;
    if (gs_sim.mode == GS_SIM_INSTANT)
        return;
    if (!own) {
        if (!(own = calloc(1, sizeof *own)))
            gs_sim.c.die("simulated store buffers", "out of memory");
        own->row = gs_sim.seed + ((uint64_t)gs_sim.c.me << 32) + __atomic_add_fetch(&blocks, 1, __ATOMIC_RELAXED);
        own->call =
            (struct gin_shmem_cpu_stores){store, load, fence, share, meet, gs_bulk_copy, gs_bulk_fence, gs_bulk_touch};
    }
    t->stores = &own->call;
}

/* What it has stored stays behind, for the others to observe; the end of a block performs all. */
void gs_sim_thread_ended(struct gin_shmem_cpu_thread *t)
{
    if (!t->stores)
        return;
    t->stores = NULL;
    if (++own->ended < t->block_dim.x * t->block_dim.y * t->block_dim.z)
        return;
    meet(&own->call, -1u, 0);
    fence(&own->call);
    free(own->view);
    free(own);
    own = NULL;
}
