/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "forward.h"

#include "loop.h"
#include "say.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

struct stream;

/* Where output goes: our stdout or stderr. */
struct sink {
    struct gs_watch watch; /* first: ready() gets its address */
    int fd;
    bool own;     /* fd is our own non-blocking opening of the same thing */
    bool checked; /* write only after poll says so, PIPE_BUF at a time: fd is shared with others and may block */
    bool broken;
    bool full; /* streams are not read */
    char *buf; /* bytes [at, at + len) wait */
    size_t at, len, cap;
    int cut_pe; /* the last byte queued ended no line, and was this PE's; -1: at the start of a line */
};

/* Where output comes from: a PE's stdout or stderr. */
struct stream {
    struct gs_watch watch; /* first */
    int fd;                /* -1: ended */
    int pe;
    struct sink *sink;
    char *buf; /* an unfinished line; len < GS_LINE_MAX */
    size_t len, cap;
    bool tail; /* the start of this line was queued already */
};

static struct sink sinks[2];
static struct stream *streams; /* 2 for each PE: stdout, stderr */
static int nstreams;
static bool tagged, raw;
static int broken_by; /* errno of the first sink that broke */
static bool prompts;  /* show PE 0's unfinished lines, since a person sits there */
static double prompt_at = GS_NEVER;

static const double prompt_after = 0.1;

/* --- sinks --- */

static int reserve(struct sink *k, size_t more)
{
    if (k->at + k->len + more <= k->cap)
        return 0;
    if (k->at)
        memmove(k->buf, k->buf + k->at, k->len);
    k->at = 0;
    if (k->len + more <= k->cap)
        return 0;
    size_t cap = (k->len + more) * 2;
    char *p = realloc(k->buf, cap);
    if (!p)
        return -1;
    k->buf = p;
    k->cap = cap;
    return 0;
}

static void put(struct sink *k, const char *data, size_t len)
{
    if (k->broken || len == 0)
        return;
    if (reserve(k, len)) {
        static const char sorry[] = "oshrun: out of memory for output\n";
        if (write(STDERR_FILENO, sorry, sizeof sorry - 1) < 0)
            _exit(1);
        _exit(1);
    }
    memcpy(k->buf + k->at + k->len, data, len);
    k->len += len;
}

/* Text of one PE (-1: ours): the start of a line, or unless another PE came between its tail; whole: it ends a line. */
static void put_line(struct sink *k, int pe, const char *data, size_t len, bool tail, bool whole)
{
    if (k->cut_pe >= 0 && k->cut_pe != pe)
        put(k, "\n", 1);
    if (tagged && pe >= 0 && !(tail && k->cut_pe == pe)) {
        char tag[16];
        put(k, tag, (size_t)snprintf(tag, sizeof tag, "[%d] ", pe));
    }
    put(k, data, len);
    k->cut_pe = whole ? -1 : pe;
}

static void say_to(const char *line, size_t len)
{
    put_line(sinks[1].fd >= 0 ? &sinks[1] : &sinks[0], -1, line, len, false, true);
}

static void end_stream(struct stream *s)
{
    gs_loop_remove(&s->watch);
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
}

static void sink_broken(struct sink *k, int err)
{
    k->broken = true;
    if (!broken_by)
        broken_by = err;
    k->len = 0;
    gs_loop_remove(&k->watch);
    for (int i = 0; i < nstreams; i++)
        if (streams[i].sink == k)
            end_stream(&streams[i]);
}

static void stream_ready(struct gs_watch *w, uint32_t events);

/* Stops or resumes reading. A hung-up pipe reports for ever, so a stream that is not read is not watched at all. */
static void set_full(struct sink *k, bool full)
{
    if (k->full == full)
        return;
    k->full = full;
    for (int i = 0; i < nstreams; i++) {
        struct stream *s = &streams[i];
        if (s->sink != k || s->fd < 0)
            continue;
        if (full)
            gs_loop_remove(&s->watch);
        else
            gs_loop_add(&s->watch, s->fd, EPOLLIN, stream_ready);
    }
}

