/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * torchrun's environment: RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR, MASTER_PORT. PE 0 serves at MASTER_PORT or, where that port is
 * taken, at the first free one above it; the others look for it there. Job and server know each other by a hash of
 * what they have in common. These variables hold no secret, so that this keeps jobs apart and scanners out, and nobody who
 * knows or guesses them: GIN_SHMEM_TOKEN, which torchrun hands on with the rest of its environment, is one. What travels later
 * between nodes carries a random token that PE 0 gives to those who have joined.
 */
#include <errno.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bootstrap/bootstrap.h"
#include "bootstrap/tcp.h"
#include "core/log.h"

enum { PORTS = 9 }; /* MASTER_PORT and those above it that are tried */

/* There is one job at a time; its server, in PE 0. */
static struct gs_tcp_server *server;

/* A variable's number in lo..hi; -1 with why when it is not. */
static long number(const char *name, long lo, long hi, char *why, size_t whylen)
{
    const char *text = getenv(name);
    char *end;

    if (!text || !*text) {
        snprintf(why, whylen, "%s is not set; torchrun sets RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT", name);
        return -1;
    }
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno || *end || value < lo || value > hi) {
        snprintf(why, whylen, "%s='%s' is not a number from %ld to %ld", name, text, lo, hi);
        return -1;
    }
    return value;
}

struct job {
    int rank, size, local_rank, port;
    const char *addr;
};

static int read_job(struct job *j, char *why, size_t whylen)
{
    long size = number("WORLD_SIZE", 1, 1 << 20, why, whylen);
    if (size < 0)
        return -1;
    long rank = number("RANK", 0, size - 1, why, whylen);
    if (rank < 0)
        return -1;
    j->size = (int)size;
    j->rank = (int)rank;
    j->local_rank = -1;
    if (getenv("LOCAL_RANK")) {
        j->local_rank = (int)number("LOCAL_RANK", 0, size - 1, why, whylen);
        if (j->local_rank < 0)
            return -1;
    }
    if (size == 1) /* alone: nobody to meet */
        return 0;
    j->addr = getenv("MASTER_ADDR");
    if (!j->addr || !*j->addr) {
        snprintf(why, whylen, "WORLD_SIZE=%ld but MASTER_ADDR is not set: it is the host of PE 0", size);
        return -1;
    }
    j->port = (int)number("MASTER_PORT", 1, 65535, why, whylen);
    return j->port < 0 ? -1 : 0;
}

static enum gs_boot_probe probe(const struct gs_boot_attr *attr, char *why, size_t whylen)
{
    struct job j;

    (void)attr;
    if (!getenv("WORLD_SIZE")) {
        snprintf(why, whylen, "WORLD_SIZE is not set; torchrun sets it with RANK, MASTER_ADDR and MASTER_PORT");
        return GS_BOOT_ABSENT;
    }
    return read_job(&j, why, whylen) ? GS_BOOT_BROKEN : GS_BOOT_USABLE;
}

/* FNV-1a, continued. */
static uint64_t mix(uint64_t h, const char *text)
{
    for (const char *p = text ? text : "";; p++) {
        h = (h ^ (unsigned char)*p) * UINT64_C(0x100000001b3);
        if (!*p)
            return h;
    }
}

/* WORLD_SIZE is not in it: PEs that differ in that alone shall meet, to be told so. */
static void token_of(uint8_t token[GS_TCP_TOKEN])
{
    static const char *const names[] = {"MASTER_ADDR", "MASTER_PORT", "TORCHELASTIC_RUN_ID",
                                        "TORCHELASTIC_RESTART_COUNT", "GIN_SHMEM_TOKEN"};

    for (unsigned word = 0; word < GS_TCP_TOKEN / 8; word++) {
        uint64_t h = UINT64_C(0xcbf29ce484222325) + word;
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            h = mix(h, getenv(names[i]));
        memcpy(token + 8 * word, &h, 8);
    }
}

/* The ports at which PE 0 may serve, in order. */
static int ports_of(const struct job *j, int port[PORTS])
{
    const char *store = getenv("TORCHELASTIC_USE_AGENT_STORE");
    bool taken = store && (!strcmp(store, "True") || !strcmp(store, "true") || !strcmp(store, "1"));
    int n = 0;

    for (int i = taken; i < PORTS; i++)
        port[n++] = j->port + i <= 65535 ? j->port + i : j->port - (j->port + i - 65535);
    return n;
}

static void set_port(struct sockaddr_storage *addr, int port)
{
    if (addr->ss_family == AF_INET)
        ((struct sockaddr_in *)addr)->sin_port = htons((uint16_t)port);
    else
        ((struct sockaddr_in6 *)addr)->sin6_port = htons((uint16_t)port);
}

static struct addrinfo *resolve(const struct job *j)
{
    struct addrinfo hint = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM}, *found = NULL;
    int rc = getaddrinfo(j->addr, NULL, &hint, &found);

    if (rc)
        gs_error("MASTER_ADDR='%s' does not resolve: %s", j->addr,
                 rc == EAI_SYSTEM ? strerror(errno) : gai_strerror(rc));
    return found;
}

