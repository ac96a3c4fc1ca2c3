/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The simulated network: operations, the delivery thread, and who waits for what.
 *
 * An operation goes through steps: READ its source, MOVE its pieces, make its SIGNAL (or its atomic operation), ACK.
 * A heap of operations by the time of their next step drives the delivery thread; one lock guards everything. Two lists
 * hold an operation meanwhile. A put is in its lane's (a network context to one PE) until it is performed: a signal
 * waits until it is the oldest there, which is GIN's rule. All are in their PE's
 * until they are acknowledged, in which they were posted: a quiet waits
 * until the first is younger than itself.
 */
#define _GNU_SOURCE
#include "cpu/sim.h"

#include <errno.h>
#include <gin_shmem/cpu/sim.h>
#include <gin_shmem/cpu/thread.h>
#include <gin_shmem/state.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/log.h"
#include "cpu/sim_op.h"

struct gs_sim gs_sim;

enum { CONTEXTS = 4, ALONE_NS = 5000000 };

/* One of the two doubly linked lists that an op is in. */
struct list {
    struct gs_sim_op *first, *last;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake; /* on the monotonic clock */
static pthread_t thread;
static bool running, stopping;
static uint64_t row; /* of random numbers */
static uint64_t posted;
static uint64_t early; /* when one that is not late made a step, in adversarial mode */
static struct gs_sim_op **heap;
static unsigned heap_n, heap_room;
static struct list *lanes; /* [CONTEXTS][n] */
static struct list *by_pe; /* [n] */

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- the heap: earliest first ---- */

static void heap_put(unsigned i, struct gs_sim_op *op)
{
    heap[i] = op;
    op->place = i;
}
static void heap_fix(struct gs_sim_op *op)
{
    unsigned i = op->place;
    for (; i > 0 && heap[(i - 1) / 2]->due > op->due; i = (i - 1) / 2)
        heap_put(i, heap[(i - 1) / 2]);
    for (unsigned c; (c = 2 * i + 1) < heap_n; i = c) {
        if (c + 1 < heap_n && heap[c + 1]->due < heap[c]->due)
            c++;
        if (heap[c]->due >= op->due)
            break;
        heap_put(i, heap[c]);
    }
    heap_put(i, op);
}
static void heap_add(struct gs_sim_op *op)
{
    if (heap_n == heap_room) {
        heap_room = heap_room ? 2 * heap_room : 256;
        heap = realloc(heap, heap_room * sizeof(struct gs_sim_op *));
        if (!heap)
            gs_sim.c.die("simulated network", "out of memory for %u operations", heap_room);
    }
    op->place = heap_n++;
    heap_fix(op);
}
static void heap_remove(struct gs_sim_op *op)
{
    struct gs_sim_op *last = heap[--heap_n];
    if (last == op)
        return;
    last->place = op->place;
    heap_fix(last);
}

/* ---- the lists ---- */

static void list_add(struct list *l, struct gs_sim_op *op, int which)
{
    op->next[which] = NULL;
    op->prev[which] = l->last;
    *(l->last ? &l->last->next[which] : &l->first) = op;
    l->last = op;
}
static void list_remove(struct list *l, struct gs_sim_op *op, int which)
{
    *(op->prev[which] ? &op->prev[which]->next[which] : &l->first) = op->next[which];
    *(op->next[which] ? &op->next[which]->prev[which] : &l->last) = op->prev[which];
}
enum { LANE, PE };

/* ---- steps ---- */

/* How long until the next step, in random mode: mostly not at all or microseconds, seldom milliseconds. */
static uint64_t random_delay(void)
{
    unsigned kind = gs_sim_below(&row, 100);
    return kind < 50 ? 0 : gs_sim_below(&row, kind < 90 ? 20000 : kind < 99 ? 200000 : 2000000);
}

/* How long an operation is held that nobody waits for, in adversarial mode: so long that others overtake it. */
static uint64_t hold(struct gs_sim_op *op)
{
    bool late = op->kind == GS_SIM_PUT ? !op->sig || gs_sim_below(&row, 4) == 0 : gs_sim_below(&row, 2) == 0;
    op->held = late ? GS_SIM_LATE : GS_SIM_EARLY;
    return (late ? 4000000 : 100000) + gs_sim_below(&row, 500000);
}

/* Its time has come, but just after that of others: this thread has slept, and nobody has seen those alone. */
static bool too_soon(struct gs_sim_op *op, uint64_t now)
{
    if (op->held == GS_SIM_EARLY)
        early = now;
    if (op->held != GS_SIM_LATE || op->hurried || stopping || now - early >= ALONE_NS)
        return false;
    op->held = GS_SIM_LATER;
    op->due = now + ALONE_NS;
    heap_fix(op);
    return true;
}

/* Somebody waits for it: without delay from now on, the youngest first. */
static void hurry(struct gs_sim_op *op, uint64_t now)
{
    if (op->hurried || op->due == UINT64_MAX)
        return;
    op->hurried = true;
    op->due = now - (op->seq & 0xfffffff) - 1;
    heap_fix(op);
}

static void next_step(struct gs_sim_op *op, enum gs_sim_step step, uint64_t now)
{
    op->step = step;
    if (gs_sim.mode == GS_SIM_RANDOM)
        op->due = now + random_delay();
    heap_fix(op); /* adversarial: all steps at once, when the time has come */
}

static struct list *lane_of(const struct gs_sim_op *op)
{
    return &lanes[op->context * (unsigned)gs_sim.c.n + (unsigned)op->pe];
}

static void performed(struct gs_sim_op *op, uint64_t now)
{
    if (op->kind == GS_SIM_PUT) {
        struct list *lane = lane_of(op);
        list_remove(lane, op, LANE);
        if (lane->first && lane->first->step == GS_SIM_SIGNAL && lane->first->due == UINT64_MAX) {
            lane->first->due = now;
            heap_fix(lane->first);
        }
    }
    next_step(op, GS_SIM_ACK, now);
}

static void acknowledged(struct gs_sim_op *op)
{
    heap_remove(op);
    list_remove(&by_pe[op->pe], op, PE);
    free(op);
}

static void step(struct gs_sim_op *op, uint64_t now)
{
    if (gs_sim.mode == GS_SIM_ADVERSARIAL && too_soon(op, now))
        return;
    switch (op->step) {
    case GS_SIM_READ:
        gs_sim_op_read(op);
        next_step(op, GS_SIM_MOVE, now);
        break;
    case GS_SIM_MOVE:
        if (!gs_sim_op_move(op))
            next_step(op, GS_SIM_MOVE, now);
        else if (op->sig)
            next_step(op, GS_SIM_SIGNAL, now);
        else
            performed(op, now);
        break;
    case GS_SIM_SIGNAL:
        if (op != lane_of(op)->first) { /* behind earlier puts of its context: performed() lets it go on */
            op->due = UINT64_MAX;
            heap_fix(op);
            break;
        }
        gs_sim_op_signal(op);
        performed(op, now);
        break;
    case GS_SIM_ACK:
        acknowledged(op);
        break;
    }
}

static void *deliver(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    while (!stopping || heap_n) {
        uint64_t now = now_ns();
        if (heap_n && (stopping || heap[0]->due <= now)) {
            step(heap[0], now);
        } else if (heap_n) {
            struct timespec until = {(time_t)(heap[0]->due / 1000000000u), (long)(heap[0]->due % 1000000000u)};
            pthread_cond_timedwait(&wake, &lock, &until);
        } else {
            pthread_cond_wait(&wake, &lock);
        }
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

/* ---- posting and waiting ---- */

/* Everything at once. */
static void perform(struct gs_sim_op *op)
{
    gs_sim_op_cut(op, &row, false);
    if (op->kind == GS_SIM_PUT && op->bytes)
        gs_sim_op_read(op);
    while (op->at && !gs_sim_op_move(op))
        ;
    if (op->sig)
        gs_sim_op_signal(op);
    free(op);
}

/* Hands op over. waiter: of a caller that waits, or NULL. Returns when that may be. */
static void post(struct gs_sim_op *op, struct gs_sim_waiter *waiter)
{
    op->waiter = waiter;
    pthread_mutex_lock(&lock);
    if (gs_sim.mode == GS_SIM_INSTANT) {
        perform(op);
        pthread_mutex_unlock(&lock);
        return;
    }
    uint64_t now = now_ns();
    op->seq = ++posted;
    op->context = gs_sim_below(&row, CONTEXTS);
    op->step = op->at ? GS_SIM_MOVE : GS_SIM_SIGNAL;
    gs_sim_op_cut(op, &row, gs_sim.mode == GS_SIM_ADVERSARIAL);
    if (op->kind == GS_SIM_PUT && op->bytes) {
        /* A waiter's source is read at once, for the sake of a long delay behind it, or by lot. */
        bool at_once = waiter && (gs_sim.mode == GS_SIM_ADVERSARIAL || gs_sim_below(&row, 2));
        if (at_once || !gs_sim.c.own(op->local))
            gs_sim_op_read(op);
        else
            op->step = GS_SIM_READ;
    }
    op->due = now + (gs_sim.mode == GS_SIM_RANDOM ? random_delay() : hold(op));
    if (op->kind == GS_SIM_PUT)
        list_add(lane_of(op), op, LANE);
    list_add(&by_pe[op->pe], op, PE);
    heap_add(op);
    if (op->waiter && gs_sim.mode == GS_SIM_ADVERSARIAL)
        hurry(op, now);
    if (heap[0] == op)
        pthread_cond_signal(&wake);
    pthread_mutex_unlock(&lock);
    if (waiter)
        for (unsigned polls = 0; !__atomic_load_n(&waiter->done, __ATOMIC_ACQUIRE); polls++)
            gin_shmem_cpu_yield(polls);
}

/* Is something to pe (-1: to any) on its way that was posted up to seq? reading: whose source has not been read. hurrying:
 * from now on it is waited for. */
static bool pending(int pe, uint64_t seq, bool reading, bool hurrying)
{
    bool found = false;
    uint64_t now = now_ns();
    pthread_mutex_lock(&lock);
    for (int i = pe < 0 ? 0 : pe; i < (pe < 0 ? gs_sim.c.n : pe + 1); i++)
        for (struct gs_sim_op *o = by_pe[i].first; o && o->seq <= seq && (hurrying || !found); o = o->next[PE])
            if (!reading || o->step == GS_SIM_READ) {
                found = true;
                if (hurrying)
                    hurry(o, now);
            }
    if (found && hurrying)
        pthread_cond_signal(&wake);
    pthread_mutex_unlock(&lock);
    return found;
}

static void wait_for(int pe, bool reading)
{
    pthread_mutex_lock(&lock);
    uint64_t seq = posted;
    pthread_mutex_unlock(&lock);
    for (unsigned polls = 0; pending(pe, seq, reading, polls == 0 && gs_sim.mode == GS_SIM_ADVERSARIAL); polls++)
        gin_shmem_cpu_yield(polls);
}

/* ---- what kernels call ---- */

static struct gs_sim_op *op_new(enum gs_sim_kind kind, int pe, void *dest, uint64_t bytes)
{
    struct gs_sim_op *op = calloc(1, sizeof *op + (kind == GS_SIM_PUT ? bytes : 0));
    if (!op)
        gs_sim.c.die("simulated network", "out of memory for a transfer of %llu bytes", (unsigned long long)bytes);
    op->kind = kind;
    op->pe = pe;
    op->at = dest ? gs_sim.c.peer(dest, pe) : NULL;
    op->bytes = bytes;
    return op;
}

__attribute__((visibility("default"))) void gin_shmem_sim_put_signal(void *dest, const void *source, uint64_t bytes,
                                                                     uint64_t *sig, uint64_t value, int add, int pe,
                                                                     int wait, uint32_t fn)
{
    (void)fn;
    if (bytes == 0 && !sig)
        return;
    struct gs_sim_waiter waiter = {0, 0};
    struct gs_sim_op *op = op_new(GS_SIM_PUT, pe, bytes ? dest : NULL, bytes);
    op->local = (unsigned char *)source;
    op->sig = sig ? gs_sim.c.peer(sig, pe) : NULL;
    op->value = value;
    op->add = add != 0;
    post(op, wait && bytes ? &waiter : NULL);
}

__attribute__((visibility("default"))) void gin_shmem_sim_p(void *dest, uint64_t value, uint32_t bytes, int pe,
                                                            uint32_t fn)
{
    gin_shmem_sim_put_signal(dest, &value, bytes, NULL, 0, 0, pe, 1, fn); /* the low bytes come first */
}

__attribute__((visibility("default"))) void gin_shmem_sim_get(void *dest, const void *source, uint64_t bytes, int pe,
                                                              int wait, uint32_t fn)
{
    (void)fn;
    struct gs_sim_waiter waiter = {0, 0};
    if (bytes == 0)
        return;
    struct gs_sim_op *op = op_new(GS_SIM_GET, pe, (void *)source, bytes);
    op->local = dest;
    post(op, wait ? &waiter : NULL);
}

__attribute__((visibility("default"))) uint64_t gin_shmem_sim_amo(int code, void *dest, uint32_t bytes, uint64_t value,
                                                                  uint64_t cond, int pe, int fetch, uint32_t fn)
{
    (void)fn;
    struct gs_sim_waiter waiter = {0, 0};
    struct gs_sim_op *op = op_new(GS_SIM_AMO, pe, dest, bytes);
    op->amo = code;
    op->value = value;
    op->cond = cond;
    post(op, fetch ? &waiter : NULL);
    return waiter.value;
}

__attribute__((visibility("default"))) void gin_shmem_sim_flush(int pe, uint32_t fn)
{
    (void)fn;
    wait_for(pe, true);
}

__attribute__((visibility("default"))) void gin_shmem_sim_quiet(int pe, uint32_t fn)
{
    (void)fn;
    wait_for(pe, false);
}

void gs_sim_quiet(void)
{
    if (gs_sim.c.n)
        wait_for(-1, false);
}

/* ---- beginning and end ---- */

/* GIN_SHMEM_SIM_SEED, or a new one that is told; the same on all PEs. */
static int choose_seed(void)
{
    const char *text = getenv("GIN_SHMEM_SIM_SEED");
    uint64_t mine = now_ns() ^ (uint64_t)getpid() << 20, *all;
    if (text && *text) {
        char *end;
        errno = 0;
        gs_sim.seed = strtoull(text, &end, 0);
        if (errno || *end) {
            gs_sim.c.log(GS_ERROR, "GIN_SHMEM_SIM_SEED=%s: not a number; give a whole one, as in 42", text);
            return -1;
        }
        return 0;
    }
    all = calloc((size_t)gs_sim.c.n, sizeof *all);
    int rc = all ? gs_sim.c.allgather(&mine, sizeof mine, all) : -1;
    if (rc == 0) {
        gs_sim.seed = all[0] % 1000000;
        if (gs_sim.c.me == 0)
            fprintf(stderr, "gin_shmem: simulated %s: GIN_SHMEM_SIM_SEED=%llu gives these delays again\n",
                    gs_sim.c.far ? "network" : "store buffers", (unsigned long long)gs_sim.seed);
    }
    free(all);
    return rc;
}

static int choose_mode(void)
{
    static const char *const names[] = {"instant", "random", "adversarial"};
    const char *text = getenv("GIN_SHMEM_SIM_MODE");
    gs_sim.mode = gs_sim.c.far ? GS_SIM_RANDOM : GS_SIM_INSTANT;
    if (!text || !*text)
        return 0;
    for (int i = 0; i < 3; i++)
        if (strcmp(text, names[i]) == 0) {
            gs_sim.mode = (enum gs_sim_mode)i;
            return 0;
        }
    gs_sim.c.log(GS_ERROR, "GIN_SHMEM_SIM_MODE=%s: unknown; choose instant, random or adversarial", text);
    return -1;
}

int gs_sim_start(const struct gs_sim_config *c)
{
    gs_sim.c = *c;
    if (choose_mode() || (gs_sim.mode != GS_SIM_INSTANT && choose_seed()))
        return -1;
    row = gs_sim.seed;
    row = gs_sim_next(&row) + (uint64_t)c->me * 0x632be59bd9b4e019u;
    lanes = calloc((size_t)c->n * CONTEXTS, sizeof *lanes);
    by_pe = calloc((size_t)c->n, sizeof *by_pe);
    if (!lanes || !by_pe) {
        c->log(GS_ERROR, "out of memory for the simulated network");
        return -1;
    }
    if (!c->far || gs_sim.mode == GS_SIM_INSTANT)
        return 0;
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&wake, &attr);
    pthread_condattr_destroy(&attr);
    stopping = false;
    if (pthread_create(&thread, NULL, deliver, NULL) != 0) {
        c->log(GS_ERROR, "cannot start the delivery thread of the simulated network: %s", strerror(errno));
        return -1;
    }
    running = true;
    return 0;
}

void gs_sim_stop(void)
{
    if (running) {
        pthread_mutex_lock(&lock);
        stopping = true;
        pthread_cond_signal(&wake);
        pthread_mutex_unlock(&lock);
        pthread_join(thread, NULL);
        pthread_cond_destroy(&wake);
        running = false;
    }
    free(lanes);
    free(by_pe);
    free(heap);
    lanes = NULL, by_pe = NULL, heap = NULL;
    heap_n = heap_room = 0;
    memset(&gs_sim, 0, sizeof gs_sim);
}
