/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who may reach UCX's TCP port. UCX believes whoever sends its magic number: bytes that follow one reach an assertion, and
 * the process ends. So the kernel drops what does not come from one of the job's hosts, before UCX sees it: a filter on the
 * listening sockets, which connections inherit. Programs of other users on the job's own hosts are not kept out; what they
 * send as messages lacks the token.
 */
#include <errno.h>
#include <ifaddrs.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ucx.h"

enum {
    FD_LIMIT = 4096,    /* descriptors looked at */
    LISTENERS = 16,     /* of UCX: one an interface */
    FILTER_MAX = 2000,  /* addresses; each takes two of the kernel's 4096 instructions */
    SOURCE_OFFSET = 12, /* of the source address in an IPv4 header */
};

static unsigned char before[FD_LIMIT / 8];
static int listeners[LISTENERS], nlisteners;

static bool listens(int fd)
{
    int yes = 0;
    socklen_t len = sizeof yes;
    return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &yes, &len) == 0 && yes;
}

static int allow(const uint32_t *prefix, size_t n, int bits)
{
    struct sock_filter *code = calloc(2 * n + 3, sizeof *code);
    size_t at = 0;
    int rc = 0;
    if (!code)
        return -1;
    if (n) {
        code[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(SKF_NET_OFF + SOURCE_OFFSET));
        code[at++] = (struct sock_filter)BPF_STMT(BPF_ALU | BPF_RSH | BPF_K, (uint32_t)(32 - bits));
    }
    for (size_t i = 0; i < n; i++) {
        code[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, prefix[i], 0, 1);
        code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, UINT32_MAX);
    }
    code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, 0);
    struct sock_fprog program = {.len = (unsigned short)at, .filter = code};
    for (int i = 0; i < nlisteners; i++)
        rc |= setsockopt(listeners[i], SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
    free(code);
    return rc;
}

void ux_guard_before(void)
{
    memset(before, 0, sizeof before);
    for (int fd = 0; fd < FD_LIMIT; fd++)
        if (listens(fd))
            before[fd / 8] |= (unsigned char)(1u << fd % 8);
}

void ux_guard_close(void)
{
    nlisteners = 0;
    for (int fd = 0; ux.core->filter && fd < FD_LIMIT && nlisteners < LISTENERS; fd++)
        if (listens(fd) && !(before[fd / 8] >> fd % 8 & 1)) {
            struct sockaddr_storage at = {0};
            socklen_t len = sizeof at;
            if (getsockname(fd, (struct sockaddr *)&at, &len) == 0 && at.ss_family == AF_INET)
                listeners[nlisteners++] = fd;
            else
                ux.core->log(GS_INFO, "UCX listens at an address that is not IPv4: it is open to all hosts");
        }
    if (nlisteners && allow(NULL, 0, 32) != 0)
        ux.core->log(GS_WARN, "UCX's TCP port is open to all hosts: SO_ATTACH_FILTER: %s", strerror(errno));
}

size_t ux_guard_own(uint32_t *addr, size_t max)
{
    struct ifaddrs *all;
    size_t n = 0;
    if (getifaddrs(&all) != 0)
        return 0;
    for (struct ifaddrs *i = all; i && n < max; i = i->ifa_next)
        if (i->ifa_addr && i->ifa_addr->sa_family == AF_INET)
            addr[n++] = ntohl(((const struct sockaddr_in *)(const void *)i->ifa_addr)->sin_addr.s_addr);
    freeifaddrs(all);
    return n;
}

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

void ux_guard_open(uint32_t *addr, size_t n)
{
    int bits = 32;
    if (!nlisteners)
        return;
    for (;; bits -= 8) { /* too many addresses: networks in their place */
        size_t kept = 0;
        qsort(addr, n, sizeof *addr, by_value);
        for (size_t i = 0; i < n; i++)
            if (!kept || addr[kept - 1] != addr[i])
                addr[kept++] = addr[i];
        n = kept;
        if (n <= FILTER_MAX || bits == 8)
            break;
        for (size_t i = 0; i < n; i++)
            addr[i] >>= 8;
    }
    if (allow(addr, n, bits) != 0)
        ux.core->log(GS_WARN, "UCX's TCP port is open to all hosts: SO_ATTACH_FILTER: %s", strerror(errno));
}
