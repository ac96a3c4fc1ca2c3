/* SPDX-License-Identifier: BSD-3-Clause */
/* Symmetric addresses: the checks of the debug build, and gin_shmem_ptr. */
#ifndef GIN_SHMEM_ADDR_H
#define GIN_SHMEM_ADDR_H

#include "fabric.h"

namespace gin_shmem_impl
{

#ifdef GIN_SHMEM_DEVICE_CHECK
/* [p, p + bytes) lies in one window of the device heap, or in the host heap. */
GIN_SHMEM_COLD bool is_symmetric(const volatile void *p, uint64_t bytes)
{
    const struct gin_shmem_state &s = state();
    uint64_t a = (uint64_t)p;
    if (a - s.host.lo < s.host.span)
        return bytes <= s.host.span - (a - s.host.lo);
    uint32_t count = window_count();
    for (uint32_t i = 0; i < count; i++) {
        const struct gin_shmem_window &w = s.windows->w[i];
        if (a - w.lo < w.bytes)
            return bytes <= w.bytes - (a - w.lo);
    }
    return false;
}
#endif

/* Debug build (GIN_SHMEM_DEVICE_CHECK): pe exists and the range is symmetric. pe -1: a local object. */
GIN_SHMEM_FN void check(const volatile void *p, uint64_t bytes, int pe, uint32_t fn)
{
#ifdef GIN_SHMEM_DEVICE_CHECK
    const struct gin_shmem_state &s = state();
    if (s.magic != GIN_SHMEM_STATE_MAGIC || (pe != -1 && (uint32_t)pe >= (uint32_t)s.n))
        fail(GIN_SHMEM_REPORT_PE, fn, pe, -1, p, bytes, 0, 0);
    if (bytes && !is_symmetric(p, bytes))
        fail(GIN_SHMEM_REPORT_ADDRESS, fn, pe, -1, p, bytes, 0, 0);
#else
    (void)p, (void)bytes, (void)pe, (void)fn;
#endif
}

/* The peer's copy of own symmetric range [p, p + bytes); NULL when pe is far. */
template <class T>
GIN_SHMEM_FN T *remote(T *p, uint64_t bytes, int pe, uint32_t fn)
{
    check(p, bytes, pe, fn);
    return peer(p, pe, fn);
}

} // namespace gin_shmem_impl

/* An address at which this PE's kernels can load from and store to PE pe's copy of the symmetric object dest, or NULL
 * when there is none. Section 9.1 of OpenSHMEM (shmem_ptr). */
GIN_SHMEM_FN void *gin_shmem_ptr(const void *dest, int pe)
{
    return (void *)gin_shmem_impl::try_peer(dest, pe);
}

#endif
