/* SPDX-License-Identifier: BSD-3-Clause */
/* What both ends of the star need: sockets, names, time. */
#include "bootstrap/tcp.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

/* Set of the descriptors we own, readable in a forked child whatever the other threads were doing. Those above the
 * limit are left to close-on-exec. */
enum { FD_LIMIT = 65536, FD_WORDS = FD_LIMIT / 64 };
static _Atomic uint64_t owned[FD_WORDS];
static _Atomic uint64_t process;

static void close_in_child(void)
{
    for (int w = 0; w < FD_WORDS; w++) {
        uint64_t word = atomic_exchange(&owned[w], 0);
        for (; word; word &= word - 1)
            close(w * 64 + __builtin_ctzll(word));
    }
    atomic_store(&process, 0);
}

static void at_fork(void)
{
    pthread_atfork(NULL, NULL, close_in_child);
}

int gs_tcp_own(int fd)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    if (fd < 0)
        return fd;
    pthread_once(&once, at_fork);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    if (fd < FD_LIMIT)
        atomic_fetch_or(&owned[fd / 64], UINT64_C(1) << fd % 64);
    return fd;
}

void gs_tcp_close(int fd)
{
    if (fd < 0)
        return;
    if (fd < FD_LIMIT)
        atomic_fetch_and(&owned[fd / 64], ~(UINT64_C(1) << fd % 64));
    close(fd);
}

uint64_t gs_tcp_process(void)
{
    uint64_t mine = atomic_load(&process);

    while (!mine) {
        uint64_t fresh;
        if (getrandom(&fresh, sizeof fresh, 0) != sizeof fresh)
            fresh = (uint64_t)getpid() << 32 ^ (uint64_t)gs_tcp_now();
        fresh |= 1;
        if (atomic_compare_exchange_strong(&process, &mine, fresh))
            mine = fresh;
    }
    return mine;
}

int64_t gs_tcp_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void gs_tcp_keep_alive(int fd)
{
    int on = 1, idle = GS_TCP_SILENT_S - 4, interval = 1, count = 4;
    unsigned limit = GS_TCP_SILENT_S * 1000;

    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count);
    setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &limit, sizeof limit); /* for what is sent and not acknowledged */
}

bool gs_tcp_silent(int error)
{
    return error == ETIMEDOUT || error == EHOSTUNREACH || error == ENETUNREACH || error == EHOSTDOWN ||
           error == ENETDOWN;
}

const char *gs_tcp_name(const struct sockaddr *addr, char text[64])
{
    char host[INET6_ADDRSTRLEN] = "?";

    if (addr->sa_family == AF_INET) {
        const struct sockaddr_in *in = (const void *)addr;
        inet_ntop(AF_INET, &in->sin_addr, host, sizeof host);
        snprintf(text, 64, "%s:%d", host, ntohs(in->sin_port));
    } else if (addr->sa_family == AF_INET6) {
        const struct sockaddr_in6 *in6 = (const void *)addr;
        inet_ntop(AF_INET6, &in6->sin6_addr, host, sizeof host);
        snprintf(text, 64, "[%s]:%d", host, ntohs(in6->sin6_port));
    } else {
        snprintf(text, 64, "an unknown address");
    }
    return text;
}

int gs_tcp_listen(struct sockaddr_storage *addr)
{
    socklen_t len = addr->ss_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
    int fd = gs_tcp_own(socket(addr->ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    int on = 1, off = 0;

    if (fd < 0)
        return -1;
    /* For ports that are given: a job just ended leaves connections in TIME_WAIT. */
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (addr->ss_family == AF_INET6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    if (bind(fd, (struct sockaddr *)addr, len) || listen(fd, 512) || getsockname(fd, (struct sockaddr *)addr, &len)) {
        int why = errno;
        gs_tcp_close(fd);
        errno = why;
        return -1;
    }
    return fd;
}
