/* SPDX-License-Identifier: BSD-3-Clause */
/* A connection as the server sees it: buffers around a socket that is never waited for. For the server's thread only. */
#ifndef GS_TCP_CONN_H
#define GS_TCP_CONN_H

#include "bootstrap/tcp.h"

struct gs_tcp_conn {
    int fd;
    int rank;                      /* -1: no hello yet */
    unsigned pid;
    bool self;                     /* its client lives in the server's process */
    bool bye;
    bool gone;                     /* to be closed and freed by sweep() */
    int64_t deadline;              /* for the hello */
    char peer[64];
    char host[GS_HOST_LEN];        /* as its hello says */
    uint8_t *in;                   /* `have` of the `need` bytes of a hello, or of a frame's head, or of a whole frame */
    size_t have, need, room;
    uint8_t *out;                  /* `sent` of `queued` bytes have left */
    size_t queued, sent;
};

/* Queues bytes; a connection for which there is no memory is shut down. */
void gs_tcp_put(struct gs_tcp_conn *c, const void *bytes, size_t len);
/* Queues a frame and sends what can be sent now. */
void gs_tcp_put_frame(struct gs_tcp_conn *c, enum gs_tcp_kind kind, int value, const void *bytes, size_t len);
/* Sends what can be sent now. */
void gs_tcp_send_out(struct gs_tcp_conn *c);
/* Until all that is queued has left, or ms milliseconds have passed. */
void gs_tcp_drain(struct gs_tcp_conn *const *conns, int count, int ms);
/* Makes room for need bytes of input. Nonzero: no memory. */
int gs_tcp_reserve(struct gs_tcp_conn *c, size_t need);
/* One that was just accepted, waiting for its hello. NULL, and fd closed: no memory. */
struct gs_tcp_conn *gs_tcp_conn_new(int fd, const struct sockaddr *addr);
/* Answers its hello; with anything but a welcome it is gone. */
void gs_tcp_answer(struct gs_tcp_conn *c, enum gs_tcp_verdict verdict, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void gs_tcp_conn_free(struct gs_tcp_conn *c);

#endif
