/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The device heap: windows that are memfds, which have no names, so nothing can be left behind. All PEs map all of
 * them: one address range holds a part for every PE, at equal strides, and a window is at the same offset in each part.
 * So the address that the core gets leads to every peer by one multiplication. Window 0 holds the system segment alone.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cpu/budget.h"
#include "cpu/module.h"
#include "transport/shm/map.h"

enum { GRANULE = 2 << 20 }; /* as on a GPU: windows begin and end on it */

static size_t round_up(size_t v, size_t to)
{
    return (v + to - 1) / to * to;
}

/* ---- agreeing ---- */

struct vote {
    uint64_t ok, free_bytes;
    int pid, fd; /* where others open the window */
};

/* Did it work on every PE? free_bytes: the least of any. all: core.n votes, or NULL. Collective. */
static bool all_agree(bool ok, int fd, struct vote *all, size_t *free_bytes)
{
    size_t total, mine_free;
    struct vote *votes = all ? all : malloc((size_t)gs_cpu.core.n * sizeof *votes);
    gs_budget_tell(&mine_free, &total);
    struct vote mine = {ok, mine_free, (int)getpid(), fd};
    if (!votes)
        gs_cpu.core.die("device heap", "no memory to compare %d PEs", gs_cpu.core.n);
    if (gs_cpu.core.allgather(&mine, sizeof mine, votes) != 0)
        return false;
    *free_bytes = SIZE_MAX;
    for (int i = 0; i < gs_cpu.core.n; i++) {
        ok = ok && votes[i].ok;
        if (votes[i].free_bytes < *free_bytes)
            *free_bytes = (size_t)votes[i].free_bytes;
    }
    if (!all)
        free(votes);
    return ok;
}

/* ---- one window ---- */

static int make_fd(size_t bytes)
{
    int fd = memfd_create("gin_shmem-device", MFD_CLOEXEC);
    if (fd < 0) {
        gs_cpu_error("cannot create a window of the device heap: memfd_create: %s", strerror(errno));
        return -1;
    }
    if (ftruncate(fd, (off_t)bytes) == 0)
        return fd;
    gs_cpu_error("cannot make a window of %zu bytes (%s)", bytes, strerror(errno));
    close(fd);
    return -1;
}

static int map_part(int pe, const struct vote *v, int own_fd, size_t offset, size_t bytes)
{
    bool own = pe == gs_cpu.core.me;
    char *at = gs_cpu.flat + (size_t)pe * gs_cpu.stride + offset;
    switch (gs_map_place(&at, bytes, &(struct gs_map_file){v->pid, own ? own_fd : v->fd, own})) {
    case GS_MAP_NOT_OPENED:
        gs_cpu_error(
            "cannot open the device heap of PE %d at /proc/%d/fd/%d (%s): where kernels run on the CPU, all PEs "
            "must be on one host, run as one user, in one PID namespace, with /proc mounted",
            pe, v->pid, v->fd, strerror(errno));
        return -1;
    case GS_MAP_NOT_MAPPED:
        gs_cpu_error("cannot map %zu bytes of the device heap of PE %d (%s)", bytes, pe, strerror(errno));
        return -1;
    case GS_MAP_DONE:
        break;
    }
    return 0;
}

/* Gives the pages back, and keeps the addresses. */
static void unmap_parts(size_t offset, size_t bytes)
{
    for (int pe = 0; pe < gs_cpu.core.n; pe++)
        gs_map_clear(gs_cpu.flat + (size_t)pe * gs_cpu.stride + offset, bytes, pe == gs_cpu.core.me);
}

static size_t offset_of(const struct gs_cpu_window *w)
{
    return (size_t)(w->base - gs_cpu.flat) - (size_t)gs_cpu.core.me * gs_cpu.stride;
}

static void unmake(struct gs_cpu_window *w)
{
    unmap_parts(offset_of(w), w->bytes);
    gs_budget_give(w->bytes);
    *w = (struct gs_cpu_window){0};
}

/* Makes the next window. Collective. 0; 1: no room on some PE, not logged; all PEs come to the same answer but for
 * failures that are logged, -1. */
