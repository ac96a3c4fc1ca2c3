/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A star over TCP, under the env and uid bootstraps: one server, a thread in one process, and one connection to it from
 * every PE, kept for the whole job. The server gathers and spreads; it ends the job when a connection is lost without a
 * goodbye; all PEs leave when one of them aborts.
 *
 * A connection opens with a fixed-size hello from the client (token, rank, size) and a fixed-size answer. After it come frames in
 * both directions. Whoever does not begin with a right hello in time is dropped.
 */
#ifndef GS_TCP_H
#define GS_TCP_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "bootstrap/bootstrap.h"

enum {
    GS_TCP_TOKEN = 32,             /* bytes that tell this job from others (and, in a uid, keep strangers out) */
    GS_TCP_ADDRS = 32,             /* addresses that a client may try in turn */
    GS_TCP_HELLO_MS = 5000,        /* time a connection has to say its hello */
    GS_TCP_ANSWER_MS = 3000,       /* time a server has to answer it, before the client tries elsewhere */
    GS_TCP_MAX_BYTES = 1 << 26,    /* a longer frame is taken for a broken one */
    GS_TCP_TEXT = 480,             /* message in an answer or in a failure, with its NUL */
    GS_TCP_SILENT_S = 6,           /* an end that does not even acknowledge for so long is gone: its host, or the link */
    GS_TCP_GRACE_MS = 3000,        /* where a launcher looks after the PEs, it has so long to speak first */
};

/* Host byte order: the magic number tells when that differs. */
#define GS_TCP_MAGIC UINT64_C(0x3253504f4f425347)

struct gs_tcp_hello {
    uint64_t magic;
    uint8_t token[GS_TCP_TOKEN];
    uint64_t process;              /* gs_tcp_process() of the client: is the server's process a PE, and which? */
    uint32_t rank, size;
    uint32_t pid;                  /* for messages */
    uint32_t timeout_ms;           /* how long the server shall wait for the others; 0: for ever */
    char host[GS_HOST_LEN];        /* for messages */
};

enum gs_tcp_verdict { GS_TCP_WELCOME, GS_TCP_OTHER_JOB, GS_TCP_REFUSED };

struct gs_tcp_answer {
    uint64_t magic;
    uint32_t verdict;
    char text[GS_TCP_TEXT];        /* why refused */
    char host[GS_HOST_LEN];        /* the server's, for messages */
};

enum gs_tcp_kind {
    GS_TCP_START = 1,              /* server: all PEs are here; value: the rank of the server's process, or -1 */
    GS_TCP_GATHER,                 /* client: value: round, payload: its part. server: all parts */
    GS_TCP_ABORT,                  /* client: end the job; value: status. server: leave; value: status */
    GS_TCP_LOST,                   /* server: leave, PE `value` is gone, which the server's process has told */
    GS_TCP_FAIL,                   /* server: the job cannot go on; payload: text */
    GS_TCP_BYE,                    /* client: finished. server: all have finished, the port is closed */
};

struct gs_tcp_frame {
    uint32_t kind;
    int32_t value;
    uint64_t len;                  /* bytes of payload that follow */
};

/* Random number of this process, another one in a forked child. */
uint64_t gs_tcp_process(void);

/* Monotonic, in milliseconds. */
int64_t gs_tcp_now(void);

/* Makes the kernel give up on a connection whose other end is silent for GS_TCP_SILENT_S, idle or not. */
void gs_tcp_keep_alive(int fd);
/* Does this error of a connection tell of a silent host or link, rather than of a process that has ended? */
bool gs_tcp_silent(int error);

/* "192.0.2.1:80", "[::1]:80" */
const char *gs_tcp_name(const struct sockaddr *addr, char text[64]);

/* The library's sockets are closed in forked children: a child that lives on would hide the death of its PE. Every
 * descriptor is announced by own() and closed by close(). own() also makes it close-on-exec; it returns fd. */
int gs_tcp_own(int fd);
void gs_tcp_close(int fd);

/* A listening socket, or -1 with errno. Port 0 takes any free one; addr gets it. */
int gs_tcp_listen(struct sockaddr_storage *addr);

/* Serves a job from a thread, on a listening socket that it then owns. size: number of PEs, or 0 when the first PE that comes
 * is to tell. */
struct gs_tcp_server;
struct gs_tcp_server *gs_tcp_serve(int listener, const uint8_t token[GS_TCP_TOKEN], int size);
/* A launcher sees PEs end as well: only what it cannot see, or has kept to itself for GS_TCP_GRACE_MS, is told. Before
 * anybody has joined. */
void gs_tcp_server_patient(struct gs_tcp_server *server);
/* Waits for its end (every PE has left) and frees it. */
void gs_tcp_server_join(struct gs_tcp_server *server);
/* Ends it now: nobody else is served. Frees it. */
void gs_tcp_server_stop(struct gs_tcp_server *server);
/* Lets it end and free itself alone. */
void gs_tcp_server_detach(struct gs_tcp_server *server);

/* Where a client finds its server. */
struct gs_tcp_where {
    struct sockaddr_storage addr[GS_TCP_ADDRS];
    int n;
    bool search;                   /* the server is at one of them: somebody else's answer means the next */
    bool patient;                  /* as gs_tcp_server_patient */
    void (*leave)(void);           /* called before this PE leaves because others have; may be NULL */
    const char *name;              /* for messages */
    uint8_t token[GS_TCP_TOKEN];
};

/* Connects b->rank of b->size and waits until all PEs have: sets b->state. */
int gs_tcp_join(struct gs_boot *b, const struct gs_tcp_where *where);
/* gs_boot_ops; finalize frees b->state. */
int gs_tcp_allgather(struct gs_boot *b, const void *mine, size_t len, void *all);
int gs_tcp_fence(struct gs_boot *b);
void gs_tcp_abort(struct gs_boot *b, int status, const char *message);
int gs_tcp_finalize(struct gs_boot *b);
void gs_tcp_leave(struct gs_boot *b);
bool gs_tcp_needs_watch(const struct gs_boot *b);

#endif
