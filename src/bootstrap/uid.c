/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A unique id: the address of a server and a random token, made by one process and carried to the others by the program.
 */
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "bootstrap/bootstrap.h"
#include "bootstrap/net.h"
#include "bootstrap/tcp.h"
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

int gs_boot_uid_make(void *out)
{
    struct uid uid = {.magic = UID_MAGIC, .version = UID_VERSION};
    struct gs_net_choice net;
    char name[64];

    if (gs_net_choose(&net))
        return -1;
    if (getrandom(uid.token, sizeof uid.token, 0) != sizeof uid.token) {
        gs_error("getrandom gives no token for the unique id: %s", strerror(errno));
        return -1;
    }
    int fd = gs_tcp_listen(&net.addr);
    gs_tcp_name((struct sockaddr *)&net.addr, name);
    if (fd < 0) {
        gs_error("cannot listen at %s (%s) for a unique id: %s", name, net.interface, strerror(errno));
        return -1;
    }
    if (net.addr.ss_family == AF_INET) {
        const struct sockaddr_in *in = (const void *)&net.addr;
        uid.family = 4;
        uid.port = ntohs(in->sin_port);
        memcpy(uid.addr, &in->sin_addr, 4);
    } else {
        const struct sockaddr_in6 *in6 = (const void *)&net.addr;
        uid.family = 6;
        uid.port = ntohs(in6->sin6_port);
        memcpy(uid.addr, &in6->sin6_addr, 16);
    }
    struct gs_tcp_server *server = gs_tcp_serve(fd, uid.token, 0);
    if (!server)
        return -1;
    gs_tcp_server_detach(server); /* it ends when every PE has left, or with this process */
    gs_info("a unique id leads to %s (%s); GIN_SHMEM_SOCKET_IFNAME chooses the interface", name, net.interface);
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
    .sees_hosts = true,
};
