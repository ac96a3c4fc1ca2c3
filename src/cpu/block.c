/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One block: its threads as fibres of one host thread, their barriers, and the order in which they run. Each runs until
 * it waits; threads begin one after the other, so a kernel without waits needs one stack. Not instrumented for
 * ThreadSanitizer: all of it belongs to the host thread, whose fibres are different threads to ThreadSanitizer. What
 * barriers order it is told with addresses.
 */
#define _GNU_SOURCE
#include "cpu/block.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

__thread struct gs_runner *gs_runner_self;

static struct gin_shmem_cpu_thread outside = {.block_dim = {1, 1, 1}, .grid_dim = {1, 1, 1}};
__attribute__((visibility("default"))) __thread struct gin_shmem_cpu_thread *gin_shmem_cpu_self = &outside;
__attribute__((visibility("default"))) __thread unsigned gin_shmem_cpu_ticks;
__attribute__((visibility("default"))) char gin_shmem_cpu_order;

enum { ORDER_BEGIN, ORDER_END, ORDER_BARRIER /* and the next, by turns */ };

/* ---- messages ---- */

static void place(char *text, size_t bytes, struct gin_shmem_cpu_dim d)
{
    snprintf(text, bytes, "(%u,%u,%u)", d.x, d.y, d.z);
}

static void says(const struct gs_lane *l, char *text, size_t bytes)
{
    char at[40];
    place(at, sizeof at, l->t.thread);
    if (l->wait == GS_WAIT_ENDED)
        snprintf(text, bytes, "thread %s has ended", at);
    else
        snprintf(text, bytes, "thread %s waits in %s", at, l->what);
}

static const char *kernel_name(const struct gs_grid *g)
{
    static __thread char name[200];
    return g->l.name ? g->l.name : gs_function_name(g->l.fn, name, sizeof name);
}

void gs_block_overflowed(const struct gs_lane *l)
{
    char block[40], thread[40];
    place(block, sizeof block, l->t.block);
    place(thread, sizeof thread, l->t.thread);
    gs_machine_die("kernel %s: thread %s of block %s has used more than its stack of %zu KiB: raise it with "
                   "cudaDeviceSetLimit(cudaLimitStackSize, bytes)",
                   kernel_name(gs_runner_self->grid), thread, block, l->fibre.stack->bytes >> 10);
}

/* Threads wait for each other at different places, or for one that has ended. */
__attribute__((noreturn)) static void diverged(struct gs_runner *r, const char *why)
{
    char block[40], one[160], other[160] = "";
    const struct gs_lane *a = NULL, *b = NULL;
    unsigned alike = 0;
    for (unsigned i = 0; i < r->threads; i++) {
        const struct gs_lane *l = &r->lanes[i];
        if (!a && l->wait != GS_WAIT_ENDED)
            a = l;
        if (a && l->wait == a->wait && l->what == a->what)
            alike++;
    }
    for (unsigned i = 0; i < r->threads && !b; i++) /* somebody in another place, in the same warp where that matters */
        if ((r->lanes[i].wait != a->wait || r->lanes[i].what != a->what) &&
            (a->wait != GS_WAIT_WARP || (a->mask >> i % GS_WARP & 1 && i / GS_WARP == a->t.rank / GS_WARP)))
            b = &r->lanes[i];
    place(block, sizeof block, a->t.block);
    says(a, one, sizeof one);
    if (b)
        says(b, other, sizeof other);
    gs_machine_die("kernel %s, block %s: threads part at a barrier: %s (so do %u others)%s%s; %s", kernel_name(r->grid),
                   block, one, alike - 1, b ? ", but " : "", other, why);
}

/* ---- the queue ---- */

static void ready(struct gs_runner *r, struct gs_lane *l)
{
    l->wait = GS_WAIT_TURN;
    l->next = NULL;
    *r->last = l;
    r->last = &l->next;
    r->queued++;
}

static struct gs_lane *take(struct gs_runner *r)
{
    struct gs_lane *l = r->first;
    r->first = l->next;
    if (!r->first)
        r->last = &r->first;
    r->queued--;
    return l;
}

/* In a thread: lets the host thread choose who runs. */
static void leave(struct gs_runner *r, struct gs_lane *l)
{
    if (gs_stack_overflowed(l->fibre.stack))
        gs_block_overflowed(l);
    gs_fibre_leave(&r->home, &l->fibre);
    l->wait = GS_WAIT_NONE;
}

