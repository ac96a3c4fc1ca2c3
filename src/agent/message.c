/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What agents say to each other, where one cannot reach the other's memory. A put's data go out of the device into
 * buffers, and from there to the target's agent, which puts them into its queue. Pieces of BUFFER bytes, several under
 * way at a time. The transport may let a short message overtake a long one, so they are numbered, and taken by number.
 *
 * A message is counted when it is a put or an AMO: the target acknowledges how many it has performed. A get is over when
 * all of its data have come, an AMO with a result when that has.
 */
#include <stdlib.h>
#include <string.h>

#include "agent/internal.h"

#define a gs_agent

enum {
    BUFFER = 256 << 10,
    BUFFERS = 24,
    WINDOW = 64, /* counted messages to one PE that are not acknowledged */
};

enum kind {
    M_PUT, /* data for place; then, if sig is not 0, the signal */
    M_GET, /* `bytes` from place, please */
    M_GOT, /* some of them */
    M_AMO,
    M_VALUE, /* the answer to one with a result */
    M_ACK,   /* value: how many counted messages of yours have been performed */
};

/* In front of the data. Places: own + heap in the topmost bit, offset in the heap. */
struct head {
    uint64_t number; /* of this message, from this sender to this target */
    uint8_t kind, op, flags, size;
    uint32_t pad;
    uint64_t id; /* the asker's job */
    uint64_t place, bytes, sig, value, cond;
};

/* One that leaves when what the queue reads for it has been read. */
struct leaving {
    int pe;
    uint64_t mark;
    size_t bytes;
    bool pinned;
    struct leaving *next;
    struct head h; /* and the data */
};
/* One that has come. */
struct come {
    struct come *next;
    int from;
    size_t bytes;
    struct head h; /* and the data */
};
/* Data for a job's get, or an AMO's old value for another PE: until the queue has got there. */
struct awaited {
    uint64_t mark;
    struct gs_agent_job *job;
    uint64_t bytes;
    int pe; /* the answer's; -1: it is a get's data */
    uint64_t id, *value;
    struct awaited *next;
};
struct list {
    void *first, *last;
};

struct peer {
    uint64_t said;                      /* messages to it */
    uint64_t counted, acked;            /* of those, that it counts; how many it has performed */
    struct gs_agent_job *first, **last; /* sent, in their order */
    uint64_t heard;                     /* messages from it */
    struct come *early;                 /* by number */
    uint64_t taken, told;               /* counted ones from it, in the queue; performed and acknowledged */
    uint64_t mark;                      /* behind the last of them */
    bool listed;                        /* in owing */
    int next;
};

static struct peer *peers;
static int owing; /* peers that are owed an acknowledgement: a list by next, -1 at its end */
static struct leaving *leaving, **leaving_end;
static struct awaited *awaited, **awaited_end;
static struct come *gets, **gets_end; /* to be answered */
static uint64_t *values;              /* pinned, WINDOW for each PE: for old values that others want */
static uint64_t **free_values;
static int values_left;
static void *buffers[BUFFERS];

/* Shared with the transport's threads. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct come *inbox, **inbox_end;
static _Atomic unsigned in_inbox;
static void *free_buffers[BUFFERS];
static int buffers_left;

static void *need(void *p)
{
    if (!p)
        a.m.core->die("agent", "no memory for messages to other nodes");
    return p;
}

/* ---- places ---- */

static uint64_t place_of(uint64_t own)
{
    const struct gin_shmem_reach *dev = &a.m.state->dev, *host = &a.m.state->host;
    if (own - dev->lo < dev->span)
        return own - dev->lo;
    if (own - host->lo < host->span)
        return (own - host->lo) | (uint64_t)1 << 63;
    a.m.core->die("agent", "internal: address %#llx is in no symmetric heap", (unsigned long long)own);
    return 0;
}

static void *own_of(uint64_t place, uint64_t bytes, int from)
{
    const struct gin_shmem_reach *r = place >> 63 ? &a.m.state->host : &a.m.state->dev;
    uint64_t offset = place & ~((uint64_t)1 << 63);
    if (offset >= r->span || bytes > r->span - offset)
        a.m.core->die("agent", "PE %d asks for %llu bytes at offset %#llx, beyond the heap", from,
                      (unsigned long long)bytes, (unsigned long long)offset);
    return (void *)(uintptr_t)(r->lo + offset);
}

/* ---- out ---- */

static void sent(void *arg)
{
    struct leaving *l = arg;
    if (!l->pinned) {
        free(l);
        return;
    }
    pthread_mutex_lock(&lock);
    free_buffers[buffers_left++] = l;
    pthread_mutex_unlock(&lock);
}

