/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages in: what other PEs ask of this one, and their answers. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "agent/message.h"

#define a gs_agent

enum {
    ROOMS = 24,
    LITTLE = 16 << 10 /* bytes that are not worth a room */
};

/* One that has come. */
struct gs_come {
    struct gs_come *next;
    int from;
    bool pinned; /* it is one of the rooms */
    size_t bytes;
    struct gs_message_head h; /* and the data */
};
/* What the queue has to do before something else is done: it reads `come`, which then goes; it fetches an AMO's old value for
 * PE `pe`, unless value is NULL; it writes `bytes` of a get, unless job is. */
struct awaited {
    uint64_t mark;
    struct gs_come *come;
    struct gs_agent_job *job;
    uint64_t bytes;
    int pe;
    uint64_t id, *value;
    struct awaited *next;
};

static int owing; /* peers that are owed an acknowledgement */
static struct awaited *awaited, **awaited_end;
static struct gs_come *gets, **gets_end; /* to be answered */
static uint64_t *values;                 /* pinned, GS_MESSAGE_WINDOW for each PE: for old values that others want */
static uint64_t **free_values;
static int values_left;

static void *rooms[ROOMS]; /* pinned, of ROOM_BYTES each: the queue reads data where they came */
#define ROOM_BYTES (sizeof(struct gs_come) + GS_MESSAGE_BUFFER)

/* Shared with the transport's threads. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct gs_come *inbox, **inbox_end;
static void *free_rooms[ROOMS];
static int rooms_left;
static _Atomic unsigned in_inbox;

static void *own_of(uint64_t place, uint64_t bytes, int from)
{
    const struct gin_shmem_reach *r = place >> 63 ? &a.m.state->host : &a.m.state->dev;
    uint64_t offset = place & ~((uint64_t)1 << 63);
    if (offset >= r->span || bytes > r->span - offset)
        a.m.core->die("agent", "PE %d asks for %llu bytes at offset %#llx, beyond the heap", from,
                      (unsigned long long)bytes, (unsigned long long)offset);
    return (void *)(uintptr_t)(r->lo + offset);
}

/* ---- from a thread of the transport ---- */

/* Much of it comes into pinned memory, as long as there is some: then the queue reads it there, while more comes. */
static void *room(size_t bytes)
{
    struct gs_come *c = NULL;
    size_t need = offsetof(struct gs_come, h) + (bytes < sizeof c->h ? sizeof c->h : bytes);
    bool pinned = false;
    if (bytes > LITTLE && need <= ROOM_BYTES) {
        pthread_mutex_lock(&lock);
        pinned = rooms_left > 0;
        if (pinned)
            c = free_rooms[--rooms_left];
        pthread_mutex_unlock(&lock);
    }
    if (!c && !(c = malloc(need)))
        return NULL;
    c->pinned = pinned;
    return &c->h;
}

static void take_room(int from, void *room, size_t bytes)
{
    struct gs_come *c = (struct gs_come *)(void *)((char *)room - offsetof(struct gs_come, h));
    if (bytes < sizeof c->h) {
        a.m.core->log(GS_ERROR, "a message of %zu bytes from PE %d's agent: too short", bytes, from);
        a.m.core->abort(1, NULL);
        return;
    }
    c->from = from;
    c->bytes = bytes - sizeof c->h;
    c->next = NULL;
    pthread_mutex_lock(&lock);
    *inbox_end = c;
    inbox_end = &c->next;
    pthread_mutex_unlock(&lock);
    atomic_fetch_add_explicit(&in_inbox, 1, memory_order_release);
}

static const struct gs_message_listener listener = {room, take_room};

/* ---- from here on the agent's thread ---- */

static void drop(struct gs_come *c)
{
    if (!c->pinned) {
        free(c);
        return;
    }
    pthread_mutex_lock(&lock);
    free_rooms[rooms_left++] = c;
    pthread_mutex_unlock(&lock);
}

static void await(struct awaited w)
{
    struct awaited *n = gs_message_need(malloc(sizeof *n));
    *n = w;
    *awaited_end = n;
    awaited_end = &n->next;
}

static void owe(int from, uint64_t mark)
{
    struct gs_message_peer *p = &gs_message_peers[from];
    p->taken++;
    p->mark = mark;
    if (!p->owed) {
        p->owed = true;
        p->next = owing;
        owing = from;
    }
}

/* Gives the mark behind which c's data have been read. */
static uint64_t take_put(const struct gs_come *c)
{
    const struct gs_message_head *h = &c->h;
    int failed = 0;
    if (h->bytes > c->bytes)
        a.m.core->die("agent", "internal: a put of %llu bytes with %zu", (unsigned long long)h->bytes, c->bytes);
    if (h->bytes)
        failed = a.m.copy(own_of(h->place, h->bytes, c->from), h + 1, h->bytes, true);
    if (h->sig)
        failed |= a.m.amo(h->flags ? GIN_SHMEM_OP_ADD : GIN_SHMEM_OP_SET, own_of(h->sig - 1, 8, c->from), 8, h->value,
                          0, NULL);
    uint64_t mark = gs_agent_queued(failed);
    owe(c->from, mark);
    return mark;
}

static void take_amo(const struct gs_come *c)
{
    const struct gs_message_head *h = &c->h;
    uint64_t *old = NULL;
    if (h->id)
        old = free_values[--values_left];
    int failed = a.m.amo(h->op, own_of(h->place, h->size, c->from), h->size, h->value, h->cond, old);
    uint64_t mark = gs_agent_queued(failed);
    owe(c->from, mark);
    if (old)
        await((struct awaited){.mark = mark, .pe = c->from, .id = h->id, .value = old});
}

