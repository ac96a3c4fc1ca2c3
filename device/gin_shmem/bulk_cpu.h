/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bulk copies through lent shared memory, on the CPU: part of port_cpu.h. They are made as late as their contract
 * (bulk_cuda.h) allows, so that a wait left out shows: a load when its mbarrier is waited for, a store when its reading
 * or its end is. What they see of memory is the simulator's to say, where it runs. Static shared memory is not told from other memory: only dynamic shared memory can be lent.
 */
#ifndef GIN_SHMEM_BULK_CPU_H
#define GIN_SHMEM_BULK_CPU_H

namespace gin_shmem_impl
{

static const bool bulk_available = true;

GIN_SHMEM_FN bool is_shared(const void *p)
{
    const struct gin_shmem_cpu_thread *t = gin_shmem_cpu_self;
    return (uintptr_t)p - (uintptr_t)t->shared < t->shared_bytes;
}
GIN_SHMEM_FN bool is_global(const void *p)
{
    const struct gin_shmem_cpu_thread *t = gin_shmem_cpu_self;
    return !is_shared(p) && (uintptr_t)p - (uintptr_t)t->stack >= t->stack_bytes;
}

enum : uint32_t { LOCK_HELD = 0xffffffffu };
GIN_SHMEM_FN uint32_t lock_take(uint32_t *word)
{
    return __atomic_exchange_n(word, (uint32_t)LOCK_HELD, __ATOMIC_ACQUIRE);
}
GIN_SHMEM_FN void lock_give(uint32_t *word, uint32_t value)
{
    struct gin_shmem_cpu_stores *s = gin_shmem_cpu_self->stores;
    if (__builtin_expect(s != nullptr, 0))
        s->share(s);
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

GIN_SHMEM_FN void bulk_fence_global()
{
    struct gin_shmem_cpu_stores *s = gin_shmem_cpu_self->stores;
    if (__builtin_expect(s != nullptr, 0))
        s->bulk_fence(s, 0);
}
GIN_SHMEM_FN void bulk_fence_shared()
{
    struct gin_shmem_cpu_stores *s = gin_shmem_cpu_self->stores;
    if (__builtin_expect(s != nullptr, 0))
        s->bulk_fence(s, 1);
}

/* Makes copy i of those that wait. */
GIN_SHMEM_FN void bulk_make(unsigned i)
{
    struct gin_shmem_cpu_thread *t = gin_shmem_cpu_self;
    if (__builtin_expect(t->stores != nullptr, 0))
        t->stores->bulk(t->stores, &t->bulk[i]);
    else
        memcpy(t->bulk[i].to, t->bulk[i].from, t->bulk[i].bytes);
    if (t->bulk[i].bar)
        *t->bulk[i].bar ^= 1; /* the phase is complete: one copy to a phase */
    t->bulks--;
    memmove(&t->bulk[i], &t->bulk[i + 1], (t->bulks - i) * sizeof t->bulk[0]);
}
GIN_SHMEM_COLD void bulk_add(void *to, const void *from, uint32_t bytes, uint64_t *bar)
{
    struct gin_shmem_cpu_thread *t = gin_shmem_cpu_self;
    if (t->bulks == GIN_SHMEM_CPU_BULKS)
        bulk_make(0);
    t->bulk[t->bulks++] = {to, from, bar, bytes};
}

/* A word is the parity of the phase that it is in. */
GIN_SHMEM_FN void mbar_init(uint64_t *bar)
{
    struct gin_shmem_cpu_stores *s = gin_shmem_cpu_self->stores;
    if (__builtin_expect(s != nullptr, 0))
        s->bulk_touch(s, 0);
    *bar = 0;
}
/* The memory is the program's again. */
GIN_SHMEM_FN void mbar_invalidate(uint64_t *)
{
    struct gin_shmem_cpu_stores *s = gin_shmem_cpu_self->stores;
    if (__builtin_expect(s != nullptr, 0))
        s->bulk_touch(s, 1);
}
GIN_SHMEM_COLD void mbar_wait(uint64_t *bar, uint32_t phase)
{
    const struct gin_shmem_cpu_thread *t = gin_shmem_cpu_self;
    for (unsigned i = 0; i < t->bulks && *bar == phase;)
        if (t->bulk[i].bar == bar)
            bulk_make(i);
        else
            i++;
    if (*bar == phase) {
        printf("gin_shmem: internal: a wait for a bulk copy that nobody has asked for\n");
        trap();
    }
}
GIN_SHMEM_FN void bulk_load(void *shared, const void *from, uint32_t bytes, uint64_t *bar)
{
    bulk_add(shared, from, bytes, bar);
}
GIN_SHMEM_FN void bulk_store(void *to, const void *shared, uint32_t bytes)
{
    bulk_add(to, shared, bytes, nullptr);
}
/* Stores alone, oldest first, until so many are left. */
GIN_SHMEM_COLD void bulk_stores(unsigned keep)
{
    const struct gin_shmem_cpu_thread *t = gin_shmem_cpu_self;
    unsigned stores = 0;
    for (unsigned i = 0; i < t->bulks; i++)
        stores += t->bulk[i].bar == nullptr;
    for (unsigned i = 0; stores > keep;)
        if (!t->bulk[i].bar) {
            bulk_make(i);
            stores--;
        } else {
            i++;
        }
}
GIN_SHMEM_FN void bulk_wait_reads_but_one()
{
    bulk_stores(1);
}
GIN_SHMEM_FN void bulk_wait_stores()
{
    bulk_stores(0);
}

} // namespace gin_shmem_impl

#endif
