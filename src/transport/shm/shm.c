/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared memory of one host: every PE's heap and data segment is a memfd that all others map. The files have no names,
 * so nothing can be left behind, however a PE ends. Others open them through /proc/<pid>/fd.
 */
#include <errno.h>
#include <string.h>

#include "core/log.h"
#include "transport/shm/map.h"
#include "transport/transport.h"

/* One address range for all heaps and one for all data segments: n equal strides each. */
static struct {
    char *heaps, *datas;
    size_t heaps_len, datas_len;
    char *first; /* PE 0's heap, in heaps */
    size_t heap_stride, data_stride;
    int n;
    const struct gs_peer *peers;
} map;

static char *reserve(size_t len, const char *what)
{
    char *p = gs_map_reserve(len);
    if (!p)
        gs_error("cannot reserve %zu bytes of address space for the %s of all PEs (%s): lower SHMEM_SYMMETRIC_SIZE, or "
                 "raise the address space limit (ulimit -v)",
                 len, what, strerror(errno));
    return p;
}

/* Where the memory is: at. NULL: logged. */
static char *map_part(const struct gs_record *r, int pe, const struct gs_map_file *f, char *at, size_t len,
                      const char *what)
{
    switch (gs_map_place(&at, len, f)) {
    case GS_MAP_NOT_OPENED:
        gs_error(
            "cannot open the %s of PE %d at /proc/%d/fd/%d (%s): the PEs must run as one user, in one PID namespace, "
            "with /proc mounted",
            what, pe, r->pid, f->fd, strerror(errno));
        return NULL;
    case GS_MAP_NOT_MAPPED:
        gs_error("cannot map the %s of PE %d, %zu bytes (%s)", what, pe, len, strerror(errno));
        return NULL;
    case GS_MAP_DONE:
        break;
    }
    return at;
}

static void detach(void)
{
    gs_map_unreserve(map.heaps, map.heaps_len);
    gs_map_unreserve(map.datas, map.datas_len);
    memset(&map, 0, sizeof map);
}

static int attach(int me, int n, const struct gs_local_memory *mine, const struct gs_record *records,
                  struct gs_peer *peers)
{
    size_t len = mine->heap_size + mine->sys_size;
    size_t stride = (len + mine->align - 1) & ~(mine->align - 1);
    map.n = n;
    map.peers = peers;
    map.heap_stride = stride;
    map.data_stride = mine->data_size;
    map.heaps_len = stride * (size_t)n + mine->align;
    map.heaps = reserve(map.heaps_len, "symmetric heaps");
    if (!map.heaps)
        goto fail;
    map.first = (char *)(((uintptr_t)map.heaps + mine->align - 1) & ~((uintptr_t)mine->align - 1));
    if (mine->data_fd >= 0) {
        map.datas_len = mine->data_size * (size_t)n;
        map.datas = reserve(map.datas_len, "global variables");
        if (!map.datas)
            goto fail;
    }
    for (int i = 0; i < n; i++) {
        const struct gs_map_file heap = {records[i].pid, i == me ? mine->heap_fd : records[i].heap_fd, i == me};
        const struct gs_map_file data = {records[i].pid, i == me ? mine->data_fd : records[i].data_fd, i == me};
        char *at = map.first + stride * (size_t)i;
        if (peers[i].near && !(at = map_part(&records[i], i, &heap, at, len, "symmetric heap")))
            goto fail;
        peers[i].heap = at;
        peers[i].sys = at + mine->heap_size;
        peers[i].data = NULL;
        if (!map.datas)
            continue;
        at = map.datas + mine->data_size * (size_t)i;
        if (peers[i].near && !(at = map_part(&records[i], i, &data, at, mine->data_size, "global variables")))
            goto fail;
        peers[i].data = at;
    }
    return 0;

fail: /* a range that was reserved is given back with whatever is mapped in it */
    detach();
    return -1;
}

static bool place(const void *p, struct gs_far_place *at)
{
    size_t off = (size_t)((const char *)p - map.first), stride = map.heap_stride;
    at->region = GS_FAR_HEAP;
    if (!map.first || (uintptr_t)p < (uintptr_t)map.first || off >= stride * (size_t)map.n) {
        off = (size_t)((const char *)p - map.datas);
        stride = map.data_stride;
        at->region = GS_FAR_DATA;
        if (!map.datas || (uintptr_t)p < (uintptr_t)map.datas || off >= map.datas_len)
            return false;
    }
    at->pe = (int)(off / stride);
    at->offset = off % stride;
    return !map.peers[at->pe].near;
}

const struct gs_transport gs_transport_shm = {.name = "shm", .attach = attach, .detach = detach, .place = place};