static struct leaving *prepare(int pe, struct leaving *l, bool pinned, const struct head *h, size_t bytes)
{
    l->pe = pe;
    l->pinned = pinned;
    l->bytes = sizeof *h + bytes;
    l->h = *h;
    return l;
}

/* Without data from the device. */
static struct leaving *small(int pe, const struct head *h, size_t bytes)
{
    return prepare(pe, need(malloc(sizeof(struct leaving) + bytes)), false, h, bytes);
}

static void *try_buffer(void)
{
    pthread_mutex_lock(&lock);
    void *b = buffers_left ? free_buffers[--buffers_left] : NULL;
    pthread_mutex_unlock(&lock);
    return b;
}

static void need_way(int pe)
{
    if (!peers)
        a.m.core->die("agent",
                      "PE %d is on another node, its memory cannot be mapped here, and nothing carries messages to "
                      "it: install libginshmem_ucx with UCX, and do not set GIN_SHMEM_TRANSPORT=shm",
                      pe);
}

static void post(struct leaving *l, uint64_t mark)
{
    l->h.number = peers[l->pe].said++;
    l->mark = mark;
    l->next = NULL;
    *leaving_end = l;
    leaving_end = &l->next;
}

/* Everything queued so far is in front of it. */
static void post_now(struct leaving *l)
{
    post(l, 0);
}

static unsigned leave(uint64_t reached)
{
    unsigned n = 0;
    for (struct leaving *l; (l = leaving) && l->mark <= reached; n++) {
        leaving = l->next;
        if (!leaving)
            leaving_end = &leaving;
        a.m.core->message(l->pe, &l->h, l->bytes, sent, l);
    }
    return n;
}

static void relax_until(bool (*ready)(int), int pe)
{
    for (unsigned turn = 0; !ready(pe) && !a.failed;)
        if (gs_agent_pump())
            turn = 0;
        else
            a.m.core->relax(turn++);
}

static bool window_open(int pe)
{
    return peers[pe].counted - peers[pe].acked < WINDOW;
}
static bool buffer_there(int pe)
{
    (void)pe;
    pthread_mutex_lock(&lock);
    bool there = buffers_left > 0;
    pthread_mutex_unlock(&lock);
    return there;
}

static void count(int pe)
{
    need_way(pe);
    relax_until(window_open, pe);
    peers[pe].counted++;
}

/* The job is over when its PE has performed all that was sent to it so far. */
static void until_acknowledged(struct gs_agent_job *j)
{
    struct peer *p = &peers[j->pe];
    j->sent = p->counted;
    j->later = NULL;
    *p->last = j;
    p->last = &j->later;
}

void gs_message_put(struct gs_agent_job *j, const struct gin_shmem_agent_request *r, const unsigned char *data)
{
    uint64_t at = 0, len;
    do {
        struct head h = {.kind = M_PUT};
        len = r->bytes - at < BUFFER ? r->bytes - at : BUFFER;
        h.place = r->bytes ? place_of(r->dest + at) : 0;
        h.bytes = len;
        if (at + len == r->bytes && r->sig) {
            h.sig = place_of(r->sig) + 1; /* words are aligned, so 0 is none */
            h.value = r->value;
            h.flags = r->flags & GIN_SHMEM_AGENT_SIGNAL_ADD;
        }
        count(r->pe);
        if (len <= GIN_SHMEM_AGENT_INLINE && r->flags & GIN_SHMEM_AGENT_INLINED) {
            struct leaving *l = small(r->pe, &h, len);
            memcpy(&l->h + 1, data, len);
            post_now(l);
        } else {
            relax_until(buffer_there, r->pe);
            struct leaving *l = prepare(r->pe, need(try_buffer()), true, &h, len);
            post(l, gs_agent_queued(a.m.copy(&l->h + 1, data + at, len)));
        }
        at += len;
    } while (at < r->bytes);
    until_acknowledged(j);
}

void gs_message_get(struct gs_agent_job *j, const struct gin_shmem_agent_request *r, unsigned char *to)
{
    struct head h = {.kind = M_GET, .id = (uint64_t)(uintptr_t)j, .place = place_of(r->source), .bytes = r->bytes};
    need_way(r->pe);
    j->to = to;
    j->left = r->bytes;
    post_now(small(r->pe, &h, 0));
}

void gs_message_amo(struct gs_agent_job *j, const struct gin_shmem_agent_request *r)
{
    struct head h = {.kind = M_AMO,
                     .op = r->op,
                     .size = (uint8_t)r->bytes,
                     .id = j->value ? (uint64_t)(uintptr_t)j : 0,
                     .place = place_of(r->dest),
                     .value = r->value,
                     .cond = r->source};
    count(r->pe);
    post_now(small(r->pe, &h, 0));
    if (!j->value)
        until_acknowledged(j);
}

