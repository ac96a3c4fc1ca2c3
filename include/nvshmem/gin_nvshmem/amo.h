/* SPDX-License-Identifier: BSD-3-Clause */
/* Atomics. */
#ifndef GIN_NVSHMEM_AMO_H
#define GIN_NVSHMEM_AMO_H

#include "types.h"

/* The rows of the standard, less the forms without results at once. */
#define GIN_NV_AMO(N, OP, RET, PROTO, ARGS)                                                                            \
    GIN_NV_HD RET nvshmem_##N##_##OP PROTO GIN_NV_BODY(gin_shmem_##N##_##OP ARGS, shmem_##N##_##OP ARGS)
#define GIN_NV_AMO_EXT_OPS(A, N, T)                                                                                    \
    SHMEMI_AMO_FETCH_OPS(GIN_NV_AMO, N, T)                                                                             \
    GIN_NV_AMO(N, atomic_set, void, (T * dest, T value, int pe), (dest, value, pe))                                    \
    GIN_NV_AMO(N, atomic_swap, T, (T * dest, T value, int pe), (dest, value, pe))
#define GIN_NV_AMO_OPS(A, N, T)                                                                                        \
    GIN_NV_AMO(N, atomic_compare_swap, T, (T * dest, T cond, T value, int pe), (dest, cond, value, pe))                \
    GIN_NV_AMO(N, atomic_fetch_inc, T, (T * dest, int pe), (dest, pe))                                                 \
    GIN_NV_AMO(N, atomic_inc, void, (T * dest, int pe), (dest, pe))                                                    \
    GIN_NV_AMO(N, atomic_fetch_add, T, (T * dest, T value, int pe), (dest, value, pe))                                 \
    GIN_NV_AMO(N, atomic_add, void, (T * dest, T value, int pe), (dest, value, pe))
#define GIN_NV_AMO_BIT(N, T, OP)                                                                                       \
    GIN_NV_AMO(N, atomic_##OP, void, (T * dest, T value, int pe), (dest, value, pe))                                   \
    GIN_NV_AMO(N, atomic_fetch_##OP, T, (T * dest, T value, int pe), (dest, value, pe))
#define GIN_NV_AMO_BIT_OPS(A, N, T) GIN_NV_AMO_BIT(N, T, and) GIN_NV_AMO_BIT(N, T, or) GIN_NV_AMO_BIT(N, T, xor)
SHMEMI_AMO_EXT_TYPES(GIN_NV_AMO_EXT_OPS, )
SHMEMI_AMO_TYPES(GIN_NV_AMO_OPS, )
SHMEMI_AMO_BIT_TYPES(GIN_NV_AMO_BIT_OPS, )

#endif
