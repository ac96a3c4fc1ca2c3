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
    FD_LIMIT = 4096, /* descriptors looked at */
    LISTENERS = 16,  /* of UCX: one an interface */
    /* Addresses let in; one takes 2 or 13 of the kernel's 4096 instructions. */
    V4_MAX = 1000,
    V6_MAX = 150,
    CODE_MAX = 4096,
    V4_SOURCE = 12, V6_SOURCE = 8, /* where the source address is in a header */
};

static unsigned char before[FD_LIMIT / 8];
static int listeners[LISTENERS], nlisteners;

static bool listens(int fd)
{
    int yes = 0;
    socklen_t len = sizeof yes;
    return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &yes, &len) == 0 && yes;
}

static bool is_v4(const struct ux_source *a)
{
    return a->w[0] == 0 && a->w[1] == 0 && a->w[2] == 0xffff;
}

/* Addresses of a kind, of which the first `bits` count. */
struct sources {
    struct ux_source *from;
    size_t n;
    int bits;
};

#define RETURN(whole) (struct sock_filter) BPF_STMT(BPF_RET | BPF_K, (whole) ? UINT32_MAX : 0)
#define LOAD(at)      (struct sock_filter) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)SKF_NET_OFF + (at))
#define SHIFT(by)     (struct sock_filter) BPF_STMT(BPF_ALU | BPF_RSH | BPF_K, (by))
#define EQUAL(k, no)  (struct sock_filter) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (k), 0, (uint8_t)(no))

static struct sock_filter *accept_v4(struct sock_filter *c, const struct sources *s)
{
    const uint32_t rest = (uint32_t)(32 - s->bits);
    *c++ = LOAD(V4_SOURCE);
    *c++ = SHIFT(rest);
    for (size_t i = 0; i < s->n; i++) {
        *c++ = EQUAL(s->from[i].w[3] >> rest, 1);
        *c++ = RETURN(true);
    }
    *c++ = RETURN(false);
    return c;
}

static struct sock_filter *accept_v6(struct sock_filter *c, const struct sources *s)
{
    const int words = (s->bits + 31) / 32;
    const uint32_t rest = (uint32_t)(32 * words - s->bits); /* bits of the last word that do not count */
    for (size_t i = 0; i < s->n; i++) {
        struct sock_filter *const next = c + 3 * words + 1;
        for (int k = 0; k < words; k++) {
            const uint32_t by = k + 1 == words ? rest : 0;
            *c++ = LOAD(V6_SOURCE + 4 * (uint32_t)k);
            *c++ = SHIFT(by);
            *c = EQUAL(s->from[i].w[k] >> by, next - c - 1);
            c++;
        }
        *c++ = RETURN(true);
    }
    *c++ = RETURN(false);
    return c;
}

static int allow(const struct sources *v4, const struct sources *v6)
{
    struct sock_filter *code = calloc(CODE_MAX, sizeof *code), *c = code, *jump;
    int rc = 0;
    if (!code)
        return -1;
    /* A socket for IPv6 may get IPv4 as well, so the packet tells. */
    *c++ = (struct sock_filter)BPF_STMT(BPF_LD | BPF_B | BPF_ABS, (uint32_t)SKF_NET_OFF);
    *c++ = SHIFT(4);
    *c++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 4, 1, 0);
    jump = c++;
    c = accept_v4(c, v4);
    *jump = (struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA, (uint32_t)(c - jump - 1));
    c = accept_v6(c, v6);
    struct sock_fprog program = {.len = (unsigned short)(c - code), .filter = code};
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
            if (getsockname(fd, (struct sockaddr *)&at, &len) == 0 &&
                (at.ss_family == AF_INET || at.ss_family == AF_INET6))
                listeners[nlisteners++] = fd;
        }
    const struct sources none = {NULL, 0, 32};
    if (nlisteners && allow(&none, &none) != 0)
        ux.core->log(GS_WARN, "UCX's TCP port is open to all hosts: SO_ATTACH_FILTER: %s", strerror(errno));
}

size_t ux_guard_own(struct ux_source *addr, size_t max)
{
    struct ifaddrs *all;
    size_t n = 0;
    if (getifaddrs(&all) != 0)
        return 0;
    for (struct ifaddrs *i = all; i && n < max; i = i->ifa_next) {
        struct ux_source *a = &addr[n];
        if (i->ifa_addr && i->ifa_addr->sa_family == AF_INET) {
            const struct sockaddr_in *in = (const struct sockaddr_in *)(const void *)i->ifa_addr;
            *a = (struct ux_source){{0, 0, 0xffff, ntohl(in->sin_addr.s_addr)}};
        } else if (i->ifa_addr && i->ifa_addr->sa_family == AF_INET6) {
            memcpy(a->w, &((const struct sockaddr_in6 *)(const void *)i->ifa_addr)->sin6_addr, sizeof a->w);
            for (int k = 0; k < 4; k++)
                a->w[k] = ntohl(a->w[k]);
        } else {
            continue;
        }
        n++;
    }
    freeifaddrs(all);
    return n;
}

static int by_value(const void *a, const void *b)
{
    const uint32_t *x = ((const struct ux_source *)a)->w, *y = ((const struct ux_source *)b)->w;
    for (int k = 0; k < 4; k++)
        if (x[k] != y[k])
            return x[k] > y[k] ? 1 : -1;
    return 0;
}

/* Each once; where there are more than `most`, networks in their place: the first bits of an address, from its word-th on. At
 * 8 bits there are no more than 256 of them. */
static struct sources fewer(struct ux_source *from, size_t n, size_t most, int word, int bits)
{
    for (;; bits -= 8) {
        size_t kept = 0;
        for (size_t i = 0; i < n; i++)
            for (int k = word; k < 4; k++) {
                int here = bits - 32 * (k - word);
                from[i].w[k] &= here >= 32 ? UINT32_MAX : here <= 0 ? 0 : ~(UINT32_MAX >> here);
            }
        qsort(from, n, sizeof *from, by_value);
        for (size_t i = 0; i < n; i++)
            if (!kept || by_value(&from[kept - 1], &from[i]) != 0)
                from[kept++] = from[i];
        n = kept;
        if (n <= most || bits == 8)
            return (struct sources){from, n, bits};
    }
}

void ux_guard_open(struct ux_source *addr, size_t n)
{
    size_t n4 = 0;
    if (!nlisteners)
        return;
    for (size_t i = 0; i < n; i++) /* those of IPv4 to the front */
        if (is_v4(&addr[i])) {
            struct ux_source a = addr[i];
            addr[i] = addr[n4];
            addr[n4++] = a;
        }
    const struct sources v4 = fewer(addr, n4, V4_MAX, 3, 32), v6 = fewer(addr + n4, n - n4, V6_MAX, 0, 128);
    if (allow(&v4, &v6) != 0)
        ux.core->log(GS_WARN, "UCX's TCP port is open to all hosts: SO_ATTACH_FILTER: %s", strerror(errno));
}