static void got_on(struct gs_runner *r)
{
    r->idle = r->breaths = 0;
    r->idle_since = 0;
}

/* ---- what threads call ---- */

#define EXPORT __attribute__((visibility("default")))

/* Poll by poll longer, up to an eighth of what the wait has taken: many blocks share few cores. */
static void pause_host(uint64_t *since)
{
    const uint64_t now = gs_machine_ns();
    if (!*since)
        *since = now;
    const uint64_t waited = now - *since;
    if (waited < 30000) {
        sched_yield();
    } else {
        const uint64_t ns = waited / 8 > 2000000 ? 2000000 : waited / 8;
        nanosleep(&(struct timespec){.tv_nsec = (long)ns}, NULL);
    }
}

/* For the simulator: what the block's threads have stored must go some time, whatever they wait for. */
static void time_passes(const struct gs_lane *l)
{
    if (l->t.stores)
        l->t.stores->load(l->t.stores, NULL, 0);
}

EXPORT void gin_shmem_cpu_yield(unsigned polls)
{
    struct gs_runner *r = gs_runner_self;
    if (!r || !r->running) {
        static __thread uint64_t since;
        if (polls == 0)
            since = 0;
        pause_host(&since);
        return;
    }
    struct gs_lane *l = r->running;
    if (polls == 0)
        got_on(r);
    else
        r->idle++;
    l->what = "a wait of the library";
    time_passes(l);
    ready(r, l);
    leave(r, l);
}

EXPORT void gin_shmem_cpu_breathe(void)
{
    struct gs_runner *r = gs_runner_self;
    if (!r || !r->running) {
        sched_yield();
        return;
    }
    struct gs_lane *l = r->running;
    if ((++r->breaths & 63) == 0) { /* thousands of polls: perhaps a wait */
        gs_grid_stalls(r->grid);
        sched_yield();
    }
    l->what = "a loop of its own";
    time_passes(l);
    ready(r, l);
    leave(r, l);
}

static void release_block(struct gs_runner *r)
{
    r->at_barrier = 0;
    for (unsigned i = 0; i < r->threads; i++) {
        struct gs_lane *l = &r->lanes[i];
        if (l->wait == GS_WAIT_BLOCK) {
            l->value = r->count;
            if (l != r->running)
                ready(r, l);
        }
    }
    r->count = 0;
    r->turn ^= 1;
    struct gin_shmem_cpu_stores *s = r->running->t.stores;
    if (s)
        s->meet(s, -1u, 0);
}

EXPORT unsigned gin_shmem_cpu_count(int predicate, const char *what)
{
    struct gs_runner *r = gs_runner_self;
    if (!r || !r->running)
        return predicate != 0;
    struct gs_lane *l = r->running;
    char *order = &r->order[ORDER_BARRIER + r->turn];
    gs_tsan_release(order);
    l->wait = GS_WAIT_BLOCK;
    l->what = what;
    r->count += predicate != 0;
    if (++r->at_barrier == r->threads) {
        got_on(r);
        release_block(r);
        l->wait = GS_WAIT_NONE;
    } else {
        leave(r, l);
    }
    gs_tsan_acquire(order);
    return (unsigned)l->value;
}

EXPORT void gin_shmem_cpu_sync_block(const char *what)
{
    (void)gin_shmem_cpu_count(0, what);
}

enum { MEET_SYNC, MEET_SHUFFLE, MEET_BALLOT };

