/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Streams: a queue and a host thread each, under one lock. Entries are numbered; an entry may wait for numbers of other
 * streams, which is how the default stream and blocking streams keep their order, and events theirs.
 */
#define _GNU_SOURCE
#include "cpu/stream.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/block.h"

struct entry {
    struct entry *next;
    void (*fn)(void *arg);
    void *arg;
    struct gs_place *after; /* places it waits for */
    unsigned count;
};

struct gs_stream {
    struct gs_stream *next; /* of all */
    unsigned holders;       /* the list, its thread, places */
    bool blocking, closing;
    struct entry *first, **last;
    uint64_t entered, done;  /* numbers */
    pthread_cond_t wake;     /* its thread: there is something to do, or the end */
    struct gs_place *behind; /* what the next entry waits for besides */
    unsigned behind_count;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t moved; /* some entry is done */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct gs_stream *all, *legacy;
static __thread struct gs_stream *per_thread;

static void let_go(struct gs_stream *s)
{
    if (--s->holders == 0) {
        pthread_cond_destroy(&s->wake);
        free(s->behind);
        free(s);
    }
}

static void drop_places(struct gs_place *p, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        let_go(p[i].stream);
    free(p);
}

static void *stream_main(void *arg)
{
    struct gs_stream *s = arg;
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!s->first && !s->closing)
            pthread_cond_wait(&s->wake, &lock);
        struct entry *e = s->first;
        if (!e)
            break;
        for (unsigned i = 0; i < e->count; i++)
            while (e->after[i].stream->done < e->after[i].number)
                pthread_cond_wait(&moved, &lock);
        drop_places(e->after, e->count);
        pthread_mutex_unlock(&lock);
        e->fn(e->arg);
        pthread_mutex_lock(&lock);
        s->first = e->next;
        if (!s->first)
            s->last = &s->first;
        free(e);
        s->done++;
        pthread_cond_broadcast(&moved);
    }
    for (struct gs_stream **p = &all; *p; p = &(*p)->next)
        if (*p == s) {
            *p = s->next;
            break;
        }
    let_go(s);
    pthread_mutex_unlock(&lock);
    gs_grid_thread_ends();
    return NULL;
}

static struct gs_stream *stream_new(bool blocking)
{
    struct gs_stream *s = calloc(1, sizeof *s);
    pthread_t t;
    if (!s)
        return NULL;
    s->holders = 1;
    s->blocking = blocking;
    s->last = &s->first;
    pthread_cond_init(&s->wake, NULL);
    if (pthread_create(&t, NULL, stream_main, s) != 0) {
        free(s);
        return NULL;
    }
    pthread_setname_np(t, "gs-stream");
    pthread_detach(t);
    pthread_mutex_lock(&lock);
    s->next = all;
    all = s;
    pthread_mutex_unlock(&lock);
    return s;
}

static void start(void)
{
    pthread_cond_init(&moved, NULL);
    legacy = stream_new(false);
    if (!legacy)
        gs_machine_die("no thread for the default stream");
}

/* What a handle stands for: 0 and 1 are the legacy default stream, 2 the calling thread's own. */
static struct gs_stream *resolve(struct gs_stream *s)
{
    pthread_once(&once, start);
    if ((uintptr_t)s <= 1)
        return legacy;
    if ((uintptr_t)s != 2)
        return s;
    if (!per_thread)
        per_thread = stream_new(true);
    return per_thread;
}

int gs_stream_create(struct gs_stream **s, bool blocking)
{
    pthread_once(&once, start);
    struct gs_stream *made = stream_new(blocking);
    if (!made)
        return GS_MACHINE_NO_MEMORY;
    *s = made;
    return gs_machine_error();
}

int gs_stream_destroy(struct gs_stream *s)
{
    if ((uintptr_t)s <= 2)
        return GS_MACHINE_INVALID_HANDLE;
    pthread_mutex_lock(&lock);
    s->closing = true;
    pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&lock);
    return gs_machine_error();
}

/* Appends a place, unless it is reached. False: no memory. */
static bool add_place(struct gs_place **list, unsigned *count, struct gs_stream *s, uint64_t number)
{
    if (s->done >= number)
        return true;
    struct gs_place *more = realloc(*list, (*count + 1) * sizeof *more);
    if (!more)
        return false;
    *list = more;
    more[(*count)++] = (struct gs_place){s, number};
    s->holders++;
    return true;
}

int gs_stream_enqueue_at(struct gs_stream *handle, void (*fn)(void *), void *arg, struct gs_place *at)
{
    struct gs_stream *s = resolve(handle);
    struct entry *e = calloc(1, sizeof *e);
    if (!s || !e) {
        free(e);
        return GS_MACHINE_NO_MEMORY;
    }
    e->fn = fn;
    e->arg = arg;
    pthread_mutex_lock(&lock);
    e->after = s->behind;
    e->count = s->behind_count;
    s->behind = NULL;
    s->behind_count = 0;
    bool ok = true;
    if (s == legacy) {
        for (struct gs_stream *o = all; o && ok; o = o->next)
            if (o->blocking)
                ok = add_place(&e->after, &e->count, o, o->entered);
    } else if (s->blocking) {
        ok = add_place(&e->after, &e->count, legacy, legacy->entered);
    }
    if (!ok) {
        drop_places(e->after, e->count);
        pthread_mutex_unlock(&lock);
        free(e);
        return GS_MACHINE_NO_MEMORY;
    }
    *s->last = e;
    s->last = &e->next;
    s->entered++;
    if (at) {
        *at = (struct gs_place){s, s->entered};
        s->holders++;
    }
    pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&lock);
    return GS_MACHINE_OK;
}

