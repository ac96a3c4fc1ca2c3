/* SPDX-License-Identifier: BSD-3-Clause */
#include "bind.h"

#include "say.h"

#include <errno.h>
#include <hwloc.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const hwloc_obj_type_t types[] = {
    [GS_BIND_PU] = HWLOC_OBJ_PU,         [GS_BIND_CORE] = HWLOC_OBJ_CORE,       [GS_BIND_L3] = HWLOC_OBJ_L3CACHE,
    [GS_BIND_NUMA] = HWLOC_OBJ_NUMANODE, [GS_BIND_PACKAGE] = HWLOC_OBJ_PACKAGE,
};

/* The kernel's mask for a set of CPUs. */
static int mask_of(hwloc_const_cpuset_t set, struct gs_binding *b)
{
    int last = hwloc_bitmap_last(set);
    unsigned words = (unsigned)last / (sizeof(long) * CHAR_BIT) + 1;

    if (last < 0 || !(b->cpus = calloc(words, sizeof(long))))
        return -1;
    b->bytes = words * sizeof(long);
    return hwloc_bitmap_to_ulongs(set, words, b->cpus);
}

int gs_bind_plan(enum gs_bind bind, int n, struct gs_binding **plan)
{
    hwloc_topology_t topo = NULL;
    int rc = -1, places;

    *plan = NULL;
    if (bind == GS_BIND_NONE)
        return 0;
    struct gs_binding *p = calloc((size_t)n, sizeof *p);
    if (!p || hwloc_topology_init(&topo) ||
        hwloc_topology_set_flags(topo,
                                 HWLOC_TOPOLOGY_FLAG_RESTRICT_TO_CPUBINDING | HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM) ||
        hwloc_topology_load(topo)) {
        gs_say("--bind %s: cannot read this host's topology: %s", gs_bind_name(bind), strerror(errno));
        goto out;
    }
    places = hwloc_get_nbobjs_by_type(topo, types[bind]);
    if (places <= 0) {
        gs_say("--bind %s: this host shows no such place; choose another, or none", gs_bind_name(bind));
        goto out;
    }
    if (n > places && (bind == GS_BIND_CORE || bind == GS_BIND_PU))
        gs_say("--bind %s: %d PEs share %d %s%s", gs_bind_name(bind), n, places, gs_bind_name(bind),
               places > 1 ? "s" : "");
    for (int i = 0; i < n; i++) {
        int at = n > places ? (int)((long)i * places / n) : i;
        hwloc_obj_t o = hwloc_get_obj_by_type(topo, types[bind], (unsigned)at);
        if (!o || mask_of(o->cpuset, &p[i])) {
            gs_say("--bind %s: no CPUs for PE %d", gs_bind_name(bind), i);
            goto out;
        }
        snprintf(p[i].text, sizeof p[i].text, "%s %u", gs_bind_name(bind), o->logical_index);
    }
    *plan = p;
    p = NULL;
    rc = 0;
out:
    if (topo)
        hwloc_topology_destroy(topo);
    gs_bind_free(p, n);
    return rc;
}

void gs_bind_free(struct gs_binding *plan, int n)
{
    for (int i = 0; plan && i < n; i++)
        free(plan[i].cpus);
    free(plan);
}

const char *gs_bind_version(void)
{
    static char text[32];
    unsigned v = hwloc_get_api_version();
    snprintf(text, sizeof text, "%u.%u", v >> 16, v >> 8 & 0xff);
    return text;
}
