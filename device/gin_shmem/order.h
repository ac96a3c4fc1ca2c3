/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ordering, OpenSHMEM 1.6 section 9.11.
 *
 * The thread forms cover what the calling thread did, and what it has observed of other threads (behind __syncthreads,
 * say). The group forms cover the whole group. A bulk copy through lent memory is performed when its call returns, so
 * ordinary fences cover it.
 */
#ifndef GIN_SHMEM_ORDER_H
#define GIN_SHMEM_ORDER_H

#include "fabric.h"
#include "types.h"

namespace gin_shmem_impl
{

/* One thread's fence for the group: cumulative over what it observed through sync. Near and far peers are different
 * PEs, so the two halves of a fence owe each other nothing; in a quiet, what far PEs have is known first. */
template <class G>
GIN_SHMEM_FN void fence()
{
    G::sync();
    if (G::rank() == 0) {
        if (has_far())
            remote_fence(-1, GIN_SHMEM_FN_fence | G::tag);
        fence_order();
    }
    G::sync();
}
template <class G>
GIN_SHMEM_FN void quiet()
{
    G::sync();
    if (G::rank() == 0) {
        if (has_far())
            remote_quiet(-1, GIN_SHMEM_FN_quiet | G::tag);
        fence_complete();
    }
    G::sync();
}
template <class G>
GIN_SHMEM_FN void pe_quiet(const int *pes, size_t n)
{
    G::sync();
    if (G::rank() == 0) {
        if (has_far())
            for (size_t i = 0; i < n; i++)
                remote_quiet(pes[i], GIN_SHMEM_FN_pe_quiet | G::tag);
        fence_complete();
    }
    G::sync();
}

} // namespace gin_shmem_impl

#define GIN_SHMEM_ORDER_SET(A, S, G)                                                        \
    /* Puts, AMOs and signals before it are delivered before those after it, at each PE. */ \
    GIN_SHMEM_FN void gin_shmem_fence##S()                                                  \
    {                                                                                       \
        gin_shmem_impl::fence<G>();                                                         \
    }                                                                                       \
    /* All of them are performed, and nbi gets and fetches have their results. */           \
    GIN_SHMEM_FN void gin_shmem_quiet##S()                                                  \
    {                                                                                       \
        gin_shmem_impl::quiet<G>();                                                         \
    }                                                                                       \
    /* The same for the PEs listed. */                                                      \
    GIN_SHMEM_FN void gin_shmem_pe_quiet##S(const int *pes, size_t n)                       \
    {                                                                                       \
        if (n)                                                                              \
            gin_shmem_impl::pe_quiet<G>(pes, n);                                            \
    }
GIN_SHMEM_SCOPES(GIN_SHMEM_ORDER_SET, )

#endif
