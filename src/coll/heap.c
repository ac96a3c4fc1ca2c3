/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "coll/heap.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "coll/sync.h"
#include "core/device.h"
#include "core/env.h"
#include "core/job.h"
#include "core/log.h"
#include "core/sys.h"

static uint64_t calls; /* allocation calls made: the same on every PE, or else they are mismatched */

int gs_heap_make_fd(size_t heap, size_t sys)
{
    int fd = memfd_create("gin_shmem-heap", MFD_CLOEXEC);
    if (fd < 0) {
        gs_error("cannot create the symmetric heap: memfd_create: %s", strerror(errno));
        return -1;
    }
    if (ftruncate(fd, (off_t)(heap + sys)) != 0) {
        gs_error("cannot make a symmetric heap of %zu bytes (%s): lower SHMEM_SYMMETRIC_SIZE", heap, strerror(errno));
        close(fd);
        return -1;
    }
    return fd;
}

int gs_heap_start(char *base, size_t size)
{
    calls = 0;
    return gs_pool_add(GS_KIND_HOST, base, size) ? 0 : -1;
}

void gs_heap_stop(void)
{
    gs_pool_clear();
}

/* ---- comparing the calls of all PEs ---- */

static struct gs_alloc_note *note_of(int pe, uint64_t seq)
{
    return &((struct gs_sys *)gs.peer[pe].sys)->note[seq % 2];
}

/* The barrier of an allocation call. Each PE leaves a note of its call before it and reads its right neighbour's behind
 * it. Two notes by turns are enough: nobody writes a third before everybody has passed the second barrier, and so has
 * read the first note. */
static void barrier_and_compare(const char *fn, uint64_t a, uint64_t b)
{
    uint64_t seq = ++calls;
    if (!gs.check || gs.n == 1) {
        gs_barrier_world();
        return;
    }
    struct gs_alloc_note *mine = note_of(gs.me, seq);
    mine->seq = seq;
    strncpy(mine->fn, fn, sizeof mine->fn - 1);
    mine->a = a;
    mine->b = b;
    gs_barrier_world();
    int pe = (gs.me + 1) % gs.n;
    struct gs_alloc_note copy, *theirs = &copy;
    gs_load(fn, theirs, note_of(pe, seq), sizeof copy);
    if (gs_likely(theirs->seq == seq && theirs->a == a && theirs->b == b && strcmp(theirs->fn, mine->fn) == 0))
        return;
    if (theirs->seq != seq)
        gs_die(fn, "mismatched collective allocation: this is call number %llu here, but PE %d is in a barrier that "
               "belongs to no allocation; every PE must make the same allocation calls in the same order",
               (unsigned long long)seq, pe);
    gs_die(fn, "mismatched collective allocation: PE %d calls %s(%#llx, %llu) where PE %d calls %s(%#llx, %llu) (offset, "
           "bytes); every PE must make the same allocation calls in the same order",
           gs.me, mine->fn, (unsigned long long)a, (unsigned long long)b, pe, theirs->fn,
           (unsigned long long)theirs->a, (unsigned long long)theirs->b);
}

/* ---- finding room ---- */

static void *exhausted(const char *fn, enum gs_kind kind, size_t bytes)
{
    size_t size = 0, used = 0, largest = 0;
    for (int i = 0; i < gs_pool_count(); i++)
        if (gs_pool_at(i)->kind == kind) {
            struct gs_alloc_stats s = gs_alloc_stats(gs_pool_at(i)->alloc);
            size += s.size;
            used += s.used;
            largest = s.largest_free > largest ? s.largest_free : largest;
        }
    if (gs.me == 0)
        gs_error("%s: no room for %zu bytes: %zu of %zu bytes of the symmetric heap are in use, the largest free piece has "
                 "%zu; raise %s%s", fn, bytes, used, size, largest,
                 kind == GS_KIND_DEVICE ? "GIN_SHMEM_DEVICE_HEAP_MAX, or " : "SHMEM_SYMMETRIC_SIZE",
                 kind == GS_KIND_DEVICE ? gs.dev->more_memory : "");
    return NULL;
}

/* Room on the device: in a window that is there, or in a new one. Collective; the same answer on every PE. */
static void *device_get(const char *fn, size_t bytes, size_t align)
{
    void *p = gs_pool_get(GS_KIND_DEVICE, bytes, align);
    if (p)
        return p;
    size_t have = 0, want = gs_env.symmetric_size, free_bytes = 0;
    for (int i = 0; i < gs_pool_count(); i++)
        have += gs_pool_at(i)->kind == GS_KIND_DEVICE ? gs_pool_at(i)->size : 0;
    if (have == 0 && gs_env.device_symmetric_size)
        want = gs_env.device_symmetric_size;
    if (want < bytes + align)
        want = bytes + align;
    if (want < bytes || (gs_env.device_heap_max && have + want > gs_env.device_heap_max))
        return NULL;
    void *base;
    if (gs.dev->window_add(&want, &base, &free_bytes) != 0) {
        if (gs.me == 0)
            gs_error("%s: the device heap cannot grow by %zu bytes: %zu bytes of device memory are free on the fullest PE; "
                     "free some, %s, or lower SHMEM_SYMMETRIC_SIZE (the least it grows by)", fn, want, free_bytes,
                     gs.dev->more_memory);
        return NULL;
    }
    if (!gs_pool_add(GS_KIND_DEVICE, base, want)) {
        gs.dev->window_remove(base);
        return NULL;
    }
    return gs_pool_get(GS_KIND_DEVICE, bytes, align);
}

