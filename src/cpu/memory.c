/* SPDX-License-Identifier: BSD-3-Clause */
/* What memory is whose: ranges that somebody has added, sorted by address. */
#define _GNU_SOURCE
#include "cpu/machine.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct range {
    uintptr_t base;
    size_t bytes;
    enum gs_memory_kind kind;
};

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct range *ranges;
static size_t count, room;

/* Index of the first range that begins above a. */
static size_t above(uintptr_t a)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (ranges[middle].base <= a)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int gs_memory_add(void *base, size_t bytes, enum gs_memory_kind kind)
{
    int e = GS_MACHINE_OK;
    pthread_rwlock_wrlock(&lock);
    if (count == room) {
        size_t more = room ? 2 * room : 64;
        struct range *r = realloc(ranges, more * sizeof *r);
        if (r)
            ranges = r, room = more;
        else
            e = GS_MACHINE_NO_MEMORY;
    }
    if (!e) {
        size_t at = above((uintptr_t)base);
        memmove(&ranges[at + 1], &ranges[at], (count - at) * sizeof *ranges);
        ranges[at] = (struct range){(uintptr_t)base, bytes, kind};
        count++;
    }
    pthread_rwlock_unlock(&lock);
    return e;
}

size_t gs_memory_remove(void *base)
{
    size_t bytes = 0;
    pthread_rwlock_wrlock(&lock);
    size_t at = above((uintptr_t)base);
    if (at && ranges[at - 1].base == (uintptr_t)base) {
        bytes = ranges[at - 1].bytes;
        memmove(&ranges[at - 1], &ranges[at], (count - at) * sizeof *ranges);
        count--;
    }
    pthread_rwlock_unlock(&lock);
    return bytes;
}

enum gs_memory_kind gs_memory_find(const void *p)
{
    enum gs_memory_kind kind = GS_MEMORY_HOST_PLAIN;
    pthread_rwlock_rdlock(&lock);
    size_t at = above((uintptr_t)p);
    if (at && (uintptr_t)p - ranges[at - 1].base < ranges[at - 1].bytes)
        kind = ranges[at - 1].kind;
    pthread_rwlock_unlock(&lock);
    return kind;
}
