/* SPDX-License-Identifier: BSD-3-Clause */
/* Which hosts, and how many PEs on each. Pure but for gs_hosts_read, which reads one file. */
#ifndef GS_LAUNCHER_HOSTS_H
#define GS_LAUNCHER_HOSTS_H

#include <stddef.h>

struct gs_host {
    char *name;
    int slots; /* as given; 0: not given */
    int pes;   /* as placed */
};
struct gs_hosts {
    struct gs_host *v;
    int n;
};

/* "a,b:4,[::1]:2"; a name given twice counts twice. 0; or -1 with why, and h empty. */
int gs_hosts_parse(const char *list, struct gs_hosts *h, char *why, size_t whylen);
/* A host on each line: "name", "name:4" or "name slots=4"; # starts a comment. */
int gs_hosts_read(const char *file, struct gs_hosts *h, char *why, size_t whylen);
/* Places n PEs (0: as many as the hosts offer) in blocks, host by host: per_node on each if not 0, else as many as its
 * slots and the rest evenly, else evenly. Hosts left without a PE are dropped. Returns the PEs placed, or -1 with why. */
int gs_hosts_place(struct gs_hosts *h, int n, int per_node, char *why, size_t whylen);
void gs_hosts_free(struct gs_hosts *h);

#endif
