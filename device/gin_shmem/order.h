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

#include "types.h"

namespace gin_shmem_impl
{

/* One thread's fence for the group: cumulative over what it observed through sync. */
template <class G>
GIN_SHMEM_FN void fence()
{
    G::sync();
    if (G::rank() == 0)
        fence_order();
    G::sync();
}
template <class G>
GIN_SHMEM_FN void quiet()
{
    G::sync();
    if (G::rank() == 0)
        fence_complete();
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
    /* The same for the PEs listed; on this fabric it is the same. */                       \
    GIN_SHMEM_FN void gin_shmem_pe_quiet##S(const int *, size_t n)                          \
    {                                                                                       \
        if (n)                                                                              \
            gin_shmem_impl::quiet<G>();                                                     \
    }
GIN_SHMEM_SCOPES(GIN_SHMEM_ORDER_SET, )

#endif
