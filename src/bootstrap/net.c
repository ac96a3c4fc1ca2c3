/* SPDX-License-Identifier: BSD-3-Clause */
#include "bootstrap/net.h"

#include <errno.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/env.h"
#include "core/log.h"

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

int gs_net_choose(struct gs_net_choice *choice)
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
        memset(choice, 0, sizeof *choice);
        memcpy(&choice->addr, i->ifa_addr,
               i->ifa_addr->sa_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6));
        snprintf(choice->interface, sizeof choice->interface, "%s", i->ifa_name);
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
            gs_error("no network interface is up, not even lo: other PEs need an address to reach this one");
    }
    freeifaddrs(all);
    if (!best)
        return -1;
    if (choice->addr.ss_family == AF_INET)
        ((struct sockaddr_in *)&choice->addr)->sin_port = 0;
    else
        ((struct sockaddr_in6 *)&choice->addr)->sin6_port = 0;
    return 0;
}
