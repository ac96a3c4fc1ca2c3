/* SPDX-License-Identifier: BSD-3-Clause */
/* The combining functions of reductions, gs_kernel_TYPENAME_OP, for every type and operation of the standard. */
#ifndef GS_KERNELS_H
#define GS_KERNELS_H

#include <shmem.h>

#include "coll/coll.h"

#define GS_DECLARE_BIT(A, N, T)    gs_kernel gs_kernel_##N##_and, gs_kernel_##N##_or, gs_kernel_##N##_xor;
#define GS_DECLARE_MINMAX(A, N, T) gs_kernel gs_kernel_##N##_min, gs_kernel_##N##_max;
#define GS_DECLARE_SUM(A, N, T)    gs_kernel gs_kernel_##N##_sum, gs_kernel_##N##_prod;
/* The active-set forms know and, or, xor on signed types too. */
#define GS_BIT_KERNEL_TYPES(X, A)  SHMEMI_BIT_REDUCE_TYPES(X, A) SHMEMI_OLD_BIT_REDUCE_TYPES(X, A)
GS_BIT_KERNEL_TYPES(GS_DECLARE_BIT, )
SHMEMI_RMA_TYPES(GS_DECLARE_MINMAX, )
SHMEMI_SUM_REDUCE_TYPES(GS_DECLARE_SUM, )
/* NVSHMEM's 16-bit reals, X(A, TYPENAME, TYPE) by their bits. */
#define GS_HALF_TYPES(X, A) X(A, half, uint16_t) X(A, bfloat16, uint16_t)
GS_HALF_TYPES(GS_DECLARE_MINMAX, )
GS_HALF_TYPES(GS_DECLARE_SUM, )

/* The combination OP of elements of type N, T being the type. */
#define GS_COMBINE(N, OP, T) ((struct gs_combine){gs_kernel_##N##_##OP, sizeof(T), GS_TYPE_##N, GS_OP_##OP})

#endif
