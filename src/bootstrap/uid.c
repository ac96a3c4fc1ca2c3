/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A unique id: the address of a server and a random token, made by one process and carried to the others by the program.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "bootstrap/bootstrap.h"
#include "bootstrap/tcp.h"
#include "core/env.h"
#include "core/log.h"

enum { UID_VERSION = 1 };
#define UID_MAGIC UINT64_C(0x006469755f6e6967) /* "gin_uid" */

struct uid {
    uint64_t magic;
    uint16_t version;
    uint16_t family; /* 4 or 6 */
    uint16_t port;   /* host byte order, as the rest: the magic tells when that differs */
    uint16_t zero;
    uint8_t addr[16];
    uint8_t token[GS_TCP_TOKEN];
    uint8_t unused[GS_UID_BYTES - 64];
};
_Static_assert(sizeof(struct uid) == GS_UID_BYTES, "a unique id is 128 bytes");

static bool begins(const char *name, const char *with, size_t len)
{
    return !strncmp(name, with, len);
}

/* Does GIN_SHMEM_SOCKET_IFNAME allow the interface? */
static bool allowed(const char *name, const char *list)
{
    bool exclude = *list == '^';

    for (const char *p = list + exclude; *p;) {
        size_t len = strcspn(p, ",");
        if (len && begins(name, p, len))
            return !exclude;
        p += len + (p[len] == ',');
    }
    return exclude;
}

/* Higher is better; 0: useless. An interface that leads nowhere but to this host comes last. */
static int worth(const struct ifaddrs *i, const char *list)
{
    if (!i->ifa_addr || !(i->ifa_flags & IFF_UP))
        return 0;
    int family = i->ifa_addr->sa_family;
    if (family != AF_INET && family != AF_INET6)
        return 0;
    if (family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&((struct sockaddr_in6 *)i->ifa_addr)->sin6_addr))
        return 0;
    if (list && !allowed(i->ifa_name, list))
        return 0;
    int value = family == AF_INET ? 2 : 1;
    if (i->ifa_flags & IFF_LOOPBACK)
        return value;
    if (!(i->ifa_flags & IFF_RUNNING))
        return list ? value : 0;
    bool bridge = begins(i->ifa_name, "docker", 6) || begins(i->ifa_name, "virbr", 5);
    return value + (bridge ? 2 : 4);
}

static int choose_address(struct sockaddr_storage *addr, char interface[IF_NAMESIZE])
{
    const char *list = gs_env.socket_ifname && *gs_env.socket_ifname ? gs_env.socket_ifname : NULL;
    struct ifaddrs *all;
    int best = 0;

    if (getifaddrs(&all)) {
        gs_error("cannot list the network interfaces: %s", strerror(errno));
        return -1;
    }
    for (struct ifaddrs *i = all; i; i = i->ifa_next) {
        int value = worth(i, list);
        if (value <= best)
            continue;
        best = value;
        memset(addr, 0, sizeof *addr);
        memcpy(addr, i->ifa_addr,
               i->ifa_addr->sa_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6));
        snprintf(interface, IF_NAMESIZE, "%s", i->ifa_name);
    }
    if (!best) {
        char names[300] = "";
        size_t at = 0;
        for (struct ifaddrs *i = all; i && at + IF_NAMESIZE + 3 < sizeof names; i = i->ifa_next)
            if (worth(i, NULL) && !strstr(names, i->ifa_name))
                at += (size_t)snprintf(names + at, sizeof names - at, "%s%s", at ? ", " : "", i->ifa_name);
        if (list)
            gs_error("GIN_SHMEM_SOCKET_IFNAME='%s' fits no network interface with an address; there are: %s", list,
                     names);
        else
            gs_error("no network interface is up, not even lo: a unique id needs an address");
    }
    freeifaddrs(all);
    return best ? 0 : -1;
}

