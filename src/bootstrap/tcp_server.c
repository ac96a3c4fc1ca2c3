/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The server's end of the star: one thread, one poll loop, sockets that are never waited for. It owns everything in struct
 * gs_tcp_server but the words that stop it and free it.
 */
#include "bootstrap/tcp.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "bootstrap/leave.h"
#include "bootstrap/ranges.h"
#include "bootstrap/tcp_conn.h"
#include "core/log.h"

enum {
    MAX_PENDING = 128, /* connections that have not said their hello; beyond it the oldest goes */
    MAX_PES = 1 << 20,
    DRAIN_MS = 1000, /* at the end: for the last words to leave */
};

struct gs_tcp_server {
    pthread_t thread;
    atomic_int owners;  /* the thread, and whoever started it; the last one frees */
    int listener, stop; /* stop: an eventfd */
    uint8_t token[GS_TCP_TOKEN];
    int size, joined, byes;
    bool started, over, told_stranger, patient;
    struct gs_tcp_conn *ended; /* the first without a goodbye; to be told at ended_at, for a launcher comes first */
    int64_t ended_at;
    int64_t deadline; /* for all to have joined; 0: none yet, INT64_MAX: never */
    struct gs_tcp_conn **conns;
    int n, room;
    struct gs_tcp_conn **by_rank;
    /* the gathering under way */
    int round, parts;
    size_t part_len;
    uint8_t *gathered;
};

/* The last frame for everybody. Our own process leaves at once when it gets it, and with it this thread: it comes last. */
static void finish(struct gs_tcp_server *s, enum gs_tcp_kind kind, int value, const char *text)
{
    s->over = true;
    gs_tcp_close(s->listener);
    s->listener = -1;
    for (int self = 0; self < 2; self++) {
        for (int i = 0; i < s->n; i++) {
            struct gs_tcp_conn *c = s->conns[i];
            if (c->rank >= 0 && !c->gone && c->self == self)
                gs_tcp_put_frame(c, kind, value, text, text ? strlen(text) + 1 : 0);
        }
        gs_tcp_drain(s->conns, s->n, DRAIN_MS);
    }
}

__attribute__((format(printf, 2, 3))) static void fail(struct gs_tcp_server *s, const char *fmt, ...)
{
    char text[GS_TCP_TEXT];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    finish(s, GS_TCP_FAIL, 0, text);
}

static void stranger(struct gs_tcp_server *s, struct gs_tcp_conn *c, const char *what)
{
    c->gone = true;
    if (!s->told_stranger)
        gs_warn("refused a connection from %s to the bootstrap port: %s; further ones are not reported", c->peer, what);
    s->told_stranger = true;
}

static bool token_fits(const uint8_t *a, const uint8_t *b)
{
    unsigned diff = 0;
    for (int i = 0; i < GS_TCP_TOKEN; i++)
        diff |= a[i] ^ b[i];
    return diff == 0;
}

static int set_size(struct gs_tcp_server *s, uint32_t size)
{
    if (!s->by_rank)
        s->by_rank = calloc(size, sizeof *s->by_rank);
    if (!s->by_rank)
        return -1;
    s->size = (int)size;
    return 0;
}

static void start(struct gs_tcp_server *s)
{
    int self = -1;

    for (int i = 0; i < s->size; i++)
        if (s->by_rank[i]->self)
            self = i;
    s->started = true;
    for (int i = 0; i < s->size; i++)
        gs_tcp_put_frame(s->by_rank[i], GS_TCP_START, self, NULL, 0);
}

