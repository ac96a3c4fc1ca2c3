/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The way to a peer, and the only header that names NCCL.
 *
 * A peer is near or far. Near: its copy of a symmetric object has an address here, which try_peer() works out with one
 * multiply-add from the state (the device heap is asked first, then host memory that kernels reach). Far: it has none,
 * and a side (state.remote) carries remote operations to it. Where there is neither, the kernel ends with the
 * operation's name. peer() decides: an address, NULL for far, or no return. Nothing else computes remote addresses.
 *
 * The contract of remote operations, for callers and for sides
 *
 * Who calls. Any one thread, any number of them at a time; for a group, its first thread, between two syncs. dest (source
 * of a get) is an own symmetric address: pe's object of the same name is meant. fn is for reports. A call may wait for
 * room or for completion, and then watches the clock (GIN_SHMEM_TIMEOUT).
 *
 * What went before. Transfers out of memory begin with a release at system scope (here; a side need not): the network
 * reads what the calling thread wrote to the source, or has observed of others (through sync, say). Other operations do
 * not: a flag for what was stored locally, or to near PEs, needs its fence.
 *
 * The other side of a transfer is any memory that the calling thread can address: global, shared, constant, its own
 * variables. A side that can send from registered memory alone stages the rest, in pieces of what room it has; callers
 * keep what is big in symmetric memory. Symmetric sources are read where they lie, and late.
 *
 * Order: none. Puts arrive in any order, also the pieces of one put, also at one address; nothing follows from two
 * operations having the same thread, target or network queue. (GIN orders a signal behind earlier puts of its context:
 * a side spreads operations over contexts as it likes, so callers may not count on it.) What is promised:
 *   unit        an aligned word of 8 bytes (or of 4, 2, 1) arrives whole, where source and dest are aligned to it alike
 *   put_signal  whoever sees the signal with an acquire sees its own payload, complete
 *   amo         atomic with all AMOs, signals and word accesses to that word, also of PEs that are near to it
 *   fence(pe)   what this PE began before, in any thread that the caller has observed, is performed at pe before what it
 *               begins behind it; pe -1: at each PE.
 *   quiet(pe)   all that is performed: whoever is told of it sees it; results of gets and AMOs are in place. Costs by
 *               the PEs that were written to since their last quiet, not by the size of the job
 *   flush(pe)   weaker: sources may be changed. Says nothing of arrival
 * wait: a put returns when its source may be changed, a get when its data is in place; without it, that holds after
 * flush (puts) or quiet. A fetching AMO returns with the value; one that does not fetch is complete at quiet. Bytes may
 * be 0.
 *
 * So a collective's mail, whose 8-byte words bring their flag along, is one put; a flag behind data is a put_signal, or
 * follows a quiet; and a word that is set twice is two words by turns.
 */
#ifndef GIN_SHMEM_FABRIC_H
#define GIN_SHMEM_FABRIC_H

#include "report.h"

/*
 * Far PEs, in kernels of this file. GIN_SHMEM_FAR=0 leaves out all that serves them, at compile time, and with it what it
 * costs near operations: a call that returns needs registers which survive it. An operation on a far PE then ends the
 * kernel, by name.
 */
#ifndef GIN_SHMEM_FAR
#define GIN_SHMEM_FAR 1
#endif

#if GIN_SHMEM_FAR
#include "fabric_agent.h"
#endif
#if GIN_SHMEM_FAR && defined(GIN_SHMEM_CPU)
#include "fabric_sim.h"
#endif

/*
 * NCCL's GIN in kernels of this file, for nvcc and C++17: a program that defines GIN_SHMEM_WITH_GIN to 1 gets it, with
 * <nccl_device.h> of the NCCL version that the library was built with. It is not the default because it costs kernels on
 * near PEs registers as well, and brings NCCL's headers and their names. Without it the agent serves far PEs.
 */
#ifndef GIN_SHMEM_WITH_GIN
#define GIN_SHMEM_WITH_GIN 0
#endif
#if GIN_SHMEM_WITH_GIN && (!GIN_SHMEM_FAR || defined(GIN_SHMEM_CPU) || defined(__CUDACC_RTC__))
#undef GIN_SHMEM_WITH_GIN
#define GIN_SHMEM_WITH_GIN 0
#endif
#if GIN_SHMEM_WITH_GIN
#include "fabric_gin.h"
#endif

/* NCCL's own types, for extension authors: complete when they include <nccl_device.h>, before or after. */
struct ncclDevComm;
struct ncclWindow_vidmem;

