/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Asynchronous bulk copies between global and shared memory (sm_90 and newer), part of the CUDA side of port.h.
 *
 * They run in the async proxy. What that needs, and who does it: the fences order this thread's
 * earlier ordinary accesses to that memory (and those it has observed) before later bulk copies; a finished copy is
 * visible to ordinary accesses without a fence, a load once its mbarrier's phase is seen complete, a store once
 * bulk_wait_stores returns. bulk_wait_stores means performed, not only read, so an ordinary system-scope fence or
 * release behind it covers the data, remote too.
 */
#ifndef GIN_SHMEM_BULK_CUDA_H
#define GIN_SHMEM_BULK_CUDA_H

namespace gin_shmem_impl
{

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define GIN_SHMEM_BULK 1
#else
#define GIN_SHMEM_BULK 0
#endif
static const bool bulk_available = GIN_SHMEM_BULK;

GIN_SHMEM_FN uint32_t shared_address(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}
GIN_SHMEM_FN bool is_global(const void *p)
{
    return __isGlobal(p) != 0;
}
GIN_SHMEM_FN bool is_shared(const void *p)
{
    return __isShared(p) != 0;
}

/* A word of shared memory that one thread of the block holds at a time; what it keeps meanwhile is the word's value,
 * which is not LOCK_HELD. lock_take gives LOCK_HELD when another has it. */
enum : uint32_t { LOCK_HELD = 0xffffffffu };
GIN_SHMEM_FN uint32_t lock_take(uint32_t *word)
{
    unsigned old;
    asm volatile("atom.acquire.cta.shared.exch.b32 %0, [%1], %2;"
                 : "=r"(old)
                 : "r"(shared_address(word)), "r"(LOCK_HELD)
                 : "memory");
    return old;
}
GIN_SHMEM_FN void lock_give(uint32_t *word, uint32_t value)
{
    asm volatile("atom.release.cta.shared.exch.b32 _, [%0], %1;" ::"r"(shared_address(word)), "r"(value) : "memory");
}

#if GIN_SHMEM_BULK

GIN_SHMEM_FN void bulk_fence_global()
{
    asm volatile("fence.proxy.async.global;" ::: "memory");
}
GIN_SHMEM_FN void bulk_fence_shared()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

GIN_SHMEM_FN void mbar_init(uint64_t *bar)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(bar)) : "memory");
}
GIN_SHMEM_FN void mbar_invalidate(uint64_t *bar)
{
    asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(shared_address(bar)) : "memory");
}
GIN_SHMEM_FN void mbar_wait(uint64_t *bar, uint32_t phase)
{
    asm volatile("{\n"
                 ".reg .pred p;\n"
                 "again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
                 "@!p bra again;\n"
                 "}" ::"r"(shared_address(bar)),
                 "r"(phase)
                 : "memory");
}

/* bytes, and both addresses, are multiples of 16. */
GIN_SHMEM_FN void bulk_load(void *shared, const void *from, uint32_t bytes, uint64_t *bar)
{
    uint32_t b = shared_address(bar);
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(b), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(shared)),
                 "l"(global(from)), "r"(bytes), "r"(b)
                 : "memory");
}
GIN_SHMEM_FN void bulk_store(void *to, const void *shared, uint32_t bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(global(to)),
                 "r"(shared_address(shared)), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
/* Until all stores of this thread but the newest one have read their shared memory. */
GIN_SHMEM_FN void bulk_wait_reads_but_one()
{
    asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
}
GIN_SHMEM_FN void bulk_wait_stores()
{
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

#else

GIN_SHMEM_FN void bulk_fence_global() {}
GIN_SHMEM_FN void bulk_fence_shared() {}
GIN_SHMEM_FN void mbar_init(uint64_t *) {}
GIN_SHMEM_FN void mbar_invalidate(uint64_t *) {}
GIN_SHMEM_FN void mbar_wait(uint64_t *, uint32_t) {}
GIN_SHMEM_FN void bulk_load(void *, const void *, uint32_t, uint64_t *) {}
GIN_SHMEM_FN void bulk_store(void *, const void *, uint32_t) {}
GIN_SHMEM_FN void bulk_wait_reads_but_one() {}
GIN_SHMEM_FN void bulk_wait_stores() {}

#endif

} // namespace gin_shmem_impl

#endif
