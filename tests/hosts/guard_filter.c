/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The filter in front of UCX's port, on a socket for IPv6 that takes IPv4 as well: it lets those in whose addresses it was
 * given, also where they are more than it can hold one by one, and nobody else.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "transport/ucx/ucx.h"

struct ux ux;

static void show(enum gs_level level, const char *fmt, ...)
{
    va_list ap;
    (void)level;
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
}

/* A connection from this host, by ::1 or 127.0.0.1. What a filter drops is never answered. */
static bool gets_in(bool v6, in_port_t port)
{
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = port, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = port, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct timeval limit = {.tv_usec = 100000};
    int fd = socket(v6 ? AF_INET6 : AF_INET, SOCK_STREAM, 0);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    int rc = v6 ? connect(fd, (struct sockaddr *)&six, sizeof six) : connect(fd, (struct sockaddr *)&four, sizeof four);
    close(fd);
    return rc == 0;
}

/* Strangers' addresses, and, if ours, this host's; true: as it should be. */
static bool check(unsigned v4, unsigned v6, bool ours)
{
    struct sockaddr_in6 at = {.sin6_family = AF_INET6};
    socklen_t len = sizeof at;
    size_t n = 0;
    ux_guard_before();
    int fd = socket(AF_INET6, SOCK_STREAM, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) || listen(fd, 8) ||
        getsockname(fd, (struct sockaddr *)&at, &len)) {
        puts("skipped: no IPv6 here");
        exit(77);
    }
    ux_guard_close();
    bool closed = !gets_in(true, at.sin6_port) && !gets_in(false, at.sin6_port);
    struct ux_source *from = calloc(v4 + v6 + 2, sizeof *from);
    for (unsigned i = 0; i < v6; i++)
        from[n++] = (struct ux_source){{0xfd000000u + i * 977, 17 * i, 3, i}};
    for (unsigned i = 0; i < v4; i++)
        from[n++] = (struct ux_source){{0, 0, 0xffff, 0x0a000001u + i * 37}}; /* from 10.0.0.1 on */
    if (ours) {
        from[n++] = (struct ux_source){{0, 0, 0, 1}};
        from[n++] = (struct ux_source){{0, 0, 0xffff, INADDR_LOOPBACK}};
    }
    ux_guard_open(from, n);
    bool six = gets_in(true, at.sin6_port), four = gets_in(false, at.sin6_port);
    free(from);
    close(fd);
    printf("%u IPv4, %u IPv6, %s: IPv6 %d, IPv4 %d\n", v4, v6, ours ? "and ours" : "not ours", six, four);
    return closed && six == ours && four == ours;
}

int main(void)
{
    static const unsigned counts[][2] = {{0, 0}, {1, 1}, {900, 140}, {1001, 151}, {5000, 3000}};
    struct gs_far_core core = {.filter = true, .log = show};
    bool right = true;
    ux.core = &core;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (int ours = 0; ours < 2; ours++)
            right = check(counts[i][0], counts[i][1], ours) && right;
    if (!right)
        fputs("the filter lets somebody in, or keeps somebody out, whom it should not\n", stderr);
    return !right;
}