int gs_boot_uid_make(void *out)
{
    struct uid uid = {.magic = UID_MAGIC, .version = UID_VERSION};
    struct sockaddr_storage addr;
    char interface[IF_NAMESIZE], name[64];

    if (choose_address(&addr, interface))
        return -1;
    if (getrandom(uid.token, sizeof uid.token, 0) != sizeof uid.token) {
        gs_error("getrandom gives no token for the unique id: %s", strerror(errno));
        return -1;
    }
    if (addr.ss_family == AF_INET)
        ((struct sockaddr_in *)&addr)->sin_port = 0;
    else
        ((struct sockaddr_in6 *)&addr)->sin6_port = 0;
    int fd = gs_tcp_listen(&addr);
    gs_tcp_name((struct sockaddr *)&addr, name);
    if (fd < 0) {
        gs_error("cannot listen at %s (%s) for a unique id: %s", name, interface, strerror(errno));
        return -1;
    }
    if (addr.ss_family == AF_INET) {
        const struct sockaddr_in *in = (const void *)&addr;
        uid.family = 4;
        uid.port = ntohs(in->sin_port);
        memcpy(uid.addr, &in->sin_addr, 4);
    } else {
        const struct sockaddr_in6 *in6 = (const void *)&addr;
        uid.family = 6;
        uid.port = ntohs(in6->sin6_port);
        memcpy(uid.addr, &in6->sin6_addr, 16);
    }
    struct gs_tcp_server *server = gs_tcp_serve(fd, uid.token, 0);
    if (!server)
        return -1;
    gs_tcp_server_detach(server); /* it ends when every PE has left, or with this process */
    gs_info("a unique id leads to %s (%s); GIN_SHMEM_SOCKET_IFNAME chooses the interface", name, interface);
    memcpy(out, &uid, sizeof uid);
    return 0;
}

static enum gs_boot_probe probe(const struct gs_boot_attr *attr, char *why, size_t whylen)
{
    struct uid uid;

    if (!attr || !attr->uid) {
        snprintf(why, whylen, "the program passed no unique id (shmemx_init_attr)");
        return GS_BOOT_ABSENT;
    }
    memcpy(&uid, attr->uid, sizeof uid);
    if (uid.magic != UID_MAGIC || (uid.family != 4 && uid.family != 6) || !uid.port)
        snprintf(why, whylen,
                 "the unique id is not one: its 128 bytes must come unchanged from the process that made it");
    else if (uid.version != UID_VERSION)
        snprintf(why, whylen,
                 "the unique id is of version %d, this library reads version %d: let all PEs load the same one",
                 uid.version, UID_VERSION);
    else if (attr->size < 1 || attr->rank < 0 || attr->rank >= attr->size)
        snprintf(why, whylen, "rank %d of %d PEs is no PE: ranks go from 0 to the number of PEs - 1", attr->rank,
                 attr->size);
    else
        return GS_BOOT_USABLE;
    return GS_BOOT_BROKEN;
}

static int init(struct gs_boot *b, const struct gs_boot_attr *attr)
{
    struct gs_tcp_where where = {.n = 1};
    struct uid uid;
    char name[64], text[100];

    memcpy(&uid, attr->uid, sizeof uid);
    b->rank = attr->rank;
    b->size = attr->size;
    gs_log_pe = attr->rank;
    memcpy(where.token, uid.token, sizeof where.token);
    if (uid.family == 4) {
        struct sockaddr_in *in = (void *)&where.addr[0];
        in->sin_family = AF_INET;
        in->sin_port = htons(uid.port);
        memcpy(&in->sin_addr, uid.addr, 4);
    } else {
        struct sockaddr_in6 *in6 = (void *)&where.addr[0];
        in6->sin6_family = AF_INET6;
        in6->sin6_port = htons(uid.port);
        memcpy(&in6->sin6_addr, uid.addr, 16);
    }
    snprintf(text, sizeof text, "the unique id's address %s", gs_tcp_name((struct sockaddr *)&where.addr[0], name));
    where.name = text;
    return gs_tcp_join(b, &where);
}

const struct gs_boot_ops gs_boot_uid = {
    .name = "uid",
    .probe = probe,
    .init = init,
    .allgather = gs_tcp_allgather,
    .fence = gs_tcp_fence,
    .abort = gs_tcp_abort,
    .finalize = gs_tcp_finalize,
    .leave = gs_tcp_leave,
    .needs_watch = gs_tcp_needs_watch,
};
