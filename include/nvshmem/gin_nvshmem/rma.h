/* SPDX-License-Identifier: BSD-3-Clause */
/* Remote memory access: p, g, put, get, iput, iget, by type, size and byte; explicit queue pairs. */
#ifndef GIN_NVSHMEM_RMA_H
#define GIN_NVSHMEM_RMA_H

#include "types.h"
#if GIN_NV_HOST
#include "half.h"
#endif

/* void NAME(dest, source, nelems, pe). DEV and HOST: what it calls. */
#define GIN_NV_COPY(NAME, T, DEV, HOST)                                                                                \
    GIN_NV_HD void NAME(T *dest, const T *source, size_t nelems, int pe)                                               \
        GIN_NV_BODY(DEV(dest, source, nelems, pe), HOST(dest, source, nelems, pe))
#define GIN_NV_STRIDED(NAME, T, DEV, HOST)                                                                             \
    GIN_NV_HD void NAME(T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe)                 \
        GIN_NV_BODY(DEV(dest, source, dst, sst, nelems, pe), HOST(dest, source, dst, sst, nelems, pe))

#define GIN_NV_RMA_OP(KIND, N, T, OP)                                                                                  \
    GIN_NV_COPY(nvshmem_##N##_##OP, T, gin_shmem_##N##_##OP, GIN_NV_HOST_##KIND(N, OP))
#define GIN_NV_RMA(KIND, N, T)                                                                                         \
    GIN_NV_HD void nvshmem_##N##_p(T *dest, const T value, int pe)                                                     \
        GIN_NV_BODY(gin_shmem_##N##_p(dest, value, pe), GIN_NV_HOST_##KIND(N, p)(dest, value, pe))                     \
    GIN_NV_HD T nvshmem_##N##_g(const T *source, int pe)                                                               \
        GIN_NV_BODY(gin_shmem_##N##_g(source, pe), GIN_NV_HOST_##KIND(N, g)(source, pe))                               \
    GIN_NV_RMA_OP(KIND, N, T, put) GIN_NV_RMA_OP(KIND, N, T, get)                                                      \
    GIN_NV_RMA_OP(KIND, N, T, put_nbi) GIN_NV_RMA_OP(KIND, N, T, get_nbi)                                              \
    GIN_NV_STRIDED(nvshmem_##N##_iput, T, gin_shmem_##N##_iput, GIN_NV_HOST_##KIND(N, iput))                           \
    GIN_NV_STRIDED(nvshmem_##N##_iget, T, gin_shmem_##N##_iget, GIN_NV_HOST_##KIND(N, iget))
GIN_NV_RMA_TYPES(GIN_NV_RMA)

#define GIN_NV_UNTYPED(OP) GIN_NV_COPY(nvshmem_##OP, void, gin_shmem_##OP, shmem_##OP)
#define GIN_NV_SIZED(A, S)                                                                                             \
    GIN_NV_UNTYPED(put##S) GIN_NV_UNTYPED(get##S) GIN_NV_UNTYPED(put##S##_nbi) GIN_NV_UNTYPED(get##S##_nbi)            \
    GIN_NV_STRIDED(nvshmem_iput##S, void, gin_shmem_iput##S, shmem_iput##S)                                            \
    GIN_NV_STRIDED(nvshmem_iget##S, void, gin_shmem_iget##S, shmem_iget##S)
SHMEMI_SIZES(GIN_NV_SIZED, )
GIN_NV_UNTYPED(putmem)
GIN_NV_UNTYPED(getmem)
GIN_NV_UNTYPED(putmem_nbi)
GIN_NV_UNTYPED(getmem_nbi)

#if GIN_NV_DEVICE
/* By a warp or a block. */
#define GIN_NV_GROUP_COPY(OP, T, S)                                                                                    \
    GIN_NV_D void nvshmemx_##OP##S(T *dest, const T *source, size_t nelems, int pe)                                    \
    {                                                                                                                  \
        gin_shmem_##OP##S(dest, source, nelems, pe);                                                                   \
    }
#define GIN_NV_GROUP_STRIDED(OP, T, S)                                                                                 \
    GIN_NV_D void nvshmemx_##OP##S(T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe)      \
    {                                                                                                                  \
        gin_shmem_##OP##S(dest, source, dst, sst, nelems, pe);                                                         \
    }
#define GIN_NV_GROUP_BULK(PUT, GET, T, S)                                                                              \
    GIN_NV_GROUP_COPY(PUT, T, S) GIN_NV_GROUP_COPY(GET, T, S)                                                          \
    GIN_NV_GROUP_COPY(PUT##_nbi, T, S) GIN_NV_GROUP_COPY(GET##_nbi, T, S)
#define GIN_NV_GROUP_STRIDES(PUT, GET, T, S) GIN_NV_GROUP_STRIDED(PUT, T, S) GIN_NV_GROUP_STRIDED(GET, T, S)
#define GIN_NV_GROUP_RMA(KIND, N, T)                                                                                   \
    GIN_NV_GROUPS(GIN_NV_GROUP_BULK, N##_put, N##_get, T)                                                              \
    GIN_NV_GROUPS(GIN_NV_GROUP_STRIDES, N##_iput, N##_iget, T)
GIN_NV_RMA_TYPES(GIN_NV_GROUP_RMA)
#define GIN_NV_GROUP_SIZED(A, S)                                                                                       \
    GIN_NV_GROUPS(GIN_NV_GROUP_BULK, put##S, get##S, void) GIN_NV_GROUPS(GIN_NV_GROUP_STRIDES, iput##S, iget##S, void)
SHMEMI_SIZES(GIN_NV_GROUP_SIZED, )
GIN_NV_GROUPS(GIN_NV_GROUP_BULK, putmem, getmem, void)
#endif

#endif
