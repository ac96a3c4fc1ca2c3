/* SPDX-License-Identifier: BSD-3-Clause */
/* Where each PE may run. */
#ifndef GS_LAUNCHER_BIND_H
#define GS_LAUNCHER_BIND_H

#include "options.h"

struct gs_binding {
    unsigned long *cpus; /* as sched_setaffinity takes it */
    size_t bytes;
    char text[64]; /* for people: "core 3" */
};

/* Plans n PEs: consecutive PEs on neighbouring places; with more PEs than places, blocks of them share one. Only what
 * this process may use counts (cgroups, taskset). *plan is NULL for GS_BIND_NONE. 0, or -1, printed. */
int gs_bind_plan(enum gs_bind bind, int n, struct gs_binding **plan);
void gs_bind_free(struct gs_binding *plan, int n);
const char *gs_bind_version(void); /* hwloc's */

#endif