int gs_stream_enqueue(struct gs_stream *s, void (*fn)(void *arg), void *arg)
{
    return gs_stream_enqueue_at(s, fn, arg, NULL);
}

int gs_stream_behind(struct gs_stream *handle, const struct gs_place *p)
{
    struct gs_stream *s = resolve(handle);
    if (!s)
        return GS_MACHINE_NO_MEMORY;
    pthread_mutex_lock(&lock);
    bool ok = !p->stream || add_place(&s->behind, &s->behind_count, p->stream, p->number);
    pthread_mutex_unlock(&lock);
    return ok ? GS_MACHINE_OK : GS_MACHINE_NO_MEMORY;
}

/* Under the lock. */
static void wait_for(struct gs_stream *s, uint64_t number)
{
    s->holders++;
    while (s->done < number)
        pthread_cond_wait(&moved, &lock);
    let_go(s);
}

bool gs_place_reached(const struct gs_place *p)
{
    pthread_mutex_lock(&lock);
    bool reached = !p->stream || p->stream->done >= p->number;
    pthread_mutex_unlock(&lock);
    return reached;
}

void gs_place_wait(const struct gs_place *p)
{
    pthread_mutex_lock(&lock);
    if (p->stream)
        wait_for(p->stream, p->number);
    pthread_mutex_unlock(&lock);
}

void gs_place_drop(struct gs_place *p)
{
    pthread_mutex_lock(&lock);
    if (p->stream)
        let_go(p->stream);
    p->stream = NULL;
    pthread_mutex_unlock(&lock);
}

/* Under the lock: all streams of which `which` is true, up to what is in them now. */
static bool busy(bool only_blocking, struct gs_place **list, unsigned *count)
{
    for (struct gs_stream *s = all; s; s = s->next)
        if ((!only_blocking || s->blocking || s == legacy) && !add_place(list, count, s, s->entered))
            return false;
    return true;
}

static int wait_all(bool only_blocking)
{
    struct gs_place *list = NULL;
    unsigned count = 0;
    pthread_once(&once, start);
    pthread_mutex_lock(&lock);
    bool ok = busy(only_blocking, &list, &count);
    for (unsigned i = 0; i < count; i++)
        wait_for(list[i].stream, list[i].number);
    drop_places(list, count);
    pthread_mutex_unlock(&lock);
    return ok ? gs_machine_error() : GS_MACHINE_NO_MEMORY;
}

int gs_stream_synchronize(struct gs_stream *handle)
{
    struct gs_stream *s = resolve(handle);
    if (!s)
        return GS_MACHINE_NO_MEMORY;
    if (s == legacy)
        return wait_all(true);
    pthread_mutex_lock(&lock);
    wait_for(s, s->entered);
    pthread_mutex_unlock(&lock);
    return gs_machine_error();
}

int gs_stream_query(struct gs_stream *handle)
{
    struct gs_stream *s = resolve(handle);
    if (!s)
        return GS_MACHINE_NO_MEMORY;
    pthread_mutex_lock(&lock);
    bool done = s->done == s->entered;
    if (s == legacy)
        for (struct gs_stream *o = all; o; o = o->next)
            done = done && (!o->blocking || o->done == o->entered);
    pthread_mutex_unlock(&lock);
    int e = gs_machine_error();
    return e ? e : done ? GS_MACHINE_OK : GS_MACHINE_NOT_READY;
}

int gs_machine_synchronize(void)
{
    return wait_all(false);
}

/* ---- kernels in streams ---- */

struct launch {
    struct gs_grid grid;
    void *args[]; /* and what they point to */
};

static void run(void *arg)
{
    struct launch *l = arg;
    if (!gs_machine_error())
        gs_grid_run(&l->grid);
    if (!gs_machine_error()) /* after a trap some thread may still look at it */
        free(l);
}

int gs_launch_enqueue(const struct gs_launch *l, void *const *args, struct gs_stream *s)
{
    const unsigned long long blocks = (unsigned long long)l->grid.x * l->grid.y * l->grid.z;
    const int fits = gs_launch_fits(l->block, l->smem);
    if (gs_machine_error())
        return gs_machine_error();
    if (!fits || blocks == 0 || blocks > 0x7fffffffffffull)
        return GS_MACHINE_INVALID_CONFIGURATION;
    if (l->cooperative && blocks > (unsigned long long)fits)
        return GS_MACHINE_TOO_LARGE;
    const unsigned nargs = l->kernel->nargs;
    const size_t pointers = (sizeof(struct launch) + nargs * sizeof(void *) + 15) & ~(size_t)15;
    size_t bytes = pointers;
    for (unsigned i = 0; i < nargs; i++)
        bytes += (l->kernel->arg_bytes[i] + 15u) & ~15u;
    struct launch *copy = calloc(1, bytes);
    if (!copy)
        return GS_MACHINE_NO_MEMORY;
    unsigned char *at = (unsigned char *)copy + pointers;
    for (unsigned i = 0; i < nargs; i++) {
        copy->args[i] = at;
        memcpy(at, args[i], l->kernel->arg_bytes[i]);
        at += (l->kernel->arg_bytes[i] + 15u) & ~15u;
    }
    copy->grid.l = *l;
    copy->grid.args = copy->args;
    copy->grid.blocks = blocks;
    copy->grid.threads = (unsigned long long)l->block.x * l->block.y * l->block.z;
    int e = gs_stream_enqueue(s, run, copy);
    if (e)
        free(copy);
    return e;
}