static void *get(const char *fn, enum gs_kind kind, size_t bytes, size_t align)
{
    if (kind == GS_KIND_DEVICE)
        return device_get(fn, bytes, align);
    void *p = gs_pool_get(GS_KIND_HOST, bytes, align);
    if (p && gs.dev && gs.dev->host_register((size_t)((char *)p - gs_pool_at(0)->base), bytes) != 0)
        gs_die(fn, "%zu bytes of host memory cannot be made reachable from kernels", bytes);
    return p;
}

/* Offset in its pool, for the comparison between PEs; all ones for NULL. */
static uint64_t offset_of(const void *p)
{
    const struct gs_pool *pool = p ? gs_pool_of(p) : NULL;
    return pool ? (uint64_t)((const char *)p - pool->base) : UINT64_MAX;
}

static void zero(enum gs_kind kind, void *p, size_t bytes)
{
    if (kind == GS_KIND_DEVICE)
        gs.dev->memset(p, 0, bytes);
    else
        memset(p, 0, bytes);
}

/* The pool of a live block, from the pointer to its start that a program hands back. */
static struct gs_pool *block_of(const char *fn, const void *p, size_t *offset)
{
    struct gs_pool *pool = gs_pool_of(p);
    size_t start, bytes;
    if (!pool)
        gs_die(fn, "ptr %p does not point into the symmetric heap: pass what shmem_malloc returned", p);
    *offset = (size_t)((const char *)p - pool->base);
    if (gs_alloc_size(pool->alloc, *offset))
        return pool;
    if (gs_alloc_find(pool->alloc, *offset, &start, &bytes))
        gs_die(fn, "ptr %p points %zu bytes into an allocation of %zu: pass its start, %p", p, *offset - start, bytes,
               (void *)(pool->base + start));
    gs_die(fn, "ptr %p is not allocated: it was freed already, or never came from shmem_malloc", p);
}

/* ---- the calls ---- */

void *gs_heap_malloc(const char *fn, enum gs_kind kind, size_t bytes, size_t align)
{
    if (bytes == 0)
        return NULL;
    void *p = get(fn, kind, bytes, align);
    barrier_and_compare(fn, offset_of(p), bytes);
    return p ? p : exhausted(fn, kind, bytes);
}

void *gs_heap_calloc(const char *fn, enum gs_kind kind, size_t count, size_t size)
{
    size_t bytes;
    if (count == 0 || size == 0)
        return NULL;
    if (__builtin_mul_overflow(count, size, &bytes))
        bytes = SIZE_MAX; /* no heap has room for it: the same refusal, on every PE */
    void *p = get(fn, kind, bytes, 1);
    if (p)
        zero(kind, p, bytes); /* before the barrier: behind it a peer may write already */
    barrier_and_compare(fn, offset_of(p), bytes);
    return p ? p : exhausted(fn, kind, bytes);
}

void gs_heap_free(const char *fn, void *p)
{
    size_t off;
    if (!p)
        return;
    struct gs_pool *pool = block_of(fn, p, &off);
    barrier_and_compare(fn, off, 0);
    gs_alloc_put(pool->alloc, off);
}

void *gs_heap_realloc(const char *fn, enum gs_kind kind, void *p, size_t bytes)
{
    size_t off;
    if (!p)
        return gs_heap_malloc(fn, kind, bytes, 1);
    if (bytes == 0) {
        gs_heap_free(fn, p);
        return NULL;
    }
    struct gs_pool *pool = block_of(fn, p, &off);
    size_t old = gs_alloc_size(pool->alloc, off);
    kind = pool->kind; /* it stays the kind of memory that it is */
    barrier_and_compare(fn, off, bytes); /* peers may still be writing into the block that is about to move */
    if (gs_alloc_resize(pool->alloc, off, bytes)) {
        if (kind == GS_KIND_HOST && gs.dev && gs.dev->host_register(off, bytes) != 0)
            gs_die(fn, "%zu bytes of host memory cannot be made reachable from kernels", bytes);
        gs_barrier_world();
        return p;
    }
    void *to = get(fn, kind, bytes, 1);
    if (to) {
        gs_copy(fn, to, p, old < bytes ? old : bytes, false);
        gs_alloc_put(pool->alloc, off);
    }
    gs_barrier_world();
    return to ? to : exhausted(fn, kind, bytes);
}
