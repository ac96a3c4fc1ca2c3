/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "coll/heap.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "coll/sync.h"
#include "core/job.h"
#include "core/log.h"
#include "core/sys.h"

static struct gs_alloc *alloc;
static char *heap_base;
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
    alloc = gs_alloc_create(size);
    if (!alloc) {
        gs_error("no memory for the bookkeeping of a symmetric heap of %zu bytes: lower SHMEM_SYMMETRIC_SIZE", size);
        return -1;
    }
    heap_base = base;
    calls = 0;
    return 0;
}

void gs_heap_stop(void)
{
    gs_alloc_destroy(alloc);
    alloc = NULL;
}

struct gs_alloc_stats gs_heap_stats(void)
{
    return gs_alloc_stats(alloc);
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
    const struct gs_alloc_note *theirs = note_of(pe, seq);
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

static void *exhausted(const char *fn, size_t bytes)
{
    struct gs_alloc_stats s = gs_alloc_stats(alloc);
    if (gs.me == 0)
        gs_error("%s: no room for %zu bytes: %zu of %zu bytes of the symmetric heap are in use, the largest free piece has "
                 "%zu; raise SHMEM_SYMMETRIC_SIZE", fn, bytes, s.used, s.size, s.largest_free);
    return NULL;
}

/* Offset of a live block's start from the pointer that a program hands back. */
static size_t block_of(const char *fn, const void *p)
{
    size_t off = (uintptr_t)p - (uintptr_t)heap_base, start, bytes;
    if (off >= gs.heap_size)
        gs_die(fn, "ptr %p does not point into the symmetric heap: pass what shmem_malloc returned", p);
    if (gs_alloc_size(alloc, off))
        return off;
    if (gs_alloc_find(alloc, off, &start, &bytes))
        gs_die(fn, "ptr %p points %zu bytes into an allocation of %zu: pass its start, %p", p, off - start, bytes,
               (void *)(heap_base + start));
    gs_die(fn, "ptr %p is not allocated: it was freed already, or never came from shmem_malloc", p);
}

/* hints choose between kinds of memory; the host heap has one kind, which serves them all. */
void *gs_heap_malloc(const char *fn, size_t bytes, size_t align, long hints)
{
    (void)hints;
    if (bytes == 0)
        return NULL;
    size_t off = gs_alloc_get(alloc, bytes, align);
    barrier_and_compare(fn, off, bytes);
    return off == GS_ALLOC_FAIL ? exhausted(fn, bytes) : heap_base + off;
}

void *gs_heap_calloc(const char *fn, size_t count, size_t size)
{
    size_t bytes;
    if (count == 0 || size == 0)
        return NULL;
    if (__builtin_mul_overflow(count, size, &bytes))
        bytes = SIZE_MAX; /* no heap has room for it: the same refusal, on every PE */
    size_t off = gs_alloc_get(alloc, bytes, 1);
    if (off != GS_ALLOC_FAIL)
        memset(heap_base + off, 0, bytes); /* before the barrier: behind it a peer may write already */
    barrier_and_compare(fn, off, bytes);
    return off == GS_ALLOC_FAIL ? exhausted(fn, bytes) : heap_base + off;
}

void gs_heap_free(const char *fn, void *p)
{
    if (!p)
        return;
    size_t off = block_of(fn, p);
    barrier_and_compare(fn, off, 0);
    gs_alloc_put(alloc, off);
}

void *gs_heap_realloc(const char *fn, void *p, size_t bytes)
{
    if (!p)
        return gs_heap_malloc(fn, bytes, 1, 0);
    if (bytes == 0) {
        gs_heap_free(fn, p);
        return NULL;
    }
    size_t off = block_of(fn, p), old = gs_alloc_size(alloc, off);
    barrier_and_compare(fn, off, bytes); /* peers may still be writing into the block that is about to move */
    if (gs_alloc_resize(alloc, off, bytes)) {
        gs_barrier_world();
        return p;
    }
    size_t to = gs_alloc_get(alloc, bytes, 1);
    if (to != GS_ALLOC_FAIL) {
        memcpy(heap_base + to, p, old < bytes ? old : bytes);
        gs_alloc_put(alloc, off);
    }
    gs_barrier_world();
    return to == GS_ALLOC_FAIL ? exhausted(fn, bytes) : heap_base + to;
}


struct gs_alloc_live gs_heap_live(void)
{
    return gs_alloc_live_bits(alloc);
}
