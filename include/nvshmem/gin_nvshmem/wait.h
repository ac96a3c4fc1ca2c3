/* SPDX-License-Identifier: BSD-3-Clause */
/* Waits and tests, of kernels; order, of both sides. */
#ifndef GIN_NVSHMEM_WAIT_H
#define GIN_NVSHMEM_WAIT_H

#include "types.h"

GIN_NV_HD void nvshmem_quiet(void) GIN_NV_BODY(gin_shmem_quiet(), shmem_quiet())
GIN_NV_HD void nvshmem_fence(void) GIN_NV_BODY(gin_shmem_fence(), shmem_fence())

#if GIN_NV_DEVICE
/* With _warp and _block, which NVSHMEM has not: the group pays once. */
#define GIN_NV_ORDER(OP, S)                                                                                            \
    GIN_NV_D void nvshmemx_##OP##S() { gin_shmem_##OP##S(); }
GIN_NV_GROUPS(GIN_NV_ORDER, quiet)
GIN_NV_GROUPS(GIN_NV_ORDER, fence)

#define GIN_NV_WAIT(N, OP, RET, PROTO, ARGS)                                                                           \
    GIN_NV_D RET nvshmem_##N##_##OP PROTO { return gin_shmem_##OP ARGS; }
#define GIN_NV_WAIT_TYPED(KIND, N, T)                                                                                  \
    SHMEMI_WAIT_UNTIL_OPS(GIN_NV_WAIT, N, T) SHMEMI_TEST_OPS(GIN_NV_WAIT, N, T) SHMEMI_SYNC_OPS(GIN_NV_WAIT, N, T)
GIN_NV_WAIT_TYPES(GIN_NV_WAIT_TYPED)
#endif

#endif