namespace gin_shmem_impl
{

/* Rank of world PE pe in r, anything outside 0 .. r.n-1 when it is not in reach. */
GIN_SHMEM_FN int reach_rank(const struct gin_shmem_reach &r, int pe)
{
    if (!r.rank)
        return pe - r.first;
    return (uint32_t)pe < (uint32_t)state().n ? r.rank[pe] : -1;
}

GIN_SHMEM_FN uint64_t reach_address(const struct gin_shmem_reach &r, uint64_t a, int rank)
{
    return a + (uint64_t)((int64_t)(rank - r.me) * (int64_t)r.stride);
}

/* The address of own symmetric address a at pe, where the device heap and PEs in the launcher's order do not say it;
 * 0 when there is none. */
GIN_SHMEM_COLD uint64_t reach_elsewhere(uint64_t a, int pe)
{
    const struct gin_shmem_state &s = state();
    const struct gin_shmem_reach &r = a - s.dev.lo < s.dev.span ? s.dev : s.host;
    if (a - r.lo >= r.span)
        return 0;
    int rank = reach_rank(r, pe);
    return (uint32_t)rank < (uint32_t)r.n ? reach_address(r, a, rank) : 0;
}

/* NULL when there is none. The usual case has one branch, behind loads that do not wait for one another: it stands
 * between what a kernel has waited for and what it sends. */
template <class T>
GIN_SHMEM_FN T *try_peer(T *p, int pe)
{
    const struct gin_shmem_reach &r = state().dev;
    const uint64_t a = (uint64_t)p;
    const int rank = pe - r.first;
    if (a - r.lo < r.span && (uint32_t)rank < (uint32_t)r.in_order)
        return (T *)reach_address(r, a, rank);
    return (T *)reach_elsewhere(a, pe);
}

/* How many windows the device heap has; their entries are visible. */
GIN_SHMEM_FN uint32_t window_count()
{
    const struct gin_shmem_windows *w = state().windows;
    return w ? load_acquire(&w->count) : 0;
}

/* True when some PEs are far, and served. */
GIN_SHMEM_FN bool has_far()
{
    return GIN_SHMEM_FAR && state().remote != GIN_SHMEM_REMOTE_NONE;
}

/* q: what peer() gave. */
GIN_SHMEM_FN bool is_far(const volatile void *q)
{
    return GIN_SHMEM_FAR && !q;
}

/* p has no address at pe: returns when a side serves it all the same. */
#if GIN_SHMEM_FAR
GIN_SHMEM_COLD void need_side(uint32_t fn, const volatile void *p, int pe)
{
    const struct gin_shmem_state &s = state();
    bool symmetric = (uint64_t)p - s.dev.lo < s.dev.span || (uint64_t)p - s.host.lo < s.host.span;
    if (!has_far() || !symmetric || (uint32_t)pe >= (uint32_t)s.n)
        fail_peer(fn, p, pe);
}
#else
GIN_SHMEM_FN void need_side(uint32_t fn, const volatile void *p, int pe)
{
    fail_peer(fn, p, pe);
}
#endif

/* The peer's copy of own symmetric p; NULL when pe is far. Traps, naming fn, when there is no way to it. */
template <class T>
GIN_SHMEM_FN T *peer(T *p, int pe, uint32_t fn)
{
    T *q = try_peer(p, pe);
    if (!q)
        need_side(fn, p, pe);
    return q;
}

/* An operation on the side that serves this job. */
#if !GIN_SHMEM_FAR
#define GIN_SHMEM_REMOTE(OP, ...) trap() /* not reached: has_far() is false */
#elif defined(GIN_SHMEM_CPU)
#define GIN_SHMEM_REMOTE(OP, ...) \
    return state().remote == GIN_SHMEM_REMOTE_SIM ? gin_shmem_sim_##OP(__VA_ARGS__) : agent_##OP(__VA_ARGS__)
#elif GIN_SHMEM_WITH_GIN
/* GIN first, the agent for what it does not serve. Neither knows of the other's order. */
GIN_SHMEM_FN void gin_or_agent_get(void *dest, const void *source, uint64_t bytes, int pe, bool wait, uint32_t fn)
{
    if (!gin_up() || !gin_get(dest, source, bytes, pe, wait, fn))
        agent_get(dest, source, bytes, pe, wait, fn);
}
GIN_SHMEM_FN void gin_or_agent_p(void *dest, uint64_t value, uint32_t bytes, int pe, uint32_t fn)
{
    if (!gin_up() || !gin_p(dest, value, bytes, pe, fn))
        agent_p(dest, value, bytes, pe, fn);
}
GIN_SHMEM_FN uint64_t gin_or_agent_amo(int op, void *dest, uint32_t bytes, uint64_t value, uint64_t cond, int pe,
                                       bool fetch, uint32_t fn)
{
    return agent_amo(op, dest, bytes, value, cond, pe, fetch, fn);
}
GIN_SHMEM_FN void gin_or_agent_put_signal(void *dest, const void *source, uint64_t bytes, uint64_t *sig, uint64_t value,
                                          bool add, int pe, bool wait, uint32_t fn)
{
    gin_served served = gin_up() ? gin_put_signal(dest, source, bytes, sig, value, add, pe, wait, fn) : GIN_NOT_SERVED;
    if (served == GIN_PAYLOAD_DONE)
        agent_put_signal(nullptr, nullptr, 0, sig, value, add, pe, wait, fn);
    else if (served == GIN_NOT_SERVED)
        agent_put_signal(dest, source, bytes, sig, value, add, pe, wait, fn);
}
GIN_SHMEM_FN void gin_or_agent_flush(int pe, uint32_t fn)
{
    if (gin_up())
        gin_flush(pe, fn);
    agent_flush(pe, fn);
}
GIN_SHMEM_FN void gin_or_agent_quiet(int pe, uint32_t fn)
{
    if (gin_up())
        gin_quiet(pe, fn);
    agent_quiet(pe, fn);
}
GIN_SHMEM_FN void gin_or_agent_fence(int pe, uint32_t fn)
{
    if (gin_up())
        gin_or_agent_quiet(pe, fn);
    else
        agent_fence(pe, fn);
}
#define GIN_SHMEM_REMOTE(OP, ...) return gin_or_agent_##OP(__VA_ARGS__)
#else
#define GIN_SHMEM_REMOTE(OP, ...) return agent_##OP(__VA_ARGS__)
#endif

GIN_SHMEM_COLD void remote_get(void *dest, const void *source, uint64_t bytes, int pe, bool wait, uint32_t fn)
{
    GIN_SHMEM_REMOTE(get, dest, source, bytes, pe, wait, fn);
}
/* A put of a value of 1, 2, 4 or 8 bytes. */
GIN_SHMEM_COLD void remote_p(void *dest, uint64_t value, uint32_t bytes, int pe, uint32_t fn)
{
    GIN_SHMEM_REMOTE(p, dest, value, bytes, pe, fn);
}
/* op: enum gin_shmem_remote_op; bytes of the word. Gives the old value when fetch. */
GIN_SHMEM_COLD uint64_t remote_amo(int op, void *dest, uint32_t bytes, uint64_t value, uint64_t cond, int pe,
                                   bool fetch, uint32_t fn)
{
    GIN_SHMEM_REMOTE(amo, op, dest, bytes, value, cond, pe, fetch, fn);
}
/* The signal is added, or else set; sig NULL: none. bytes 0: nothing else. */
GIN_SHMEM_COLD void remote_put_signal(void *dest, const void *source, uint64_t bytes, uint64_t *sig, uint64_t value,
                                      bool add, int pe, bool wait, uint32_t fn)
{
    if (bytes)
        fence_order();
    GIN_SHMEM_REMOTE(put_signal, dest, source, bytes, sig, value, add, pe, wait, fn);
}
GIN_SHMEM_FN void remote_signal(uint64_t *sig, uint64_t value, bool add, int pe, uint32_t fn)
{
    remote_put_signal(nullptr, nullptr, 0, sig, value, add, pe, false, fn);
}
GIN_SHMEM_FN void remote_put(void *dest, const void *source, uint64_t bytes, int pe, bool wait, uint32_t fn)
{
    remote_put_signal(dest, source, bytes, nullptr, 0, false, pe, wait, fn);
}
GIN_SHMEM_COLD void remote_flush(int pe, uint32_t fn)
{
    GIN_SHMEM_REMOTE(flush, pe, fn);
}
GIN_SHMEM_COLD void remote_fence(int pe, uint32_t fn)
{
    GIN_SHMEM_REMOTE(fence, pe, fn);
}
GIN_SHMEM_COLD void remote_quiet(int pe, uint32_t fn)
{
    GIN_SHMEM_REMOTE(quiet, pe, fn);
}

} // namespace gin_shmem_impl

#ifdef GIN_SHMEM_MUTANT
#include "cpu/mutant.h"
#endif

/* NCCL's device communicator that the heap's windows belong to, or NULL: for kernels that use NCCL's device API on our
 * windows. Include <nccl_device.h> of the NCCL version that the library was built with. */
GIN_SHMEM_FN const struct ncclDevComm *gin_shmem_nccl_dev_comm()
{
    return (const struct ncclDevComm *)gin_shmem_impl::state().nccl_dev_comm;
}

/* The NCCL window that holds own symmetric address p, and p's offset in it; NULL when p is not in the device heap. */
GIN_SHMEM_FN struct ncclWindow_vidmem *gin_shmem_nccl_window(const void *p, size_t *offset)
{
    const struct gin_shmem_windows *w = gin_shmem_impl::state().windows;
    uint32_t count = gin_shmem_impl::window_count();
    for (uint32_t i = 0; i < count; i++)
        if ((uint64_t)p - w->w[i].lo < w->w[i].bytes) {
            *offset = (size_t)((uint64_t)p - w->w[i].lo);
            return (struct ncclWindow_vidmem *)w->w[i].nccl;
        }
    return nullptr;
}

#endif
