/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What agents say to each other, where one cannot reach the other's memory: what message.c (out) and inbox.c (in) share. A
 * put's data go out of the device into buffers, and from there to the target's agent, which puts them into its queue: in
 * pieces of GS_MESSAGE_BUFFER bytes, several under way at a time. The transport may let a short message overtake a long
 * one, so they are numbered, and taken by number.
 *
 * A message is counted when it is a put or an AMO: the target acknowledges how many it has performed. A get is over when
 * all of its data have come, an AMO with a result when that has.
 */
#ifndef GS_AGENT_MESSAGE_H
#define GS_AGENT_MESSAGE_H

#include "agent/internal.h"

enum {
    GS_MESSAGE_BUFFER = 256 << 10,
    GS_MESSAGE_BUFFERS = 24,
    GS_MESSAGE_WINDOW = 64, /* counted messages to one PE that are not acknowledged */
};

enum gs_message_kind {
    M_PUT, /* data for place; then, if sig is not 0, the signal */
    M_GET, /* `bytes` from place, please */
    M_GOT, /* some of them; value: from where on */
    M_AMO,
    M_VALUE, /* the answer to one with a result */
    M_ACK,   /* value: how many counted messages of yours have been performed */
};

/* In front of the data. Places: offset in a heap, the topmost bit says which; sig: of the word, plus 1. */
struct gs_message_head {
    uint64_t number; /* of this message, from this sender to this target */
    uint8_t kind, op, flags, size;
    uint32_t pad;
    uint64_t id; /* the asker's job */
    uint64_t place, bytes, sig, value, cond;
};

struct gs_come;
struct gs_message_peer {
    uint64_t said;                      /* messages to it */
    uint64_t counted, acked;            /* of those, that it counts; how many it has performed */
    struct gs_agent_job *first, **last; /* sent, in their order */
    uint64_t heard;                     /* messages from it that were taken */
    struct gs_come *early;              /* by number */
    uint64_t taken;                     /* counted ones from it, in the queue */
    uint64_t mark;                      /* behind the last of them */
    bool owed;                          /* an acknowledgement: it is in a list by next, -1 at its end */
    int next;
};
extern struct gs_message_peer *gs_message_peers; /* NULL: nothing carries messages */

/* ---- message.c ---- */
/* A message without data. Everything said to pe before goes first. */
void gs_message_say(int pe, const struct gs_message_head *h);
/* One with len bytes, at most a buffer's, from memory that the queue reads. Waits for room: not from within gs_agent_pump. */
void gs_message_say_data(int pe, const struct gs_message_head *h, const void *from, uint64_t len);
/* Those leave whose data the queue has read. */
unsigned gs_message_leave(uint64_t reached);
/* No memory: ends the job. */
void *gs_message_need(void *p);

/* ---- inbox.c ---- */
int gs_inbox_start(void);
void gs_inbox_stop(void);

#endif
