/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared memory of one host: every PE's heap and data segment is a memfd that all others map. The files have no names,
 * so nothing can be left behind, however a PE ends. Others open them through /proc/<pid>/fd.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/log.h"
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
    void *p = mmap(NULL, len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) {
        gs_error("cannot reserve %zu bytes of address space for the %s of all PEs (%s): lower SHMEM_SYMMETRIC_SIZE, or "
                 "raise the address space limit (ulimit -v)", len, what, strerror(errno));
        return NULL;
    }
    return p;
}

static int map_fd(int fd, char *at, size_t len, int pe, const char *what)
{
    if (mmap(at, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, fd, 0) != MAP_FAILED)
        return 0;
    gs_error("cannot map the %s of PE %d, %zu bytes (%s)", what, pe, len, strerror(errno));
    return -1;
}

static int map_peer(const struct gs_record *r, int pe, int fd, char *at, size_t len, const char *what)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", r->pid, fd);
    int mine = open(path, O_RDWR | O_CLOEXEC);
    if (mine < 0) {
        gs_error("cannot open the %s of PE %d at %s (%s): the PEs must run as one user, in one PID namespace, with /proc "
                 "mounted", what, pe, path, strerror(errno));
        return -1;
    }
    int rc = map_fd(mine, at, len, pe, what);
    close(mine);
    return rc;
}

static void detach(void)
{
    if (map.heaps)
        munmap(map.heaps, map.heaps_len);
    if (map.datas)
        munmap(map.datas, map.datas_len);
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
        char *at = map.first + stride * (size_t)i;
        int rc = !peers[i].near ? 0
                 : i == me ? map_fd(mine->heap_fd, at, len, me, "symmetric heap")
                         : map_peer(&records[i], i, records[i].heap_fd, at, len, "symmetric heap");
        if (rc)
            goto fail;
        peers[i].heap = at;
        peers[i].sys = at + mine->heap_size;
        peers[i].data = NULL;
        if (!map.datas)
            continue;
        at = map.datas + mine->data_size * (size_t)i;
        rc = !peers[i].near ? 0
             : i == me ? map_fd(mine->data_fd, at, mine->data_size, me, "global variables")
                     : map_peer(&records[i], i, records[i].data_fd, at, mine->data_size, "global variables");
        if (rc)
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
