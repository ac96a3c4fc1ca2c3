/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of the NVSHMEM headers share: the checks of the GPU tests, and a start as NVSHMEM programs make it. */
#ifndef NV_H
#define NV_H

#include <nvshmem.h>
#include <nvshmemx.h>

#include "../gpu/check.h"

/* The device is chosen behind nvshmem_init, by the rank on the node. */
__attribute__((unused)) static void nv_start(void)
{
    int devices = 0;
    nvshmem_init();
    CU(cudaGetDeviceCount(&devices));
    CHECK(devices > 0, "no GPU");
    CU(cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE) % devices));
    me = nvshmem_my_pe();
    n = nvshmem_n_pes();
    next_pe = (me + 1) % n;
    previous_pe = (me + n - 1) % n;
}

__attribute__((unused)) static int nv_done(void)
{
    KERNELS_DONE("at the end");
    nvshmem_finalize();
    return 0;
}

template <class T>
T *nv_symmetric(size_t count)
{
    T *p = (T *)nvshmem_calloc(count, sizeof(T));
    CHECK(p, "nvshmem_calloc of %zu elements", count);
    return p;
}

#endif