static void take_ack(const struct gs_come *c)
{
    struct gs_message_peer *p = &gs_message_peers[c->from];
    p->acked = c->h.value;
    for (struct gs_agent_job *j; (j = p->first) && j->sent <= p->acked;) {
        p->first = j->later;
        if (!p->first)
            p->last = &p->first;
        gs_agent_performed(j);
    }
}

/* And lets it go, now or later. */
static void take(struct gs_come *c)
{
    struct gs_agent_job *j = (struct gs_agent_job *)(uintptr_t)c->h.id;
    switch (c->h.kind) {
    case M_PUT: {
        uint64_t mark = take_put(c);
        if (c->pinned) {
            await((struct awaited){.mark = mark, .come = c});
            return;
        }
        break;
    }
    case M_GET:
        c->next = NULL;
        *gets_end = c;
        gets_end = &c->next;
        return;
    case M_GOT: {
        int failed = a.m.copy(j->to + c->h.value, &c->h + 1, c->bytes, true);
        await((struct awaited){.mark = gs_agent_queued(failed), .come = c, .job = j, .bytes = c->bytes});
        return;
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
    drop(c);
}

/* By their numbers; those that are early wait. */
static void arrive(struct gs_come *c)
{
    struct gs_message_peer *p = &gs_message_peers[c->from];
    struct gs_come **at = &p->early;
    while (*at && (*at)->h.number < c->h.number)
        at = &(*at)->next;
    c->next = *at;
    *at = c;
    while ((c = p->early) && c->h.number == p->heard) {
        p->early = c->next;
        p->heard++;
        take(c);
    }
}

static unsigned read_inbox(void)
{
    unsigned n = 0;
    if (!atomic_load_explicit(&in_inbox, memory_order_acquire))
        return 0;
    pthread_mutex_lock(&lock);
    struct gs_come *c = inbox;
    inbox = NULL;
    inbox_end = &inbox;
    atomic_store_explicit(&in_inbox, 0, memory_order_relaxed);
    pthread_mutex_unlock(&lock);
    for (struct gs_come *next; c; c = next, n++) {
        next = c->next;
        arrive(c);
    }
    return n;
}

static void arrived(struct awaited *w)
{
    if (w->come)
        drop(w->come);
    if (w->job) {
        w->job->left -= w->bytes;
        if (!w->job->left)
            gs_agent_performed(w->job);
    }
    if (w->value) {
        struct gs_message_head h = {.kind = M_VALUE, .id = w->id, .value = *w->value};
        free_values[values_left++] = w->value;
        gs_message_say(w->pe, &h);
    }
}

static unsigned acknowledge(uint64_t reached)
{
    unsigned n = 0;
    for (int *at = &owing; *at >= 0;) {
        int pe = *at;
        struct gs_message_peer *p = &gs_message_peers[pe];
        if (p->mark > reached) {
            at = &p->next;
            continue;
        }
        *at = p->next;
        p->owed = false;
        struct gs_message_head h = {.kind = M_ACK, .value = p->taken};
        gs_message_say(pe, &h);
        n++;
    }
    return n;
}

unsigned gs_message_progress(uint64_t reached)
{
    unsigned n = 0;
    if (!gs_message_peers)
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
    return n + acknowledge(reached) + gs_message_leave(reached);
}

unsigned gs_message_answer(void)
{
    unsigned n = 0;
    for (struct gs_come *c; gs_message_peers && (c = gets) && !a.failed; n++) {
        gets = c->next;
        if (!gets)
            gets_end = &gets;
        const unsigned char *from = own_of(c->h.place, c->h.bytes, c->from);
        for (uint64_t at = 0, len; at < c->h.bytes; at += len) {
            len = c->h.bytes - at < GS_MESSAGE_BUFFER ? c->h.bytes - at : GS_MESSAGE_BUFFER;
            struct gs_message_head h = {.kind = M_GOT, .id = c->h.id, .value = at};
            if (at)
                gs_agent_pump(); /* the pieces before go on their way */
            gs_message_say_data(c->from, &h, from + at, len);
        }
        drop(c);
    }
    return n;
}

/* ---- life ---- */

int gs_inbox_start(void)
{
    int room = GS_MESSAGE_WINDOW * a.m.core->n;
    awaited_end = &awaited, gets_end = &gets, inbox_end = &inbox;
    owing = -1;
    in_inbox = 0;
    values = a.m.pinned((size_t)room * sizeof *values);
    if (!values)
        return -1;
    free_values = gs_message_need(calloc((size_t)room, sizeof *free_values));
    for (values_left = 0; values_left < room; values_left++)
        free_values[values_left] = &values[values_left];
    for (rooms_left = 0; rooms_left < ROOMS; rooms_left++)
        if (!(rooms[rooms_left] = free_rooms[rooms_left] = a.m.pinned(ROOM_BYTES)))
            return -1;
    a.m.core->on_message(&listener);
    return 0;
}

static void free_come(struct gs_come *c)
{
    for (struct gs_come *next; c; c = next) {
        next = c->next;
        drop(c);
    }
}

void gs_inbox_stop(void)
{
    a.m.core->on_message(NULL);
    for (int i = 0; i < a.m.core->n; i++)
        free_come(gs_message_peers[i].early);
    free_come(inbox);
    free_come(gets);
    inbox = gets = NULL;
    for (struct awaited *w; (w = awaited);) {
        awaited = w->next;
        if (w->come)
            drop(w->come);
        free(w);
    }
    for (int i = 0; i < ROOMS; i++) {
        a.m.unpin(rooms[i]);
        rooms[i] = NULL;
    }
    a.m.unpin(values);
    free(free_values);
    values = NULL;
    free_values = NULL;
}