static int make(size_t wanted, size_t *free_bytes)
{
    struct gs_cpu_window *w = &gs_cpu.windows[gs_cpu.window_count], *last = w - 1;
    size_t bytes = round_up(wanted, GRANULE), offset = gs_cpu.window_count ? offset_of(last) + last->bytes : 0;
    struct vote *votes = malloc((size_t)gs_cpu.core.n * sizeof *votes);
    bool taken = bytes >= wanted && gs_budget_take(bytes);
    int fd = votes && taken ? make_fd(bytes) : -1, rc = 0;
    if (!votes)
        gs_cpu.core.die("device heap", "no memory to compare %d PEs", gs_cpu.core.n);
    if (!all_agree(fd >= 0, fd, votes, free_bytes)) {
        if (taken)
            gs_budget_give(bytes);
        rc = 1;
    } else {
        for (int pe = 0; pe < gs_cpu.core.n && rc == 0; pe++)
            rc = map_part(pe, &votes[pe], fd, offset, bytes);
        *w = (struct gs_cpu_window){gs_cpu.flat + (size_t)gs_cpu.core.me * gs_cpu.stride + offset, bytes};
        if (!all_agree(rc == 0, -1, NULL, free_bytes)) { /* it also tells that nobody needs our fd any more */
            unmake(w);
            rc = -1;
        }
    }
    if (fd >= 0)
        close(fd);
    free(votes);
    return rc;
}

/* ---- all of them ---- */

static int reserve(size_t sys_bytes)
{
    int n = gs_cpu.core.n;
    /* No part is longer than what a PE may have, and behind each lies an address range that faults. */
    gs_cpu.stride = round_up(gs_cpu.core.cpu_memory + sys_bytes, GRANULE) + GRANULE;
    gs_cpu.reserved_bytes = gs_cpu.stride * (size_t)n + GRANULE;
    gs_cpu.reserved =
        gs_cpu.reserved_bytes / (size_t)n < gs_cpu.core.cpu_memory ? NULL : gs_map_reserve(gs_cpu.reserved_bytes);
    if (!gs_cpu.reserved) {
        gs_cpu_error("cannot reserve %zu bytes of address space for the device heaps of %d PEs: lower "
                     "GIN_SHMEM_CPU_MEMORY, or raise the address space limit (ulimit -v)",
                     gs_cpu.reserved_bytes, n);
        return -1;
    }
    gs_cpu.flat = (char *)round_up((uintptr_t)gs_cpu.reserved, GRANULE);
    return gs_memory_add(gs_cpu.flat, gs_cpu.stride * (size_t)n, GS_MEMORY_DEVICE);
}

int gs_cpu_window_start(void)
{
    size_t free_bytes, bytes = gin_shmem_sys_bytes((uint32_t)gs_cpu.core.n, (uint32_t)gs_cpu.core.max_teams);
    gs_budget_limit(gs_cpu.core.cpu_memory);
    if (reserve(bytes))
        return -1;
    int rc = make(bytes, &free_bytes);
    if (rc > 0)
        gs_cpu_error("no room for the runtime's own %zu bytes of device memory (%zu bytes are free): raise "
                     "GIN_SHMEM_CPU_MEMORY",
                     bytes, free_bytes);
    if (rc != 0)
        return -1;
    gs_cpu.window_count = 1;
    gs_cpu.state.sys = (unsigned char *)gs_cpu.windows[0].base;
    return 0;
}

void gs_cpu_window_stop(void)
{
    while (gs_cpu.window_count > 0)
        unmake(&gs_cpu.windows[--gs_cpu.window_count]);
    gs_memory_remove(gs_cpu.flat);
    gs_map_unreserve(gs_cpu.reserved, gs_cpu.reserved_bytes);
}

int gs_cpu_window_add(size_t *bytes, void **base, size_t *free_bytes)
{
    if (gs_cpu.window_count == GIN_SHMEM_WINDOWS_MAX) {
        gs_cpu_error(
            "the device heap has grown %d times, which is the limit: raise SHMEM_SYMMETRIC_SIZE, so that it grows "
            "by larger pieces",
            GIN_SHMEM_WINDOWS_MAX - 1);
        (void)all_agree(false, -1, NULL, free_bytes);
        return 1;
    }
    int rc = make(*bytes, free_bytes);
    if (rc != 0)
        return rc;
    struct gs_cpu_window *w = &gs_cpu.windows[gs_cpu.window_count++];
    gs_cpu_state_windows();
    *bytes = w->bytes;
    *base = w->base;
    return 0;
}

/* Other processes could not map it. */
int gs_cpu_window_adopt(void *user, size_t bytes, void **base)
{
    (void)base;
    gs_cpu_error(
        "%zu bytes at %p cannot become symmetric: kernels run on the CPU, where only what the library allocates "
        "can be",
        bytes, user);
    return -1;
}

/* The last one only: the core takes back what it could not use. */
void gs_cpu_window_remove(void *base)
{
    struct gs_cpu_window *last = &gs_cpu.windows[gs_cpu.window_count - 1];
    if (gs_cpu.window_count < 2 || last->base != base)
        gs_cpu.core.die("device heap", "internal: window at %p is not the last one", base);
    gs_cpu.core.barrier();
    gs_cpu.window_count--;
    gs_cpu_state_windows();
    unmake(last);
}
