/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fences, told to ThreadSanitizer, which does not know them: what a thread did before a release fence is published by
 * each relaxed store or read-modify-write of its that follows, and what it has read with relaxed accesses it acquires
 * at an acquire fence. Neither may count for what lies between the fence and the access, so the clocks of ThreadSanitizer
 * go by fibres that do nothing else. Those belong to a host thread: of a block's threads that all have fenced, one's
 * stores publish the others' fences as well, which is more than is true. Not instrumented.
 */
#include <stdbool.h>
#include <stddef.h>

#include <gin_shmem/cpu/thread.h>

void __tsan_acquire(void *address);
void __tsan_release(void *address);
void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned flags);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
enum { NO_ORDER = 1 }; /* of a switch: the two fibres are not ordered by it */

static _Thread_local void *publisher, *observer;
/* Outside kernels; in one, addresses in the thread's own struct stand for the same. */
static _Thread_local struct {
    bool fenced;
    char fence, seen;
} outside;

static bool in_kernel(void)
{
    return gin_shmem_cpu_self->stack != NULL;
}
static void *fence_of_thread(void)
{
    return in_kernel() ? (void *)&gin_shmem_cpu_self->rank : &outside.fence;
}
static void *seen_by_thread(void)
{
    return in_kernel() ? (void *)&gin_shmem_cpu_self->stack_bytes : &outside.seen;
}
static bool *fenced(void)
{
    return in_kernel() ? &gin_shmem_cpu_self->fenced : &outside.fenced;
}

/* In a fibre that only carries clocks: what is released at from is released at to. */
static void carry(void **fibre, void *from, void *to)
{
    void *const here = __tsan_get_current_fiber();
    if (!*fibre)
        *fibre = __tsan_create_fiber(0);
    __tsan_switch_to_fiber(*fibre, NO_ORDER);
    __tsan_acquire(from);
    __tsan_release(to);
    __tsan_switch_to_fiber(here, NO_ORDER);
}

/* ---- for kernels: device/gin_shmem/cpu/tsan.h ---- */
void gin_shmem_cpu_tsan_fence(void);
void gin_shmem_cpu_tsan_stores(void *word);
void gin_shmem_cpu_tsan_loaded(const void *word);

void gin_shmem_cpu_tsan_fence(void)
{
    __tsan_acquire(seen_by_thread());
    __tsan_release(fence_of_thread());
    *fenced() = true;
}
void gin_shmem_cpu_tsan_stores(void *word)
{
    if (*fenced())
        carry(&publisher, fence_of_thread(), word);
}
void gin_shmem_cpu_tsan_loaded(const void *word)
{
    carry(&observer, (void *)(uintptr_t)word, seen_by_thread());
}

/* ---- for the library: src/core/fence.h ---- */
void gs_tsan_fence(void);
void gs_tsan_stores(void *word);

void gs_tsan_fence(void)
{
    gin_shmem_cpu_tsan_fence();
}
void gs_tsan_stores(void *word)
{
    gin_shmem_cpu_tsan_stores(word);
}