/* The lanes in mask meet; the last that comes works out what each gets. */
static uint64_t meet(unsigned mask, int kind, uint64_t value, unsigned from, const char *what)
{
    struct gs_runner *r = gs_runner_self;
    if (!r || !r->running)
        return kind == MEET_BALLOT ? value & 1 : value;
    struct gs_lane *l = r->running, *lanes = &r->lanes[l->t.rank & ~(GS_WARP - 1u)];
    struct gs_warp *w = &r->warps[l->t.rank / GS_WARP];
    const unsigned left = r->threads - (l->t.rank & ~(GS_WARP - 1u)), bit = 1u << l->t.rank % GS_WARP;
    if (left < GS_WARP)
        mask &= (1u << left) - 1;
    l->kind = kind, l->mask = mask, l->from = from, l->value = value;
    l->wait = GS_WAIT_WARP;
    l->what = what;
    if (!(mask & bit)) {
        char block[40], thread[40];
        place(block, sizeof block, l->t.block);
        place(thread, sizeof thread, l->t.thread);
        gs_machine_die("kernel %s, block %s: thread %s calls %s with a mask, 0x%x, that it is not in",
                       kernel_name(r->grid), block, thread, what, mask);
    }
    gs_tsan_release(w);
    w->waiting |= bit;
    if ((w->waiting & mask) != mask) {
        leave(r, l);
        gs_tsan_acquire(w);
        return l->value;
    }
    uint64_t values[GS_WARP];
    unsigned ballot = 0;
    for (unsigned i = 0; i < GS_WARP; i++)
        if (mask >> i & 1) {
            if (lanes[i].kind != kind || lanes[i].mask != mask)
                diverged(r, "all threads of a mask make the same call, with the same mask");
            values[i] = lanes[i].value;
            ballot |= (unsigned)(values[i] & 1) << i;
        }
    w->waiting &= ~mask;
    for (unsigned i = 0; i < GS_WARP; i++)
        if (mask >> i & 1) {
            if (kind == MEET_BALLOT)
                lanes[i].value = ballot;
            else if (kind == MEET_SHUFFLE && lanes[i].from < GS_WARP && mask >> lanes[i].from & 1)
                lanes[i].value = values[lanes[i].from];
            if (&lanes[i] != l)
                ready(r, &lanes[i]);
        }
    l->wait = GS_WAIT_NONE;
    got_on(r);
    if (l->t.stores && kind == MEET_SYNC) /* shuffles and ballots order no memory accesses */
        l->t.stores->meet(l->t.stores, l->t.rank / GS_WARP, mask);
    gs_tsan_acquire(w);
    return l->value;
}

EXPORT void gin_shmem_cpu_sync_warp(unsigned mask, const char *what)
{
    (void)meet(mask, MEET_SYNC, 0, 0, what);
}

EXPORT uint64_t gin_shmem_cpu_shuffle(unsigned mask, uint64_t value, unsigned from, const char *what)
{
    return meet(mask, MEET_SHUFFLE, value, from, what);
}

EXPORT unsigned gin_shmem_cpu_ballot(unsigned mask, int predicate, const char *what)
{
    return (unsigned)meet(mask, MEET_BALLOT, predicate != 0, 0, what);
}

EXPORT void gin_shmem_cpu_sync_grid(void)
{
    struct gs_runner *r = gs_runner_self;
    if (!r || !r->running)
        return;
    struct gs_grid *g = r->grid;
    if (!g->l.cooperative)
        gs_machine_die("kernel %s: a barrier of the grid needs a cooperative launch (cudaLaunchCooperativeKernel or "
                       "shmemx_collective_launch)",
                       kernel_name(g));
    gin_shmem_cpu_sync_block("a barrier of the grid");
    if (r->running->t.rank == 0) {
        struct gin_shmem_cpu_stores *s = r->running->t.stores;
        if (s) /* the other blocks observe it */
            s->fence(s);
        const unsigned generation = __atomic_load_n(&g->generation, __ATOMIC_ACQUIRE);
        gs_tsan_release(&g->generation);
        if (__atomic_add_fetch(&g->arrived, 1, __ATOMIC_ACQ_REL) == g->blocks) {
            __atomic_store_n(&g->arrived, 0, __ATOMIC_RELAXED);
            __atomic_store_n(&g->generation, generation + 1, __ATOMIC_RELEASE);
        } else {
            for (unsigned polls = 0; __atomic_load_n(&g->generation, __ATOMIC_ACQUIRE) == generation; polls++) {
                if (__atomic_load_n(&g->ended, __ATOMIC_ACQUIRE))
                    gs_machine_die(
                        "kernel %s: block (%u,%u,%u) waits in a barrier of the grid, but %llu of %llu blocks "
                        "have ended without",
                        kernel_name(g), r->running->t.block.x, r->running->t.block.y, r->running->t.block.z,
                        __atomic_load_n(&g->ended, __ATOMIC_RELAXED), g->blocks);
                gin_shmem_cpu_yield(polls);
            }
        }
        gs_tsan_acquire(&g->generation);
    }
    gin_shmem_cpu_sync_block("a barrier of the grid");
}

EXPORT void gin_shmem_cpu_trap(void)
{
    struct gs_runner *r = gs_runner_self;
    fflush(stdout);
    gs_machine_trapped();
    if (!r || !r->running) {
        gs_machine_die("trapped outside a kernel");
    }
    r->trapped = true;
    gs_fibre_end(&r->home, &r->running->fibre);
}

