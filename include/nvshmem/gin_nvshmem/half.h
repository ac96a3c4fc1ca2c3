/* SPDX-License-Identifier: BSD-3-Clause */
/* The host's calls for half and bfloat16, by those for 16-bit elements and bytes: the rows that GIN_NV_HOST_half leads
 * to. Streams are cudaStream_t. */
#ifndef GIN_NVSHMEM_HALF_H
#define GIN_NVSHMEM_HALF_H

#include "library.h"
#include "types.h"

#define GIN_NV_HALF_COPY(N, T, OP, OP16)                                                                               \
    GIN_NV_H void gin_nv_##N##_##OP(T *dest, const T *source, size_t nelems, int pe)                                   \
    {                                                                                                                  \
        shmem_##OP16(dest, source, nelems, pe);                                                                        \
    }                                                                                                                  \
    GIN_NV_H void gin_nv_##N##_##OP##_on_stream(T *dest, const T *source, size_t nelems, int pe, cudaStream_t stream)  \
    {                                                                                                                  \
        shmemx_##OP16##_on_stream(dest, source, nelems, pe, stream);                                                   \
    }
#define GIN_NV_HALF_STRIDED(N, T, OP, OP16)                                                                            \
    GIN_NV_H void gin_nv_##N##_##OP(T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe)     \
    {                                                                                                                  \
        shmem_##OP16(dest, source, dst, sst, nelems, pe);                                                              \
    }                                                                                                                  \
    GIN_NV_H void gin_nv_##N##_##OP##_on_stream(T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, \
                                                int pe, cudaStream_t stream)                                           \
    {                                                                                                                  \
        shmemx_##OP16##_on_stream(dest, source, dst, sst, nelems, pe, stream);                                         \
    }
#define GIN_NV_HALF_SIGNAL(N, T, OP, OP16)                                                                             \
    GIN_NV_H void gin_nv_##N##_##OP##_on_stream(T *dest, const T *source, size_t nelems, uint64_t *sig_addr,           \
                                                uint64_t signal, int sig_op, int pe, cudaStream_t stream)              \
    {                                                                                                                  \
        shmemx_##OP16##_on_stream(dest, source, nelems, sig_addr, signal, sig_op, pe, stream);                         \
    }
#define GIN_NV_HALF_COLL(N, T, OP)                                                                                     \
    GIN_NV_H int gin_nv_##N##_##OP(shmem_team_t team, T *dest, const T *source, size_t nelems)                         \
    {                                                                                                                  \
        return shmem_##OP##mem(team, dest, source, nelems * sizeof(T));                                                \
    }                                                                                                                  \
    GIN_NV_H int gin_nv_##N##_##OP##_on_stream(shmem_team_t team, T *dest, const T *source, size_t nelems,             \
                                               cudaStream_t stream)                                                    \
    {                                                                                                                  \
        return shmemx_##OP##mem_on_stream(team, dest, source, nelems * sizeof(T), stream);                             \
    }
#define GIN_NV_HALF_HOST(A, N, T)                                                                                      \
    GIN_NV_HALF_COPY(N, T, put, put16) GIN_NV_HALF_COPY(N, T, put_nbi, put16_nbi)                                      \
    GIN_NV_HALF_COPY(N, T, get, get16) GIN_NV_HALF_COPY(N, T, get_nbi, get16_nbi)                                      \
    GIN_NV_HALF_STRIDED(N, T, iput, iput16) GIN_NV_HALF_STRIDED(N, T, iget, iget16)                                    \
    GIN_NV_HALF_SIGNAL(N, T, put_signal, put16_signal) GIN_NV_HALF_SIGNAL(N, T, put_signal_nbi, put16_signal_nbi)      \
    GIN_NV_HALF_COLL(N, T, fcollect) GIN_NV_HALF_COLL(N, T, alltoall)                                                  \
    GIN_NV_H void gin_nv_##N##_p(T *dest, T value, int pe)                                                             \
    {                                                                                                                  \
        uint16_t bits;                                                                                                 \
        memcpy(&bits, &value, sizeof bits);                                                                            \
        shmem_uint16_p((uint16_t *)dest, bits, pe);                                                                    \
    }                                                                                                                  \
    GIN_NV_H void gin_nv_##N##_p_on_stream(T *dest, T value, int pe, cudaStream_t stream)                              \
    {                                                                                                                  \
        uint16_t bits;                                                                                                 \
        memcpy(&bits, &value, sizeof bits);                                                                            \
        shmemx_uint16_p_on_stream((uint16_t *)dest, bits, pe, stream);                                                 \
    }                                                                                                                  \
    GIN_NV_H T gin_nv_##N##_g(const T *source, int pe)                                                                 \
    {                                                                                                                  \
        uint16_t bits = shmem_uint16_g((const uint16_t *)source, pe);                                                  \
        T value;                                                                                                       \
        memcpy((void *)&value, &bits, sizeof bits);                                                                    \
        return value;                                                                                                  \
    }                                                                                                                  \
    GIN_NV_H int gin_nv_##N##_broadcast(shmem_team_t team, T *dest, const T *source, size_t nelems, int PE_root)       \
    {                                                                                                                  \
        return shmem_broadcastmem(team, dest, source, nelems * sizeof(T), PE_root);                                    \
    }                                                                                                                  \
    GIN_NV_H int gin_nv_##N##_broadcast_on_stream(shmem_team_t team, T *dest, const T *source, size_t nelems,          \
                                                  int PE_root, cudaStream_t stream)                                    \
    {                                                                                                                  \
        return shmemx_broadcastmem_on_stream(team, dest, source, nelems * sizeof(T), PE_root, stream);                 \
    }
GIN_NV_HALF_TYPES(GIN_NV_HALF_HOST, )

#endif
