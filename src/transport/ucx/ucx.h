/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libginshmem_ucx.so: host memory between nodes, by UCX active messages.
 *
 * Why messages, and not UCX's own puts and atomics. The atomics of a network adapter do not exclude the processor's, and on
 * TCP UCX performs them, and puts as well, in a handler that anybody who reaches its port may call. So this module asks UCX
 * for active messages alone: each carries the job's token, and is performed at the target by its processor, under the same
 * rules as an access of a PE that shares the memory. Large data is still moved by the adapter, straight into the heap: that
 * is what UCX does with a large active message whose receiver names the buffer.
 *
 * Threads. One worker per process, one lock around every call of UCX: the program's threads and the thread of serve.c.
 * What a handler cannot do from within UCX (answer, receive) it leaves as a task, which whoever holds the lock performs.
 */
#ifndef GS_UCX_H
#define GS_UCX_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucp/api/ucp.h>

#include "transport/far.h"

enum ux_kind {
    UX_PUT,     /* data for place; then, with sig, the signal b for the word at a */
    UX_GET,     /* `bytes` of place, please */
    UX_GOT,     /* the answer */
    UX_AMO,     /* op on the word at place, operand a, condition b; answered where id is not 0 */
    UX_VALUE,   /* the answer: a */
    UX_FLUSH,   /* answer when a puts and amos without answer from you have been performed here */
    UX_FLUSHED, /* the answer */
    UX_MESSAGE, /* data for the listener */
    UX_KINDS
};

enum ux_sig { UX_NO_SIGNAL, UX_SIGNAL_SET, UX_SIGNAL_ADD };

/* Before the data of every message. Host byte order: agree.c has compared the versions. */
struct ux_head {
    uint8_t token[GS_FAR_TOKEN];
    int32_t from;
    uint8_t kind, op, size, sig;
    uint64_t id;    /* the asker's struct ux_want */
    uint64_t place; /* region in the two topmost bits, offset */
    uint64_t bytes; /* of data, in this message or wanted */
    uint64_t a, b;
    uint64_t width, pitch; /* blocks at place, packed in the data; width 0: one piece */
};

/* How many things somebody waits for; under the lock. */
struct ux_batch {
    size_t left;
};

/* An answer that is to come: where it goes. */
struct ux_want {
    struct ux_batch *batch;
    char *to;
    uint64_t bytes, width, pitch; /* as in ux_head, of the place here */
    int pe;
    struct ux_want *next;
};

/* What a handler has left to do. */
struct ux_task {
    struct ux_head head;
    void *desc;   /* data that is still to be received, or NULL */
    char *buffer; /* where it is received when that is not its place */
    struct ux_task *next;
};

struct ux_peer {
    struct ux_reach *reach;
    ucp_ep_h ep;              /* made at the first message */
    uint64_t issued, flushed; /* messages to it that it counts; how many of them are known to be performed */
    uint64_t applied;         /* messages from it that were performed here */
    struct ux_task *flushes;  /* from it, not answered yet */
    bool dirty;               /* in ux.dirty */
};

/* Where a PE is reached, and from where its messages come. */
enum { UX_ADDRESSES = 32 }; /* of all interfaces: the first so many */
/* An address of a host, its words as numbers: IPv6, and IPv4 as ::ffff:a.b.c.d. */
struct ux_source {
    uint32_t w[4];
};
struct ux_reach {
    uint32_t n;
    struct ux_source from[UX_ADDRESSES];
    char worker[];                  /* UCX's address */
};

struct ux {
    const struct gs_far_core *core;
    ucp_context_h context;
    ucp_worker_h worker;
    ucp_address_t *address;
    struct ux_reach *reach; /* what the others get */
    pthread_mutex_t lock;   /* guards all below, and UCX */
    struct ux_peer *peer;
    int *dirty, ndirty;   /* peers with issued != flushed, and some that were */
    size_t in_flight;     /* messages that UCX still has */
    struct ux_batch gets; /* nonblocking ones, of all threads */
    struct ux_task *tasks, **tasks_end;
    _Atomic int waiting; /* threads that serve while they wait */
    atomic_bool settled; /* broken connections are no failures any more */
};
extern struct ux ux;

/* ---- message.c: under the lock ---- */
/* owned: freed when the data has left; batch, where not NULL, counts it until then. */
void ux_send(int pe, struct ux_head *head, const void *data, size_t bytes, void *owned, struct ux_batch *batch);
/* A message that the target counts. */
void ux_send_counted(int pe, struct ux_head *head, const void *data, size_t bytes, void *owned, struct ux_batch *batch);
struct ux_want *ux_want(int pe, struct ux_batch *batch, void *to, size_t bytes);
void ux_want_done(struct ux_want *w);
/* Performs what has come in, and the tasks. Nonzero: there was something. */
unsigned ux_progress(void);
/* Until nothing is left of it. Gives the lock away between looks. */
void ux_wait(const struct ux_batch *batch);
/* Like ux_send, and sent(arg) when the data has left. */
void ux_send_message(int pe, const void *data, size_t bytes, void (*sent)(void *arg), void *arg);
void ux_free_lists(void);

/* ---- target.c: under the lock ---- */
ucs_status_t ux_on_message(void *arg, const void *header, size_t header_length, void *data, size_t length,
                           const ucp_am_recv_param_t *param);
void ux_do_task(struct ux_task *t);
/* One line for all strangers. */
void ux_stranger(const char *what);

/* ---- guard.c ---- */
/* Around the making of the worker: which listening sockets are UCX's. Behind close nobody reaches them. */
void ux_guard_before(void);
void ux_guard_close(void);
/* This host's addresses; and whom to let in. */
size_t ux_guard_own(struct ux_source *addr, size_t max);
void ux_guard_open(struct ux_source *addr, size_t n);

/* ---- serve.c ---- */
int ux_serve_start(void);
void ux_serve_stop(void);

/* ---- ops.c ---- */
void ux_put(struct gs_far_place to, const void *from, size_t bytes, bool nbi);
void ux_put_signal(struct gs_far_place to, const void *from, size_t bytes, struct gs_far_place word, uint64_t signal,
                   bool add, bool nbi);
void ux_get(void *to, struct gs_far_place from, size_t bytes, bool nbi);
void ux_put_rows(struct gs_far_place to, const void *from, struct gs_far_rows rows);
void ux_get_rows(void *to, struct gs_far_place from, struct gs_far_rows rows);
void ux_amo(enum gs_amo_op op, struct gs_far_place at, size_t size, const void *operand, const void *cond, void *result,
            bool nbi);
void ux_message(int pe, const void *data, size_t bytes, void (*sent)(void *arg), void *arg);
void ux_fence(void);
void ux_quiet(const int *pes, size_t npes);
void ux_poll(void);

#endif