/* ---- the host thread's side ---- */

static void thread_body(void *arg)
{
    struct gs_lane *l = arg;
    struct gs_runner *r = gs_runner_self;
    gs_fibre_begun(&r->home);
    gs_tsan_acquire(&r->order[ORDER_BEGIN]);
    gs_machine_thread_begins(&l->t);
    r->grid->l.kernel->call(r->grid->l.fn, r->grid->args);
    gs_machine_thread_ended(&l->t);
    gs_tsan_release(&r->order[ORDER_END]);
    l->wait = GS_WAIT_ENDED;
    l->what = "";
    r->ended++;
    got_on(r);
    gs_fibre_end(&r->home, &l->fibre);
}

static void begin(struct gs_runner *r, unsigned rank, struct gin_shmem_cpu_dim block)
{
    struct gs_lane *l = &r->lanes[rank];
    const struct gin_shmem_cpu_dim dim = r->grid->l.block;
    struct gs_stack *s = r->spare;
    if (s)
        r->spare = s->next;
    else if (!(s = gs_stack_take()))
        gs_machine_die("no memory for the stack of a kernel's thread: launch smaller grids, or less at one time");
    memset(l, 0, offsetof(struct gs_lane, t.bulk));
    l->t.bulks = 0;
    l->t.thread = (struct gin_shmem_cpu_dim){rank % dim.x, rank / dim.x % dim.y, rank / dim.x / dim.y};
    l->t.block = block;
    l->t.block_dim = dim;
    l->t.grid_dim = r->grid->l.grid;
    l->t.rank = rank;
    l->t.shared = r->shared;
    l->t.shared_bytes = r->grid->l.smem;
    l->t.stack = s->low;
    l->t.stack_bytes = s->bytes;
    l->wait = GS_WAIT_NONE;
    gs_fibre_make(&l->fibre, s, thread_body, l);
}

static void run_thread(struct gs_runner *r, struct gs_lane *l)
{
    r->running = l;
    gin_shmem_cpu_self = &l->t;
    gs_fibre_enter(&r->home, &l->fibre);
    gin_shmem_cpu_self = &outside;
    r->running = NULL;
    if (l->wait == GS_WAIT_ENDED) {
        struct gs_stack *s = l->fibre.stack;
        l->fibre.stack = NULL;
        /* to ThreadSanitizer, another thread of this block on it would come after this one */
        struct gs_stack **list = gs_has_tsan() ? &r->used : &r->spare;
        s->next = *list;
        *list = s;
    }
}

bool gs_block_run(struct gs_runner *r, struct gs_grid *g, unsigned long long i)
{
    const struct gin_shmem_cpu_dim grid = g->l.grid;
    const struct gin_shmem_cpu_dim block = {(unsigned)(i % grid.x), (unsigned)(i / grid.x % grid.y),
                                            (unsigned)(i / grid.x / grid.y)};
    gs_runner_self = r;
    r->grid = g;
    r->threads = (unsigned)g->threads;
    r->started = r->ended = r->queued = r->at_barrier = r->count = r->turn = 0;
    r->first = NULL;
    r->last = &r->first;
    r->trapped = false;
    got_on(r);
    memset(r->warps, 0, sizeof r->warps);
    gs_fibre_home_here(&r->home);
    gs_tsan_release(&r->order[ORDER_BEGIN]);
    while (r->ended < r->threads && !r->trapped && !gs_machine_error()) {
        struct gs_lane *l;
        if (r->started < r->threads) {
            begin(r, r->started, block);
            l = &r->lanes[r->started++];
        } else if (r->queued) {
            if (r->idle >= r->queued) { /* all have had a turn in vain */
                r->idle = 0;
                gs_grid_stalls(g);
                pause_host(&r->idle_since);
            }
            l = take(r);
        } else {
            diverged(r, "every barrier is for all threads of the block, or of the warp's mask");
        }
        run_thread(r, l);
    }
    gs_tsan_acquire(&r->order[ORDER_END]);
    bool complete = r->ended == r->threads;
    if (complete) { /* otherwise stacks of threads that have not ended stay as they are: nothing will run again */
        gs_stack_give(r->used);
        r->used = NULL;
        gs_stack_give(r->spare);
    }
    r->spare = NULL;
    r->grid = NULL;
    return complete;
}