static ssize_t write_some(struct sink *k)
{
    size_t len = k->len;

    if (k->checked) {
        struct pollfd p = {.fd = k->fd, .events = POLLOUT};
        if (poll(&p, 1, 0) == 0) {
            errno = EAGAIN;
            return -1;
        }
        if (len > PIPE_BUF)
            len = PIPE_BUF;
    }
    return write(k->fd, k->buf + k->at, len);
}

static void sink_ready(struct gs_watch *w, uint32_t events)
{
    (void)events; /* gs_fwd_flush writes, and finds out about errors */
    gs_loop_remove(w);
}

static void flush_sink(struct sink *k)
{
    while (k->len && !k->broken && k->watch.fd < 0) {
        ssize_t n = write_some(k);
        if (n > 0) {
            k->at += (size_t)n;
            k->len -= (size_t)n;
        } else if (n < 0 && errno == EINTR) {
            continue;
        } else if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            if (gs_loop_add(&k->watch, k->fd, EPOLLOUT, sink_ready))
                poll(&(struct pollfd){.fd = k->fd, .events = POLLOUT}, 1, 10);
            break;
        } else {
            sink_broken(k, n < 0 ? errno : EIO);
        }
    }
    if (k->len == 0) {
        k->at = 0;
        if (k->cap > 2 * GS_QUEUE_MAX) {
            free(k->buf);
            k->buf = NULL;
            k->cap = 0;
        }
    }
    if (k->len > GS_QUEUE_MAX)
        set_full(k, true);
    else if (k->len < GS_QUEUE_MAX / 4)
        set_full(k, false);
}

/* A descriptor of our own for what fd is open on, so that O_NONBLOCK does not touch the shell's or another program's. */
static void open_sink(struct sink *k, int fd)
{
    char path[32];
    struct stat st;

    *k = (struct sink){.watch.fd = -1, .fd = fd, .cut_pe = -1};
    if (fstat(fd, &st))
        return;
    if (S_ISREG(st.st_mode))
        return; /* never blocks, and the offset must stay shared */
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int mine = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (mine >= 0) {
        k->fd = mine;
        k->own = true;
    } else {
        k->checked = true;
    }
}

