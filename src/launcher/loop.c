/* SPDX-License-Identifier: BSD-3-Clause */
#include "loop.h"

#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

static int loop_fd = -1;

double gs_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int gs_loop_open(void)
{
    loop_fd = epoll_create1(EPOLL_CLOEXEC);
    return loop_fd < 0 ? -1 : 0;
}

void gs_loop_close(void)
{
    if (loop_fd >= 0)
        close(loop_fd);
    loop_fd = -1;
}

int gs_loop_add(struct gs_watch *w, int fd, uint32_t events, void (*ready)(struct gs_watch *, uint32_t))
{
    struct epoll_event ev = {.events = events, .data.ptr = w};

    if (epoll_ctl(loop_fd, EPOLL_CTL_ADD, fd, &ev))
        return -1;
    w->fd = fd;
    w->ready = ready;
    return 0;
}

void gs_loop_remove(struct gs_watch *w)
{
    if (w->fd >= 0)
        epoll_ctl(loop_fd, EPOLL_CTL_DEL, w->fd, NULL);
    w->fd = -1;
}

void gs_loop_once(double deadline)
{
    struct epoll_event ev[64];
    double left = deadline - gs_now();
    int ms = left >= 3600 ? 3600 * 1000 : left <= 0 ? 0 : (int)(left * 1000) + 1;

    int n = epoll_wait(loop_fd, ev, 64, ms);
    for (int i = 0; i < n; i++) {
        struct gs_watch *w = ev[i].data.ptr;
        if (w->fd >= 0)
            w->ready(w, ev[i].events);
    }
}