/* ---- in ---- */

/* From a thread of the transport. */
static void on_message(int from, const void *data, size_t bytes)
{
    struct come *c = bytes < sizeof c->h ? NULL : malloc(sizeof *c + bytes - sizeof c->h);
    if (!c) {
        a.m.core->log(GS_ERROR, "a message of %zu bytes from PE %d's agent: %s", bytes, from,
                      bytes < sizeof c->h ? "too short" : "no memory");
        a.m.core->abort(1, NULL);
        return;
    }
    c->from = from;
    c->bytes = bytes - sizeof c->h;
    memcpy(&c->h, data, bytes);
    c->next = NULL;
    pthread_mutex_lock(&lock);
    *inbox_end = c;
    inbox_end = &c->next;
    pthread_mutex_unlock(&lock);
    atomic_fetch_add_explicit(&in_inbox, 1, memory_order_release);
}

static void await(struct awaited w)
{
    struct awaited *n = need(malloc(sizeof *n));
    *n = w;
    *awaited_end = n;
    awaited_end = &n->next;
}

static void owe(int from, uint64_t mark)
{
    struct peer *p = &peers[from];
    p->taken++;
    p->mark = mark;
    if (!p->listed) {
        p->listed = true;
        p->next = owing;
        owing = from;
    }
}

static void take_put(const struct come *c)
{
    const struct head *h = &c->h;
    int failed = 0;
    if (h->bytes > c->bytes)
        a.m.core->die("agent", "internal: a put of %llu bytes with %zu", (unsigned long long)h->bytes, c->bytes);
    if (h->bytes)
        failed = a.m.copy(own_of(h->place, h->bytes, c->from), h + 1, h->bytes);
    if (h->sig)
        failed |= a.m.amo(h->flags ? GIN_SHMEM_OP_ADD : GIN_SHMEM_OP_SET, own_of(h->sig - 1, 8, c->from), 8, h->value,
                          0, NULL);
    owe(c->from, gs_agent_queued(failed));
}

static void take_amo(const struct come *c)
{
    const struct head *h = &c->h;
    uint64_t *old = NULL;
    if (h->id)
        old = free_values[--values_left];
    int failed = a.m.amo(h->op, own_of(h->place, h->size, c->from), h->size, h->value, h->cond, old);
    uint64_t mark = gs_agent_queued(failed);
    owe(c->from, mark);
    if (old)
        await((struct awaited){.mark = mark, .pe = c->from, .id = h->id, .value = old});
}

static void take_ack(const struct come *c)
{
    struct peer *p = &peers[c->from];
    p->acked = c->h.value;
    for (struct gs_agent_job *j; (j = p->first) && j->sent <= p->acked;) {
        p->first = j->later;
        if (!p->first)
            p->last = &p->first;
        gs_agent_performed(j);
    }
}

/* True: c stays somewhere. */
static bool take(struct come *c)
{
    struct gs_agent_job *j = (struct gs_agent_job *)(uintptr_t)c->h.id;
    switch (c->h.kind) {
    case M_PUT:
        take_put(c);
        break;
    case M_GET:
        c->next = NULL;
        *gets_end = c;
        gets_end = &c->next;
        return true;
    case M_GOT: {
        int failed = a.m.copy(j->to + c->h.value, &c->h + 1, c->bytes);
        await((struct awaited){.mark = gs_agent_queued(failed), .job = j, .bytes = c->bytes, .pe = -1});
        break;
    }
    case M_AMO:
        take_amo(c);
        break;
    case M_VALUE:
        *j->value = c->h.value;
        gs_agent_performed(j);
        break;
    case M_ACK:
        take_ack(c);
        break;
    default:
        a.m.core->die("agent", "internal: a message of kind %d from PE %d", c->h.kind, c->from);
    }
    return false;
}

/* By their numbers; those that are early wait. */
static void arrive(struct come *c)
{
    struct peer *p = &peers[c->from];
    struct come **at = &p->early;
    while (*at && (*at)->h.number < c->h.number)
        at = &(*at)->next;
    c->next = *at;
    *at = c;
    while ((c = p->early) && c->h.number == p->heard) {
        p->early = c->next;
        p->heard++;
        if (!take(c))
            free(c);
    }
}

static unsigned read_inbox(void)
{
    unsigned n = 0;
    if (!atomic_load_explicit(&in_inbox, memory_order_acquire))
        return 0;
    pthread_mutex_lock(&lock);
    struct come *c = inbox;
    inbox = NULL;
    inbox_end = &inbox;
    atomic_store_explicit(&in_inbox, 0, memory_order_relaxed);
    pthread_mutex_unlock(&lock);
    for (struct come *next; c; c = next, n++) {
        next = c->next;
        arrive(c);
    }
    return n;
}

