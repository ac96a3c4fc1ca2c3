/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages out: what this PE asks of others, and the buffers that data leave by. */
#include "agent/message.h"

#include <stdlib.h>
#include <string.h>

#define a gs_agent

struct gs_message_peer *gs_message_peers;

/* One that leaves when what the queue reads for it has been read. */
struct leaving {
    int pe;
    uint64_t mark;
    size_t bytes;
    bool pinned;
    struct leaving *next;
    struct gs_message_head h; /* and the data */
};
static struct leaving *leaving, **leaving_end;
static void *buffers[GS_MESSAGE_BUFFERS];

/* Shared with the transport's threads. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *free_buffers[GS_MESSAGE_BUFFERS];
static int buffers_left;

void *gs_message_need(void *p)
{
    if (!p)
        a.m.core->die("agent", "no memory for messages to other nodes");
    return p;
}

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

/* ---- leaving ---- */

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

static struct leaving *prepare(int pe, struct leaving *l, bool pinned, const struct gs_message_head *h, size_t bytes)
{
    l->pe = pe;
    l->pinned = pinned;
    l->bytes = sizeof *h + bytes;
    l->h = *h;
    return l;
}

/* Without data from the device. */
static struct leaving *small(int pe, const struct gs_message_head *h, size_t bytes)
{
    return prepare(pe, gs_message_need(malloc(sizeof(struct leaving) + bytes)), false, h, bytes);
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
    if (!gs_message_peers)
        a.m.core->die("agent",
                      "PE %d is on another node, its memory cannot be mapped here, and nothing carries messages to "
                      "it: install libginshmem_ucx with UCX, and do not set GIN_SHMEM_TRANSPORT=shm",
                      pe);
}

static void post(struct leaving *l, uint64_t mark)
{
    l->h.number = gs_message_peers[l->pe].said++;
    l->mark = mark;
    l->next = NULL;
    *leaving_end = l;
    leaving_end = &l->next;
}

void gs_message_say(int pe, const struct gs_message_head *h)
{
    post(small(pe, h, 0), 0);
}

unsigned gs_message_leave(uint64_t reached)
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
    return gs_message_peers[pe].counted - gs_message_peers[pe].acked < GS_MESSAGE_WINDOW;
}
static bool buffer_there(int pe)
{
    (void)pe;
    pthread_mutex_lock(&lock);
    bool there = buffers_left > 0;
    pthread_mutex_unlock(&lock);
    return there;
}

void gs_message_say_data(int pe, const struct gs_message_head *h, const void *from, uint64_t len)
{
    relax_until(buffer_there, pe);
    struct leaving *l = prepare(pe, gs_message_need(try_buffer()), true, h, len);
    post(l, gs_agent_queued(a.m.copy(&l->h + 1, from, len, false)));
}

static void count(int pe)
{
    need_way(pe);
    relax_until(window_open, pe);
    gs_message_peers[pe].counted++;
}

/* The job is over when its PE has performed all that was sent to it so far. */
static void until_acknowledged(struct gs_agent_job *j)
{
    struct gs_message_peer *p = &gs_message_peers[j->pe];
    j->sent = p->counted;
    j->later = NULL;
    *p->last = j;
    p->last = &j->later;
}

void gs_message_put(struct gs_agent_job *j, const struct gin_shmem_agent_request *r, const unsigned char *data)
{
    uint64_t at = 0, len;
    do {
        struct gs_message_head h = {.kind = M_PUT};
        len = r->bytes - at < GS_MESSAGE_BUFFER ? r->bytes - at : GS_MESSAGE_BUFFER;
        h.place = r->bytes ? place_of(r->dest + at) : 0;
        h.bytes = len;
        if (at + len == r->bytes && r->sig) {
            h.sig = place_of(r->sig) + 1; /* words are aligned, so 0 is none */
            h.value = r->value;
            h.flags = r->flags & GIN_SHMEM_AGENT_SIGNAL_ADD;
        }
        if (at)
            gs_agent_pump(); /* the pieces before go on their way; not behind the last: its end is not waited for yet */
        count(r->pe);
        if (len <= GIN_SHMEM_AGENT_INLINE && r->flags & GIN_SHMEM_AGENT_INLINED) {
            struct leaving *l = small(r->pe, &h, len);
            memcpy(&l->h + 1, data, len);
            post(l, 0);
        } else {
            gs_message_say_data(r->pe, &h, data + at, len);
        }
        at += len;
    } while (at < r->bytes);
    until_acknowledged(j);
}

void gs_message_get(struct gs_agent_job *j, const struct gin_shmem_agent_request *r, unsigned char *to)
{
    struct gs_message_head h = {
        .kind = M_GET, .id = (uint64_t)(uintptr_t)j, .place = place_of(r->source), .bytes = r->bytes};
    need_way(r->pe);
    j->to = to;
    j->left = r->bytes;
    gs_message_say(r->pe, &h);
}

void gs_message_amo(struct gs_agent_job *j, const struct gin_shmem_agent_request *r)
{
    struct gs_message_head h = {.kind = M_AMO,
                                .op = r->op,
                                .size = (uint8_t)r->bytes,
                                .id = j->value ? (uint64_t)(uintptr_t)j : 0,
                                .place = place_of(r->dest),
                                .value = r->value,
                                .cond = r->source};
    count(r->pe);
    gs_message_say(r->pe, &h);
    if (!j->value)
        until_acknowledged(j);
}

/* ---- life ---- */

int gs_message_start(void)
{
    int n = a.m.core->n;
    leaving_end = &leaving;
    buffers_left = 0;
    if (!a.m.core->messages())
        return 0; /* what cannot be mapped here will be told when it is asked for */
    for (; buffers_left < GS_MESSAGE_BUFFERS; buffers_left++) {
        buffers[buffers_left] = free_buffers[buffers_left] = a.m.pinned(sizeof(struct leaving) + GS_MESSAGE_BUFFER);
        if (!buffers[buffers_left])
            return -1;
    }
    gs_message_peers = gs_message_need(calloc((size_t)n, sizeof *gs_message_peers));
    for (int i = 0; i < n; i++)
        gs_message_peers[i].last = &gs_message_peers[i].first;
    return gs_inbox_start();
}

static bool all_buffers_back(void)
{
    pthread_mutex_lock(&lock);
    bool all = buffers_left == GS_MESSAGE_BUFFERS;
    pthread_mutex_unlock(&lock);
    return all;
}

void gs_message_stop(void)
{
    if (gs_message_peers) { /* what has been performed elsewhere may not have been told to have left */
        for (unsigned turn = 0; !all_buffers_back() && !a.failed; turn++) {
            a.m.core->message_poll();
            a.m.core->relax(turn);
        }
        gs_inbox_stop();
    }
    for (int i = 0; i < GS_MESSAGE_BUFFERS; i++) {
        if (buffers[i])
            a.m.unpin(buffers[i]);
        buffers[i] = NULL;
    }
    free(gs_message_peers);
    gs_message_peers = NULL;
}
