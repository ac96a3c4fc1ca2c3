/* SPDX-License-Identifier: BSD-3-Clause */
#include "bootstrap/tcp_conn.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/log.h"

void gs_tcp_send_out(struct gs_tcp_conn *c)
{
    while (c->sent < c->queued) {
        ssize_t n = send(c->fd, c->out + c->sent, c->queued - c->sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0) {
            if (errno == EINTR)
                continue;
            if (errno != EAGAIN && errno != EWOULDBLOCK)
                c->sent = c->queued; /* reading tells what became of it */
            return;
        }
        c->sent += (size_t)n;
    }
    c->queued = c->sent = 0;
}

void gs_tcp_put(struct gs_tcp_conn *c, const void *bytes, size_t len)
{
    if (!len)
        return;
    uint8_t *more = realloc(c->out, c->queued + len);
    if (!more) {
        gs_error("out of memory in the bootstrap server");
        shutdown(c->fd, SHUT_RDWR);
        return;
    }
    c->out = more;
    memcpy(c->out + c->queued, bytes, len);
    c->queued += len;
}

void gs_tcp_put_frame(struct gs_tcp_conn *c, enum gs_tcp_kind kind, int value, const void *bytes, size_t len)
{
    struct gs_tcp_frame frame = {.kind = kind, .value = value, .len = len};
    gs_tcp_put(c, &frame, sizeof frame);
    gs_tcp_put(c, bytes, len);
    gs_tcp_send_out(c);
}

void gs_tcp_drain(struct gs_tcp_conn *const *conns, int count, int ms)
{
    int64_t end = gs_tcp_now() + ms;

    for (;;) {
        struct pollfd fds[64];
        int n = 0;
        for (int i = 0; i < count && n < 64; i++)
            if (conns[i]->queued)
                fds[n++] = (struct pollfd){.fd = conns[i]->fd, .events = POLLOUT};
        int64_t left = end - gs_tcp_now();
        if (!n || left <= 0 || poll(fds, (nfds_t)n, (int)left) <= 0)
            return;
        for (int i = 0; i < count; i++)
            if (conns[i]->queued)
                gs_tcp_send_out(conns[i]);
    }
}

int gs_tcp_reserve(struct gs_tcp_conn *c, size_t need)
{
    if (need <= c->room)
        return 0;
    uint8_t *in = realloc(c->in, need);
    if (!in)
        return -1;
    c->in = in;
    c->room = need;
    return 0;
}

void gs_tcp_answer(struct gs_tcp_conn *c, enum gs_tcp_verdict verdict, const char *fmt, ...)
{
    struct gs_tcp_answer a = {.magic = GS_TCP_MAGIC, .verdict = verdict};
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(a.text, sizeof a.text, fmt, ap);
    va_end(ap);
    gethostname(a.host, sizeof a.host - 1);
    gs_tcp_put(c, &a, sizeof a);
    gs_tcp_send_out(c);
    if (verdict != GS_TCP_WELCOME) {
        shutdown(c->fd, SHUT_WR);
        c->gone = true;
    }
}

struct gs_tcp_conn *gs_tcp_conn_new(int fd, const struct sockaddr *addr)
{
    struct gs_tcp_conn *c = calloc(1, sizeof *c);
    if (!c || gs_tcp_reserve(c, sizeof(struct gs_tcp_hello))) {
        free(c);
        gs_tcp_close(fd);
        return NULL;
    }
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    gs_tcp_keep_alive(fd);
    c->fd = fd;
    c->rank = -1;
    c->need = sizeof(struct gs_tcp_hello);
    c->deadline = gs_tcp_now() + GS_TCP_HELLO_MS;
    gs_tcp_name(addr, c->peer);
    return c;
}

void gs_tcp_conn_free(struct gs_tcp_conn *c)
{
    gs_tcp_close(c->fd);
    free(c->in);
    free(c->out);
    free(c);
}