static void arrived(struct awaited *w)
{
    if (w->pe < 0) {
        w->job->left -= w->bytes;
        if (!w->job->left)
            gs_agent_performed(w->job);
        return;
    }
    struct head h = {.kind = M_VALUE, .id = w->id, .value = *w->value};
    free_values[values_left++] = w->value;
    post_now(small(w->pe, &h, 0));
}

static unsigned acknowledge(uint64_t reached)
{
    unsigned n = 0;
    for (int *at = &owing; *at >= 0;) {
        int pe = *at;
        struct peer *p = &peers[pe];
        if (p->mark > reached) {
            at = &p->next;
            continue;
        }
        *at = p->next;
        p->listed = false;
        struct head h = {.kind = M_ACK, .value = p->taken};
        post_now(small(pe, &h, 0));
        n++;
    }
    return n;
}

unsigned gs_message_progress(uint64_t reached)
{
    unsigned n = 0;
    if (!peers)
        return 0;
    a.m.core->message_poll();
    n += read_inbox();
    for (struct awaited *w; (w = awaited) && w->mark <= reached; n++) {
        awaited = w->next;
        if (!awaited)
            awaited_end = &awaited;
        arrived(w);
        free(w);
    }
    return n + acknowledge(reached) + leave(reached);
}

unsigned gs_message_answer(void)
{
    unsigned n = 0;
    for (struct come *c; peers && (c = gets) && !a.failed; n++) {
        gets = c->next;
        if (!gets)
            gets_end = &gets;
        const unsigned char *from = own_of(c->h.place, c->h.bytes, c->from);
        for (uint64_t at = 0, len; at < c->h.bytes; at += len) {
            len = c->h.bytes - at < BUFFER ? c->h.bytes - at : BUFFER;
            struct head h = {.kind = M_GOT, .id = c->h.id, .value = at};
            relax_until(buffer_there, c->from);
            struct leaving *l = prepare(c->from, need(try_buffer()), true, &h, len);
            post(l, gs_agent_queued(a.m.copy(&l->h + 1, from + at, len)));
        }
        free(c);
    }
    return n;
}

/* ---- life ---- */

int gs_message_start(void)
{
    int n = a.m.core->n;
    leaving_end = &leaving, awaited_end = &awaited, gets_end = &gets, inbox_end = &inbox;
    owing = -1;
    buffers_left = values_left = 0;
    in_inbox = 0;
    if (!a.m.core->messages())
        return 0; /* what cannot be mapped here will be told when it is asked for */
    values = a.m.pinned((size_t)(WINDOW * n) * sizeof *values);
    free_values = need(calloc((size_t)(WINDOW * n), sizeof *free_values));
    if (!values)
        return -1;
    for (; values_left < WINDOW * n; values_left++)
        free_values[values_left] = &values[values_left];
    for (; buffers_left < BUFFERS; buffers_left++) {
        buffers[buffers_left] = free_buffers[buffers_left] = a.m.pinned(sizeof(struct leaving) + BUFFER);
        if (!buffers[buffers_left])
            return -1;
    }
    peers = need(calloc((size_t)n, sizeof *peers));
    for (int i = 0; i < n; i++)
        peers[i].last = &peers[i].first;
    a.m.core->on_message(on_message);
    return 0;
}

static bool all_buffers_back(void)
{
    pthread_mutex_lock(&lock);
    bool all = buffers_left == BUFFERS;
    pthread_mutex_unlock(&lock);
    return all;
}

static void free_come(struct come *c)
{
    for (struct come *next; c; c = next) {
        next = c->next;
        free(c);
    }
}

void gs_message_stop(void)
{
    if (peers) { /* what has been performed elsewhere may not have been told to have left */
        for (unsigned turn = 0; !all_buffers_back() && !a.failed; turn++) {
            a.m.core->message_poll();
            a.m.core->relax(turn);
        }
        a.m.core->on_message(NULL);
    }
    for (int i = 0; peers && i < a.m.core->n; i++)
        free_come(peers[i].early);
    free_come(inbox);
    free_come(gets);
    inbox = gets = NULL;
    for (struct awaited *w; (w = awaited);) {
        awaited = w->next;
        free(w);
    }
    for (int i = 0; i < BUFFERS; i++) {
        if (buffers[i])
            a.m.unpin(buffers[i]);
        buffers[i] = NULL;
    }
    if (values)
        a.m.unpin(values);
    free(free_values);
    values = NULL;
    free_values = NULL;
    free(peers);
    peers = NULL;
}