static void on_hello(struct gs_tcp_server *s, struct gs_tcp_conn *c)
{
    struct gs_tcp_hello h;

    memcpy(&h, c->in, sizeof h);
    c->have = 0;
    if (!token_fits(h.token, s->token)) {
        gs_info("refused a connection from %s to the bootstrap port: it belongs to another job", c->peer);
        gs_tcp_answer(c, GS_TCP_OTHER_JOB, "this port serves another job");
        return;
    }
    if (h.size < 1 || h.size > MAX_PES || (!s->by_rank && set_size(s, s->size ? (uint32_t)s->size : h.size))) {
        gs_tcp_answer(c, GS_TCP_REFUSED, "a job of %u PEs cannot be served", h.size);
        return;
    }
    if (h.size != (uint32_t)s->size) {
        gs_tcp_answer(c, GS_TCP_REFUSED, "PE %u says that there are %u PEs, the others say %d", h.rank, h.size,
                      s->size);
        return;
    }
    if (h.rank >= h.size) {
        gs_tcp_answer(c, GS_TCP_REFUSED, "there is no PE %u among %d PEs", h.rank, s->size);
        return;
    }
    if (s->by_rank[h.rank]) {
        gs_tcp_answer(c, GS_TCP_REFUSED,
                      "two processes want to be PE %u: pid %u at %s was first, pid %u at %s came later", h.rank,
                      s->by_rank[h.rank]->pid, s->by_rank[h.rank]->peer, h.pid, c->peer);
        return;
    }
    c->rank = (int)h.rank;
    c->pid = h.pid;
    snprintf(c->host, sizeof c->host, "%.*s", GS_HOST_LEN - 1, h.host);
    c->self = h.process == gs_tcp_process();
    c->need = sizeof(struct gs_tcp_frame);
    s->by_rank[h.rank] = c;
    int64_t limit = h.timeout_ms ? gs_tcp_now() + h.timeout_ms : INT64_MAX;
    if (limit > s->deadline)
        s->deadline = limit;
    gs_tcp_answer(c, GS_TCP_WELCOME, "welcome");
    if (++s->joined == s->size)
        start(s);
}

static bool missing(const void *server, int pe)
{
    return !((const struct gs_tcp_server *)server)->by_rank[pe];
}

static void on_gather(struct gs_tcp_server *s, struct gs_tcp_conn *c, const struct gs_tcp_frame *f)
{
    if (!s->started || f->value != s->round) {
        fail(s, "PE %d is at its collective call %d, others are at %d", c->rank, f->value, s->round);
        return;
    }
    if (!s->parts) {
        s->part_len = f->len;
        s->gathered = malloc((size_t)s->size * f->len + 1);
        if (!s->gathered) {
            fail(s, "out of memory in the bootstrap server");
            return;
        }
    }
    if (f->len != s->part_len) {
        fail(s, "PE %d sends %llu bytes where others send %zu: do they run different versions of gin_shmem?", c->rank,
             (unsigned long long)f->len, s->part_len);
        return;
    }
    memcpy(s->gathered + (size_t)c->rank * f->len, c->in + sizeof *f, f->len);
    if (++s->parts < s->size)
        return;
    for (int i = 0; i < s->size; i++)
        if (!s->by_rank[i]->bye)
            gs_tcp_put_frame(s->by_rank[i], GS_TCP_GATHER, s->round, s->gathered, (size_t)s->size * s->part_len);
    free(s->gathered);
    s->gathered = NULL;
    s->parts = 0;
    s->round++;
}

static void on_frame(struct gs_tcp_server *s, struct gs_tcp_conn *c)
{
    struct gs_tcp_frame f;

    memcpy(&f, c->in, sizeof f);
    c->have = 0;
    c->need = sizeof f;
    switch (f.kind) {
    case GS_TCP_GATHER:
        on_gather(s, c, &f);
        break;
    case GS_TCP_ABORT:
        finish(s, GS_TCP_ABORT, f.value, NULL);
        break;
    case GS_TCP_BYE:
        if (!c->bye && ++s->byes == s->size)
            finish(s, GS_TCP_BYE, 0, NULL);
        c->bye = true;
        break;
    default:
        fail(s, "PE %d sent the bootstrap server a frame of unknown kind %u", c->rank, f.kind);
    }
}

static void tell_ended(struct gs_tcp_server *s, const struct gs_tcp_conn *c)
{
    gs_error("PE %d (pid %u on %s) has ended without shmem_finalize or shmem_global_exit; ending the job", c->rank,
             c->pid, c->host);
    finish(s, GS_TCP_LOST, c->rank, NULL);
}

struct host {
    const struct gs_tcp_server *s;
    const char *name;
};

static bool on_host(const void *arg, int pe)
{
    const struct host *h = arg;
    return h->s->by_rank[pe] && !strcmp(h->s->by_rank[pe]->host, h->name);
}

