/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A PE's end of the star. One thread reads: it hands results to the thread that waits in a collective call, and takes
 * this PE out of the job when the server says so or falls silent.
 */
#include "bootstrap/tcp.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bootstrap/leave.h"
#include "core/env.h"
#include "core/log.h"

struct client {
    int fd;
    int rank, size;
    pthread_t reader;
    pthread_mutex_t sending; /* a frame goes out in one piece */
    pthread_mutex_t lock;    /* guards the rest */
    pthread_cond_t changed;
    int server_rank;      /* the PE whose process serves, or -1 */
    bool patient, speaks; /* speaks: for this host, of what its PEs see alike */
    void (*leave)(void);
    char server_host[GS_HOST_LEN];
    bool started, result, bye, aborting, aborted, leaving;
    char failed[GS_TCP_TEXT]; /* why nothing works any more; "" as long as it does */
    int round;
    uint8_t *all; /* where the result of the present round goes, all_len bytes of it */
    size_t all_len;
};

enum { SEND_MS = 10000, ABORT_MS = 2000 };

/* -1: lost or out of time (end: gs_tcp_now(), 0: none). */
static int receive(int fd, void *to, size_t len, int64_t end)
{
    for (size_t have = 0; have < len;) {
        if (end) {
            int64_t left = end - gs_tcp_now();
            struct pollfd p = {.fd = fd, .events = POLLIN};
            if (left <= 0 || (poll(&p, 1, (int)left) <= 0 && errno != EINTR))
                return -1;
            if (!p.revents)
                continue;
        }
        ssize_t n = recv(fd, (char *)to + have, len - have, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = 0; /* closed: no error */
        if (n <= 0)
            return -1;
        have += (size_t)n;
    }
    return 0;
}

static int transmit(int fd, const void *from, size_t len)
{
    for (size_t sent = 0; sent < len;) {
        ssize_t n = send(fd, (const char *)from + sent, len - sent, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -1;
        sent += (size_t)n;
    }
    return 0;
}

static int send_frame(struct client *c, enum gs_tcp_kind kind, int value, const void *bytes, size_t len)
{
    struct gs_tcp_frame frame = {.kind = kind, .value = value, .len = len};
    struct timespec end;

    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 1 + SEND_MS / 1000;
    if (pthread_mutex_timedlock(&c->sending, &end))
        return -1;
    int rc = transmit(c->fd, &frame, sizeof frame) || (len && transmit(c->fd, bytes, len)) ? -1 : 0;
    pthread_mutex_unlock(&c->sending);
    return rc;
}

__attribute__((noreturn)) static void leave_with(const struct client *c, int status)
{
    gs_flush_bounded();
    if (c->leave)
        c->leave();
    _exit(status);
}

/* The connection is no more. Returns when that is for the thread in a call to tell. */
static void on_silence(struct client *c, int error)
{
    pthread_mutex_lock(&c->lock);
    bool expected = c->aborting || c->leaving || c->failed[0];
    bool started = c->started;
    if (!started && !expected)
        snprintf(c->failed, sizeof c->failed, "the bootstrap server has ended while PEs were still connecting");
    c->aborted = true;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
    if (expected || !started)
        return;

    if (c->patient && !gs_tcp_silent(error))
        poll(NULL, 0, GS_TCP_GRACE_MS);
    /* The server has died, so nobody tells the PEs apart: the first of the others speaks for all. */
    enum gs_level level = c->rank == (c->server_rank == 0) ? GS_ERROR : GS_INFO;
    if (gs_tcp_silent(error))
        gs_log(c->speaks ? GS_ERROR : GS_INFO,
               "host %s (of PE %d) has not answered for %d s (%s): it is down, or the network to it is cut; ending the "
               "job",
               c->server_host, c->server_rank, GS_TCP_SILENT_S, strerror(error));
    else if (c->server_rank >= 0)
        gs_log(level, "PE %d has ended without shmem_finalize or shmem_global_exit; ending the job", c->server_rank);
    else
        gs_log(level, "the process that made the unique id has ended before the PEs; ending the job");
    leave_with(c, 1);
}

/* Payload of `len` bytes into the place where a thread waits for it. -1: lost. */
static int on_gather(struct client *c, const struct gs_tcp_frame *f)
{
    pthread_mutex_lock(&c->lock);
    uint8_t *to = c->all && f->value == c->round && f->len == c->all_len ? c->all : NULL;
    pthread_mutex_unlock(&c->lock);
    if (!to || (f->len && receive(c->fd, to, f->len, 0)))
        return -1;
    pthread_mutex_lock(&c->lock);
    c->result = true;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
    return 0;
}

static int on_fail(struct client *c, const struct gs_tcp_frame *f)
{
    char text[GS_TCP_TEXT];

    if (f->len < 1 || f->len > sizeof text || receive(c->fd, text, f->len, 0))
        return -1;
    text[f->len - 1] = 0;
    pthread_mutex_lock(&c->lock);
    memcpy(c->failed, text, sizeof c->failed);
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
    return 0;
}

static void *read_all(void *arg)
{
    struct client *c = arg;
    struct gs_tcp_frame f;

    for (;;) {
        if (receive(c->fd, &f, sizeof f, 0))
            break;
        if (f.kind == GS_TCP_GATHER) {
            if (on_gather(c, &f))
                break;
            continue;
        }
        if (f.kind == GS_TCP_FAIL) {
            if (on_fail(c, &f))
                break;
            continue;
        }
        pthread_mutex_lock(&c->lock);
        bool aborting = c->aborting, started = c->started;
        if (f.kind == GS_TCP_START) {
            c->server_rank = f.value;
            c->started = true;
        } else if (f.kind == GS_TCP_BYE) {
            c->bye = true;
        } else if (aborting) {
            c->aborted = true;
        } else if (f.kind == GS_TCP_LOST && !started) {
            snprintf(c->failed, sizeof c->failed, "PE %d has ended while others were still connecting", f.value);
        }
        pthread_cond_broadcast(&c->changed);
        pthread_mutex_unlock(&c->lock);
        if (f.kind == GS_TCP_BYE)
            return NULL;
        if (f.kind == GS_TCP_ABORT && !aborting)
            leave_with(c, f.value);
        if (f.kind == GS_TCP_LOST && !aborting && started)
            leave_with(c, 1);
        errno = 0;
    }
    on_silence(c, errno);
    return NULL;
}

/* Waits for *flag. end: gs_tcp_now(), 0: none. Nonzero when the job has failed (logged) or time is up (not logged). */
static int wait_for(struct client *c, const bool *flag, int64_t end)
{
    struct timespec t = {.tv_sec = end / 1000, .tv_nsec = end % 1000 * 1000000};
    int rc = 0;

    pthread_mutex_lock(&c->lock);
    while (!*flag && !c->failed[0] && rc != ETIMEDOUT)
        rc = end ? pthread_cond_timedwait(&c->changed, &c->lock, &t) : pthread_cond_wait(&c->changed, &c->lock);
    rc = *flag ? 0 : c->failed[0] ? EPROTO : ETIMEDOUT;
    pthread_mutex_unlock(&c->lock);
    if (rc == EPROTO)
        gs_error("%s", c->failed);
    return rc;
}

static void client_free(struct client *c)
{
    gs_tcp_close(c->fd);
    pthread_cond_destroy(&c->changed);
    pthread_mutex_destroy(&c->lock);
    pthread_mutex_destroy(&c->sending);
    free(c);
}

/* Ends the reader, whatever it is doing, and frees all. */
static void disconnect(struct client *c)
{
    pthread_mutex_lock(&c->lock);
    c->leaving = true;
    pthread_mutex_unlock(&c->lock);
    shutdown(c->fd, SHUT_RDWR);
    pthread_join(c->reader, NULL);
    client_free(c);
}

static struct client *client_new(int fd, const struct gs_boot *b, const struct gs_tcp_where *where, const char *host)
{
    struct client *c = calloc(1, sizeof *c);
    pthread_condattr_t attr;

    if (!c) {
        gs_tcp_close(fd);
        gs_error("out of memory in the bootstrap");
        return NULL;
    }
    c->fd = fd;
    c->rank = b->rank;
    c->size = b->size;
    c->server_rank = -1;
    c->patient = where->patient;
    c->leave = where->leave;
    c->speaks = b->local_rank <= 0;
    snprintf(c->server_host, sizeof c->server_host, "%s", host);
    pthread_mutex_init(&c->sending, NULL);
    pthread_mutex_init(&c->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&c->changed, &attr);
    pthread_condattr_destroy(&attr);
    int rc = gs_thread_start(&c->reader, read_all, c);
    if (rc) {
        gs_error("cannot start the bootstrap's thread: %s", strerror(rc));
        client_free(c);
        return NULL;
    }
    return c;
}

/* A connected blocking socket, or -1 with errno. */
static int dial(const struct sockaddr_storage *addr, int ms)
{
    socklen_t len = addr->ss_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
    int fd = gs_tcp_own(socket(addr->ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    int why = 0, on = 1;

    if (fd < 0)
        return -1;
    if (connect(fd, (const struct sockaddr *)addr, len)) {
        why = errno;
        if (why == EINPROGRESS) {
            struct pollfd p = {.fd = fd, .events = POLLOUT};
            socklen_t size = sizeof why;
            int64_t end = gs_tcp_now() + ms;
            int n;
            while ((n = poll(&p, 1, ms)) < 0 && errno == EINTR && (ms = (int)(end - gs_tcp_now())) > 0)
                ;
            if (n <= 0)
                why = ETIMEDOUT;
            else
                getsockopt(fd, SOL_SOCKET, SO_ERROR, &why, &size);
        }
    }
    if (!why) {
        /* Connecting to a free local port, the kernel may pick that very port for our end: we would talk to ourselves. */
        struct sockaddr_storage mine;
        socklen_t size = sizeof mine;
        char a[64], b[64];
        getsockname(fd, (struct sockaddr *)&mine, &size);
        if (!strcmp(gs_tcp_name((struct sockaddr *)&mine, a), gs_tcp_name((const struct sockaddr *)addr, b)))
            why = ECONNREFUSED;
    }
    if (why) {
        gs_tcp_close(fd);
        errno = why;
        return -1;
    }
    struct timeval limit = {.tv_sec = SEND_MS / 1000};
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    gs_tcp_keep_alive(fd);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}

static uint32_t timeout_ms(void)
{
    double ms = gs_env.connect_timeout * 1000;
    return ms <= 0 ? 0 : ms < 1 ? 1 : ms > INT32_MAX ? INT32_MAX : (uint32_t)ms;
}

enum try { TRY_DONE, TRY_AGAIN, TRY_NEVER };

/* One attempt at one address. TRY_DONE: *fd is greeted and welcome. Else why says what happened. */
static enum try attempt(const struct gs_boot *b, const struct gs_tcp_where *w, int i, int *fd, char host[GS_HOST_LEN],
                        char why[GS_TCP_TEXT])
{
    struct gs_tcp_hello hello = {.magic = GS_TCP_MAGIC,
                                 .process = gs_tcp_process(),
                                 .rank = (uint32_t)b->rank,
                                 .size = (uint32_t)b->size,
                                 .pid = (uint32_t)getpid(),
                                 .timeout_ms = timeout_ms()};
    struct gs_tcp_answer answer;
    char name[64];

    memcpy(hello.token, w->token, sizeof hello.token);
    gethostname(hello.host, sizeof hello.host - 1);
    gs_tcp_name((const struct sockaddr *)&w->addr[i], name);
    *fd = dial(&w->addr[i], GS_TCP_ANSWER_MS);
    if (*fd < 0) {
        snprintf(why, GS_TCP_TEXT, "%s: %s", name, strerror(errno));
        return errno == ECONNREFUSED && !w->search ? TRY_NEVER : TRY_AGAIN;
    }
    if (transmit(*fd, &hello, sizeof hello) || receive(*fd, &answer, sizeof answer, gs_tcp_now() + GS_TCP_ANSWER_MS)) {
        snprintf(why, GS_TCP_TEXT, "%s: no answer", name);
    } else if (answer.magic != GS_TCP_MAGIC) {
        snprintf(why, GS_TCP_TEXT, "%s: the answer of another program", name);
    } else if (answer.verdict == GS_TCP_WELCOME) {
        snprintf(host, GS_HOST_LEN, "%.*s", GS_HOST_LEN - 1, answer.host);
        return TRY_DONE;
    } else {
        answer.text[sizeof answer.text - 1] = 0;
        memcpy(why, answer.text, sizeof answer.text);
        gs_tcp_close(*fd);
        return answer.verdict == GS_TCP_OTHER_JOB && w->search ? TRY_AGAIN : TRY_NEVER;
    }
    gs_tcp_close(*fd);
    return TRY_AGAIN;
}

static int find_server(const struct gs_boot *b, const struct gs_tcp_where *w, char host[GS_HOST_LEN])
{
    int64_t end = timeout_ms() ? gs_tcp_now() + timeout_ms() : 0;
    char why[GS_TCP_TEXT] = "", last[GS_TCP_TEXT] = "";
    int fd;

    for (int pause = 5;; pause = pause < 200 ? 2 * pause : 200) {
        for (int i = 0; i < w->n; i++) {
            switch (attempt(b, w, i, &fd, host, why)) {
            case TRY_DONE:
                return fd;
            case TRY_NEVER:
                gs_error("cannot join the job at %s: %s", w->name, why);
                return -1;
            case TRY_AGAIN: /* an answer tells more than a closed port */
                if (!last[0] || !strstr(why, strerror(ECONNREFUSED)))
                    memcpy(last, why, sizeof last);
            }
            if (end && gs_tcp_now() >= end)
                goto late;
        }
        poll(NULL, 0, pause);
    }
late:
    gs_error("no bootstrap server of this job at %s for %g s (%s): is PE 0 running and is this the right address? "
             "GIN_SHMEM_CONNECT_TIMEOUT sets the limit, 0 waits for ever",
             w->name, timeout_ms() / 1000.0, last);
    return -1;
}

int gs_tcp_join(struct gs_boot *b, const struct gs_tcp_where *where)
{
    char host[GS_HOST_LEN];
    int fd = find_server(b, where, host);

    if (fd < 0)
        return -1;
    struct client *c = client_new(fd, b, where, host);
    if (!c)
        return -1;
    /* The server keeps the time and knows who is missing; ours is for a server that hangs. */
    int rc = wait_for(c, &c->started, timeout_ms() ? gs_tcp_now() + timeout_ms() + 10000 : 0);
    if (!rc) {
        b->state = c;
        return 0;
    }
    if (rc == ETIMEDOUT)
        gs_error("the bootstrap server at %s has stopped answering", where->name);
    disconnect(c);
    return -1;
}

int gs_tcp_allgather(struct gs_boot *b, const void *mine, size_t len, void *all)
{
    struct client *c = b->state;

    pthread_mutex_lock(&c->lock);
    c->all = all;
    c->all_len = len * (size_t)c->size;
    c->result = false;
    pthread_mutex_unlock(&c->lock);
    int rc = 0;
    if (send_frame(c, GS_TCP_GATHER, c->round, mine, len)) {
        gs_error("cannot send to the bootstrap server: %s", strerror(errno));
        rc = -1;
    } else if (wait_for(c, &c->result, 0)) {
        rc = -1;
    }
    pthread_mutex_lock(&c->lock);
    c->all = NULL;
    c->round++;
    pthread_mutex_unlock(&c->lock);
    return rc;
}

int gs_tcp_fence(struct gs_boot *b)
{
    char nothing = 0;
    return gs_tcp_allgather(b, &nothing, 0, &nothing);
}

void gs_tcp_abort(struct gs_boot *b, int status, const char *message)
{
    struct client *c = b->state;

    if (message)
        gs_error("%s", message);
    gs_flush_bounded();
    pthread_mutex_lock(&c->lock);
    c->aborting = true;
    pthread_mutex_unlock(&c->lock);
    /* The server may live in this process: stay until it has told the others. */
    if (!send_frame(c, GS_TCP_ABORT, status, NULL, 0))
        wait_for(c, &c->aborted, gs_tcp_now() + ABORT_MS);
}

int gs_tcp_finalize(struct gs_boot *b)
{
    struct client *c = b->state;

    /* Together: the next job of these processes must not meet this one's server. */
    int rc = send_frame(c, GS_TCP_BYE, 0, NULL, 0) || wait_for(c, &c->bye, 0) ? -1 : 0;
    disconnect(c);
    b->state = NULL;
    return rc;
}

void gs_tcp_leave(struct gs_boot *b)
{
    struct client *c = b->state;

    pthread_mutex_lock(&c->lock);
    c->leaving = true;
    pthread_mutex_unlock(&c->lock);
    send_frame(c, GS_TCP_BYE, 0, NULL, 0);
}

bool gs_tcp_needs_watch(const struct gs_boot *b)
{
    (void)b;
    return false; /* the server sees a connection end, and abort() carries any status */
}
