/* SPDX-License-Identifier: BSD-3-Clause */
/* How kernels fail: a report for the host where there is one, else a line from the device, then a trap. All of it out
 * of line, so that callers pay a predicted branch. */
#ifndef GIN_SHMEM_REPORT_H
#define GIN_SHMEM_REPORT_H

#include "port.h"

namespace gin_shmem_impl
{

GIN_SHMEM_COLD const char *function_name(uint32_t fn)
{
    switch (fn & 0xffff) {
#define GIN_SHMEM_FN_NAME(name) \
    case GIN_SHMEM_FN_##name:   \
        return "gin_shmem_" #name;
        GIN_SHMEM_FUNCTIONS(GIN_SHMEM_FN_NAME)
#undef GIN_SHMEM_FN_NAME
    }
    return "gin_shmem";
}

/* The host reads it, another processor: stores of the memory model, so that the simulator holds them back as well. */
template <class T>
GIN_SHMEM_FN void report(T *field, T value)
{
    typedef typename bits_of<sizeof(T)>::type V;
    store_relaxed((V *)field, (V)value);
}

/* Does not return. The first failing thread of the PE writes the report; the others wait for it, because a trap ends
 * the kernel, with the writer in it. */
GIN_SHMEM_NEVER void fail(uint32_t kind, uint32_t fn, int target, int cmp, const volatile void *address, uint64_t bytes,
                          uint64_t wanted, uint64_t seen)
{
    const struct gin_shmem_state &s = state();
    if (s.magic != GIN_SHMEM_STATE_MAGIC) {
        printf("gin_shmem: %s: called in a kernel before shmem_init made the device ready, or after shmem_finalize (a "
               "module loaded through the driver API or NVRTC needs shmemx_cumodule_init)\n",
               function_name(fn));
        trap();
    }
    if (!s.report) {
        printf("gin_shmem: PE %d: %s failed (reason %u): PE %d, address %p, %llu bytes, wanted %llu, seen %llu\n", s.me,
               function_name(fn), kind, target, (const void *)address, (unsigned long long)bytes,
               (unsigned long long)wanted, (unsigned long long)seen);
        trap();
    }
    struct gin_shmem_report *r = s.report;
    uint32_t *claim = &((struct gin_shmem_sys_head *)s.sys)->claim;
    if (!s.sys || atomic_cas(claim, 0u, 1u) == 0) {
        uint64_t a = (uint64_t)address;
        uint32_t block[3], thread[3], heap = 0;
        uint64_t offset = 0;
        thread_place(block, thread);
        if (s.sys && a - (uint64_t)s.sys < gin_shmem_sys_slot_at(&s.layout, (uint32_t)s.max_teams))
            heap = 3, offset = a - (uint64_t)s.sys;
        else if (a - s.dev.lo < s.dev.span)
            heap = 1, offset = a - s.dev.lo;
        else if (a - s.host.lo < s.host.span)
            heap = 2, offset = a - s.host.lo;
        report(&r->kind, kind), report(&r->fn, fn);
        report(&r->pe, s.me), report(&r->target, target), report(&r->cmp, cmp);
        GIN_SHMEM_UNROLLED
        for (int i = 0; i < 3; i++)
            report(&r->block[i], block[i]), report(&r->thread[i], thread[i]);
        report(&r->heap, heap), report(&r->offset, offset);
        report(&r->address, a), report(&r->bytes, bytes);
        report(&r->wanted, wanted), report(&r->seen, seen);
        store_release(&r->ready, (uint32_t)GIN_SHMEM_REPORT_READY);
        fence_complete(); /* the trap must not overtake it */
    } else {
        for (int i = 0; i < 100000 && load_relaxed(&r->ready) != GIN_SHMEM_REPORT_READY; i++)
            sleep_ns(1000);
    }
    trap();
}

GIN_SHMEM_NEVER void fail_timeout(uint32_t fn, const volatile void *address, uint64_t bytes, int cmp, uint64_t wanted,
                                  uint64_t seen)
{
    fail(GIN_SHMEM_REPORT_TIMEOUT, fn, -1, cmp, address, bytes, wanted, seen);
}

/* Why (address, pe) has no peer pointer. */
GIN_SHMEM_NEVER void fail_peer(uint32_t fn, const volatile void *address, int pe)
{
    const struct gin_shmem_state &s = state();
    uint64_t a = (uint64_t)address;
    uint32_t kind = (uint32_t)pe >= (uint32_t)s.n                              ? GIN_SHMEM_REPORT_PE
                    : a - s.dev.lo < s.dev.span || a - s.host.lo < s.host.span ? GIN_SHMEM_REPORT_UNREACHABLE
                                                                               : GIN_SHMEM_REPORT_ADDRESS;
    fail(kind, fn, pe, -1, address, 0, 0, 0);
}

/*
 * Watches a wait. The clock is read every few hundred polls only, so that short waits do not see it:
 *     for (watchdog dog; !done();) if (dog.late()) fail_timeout(...)
 */
struct watchdog {
    uint32_t polls;
    uint64_t since;

    GIN_SHMEM_METHOD watchdog() : polls(0), since(0) {}
    /* Counts a poll. True: time is up. */
    GIN_SHMEM_METHOD bool late()
    {
        relax(polls);
        if (++polls & 511)
            return false;
        return look();
    }
    GIN_SHMEM_METHOD bool look()
    {
        uint64_t limit = state().timeout_ns;
        if (!limit) /* a wait before shmem_init, when nothing can come, is over too */
            return state().magic != GIN_SHMEM_STATE_MAGIC;
        uint64_t now = clock_ns();
        if (!since) {
            since = now;
            return false;
        }
        return now - since > limit;
    }
};

} // namespace gin_shmem_impl

#endif
