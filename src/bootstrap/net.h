/* SPDX-License-Identifier: BSD-3-Clause */
/* The network interface at which other hosts reach this one: GIN_SHMEM_SOCKET_IFNAME's, else the first that is up and leads
 * elsewhere; a bridge of containers comes behind those, and loopback last. */
#ifndef GS_NET_H
#define GS_NET_H

#include <net/if.h>
#include <sys/socket.h>

enum { GS_NET_NAME = IF_NAMESIZE };

struct gs_net_choice {
    struct sockaddr_storage addr; /* IPv4 or IPv6, port 0 */
    char interface[GS_NET_NAME];
};

/* 0, or nonzero and logged. */
int gs_net_choose(struct gs_net_choice *choice);

#endif