/* error: of the connection; 0: its other end was closed. */
static void lost(struct gs_tcp_server *s, struct gs_tcp_conn *c, int error)
{
    c->gone = true;
    if (c->rank < 0) {
        if (c->have)
            stranger(s, c, "it went away in the middle of its greeting");
        return;
    }
    if (c->bye)
        return;
    if (gs_tcp_silent(error)) {
        char pes[100];
        gs_ranges(pes, sizeof pes, s->size, on_host, &(struct host){s, c->host});
        gs_error(
            "host %s (PE %s) has not answered for %d s (%s): it is down, or the network to it is cut; ending the job",
            c->host, pes, GS_TCP_SILENT_S, strerror(error));
        finish(s, GS_TCP_LOST, c->rank, NULL);
    } else if (!s->patient) {
        tell_ended(s, c);
    } else if (!s->ended) {
        s->ended = c;
        s->ended_at = gs_tcp_now() + GS_TCP_GRACE_MS;
    }
}

static void receive(struct gs_tcp_server *s, struct gs_tcp_conn *c)
{
    while (!s->over && !c->gone) {
        ssize_t n = recv(c->fd, c->in + c->have, c->need - c->have, MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return;
        if (n <= 0) {
            lost(s, c, n < 0 ? errno : 0);
            return;
        }
        c->have += (size_t)n;
        if (c->rank < 0) {
            uint64_t magic = GS_TCP_MAGIC;
            if (memcmp(c->in, &magic, c->have < sizeof magic ? c->have : sizeof magic))
                stranger(s, c, "it does not speak gin_shmem's protocol");
            else if (c->have == c->need)
                on_hello(s, c);
        } else if (c->have == c->need) {
            struct gs_tcp_frame f;
            memcpy(&f, c->in, sizeof f);
            if (f.len > GS_TCP_MAX_BYTES || gs_tcp_reserve(c, sizeof f + f.len))
                fail(s, "PE %d wants to send %llu bytes through the bootstrap server", c->rank,
                     (unsigned long long)f.len);
            else if (c->need < sizeof f + f.len)
                c->need = sizeof f + f.len;
            else
                on_frame(s, c);
        }
    }
}

static void welcome(struct gs_tcp_server *s)
{
    struct sockaddr_storage addr;
    socklen_t len = sizeof addr;
    int fd = accept(s->listener, (struct sockaddr *)&addr, &len);

    if (fd < 0) {
        /* Out of descriptors, say: the connection waits in the backlog; do not spin on it. */
        if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
            poll(NULL, 0, 20);
        return;
    }
    gs_tcp_own(fd);
    if (s->n == s->room) {
        int room = s->room ? 2 * s->room : 16;
        struct gs_tcp_conn **conns = realloc(s->conns, (size_t)room * sizeof *conns);
        if (!conns) {
            gs_tcp_close(fd);
            return;
        }
        s->conns = conns;
        s->room = room;
    }
    struct gs_tcp_conn *c = gs_tcp_conn_new(fd, (struct sockaddr *)&addr);
    if (!c)
        return;

    int pending = 0;
    struct gs_tcp_conn *oldest = NULL;
    for (int i = 0; i < s->n; i++) {
        if (s->conns[i]->rank >= 0 || s->conns[i]->gone)
            continue;
        pending++;
        if (!oldest)
            oldest = s->conns[i];
    }
    if (pending >= MAX_PENDING)
        stranger(s, oldest, "too many connections without a greeting");
    s->conns[s->n++] = c;
}

/* A joined one that is gone keeps its place in by_rank: closed, not freed, before the end. */
static void sweep(struct gs_tcp_server *s)
{
    int kept = 0;

    for (int i = 0; i < s->n; i++) {
        struct gs_tcp_conn *c = s->conns[i];
        if (c->gone && c->rank < 0) {
            gs_tcp_conn_free(c);
            continue;
        }
        if (c->gone) {
            gs_tcp_close(c->fd);
            c->fd = -1; /* poll ignores it */
        }
        s->conns[kept++] = c;
    }
    s->n = kept;
}

/* Expired greetings and the deadline for all; milliseconds until the next of these, or -1. */
static int check_time(struct gs_tcp_server *s)
{
    int64_t now = gs_tcp_now(), next = INT64_MAX;

    for (int i = 0; i < s->n; i++) {
        struct gs_tcp_conn *c = s->conns[i];
        if (c->rank >= 0 || c->gone)
            continue;
        if (c->deadline <= now)
            stranger(s, c, "it said nothing, or too little, for five seconds");
        else if (c->deadline < next)
            next = c->deadline;
    }
    if (s->ended) {
        if (s->ended_at <= now) {
            tell_ended(s, s->ended);
            return 0;
        }
        if (s->ended_at < next)
            next = s->ended_at;
    }
    if (s->deadline && !s->started) {
        if (s->deadline <= now) {
            char who[200];
            gs_ranges(who, sizeof who, s->size, missing, s);
            fail(
                s,
                "PE %s of %d did not connect in time: have all been started? GIN_SHMEM_CONNECT_TIMEOUT sets the limit, "
                "0 waits for ever",
                who, s->size);
            return 0;
        }
        if (s->deadline < next)
            next = s->deadline;
    }
    if (next == INT64_MAX)
        return -1;
    return next - now < 3600000 ? (int)(next - now) + 1 : 3600000;
}

static void server_drop(struct gs_tcp_server *s)
{
    if (atomic_fetch_sub(&s->owners, 1) != 1)
        return;
    gs_tcp_close(s->stop);
    free(s);
}

static void *serve(void *arg)
{
    struct gs_tcp_server *s = arg;
    struct pollfd *fds = NULL;
    int room = 0;

    while (!s->over) {
        int wait = check_time(s);
        if (s->over)
            break;
        sweep(s);
        if (room < s->n + 2) {
            room = 2 * s->n + 16;
            struct pollfd *more = realloc(fds, (size_t)room * sizeof *fds);
            if (!more) {
                fail(s, "out of memory in the bootstrap server");
                break;
            }
            fds = more;
        }
        int n = s->n; /* welcome() may add one */
        fds[0] = (struct pollfd){.fd = s->stop, .events = POLLIN};
        fds[1] = (struct pollfd){.fd = s->listener, .events = POLLIN};
        for (int i = 0; i < n; i++)
            fds[i + 2] =
                (struct pollfd){.fd = s->conns[i]->fd, .events = (short)(POLLIN | (s->conns[i]->queued ? POLLOUT : 0))};
        if (poll(fds, (nfds_t)n + 2, wait) < 0)
            continue;
        if (fds[0].revents)
            break;
        for (int i = 0; i < n && !s->over; i++) {
            struct gs_tcp_conn *c = s->conns[i];
            if (fds[i + 2].revents & POLLOUT)
                gs_tcp_send_out(c);
            if (fds[i + 2].revents & (POLLIN | POLLHUP | POLLERR))
                receive(s, c);
        }
        if (!s->over && fds[1].revents)
            welcome(s);
    }

    gs_tcp_close(s->listener);
    for (int i = 0; i < s->n; i++)
        gs_tcp_conn_free(s->conns[i]);
    free(s->conns);
    free(s->by_rank);
    free(s->gathered);
    free(fds);
    server_drop(s);
    return NULL;
}

struct gs_tcp_server *gs_tcp_serve(int listener, const uint8_t token[GS_TCP_TOKEN], int size)
{
    struct gs_tcp_server *s = calloc(1, sizeof *s);
    int rc = ENOMEM;

    if (s) {
        s->listener = listener;
        s->size = size;
        memcpy(s->token, token, GS_TCP_TOKEN);
        atomic_init(&s->owners, 2);
        s->stop = gs_tcp_own(eventfd(0, EFD_CLOEXEC));
        rc = s->stop < 0 ? errno : gs_thread_start(&s->thread, serve, s);
    }
    if (!rc)
        return s;
    gs_error("cannot start the bootstrap server: %s", strerror(rc));
    gs_tcp_close(listener);
    if (s)
        gs_tcp_close(s->stop);
    free(s);
    return NULL;
}

void gs_tcp_server_patient(struct gs_tcp_server *s)
{
    s->patient = true;
}

void gs_tcp_server_join(struct gs_tcp_server *s)
{
    pthread_join(s->thread, NULL);
    server_drop(s);
}

void gs_tcp_server_stop(struct gs_tcp_server *s)
{
    eventfd_write(s->stop, 1);
    gs_tcp_server_join(s);
}

void gs_tcp_server_detach(struct gs_tcp_server *s)
{
    pthread_detach(s->thread);
    server_drop(s);
}
