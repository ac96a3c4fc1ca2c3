/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Transports make peers' symmetric memory reachable.
 *
 * Contract. attach is collective, once per initialisation, after the PEs' records have been exchanged: it fills peers[i]
 * for every PE, and maps the memory of those that are near (peers[i].near, set by the caller). The others get addresses of
 * their own too, so that a pointer tells PE and offset, but nothing is mapped there: far.h carries what goes there, and a
 * stray load or store is a fault. Returns 0, or nonzero with the reason logged and nothing mapped. After a bootstrap fence
 * every PE's memory may be used. detach undoes attach, after the last barrier.
 */
#ifndef GS_TRANSPORT_H
#define GS_TRANSPORT_H

#include "core/job.h"
#include "transport/far.h"

/* The memory that this PE offers. */
struct gs_local_memory {
    size_t heap_size; /* bytes, a multiple of the page size */
    size_t sys_size;  /* bytes of system segment behind the heap, a multiple of the page size */
    size_t align;     /* power of two: every heap starts at a multiple of it */
    int heap_fd;      /* memfd of heap_size + sys_size bytes */
    int data_fd;      /* memfd of data_size bytes, or -1 */
    size_t data_size;
};

struct gs_transport {
    const char *name;
    int (*attach)(int me, int n, const struct gs_local_memory *mine, const struct gs_record *records,
                  struct gs_peer *peers);
    void (*detach)(void);
    /* Where the far PE's memory at p is; false: p is no such address. */
    bool (*place)(const void *p, struct gs_far_place *at);
};

extern const struct gs_transport gs_transport_shm;

#endif
