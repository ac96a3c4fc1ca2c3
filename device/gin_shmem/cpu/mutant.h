/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For tests/mutants alone: -DGIN_SHMEM_MUTANT="order.h:27" leaves out the fence, quiet, release or acquire at that place
 * of the device headers. Included by port_cpu.h and fabric.h at their ends, and by tests/unit/gin_kernels_test.cc, in such
 * builds only.
 */
#ifndef GIN_SHMEM_MUTANT_HERE

namespace gin_shmem_impl
{

/* Is it the place, given as "file:line"? path: of the file, with folders. */
constexpr bool mutant_at(const char *path, unsigned line)
{
    const char *place = GIN_SHMEM_MUTANT, *file = path;
    for (const char *p = path; *p; p++)
        if (*p == '/')
            file = p + 1;
    while (*file && *file == *place)
        file++, place++;
    unsigned wanted = 0;
    if (*file || *place != ':')
        return false;
    while (*++place)
        wanted = wanted * 10 + (unsigned)(*place - '0');
    return wanted == line;
}

/* A load that does not acquire, but gives way to other threads as the one that does. */
template <class T>
GIN_SHMEM_FN T load_mutant(const T *p)
{
    gin_shmem_cpu_tick();
    return load_relaxed(p);
}
GIN_SHMEM_FN uint32_t lock_take_mutant(uint32_t *word)
{
    return __atomic_exchange_n(word, (uint32_t)LOCK_HELD, __ATOMIC_RELAXED);
}

} // namespace gin_shmem_impl

#define GIN_SHMEM_MUTANT_HERE gin_shmem_impl::mutant_at(__FILE__, __LINE__)

#define fence_order()             (GIN_SHMEM_MUTANT_HERE ? (void)0 : (fence_order)())
#define fence_complete()          (GIN_SHMEM_MUTANT_HERE ? (void)0 : (fence_complete)())
#define __threadfence()           (GIN_SHMEM_MUTANT_HERE ? (void)0 : (__threadfence)())
#define load_acquire(p)           (GIN_SHMEM_MUTANT_HERE ? load_mutant(p) : (load_acquire)(p))
#define store_release(p, v)       (GIN_SHMEM_MUTANT_HERE ? (store_relaxed)(p, v) : (store_release)(p, v))
#define reduce_add_release(p, v)  (GIN_SHMEM_MUTANT_HERE ? (reduce_add)(p, v) : (reduce_add_release)(p, v))
#define bulk_fence_global()       (GIN_SHMEM_MUTANT_HERE ? (void)0 : (bulk_fence_global)())
#define bulk_fence_shared()       (GIN_SHMEM_MUTANT_HERE ? (void)0 : (bulk_fence_shared)())
#define bulk_wait_reads_but_one() (GIN_SHMEM_MUTANT_HERE ? (void)0 : (bulk_wait_reads_but_one)())
#define bulk_wait_stores()        (GIN_SHMEM_MUTANT_HERE ? (void)0 : (bulk_wait_stores)())
#define lock_take(p)              (GIN_SHMEM_MUTANT_HERE ? lock_take_mutant(p) : (lock_take)(p))
#define lock_give(p, v)           (GIN_SHMEM_MUTANT_HERE ? __atomic_store_n(p, v, __ATOMIC_RELAXED) : (lock_give)(p, v))
/* GIN's: a count that is not waited for, a signal that carries no order. */
#define gin_reached(now, least) (GIN_SHMEM_MUTANT_HERE || (gin_reached)(now, least))
#define gin_nccl_put(o, with) \
    (gin_nccl_put)(o, GIN_SHMEM_MUTANT_HERE && (with) == GIN_SIGNAL ? (int)GIN_COUNT : (int)(with))

#elif !defined(remote_quiet) /* the second time: behind fabric.h */

#define remote_quiet(pe, fn) (GIN_SHMEM_MUTANT_HERE ? (void)0 : (remote_quiet)(pe, fn))
#define remote_fence(pe, fn) (GIN_SHMEM_MUTANT_HERE ? (void)0 : (remote_fence)(pe, fn))
#define remote_flush(pe, fn) (GIN_SHMEM_MUTANT_HERE ? (void)0 : (remote_flush)(pe, fn))

#endif
