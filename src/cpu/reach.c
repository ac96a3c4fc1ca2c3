/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the memory of the PEs is. Loads and stores of kernels reach the PEs of their own node. The other nodes are
 * simulated ones, on the same host: copies and the simulated network, which stand for what a real network does, have
 * their memory mapped too.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpu/module.h"
#include "transport/shm/map.h"

/* ---- the others' host heaps ---- */

/* Into the range that the core has reserved for all of them, and gives back. */
static int map_host_heap(int pe)
{
    const struct gs_device_core *core = &gs_cpu.core;
    char *at = core->host_base + (size_t)pe * core->host_stride;
    int fd = core->host_open(pe);
    enum gs_map_result rc = fd < 0
                                ? GS_MAP_NOT_OPENED
                                : gs_map_place(&at, core->host_size, &(struct gs_map_file){(int)getpid(), fd, false});
    if (rc != GS_MAP_DONE)
        gs_cpu_error(
            "cannot map the host heap of PE %d (%s): where kernels run on the CPU, all PEs must be on one host, "
            "and run as one user, in one PID namespace, with /proc mounted",
            pe, strerror(errno));
    if (fd >= 0)
        close(fd);
    return rc == GS_MAP_DONE ? 0 : -1;
}

static int find_far(void)
{
    int n = gs_cpu.core.n;
    for (int pe = 0; pe < n; pe++)
        gs_cpu.far = gs_cpu.far || !gs_cpu.core.near(pe);
    if (!gs_cpu.far)
        return 0;
    gs_cpu.rank = malloc((size_t)n * sizeof *gs_cpu.rank);
    if (!gs_cpu.rank) {
        gs_cpu_error("no memory for the table of %d PEs", n);
        return -1;
    }
    for (int pe = 0; pe < n; pe++) {
        gs_cpu.rank[pe] = gs_cpu.core.near(pe) ? pe : -1;
        if (gs_cpu.rank[pe] < 0 && map_host_heap(pe))
            return -1;
    }
    return 0;
}

int gs_cpu_reach_start(void)
{
    const struct gs_device_core *core = &gs_cpu.core;
    if (find_far())
        return -1;
    struct gin_shmem_reach r = {.me = core->me, .n = core->n, .rank = gs_cpu.rank};
    r.stride = r.span = gs_cpu.stride;
    r.lo = (uint64_t)(uintptr_t)gs_cpu.flat + (uint64_t)core->me * r.stride;
    gs_cpu.state.dev = r;
    /* Nothing needs to be pinned: kernels reach all of the host heaps from the beginning. */
    r.stride = core->host_stride;
    r.span = core->host_size;
    r.lo = (uint64_t)(uintptr_t)core->host_base + (uint64_t)core->me * r.stride;
    gs_cpu.state.host = r;
    gs_cpu.state.remote = !gs_cpu.far                          ? GIN_SHMEM_REMOTE_NONE
                          : strcmp(core->remote, "agent") == 0 ? GIN_SHMEM_REMOTE_AGENT
                                                               : GIN_SHMEM_REMOTE_SIM;
    return gs_memory_add(core->host_base, core->host_stride * (size_t)core->n, GS_MEMORY_HOST);
}

void gs_cpu_reach_stop(void)
{
    gs_memory_remove(gs_cpu.core.host_base);
    free(gs_cpu.rank);
}

int gs_cpu_host_register(size_t offset, size_t bytes)
{
    if (offset <= gs_cpu.core.host_size && bytes <= gs_cpu.core.host_size - offset)
        return 0; /* reachable since the start */
    gs_cpu_error("internal: %zu bytes at %zu are not in the host heap", bytes, offset);
    return -1;
}

/* ---- addresses ---- */

void gs_cpu_range(uintptr_t *base, size_t *span)
{
    *base = (uintptr_t)gs_cpu.state.dev.lo;
    *span = gs_cpu.state.dev.span;
}

intptr_t gs_cpu_delta(int pe)
{
    return (intptr_t)(pe - gs_cpu.core.me) * (intptr_t)gs_cpu.stride;
}

bool gs_cpu_reaches(int pe)
{
    return gs_cpu_serves(pe) && (!gs_cpu.far || gs_cpu.rank[pe] >= 0);
}

bool gs_cpu_serves(int pe)
{
    return (unsigned)pe < (unsigned)gs_cpu.core.n;
}

static bool in_heaps(const void *p, const char *base, size_t stride)
{
    return (uintptr_t)p - (uintptr_t)base < stride * (size_t)gs_cpu.core.n;
}

bool gs_cpu_is_device(const void *addr)
{
    if (in_heaps(addr, gs_cpu.flat, gs_cpu.stride))
        return true;
    if (in_heaps(addr, gs_cpu.core.host_base, gs_cpu.core.host_stride))
        return false;
    return gs_memory_find(addr) == GS_MEMORY_DEVICE;
}

static bool in_reach(const struct gin_shmem_reach *r, const void *p)
{
    return (uint64_t)(uintptr_t)p - r->lo < r->span;
}

bool gs_cpu_own(const void *p)
{
    return in_reach(&gs_cpu.state.dev, p) || in_reach(&gs_cpu.state.host, p);
}

void *gs_cpu_peer(const void *p, int pe)
{
    if (in_reach(&gs_cpu.state.dev, p))
        return (char *)(uintptr_t)p + gs_cpu_delta(pe);
    if (!in_reach(&gs_cpu.state.host, p))
        return NULL;
    return (char *)(uintptr_t)p + (intptr_t)(pe - gs_cpu.core.me) * (intptr_t)gs_cpu.core.host_stride;
}