static bool same_place(int a, int b)
{
    struct stat x, y;
    return fstat(a, &x) == 0 && fstat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* --- streams --- */

static int keep(struct stream *s, const char *data, size_t len)
{
    if (s->len + len > s->cap) {
        size_t cap = s->cap ? s->cap : 512;
        while (cap < s->len + len)
            cap *= 2;
        char *p = realloc(s->buf, cap);
        if (!p)
            return -1;
        s->buf = p;
        s->cap = cap;
    }
    memcpy(s->buf + s->len, data, len);
    s->len += len;
    return 0;
}

/* Queues the unfinished line. Should another PE's text come next, put_line ends it first. */
static void put_partial(struct stream *s)
{
    if (s->len) {
        put_line(s->sink, s->pe, s->buf, s->len, s->tail, false);
        s->tail = true;
        s->len = 0;
    }
    if (s->cap > 65536) {
        free(s->buf);
        s->buf = NULL;
        s->cap = 0;
    }
}

static void take(struct stream *s, const char *data, size_t len)
{
    if (raw) {
        put_line(s->sink, s->pe, data, len, true, data[len - 1] == '\n');
        return;
    }
    while (len) {
        const char *nl = memchr(data, '\n', len);
        size_t n = nl ? (size_t)(nl - data) + 1 : len;
        if (nl || keep(s, data, n)) {
            put_partial(s); /* same PE: no line break between the two */
            put_line(s->sink, s->pe, data, n, s->tail, nl != NULL);
            s->tail = !nl;
        }
        data += n;
        len -= n;
    }
    if (s->len >= GS_LINE_MAX)
        put_partial(s);
    if (prompts && s->pe == 0 && s->len)
        prompt_at = gs_now() + prompt_after;
}

/* One read. 1: something came; 0: nothing now; -1: the end. */
static int read_some(struct stream *s)
{
    static char data[65536];
    ssize_t n;

    do
        n = read(s->fd, data, sizeof data);
    while (n < 0 && errno == EINTR);
    if (n > 0) {
        take(s, data, (size_t)n);
        return 1;
    }
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return 0;
    put_partial(s);
    end_stream(s);
    return -1;
}

static void stream_ready(struct gs_watch *w, uint32_t events)
{
    struct stream *s = (struct stream *)w;
    (void)events;
    if (s->sink->len > GS_QUEUE_MAX)
        set_full(s->sink, true);
    else
        read_some(s);
}

/* Reads until nothing is left or the queue is full; true: nothing is left. */
static bool drain(struct stream *s)
{
    while (s->fd >= 0) {
        flush_sink(s->sink);
        if (s->fd < 0 || s->sink->len > GS_QUEUE_MAX)
            break;
        if (read_some(s) <= 0)
            return true;
    }
    return s->fd < 0;
}

/* --- interface --- */

int gs_fwd_open(int n, bool tag)
{
    streams = calloc((size_t)n * 2, sizeof *streams);
    if (!streams)
        return -1;
    nstreams = n * 2;
    for (int i = 0; i < nstreams; i++)
        streams[i] = (struct stream){.watch.fd = -1, .fd = -1, .pe = i / 2};
    tagged = tag;
    raw = n == 1 && !tag;
    prompts = !raw && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    open_sink(&sinks[0], STDOUT_FILENO);
    sinks[1] = (struct sink){.watch.fd = -1, .fd = -1, .cut_pe = -1};
    if (!same_place(STDOUT_FILENO, STDERR_FILENO))
        open_sink(&sinks[1], STDERR_FILENO);
    gs_say_to = say_to;
    return 0;
}

int gs_fwd_add(int pe, int out, int err)
{
    int fds[2] = {out, err};
    for (int i = 0; i < 2; i++) {
        struct stream *s = &streams[pe * 2 + i];
        s->fd = fds[i];
        s->sink = i == 1 && sinks[1].fd >= 0 ? &sinks[1] : &sinks[0];
        if (fcntl(fds[i], F_SETFL, O_NONBLOCK) ||
            (!s->sink->full && gs_loop_add(&s->watch, fds[i], EPOLLIN, stream_ready)))
            return -1;
    }
    return 0;
}

void gs_fwd_died(int pe)
{
    for (int i = 0; i < 2; i++)
        drain(&streams[pe * 2 + i]);
}

void gs_fwd_flush(void)
{
    for (int i = 0; i < 2; i++)
        if (sinks[i].fd >= 0)
            flush_sink(&sinks[i]);
}

bool gs_fwd_finish(void)
{
    bool done = true;
    for (int i = 0; i < nstreams; i++) {
        struct stream *s = &streams[i];
        if (s->fd < 0)
            continue;
        if (!drain(s)) {
            done = false;
        } else if (s->fd >= 0) { /* empty, though someone beyond our reach holds the other end */
            put_partial(s);
            end_stream(s);
        }
    }
    gs_fwd_flush();
    return done && sinks[0].len == 0 && sinks[1].len == 0;
}

int gs_fwd_broken(void)
{
    return broken_by;
}

double gs_fwd_deadline(void)
{
    return prompt_at;
}

void gs_fwd_tick(double now)
{
    if (now < prompt_at)
        return;
    prompt_at = GS_NEVER;
    for (int i = 0; i < 2; i++)
        if (streams[i].fd >= 0 && streams[i].len && streams[i].sink->cut_pe <= 0)
            put_partial(&streams[i]);
}

void gs_fwd_close(void)
{
    gs_say_to = NULL;
    for (int i = 0; i < nstreams; i++) {
        end_stream(&streams[i]);
        free(streams[i].buf);
    }
    free(streams);
    streams = NULL;
    nstreams = 0;
    for (int i = 0; i < 2; i++) {
        gs_loop_remove(&sinks[i].watch);
        if (sinks[i].own)
            close(sinks[i].fd);
        free(sinks[i].buf);
        sinks[i] = (struct sink){.watch.fd = -1, .fd = -1, .cut_pe = -1};
    }
}
