/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "forward.h"
#include "loop.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

static struct gs_watch from = {.fd = -1}, to = {.fd = -1};
static int given = -1;  /* the end for PE 0 until it was started */
static int pipe_w = -1; /* -1: nothing to copy */
static char buf[4096];
static size_t at, len;
static double look_at = GS_NEVER; /* are we in the foreground again? */

static void pump(struct gs_watch *w, uint32_t events);

static void stop(void)
{
    gs_loop_remove(&from);
    gs_loop_remove(&to);
    if (pipe_w >= 0)
        close(pipe_w);
    pipe_w = -1;
    look_at = GS_NEVER;
}

/* Watches the terminal when there is room and it is ours to read (a background read would stop us), or the pipe. */
static void arm(void)
{
    look_at = GS_NEVER;
    if (pipe_w < 0)
        return;
    if (len) {
        gs_loop_remove(&from);
        if (to.fd < 0 && gs_loop_add(&to, pipe_w, EPOLLOUT, pump))
            stop();
    } else if (tcgetpgrp(STDIN_FILENO) == getpgrp()) {
        gs_loop_remove(&to);
        if (from.fd < 0 && gs_loop_add(&from, STDIN_FILENO, EPOLLIN, pump))
            stop();
    } else {
        gs_loop_remove(&from);
        gs_loop_remove(&to);
        look_at = gs_now() + 0.25;
    }
}

static void pump(struct gs_watch *w, uint32_t events)
{
    (void)events;
    if (w == &from && tcgetpgrp(STDIN_FILENO) == getpgrp()) {
        ssize_t n = read(STDIN_FILENO, buf, sizeof buf);
        if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN)) {
            stop(); /* end of input: PE 0 sees it */
            return;
        }
        at = 0;
        len = n > 0 ? (size_t)n : 0;
    }
    if (len) {
        ssize_t n = write(pipe_w, buf + at, len);
        if (n > 0) {
            at += (size_t)n;
            len -= (size_t)n;
        } else if (errno != EAGAIN && errno != EINTR) {
            stop(); /* PE 0 has closed it */
            return;
        }
    }
    arm();
}

int gs_stdin_open(void)
{
    int p[2];

    if (!isatty(STDIN_FILENO))
        return STDIN_FILENO;
    if (pipe2(p, O_CLOEXEC))
        return -1;
    fcntl(p[1], F_SETFL, O_NONBLOCK);
    given = p[0];
    pipe_w = p[1];
    return given;
}

void gs_stdin_started(void)
{
    if (given >= 0)
        close(given);
    given = -1;
    arm();
}

double gs_stdin_deadline(void)
{
    return look_at;
}

void gs_stdin_tick(double now)
{
    if (now >= look_at)
        arm();
}

void gs_stdin_close(void)
{
    if (given >= 0)
        close(given);
    given = -1;
    stop();
}