static bool is_loopback(const struct sockaddr *addr)
{
    if (addr->sa_family == AF_INET)
        return ntohl(((const struct sockaddr_in *)addr)->sin_addr.s_addr) >> 24 == 127;
    return addr->sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)addr)->sin6_addr);
}

/* A socket that listens at the first free of the ports. A name for this host may resolve to a loopback address here and
 * to a real one elsewhere, so only a MASTER_ADDR that is loopback by its text stays there. */
static int open_listener(const struct job *j, const struct sockaddr *master, char name[64])
{
    struct sockaddr_storage addr = {0};
    bool local =
        is_loopback(master) && (!strcmp(j->addr, "localhost") || strspn(j->addr, "0123456789.:") == strlen(j->addr));
    int port[PORTS], n = ports_of(j, port);

    for (int i = 0; i < n; i++) {
        for (int family = 0; family < 2; family++) {
            memset(&addr, 0, sizeof addr);
            if (local && family == 1)
                break;
            if (local)
                memcpy(&addr, master,
                       master->sa_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6));
            else
                addr.ss_family =
                    family == 0 ? AF_INET6 : AF_INET; /* IPv6's any takes IPv4 as well, where there is IPv6 */
            set_port(&addr, port[i]);
            int fd = gs_tcp_listen(&addr);
            if (fd >= 0) {
                gs_tcp_name((struct sockaddr *)&addr, name);
                return fd;
            }
            if (errno == EADDRINUSE)
                break;
        }
    }
    gs_error("PE 0 cannot listen at MASTER_ADDR=%s, ports %d to %d: %s; choose another MASTER_PORT", j->addr, port[0],
             port[n - 1], strerror(errno));
    return -1;
}

static int init(struct gs_boot *b, const struct gs_boot_attr *attr)
{
    struct job j = {0};
    struct gs_tcp_where where = {.search = true};
    char why[512], name[300], at[64];
    int port[PORTS];

    (void)attr;
    if (read_job(&j, why, sizeof why)) {
        gs_error("%s", why);
        return -1;
    }
    b->rank = j.rank;
    b->size = j.size;
    b->local_rank = j.local_rank;
    gs_log_pe = j.rank;
    if (j.size == 1)
        return 0;

    struct addrinfo *found = resolve(&j);
    if (!found)
        return -1;
    int n = ports_of(&j, port);
    token_of(where.token);
    snprintf(name, sizeof name, "MASTER_ADDR=%.200s, ports %d to %d", j.addr, port[0], port[n - 1]);
    where.name = name;
    for (int i = 0; i < n; i++) {
        for (struct addrinfo *a = found; a && where.n < GS_TCP_ADDRS; a = a->ai_next) {
            if (a->ai_family != AF_INET && a->ai_family != AF_INET6)
                continue;
            memcpy(&where.addr[where.n], a->ai_addr, a->ai_addrlen);
            set_port(&where.addr[where.n++], port[i]);
        }
    }

    int rc = -1;
    if (j.rank == 0) {
        int fd = open_listener(&j, found->ai_addr, at);
        if (fd < 0)
            goto out;
        server = gs_tcp_serve(fd, where.token, j.size);
        if (!server)
            goto out;
        gs_info("the bootstrap server of this job listens at %s", at);
    }
    rc = gs_tcp_join(b, &where);
    if (rc && server) {
        gs_tcp_server_stop(server);
        server = NULL;
    }
out:
    freeaddrinfo(found);
    return rc;
}

/* A job of one has no connection. */
static int allgather(struct gs_boot *b, const void *mine, size_t len, void *all)
{
    if (b->state)
        return gs_tcp_allgather(b, mine, len, all);
    return gs_boot_singleton.allgather(b, mine, len, all);
}

static int fence(struct gs_boot *b)
{
    return b->state ? gs_tcp_fence(b) : 0;
}

static void end_job(struct gs_boot *b, int status, const char *message)
{
    if (b->state)
        gs_tcp_abort(b, status, message);
    else
        gs_boot_singleton.abort(b, status, message);
}

static int finalize(struct gs_boot *b)
{
    int rc = b->state ? gs_tcp_finalize(b) : 0;

    if (server) {
        if (rc)
            gs_tcp_server_stop(server);
        else
            gs_tcp_server_join(server);
    }
    server = NULL;
    return rc;
}

static void leave(struct gs_boot *b)
{
    if (b->state)
        gs_tcp_leave(b);
}

const struct gs_boot_ops gs_boot_env = {
    .name = "env",
    .probe = probe,
    .init = init,
    .allgather = allgather,
    .fence = fence,
    .abort = end_job,
    .finalize = finalize,
    .leave = leave,
    .needs_watch = gs_tcp_needs_watch,
    .sees_hosts = true,
};
