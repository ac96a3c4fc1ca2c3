/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The way to a peer, and the only header that names NCCL.
 *
 * Today's fabric is load and store: peer() turns (own symmetric address, PE) into the address of the peer's copy, with
 * one multiply-add from the state; the device heap is asked first, then host memory that kernels reach. An address or a
 * PE without such a way ends the kernel with the operation's name. Operations must not assume that a way exists: they
 * call peer() or try_peer(), and nothing else computes remote addresses.
 */
#ifndef GIN_SHMEM_FABRIC_H
#define GIN_SHMEM_FABRIC_H

#include "report.h"

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

/* NULL when there is none. */
template <class T>
GIN_SHMEM_FN T *try_peer(T *p, int pe)
{
    const struct gin_shmem_state &s = state();
    uint64_t a = (uint64_t)p;
    if (a - s.dev.lo < s.dev.span) {
        int rank = reach_rank(s.dev, pe);
        if ((uint32_t)rank < (uint32_t)s.dev.n)
            return (T *)reach_address(s.dev, a, rank);
    } else if (a - s.host.lo < s.host.span) {
        int rank = reach_rank(s.host, pe);
        if ((uint32_t)rank < (uint32_t)s.host.n)
            return (T *)reach_address(s.host, a, rank);
    }
    return nullptr;
}

/* Never NULL: traps, naming fn. */
template <class T>
GIN_SHMEM_FN T *peer(T *p, int pe, uint32_t fn)
{
    T *q = try_peer(p, pe);
    if (!q)
        fail_peer(fn, p, pe);
    return q;
}

} // namespace gin_shmem_impl

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
    uint32_t count = w ? gin_shmem_impl::load_acquire(&w->count) : 0;
    for (uint32_t i = 0; i < count; i++)
        if ((uint64_t)p - w->w[i].lo < w->w[i].bytes) {
            *offset = (size_t)((uint64_t)p - w->w[i].lo);
            return (struct ncclWindow_vidmem *)w->w[i].nccl;
        }
    return nullptr;
}

#endif
