/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations in CUDA streams, and launches. */
#ifndef GIN_NVSHMEM_STREAM_H
#define GIN_NVSHMEM_STREAM_H

#include "half.h"
#include "library.h"
#include "signal.h"

/* ---- RMA ---- */

#define GIN_NV_STREAM_COPY(NAME, T, HOST)                                                                              \
    GIN_NV_H void nvshmemx_##NAME##_on_stream(T *dest, const T *source, size_t nelems, int pe, cudaStream_t stream)    \
    {                                                                                                                  \
        HOST(dest, source, nelems, pe, stream);                                                                        \
    }
#define GIN_NV_STREAM_STRIDED(NAME, T, HOST)                                                                           \
    GIN_NV_H void nvshmemx_##NAME##_on_stream(T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems,   \
                                              int pe, cudaStream_t stream)                                             \
    {                                                                                                                  \
        HOST(dest, source, dst, sst, nelems, pe, stream);                                                              \
    }
#define GIN_NV_STREAM_SIGNAL(NAME, T, HOST)                                                                            \
    GIN_NV_H void nvshmemx_##NAME##_on_stream(T *dest, const T *source, size_t nelems, uint64_t *sig_addr,             \
                                              uint64_t signal, int sig_op, int pe, cudaStream_t stream)                \
    {                                                                                                                  \
        HOST(dest, source, nelems, sig_addr, signal, gin_nv_sig_op(sig_op), pe, stream);                               \
    }
#define GIN_NV_STREAM_RMA(KIND, N, T)                                                                                  \
    GIN_NV_H void nvshmemx_##N##_p_on_stream(T *dest, const T value, int pe, cudaStream_t stream)                      \
    {                                                                                                                  \
        GIN_NV_STREAM_##KIND(N, p)(dest, value, pe, stream);                                                           \
    }                                                                                                                  \
    GIN_NV_H T nvshmemx_##N##_g_on_stream(const T *source, int pe, cudaStream_t stream)                                \
    {                                                                                                                  \
        T value;                                                                                                       \
        shmemx_nvshmem_g_on_stream("nvshmemx_" #N "_g_on_stream", (void *)&value, source, sizeof value, pe, stream);   \
        return value;                                                                                                  \
    }                                                                                                                  \
    GIN_NV_STREAM_COPY(N##_put, T, GIN_NV_STREAM_##KIND(N, put))                                                       \
    GIN_NV_STREAM_COPY(N##_get, T, GIN_NV_STREAM_##KIND(N, get))                                                       \
    GIN_NV_STREAM_COPY(N##_put_nbi, T, GIN_NV_STREAM_##KIND(N, put_nbi))                                               \
    GIN_NV_STREAM_COPY(N##_get_nbi, T, GIN_NV_STREAM_##KIND(N, get_nbi))                                               \
    GIN_NV_STREAM_STRIDED(N##_iput, T, GIN_NV_STREAM_##KIND(N, iput))                                                  \
    GIN_NV_STREAM_STRIDED(N##_iget, T, GIN_NV_STREAM_##KIND(N, iget))                                                  \
    GIN_NV_STREAM_SIGNAL(N##_put_signal, T, GIN_NV_STREAM_##KIND(N, put_signal))                                       \
    GIN_NV_STREAM_SIGNAL(N##_put_signal_nbi, T, GIN_NV_STREAM_##KIND(N, put_signal_nbi))
GIN_NV_RMA_TYPES(GIN_NV_STREAM_RMA)

#define GIN_NV_STREAM_BULK(PUT, GET)                                                                                   \
    GIN_NV_STREAM_COPY(PUT, void, shmemx_##PUT##_on_stream)                                                            \
    GIN_NV_STREAM_COPY(GET, void, shmemx_##GET##_on_stream)                                                            \
    GIN_NV_STREAM_COPY(PUT##_nbi, void, shmemx_##PUT##_nbi_on_stream)                                                  \
    GIN_NV_STREAM_COPY(GET##_nbi, void, shmemx_##GET##_nbi_on_stream)                                                  \
    GIN_NV_STREAM_SIGNAL(PUT##_signal, void, shmemx_##PUT##_signal_on_stream)                                          \
    GIN_NV_STREAM_SIGNAL(PUT##_signal_nbi, void, shmemx_##PUT##_signal_nbi_on_stream)
#define GIN_NV_STREAM_SIZED(A, S)                                                                                      \
    GIN_NV_STREAM_BULK(put##S, get##S)                                                                                 \
    GIN_NV_STREAM_STRIDED(iput##S, void, shmemx_iput##S##_on_stream)                                                   \
    GIN_NV_STREAM_STRIDED(iget##S, void, shmemx_iget##S##_on_stream)
SHMEMI_SIZES(GIN_NV_STREAM_SIZED, )
GIN_NV_STREAM_BULK(putmem, getmem)

/* ---- order, signals, waits ---- */

GIN_NV_H void nvshmemx_quiet_on_stream(cudaStream_t stream)
{
    shmemx_quiet_on_stream(stream);
}
GIN_NV_H void nvshmemx_signal_op_on_stream(uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, cudaStream_t stream)
{
    shmemx_signal_op_on_stream(sig_addr, signal, gin_nv_sig_op(sig_op), pe, stream);
}
GIN_NV_H void nvshmemx_signal_wait_until_on_stream(uint64_t *sig_addr, int cmp, uint64_t cmp_value, cudaStream_t stream)
{
    shmemx_signal_wait_until_on_stream(sig_addr, cmp, cmp_value, stream);
}

/* status and cmp_values may lie on the device, and are read by the call itself. */
#define GIN_NV_STREAM_WAIT(NAME, T, ARRAY, NELEMS, STATUS, VALUES, VECTOR)                                             \
    shmemx_nvshmem_wait_on_stream("nvshmemx_" #NAME "_on_stream", ARRAY, sizeof(T), (T)-1 < (T)1, NELEMS, STATUS, cmp, \
                                  VALUES, VECTOR, stream);
#define GIN_NV_STREAM_WAITS(KIND, N, T)                                                                                \
    GIN_NV_H void nvshmemx_##N##_wait_until_on_stream(T *ivar, int cmp, T cmp_value, cudaStream_t stream)              \
    {                                                                                                                  \
        GIN_NV_STREAM_WAIT(N##_wait_until, T, ivar, 1, NULL, &cmp_value, 0)                                            \
    }                                                                                                                  \
    GIN_NV_H void nvshmemx_##N##_wait_until_all_on_stream(T *ivars, size_t nelems, const int *status, int cmp,         \
                                                          T cmp_value, cudaStream_t stream)                            \
    {                                                                                                                  \
        GIN_NV_STREAM_WAIT(N##_wait_until_all, T, ivars, nelems, status, &cmp_value, 0)                                \
    }                                                                                                                  \
    GIN_NV_H void nvshmemx_##N##_wait_until_all_vector_on_stream(T *ivars, size_t nelems, const int *status, int cmp,  \
                                                                 const T *cmp_values, cudaStream_t stream)             \
    {                                                                                                                  \
        GIN_NV_STREAM_WAIT(N##_wait_until_all_vector, T, ivars, nelems, status, cmp_values, 1)                         \
    }
GIN_NV_WAIT_TYPES(GIN_NV_STREAM_WAITS)

/* ---- collectives ---- */

GIN_NV_H int nvshmemx_barrier_on_stream(nvshmem_team_t team, cudaStream_t stream)
{
    return shmemx_barrier_on_stream(gin_nv_team(team), stream);
}
GIN_NV_H void nvshmemx_barrier_all_on_stream(cudaStream_t stream)
{
    shmemx_barrier_all_on_stream(stream);
}
GIN_NV_H int nvshmemx_team_sync_on_stream(nvshmem_team_t team, cudaStream_t stream)
{
    return shmemx_team_sync_on_stream(gin_nv_team(team), stream);
}
GIN_NV_H void nvshmemx_sync_all_on_stream(cudaStream_t stream)
{
    shmemx_sync_all_on_stream(stream);
}

#define GIN_NV_STREAM_COLL(NAME, T, HOST)                                                                              \
    GIN_NV_H int nvshmemx_##NAME##_on_stream(nvshmem_team_t team, T *dest, const T *source, size_t nelems,             \
                                             cudaStream_t stream)                                                      \
    {                                                                                                                  \
        return HOST(gin_nv_team(team), dest, source, nelems, stream);                                                  \
    }
#define GIN_NV_STREAM_BROADCAST(NAME, T, HOST)                                                                         \
    GIN_NV_H int nvshmemx_##NAME##_on_stream(nvshmem_team_t team, T *dest, const T *source, size_t nelems,             \
                                             int PE_root, cudaStream_t stream)                                         \
    {                                                                                                                  \
        return HOST(gin_nv_team(team), dest, source, nelems, PE_root, stream);                                         \
    }
#define GIN_NV_STREAM_COLL_TYPED(KIND, N, T)                                                                           \
    GIN_NV_STREAM_COLL(N##_alltoall, T, GIN_NV_STREAM_##KIND(N, alltoall))                                             \
    GIN_NV_STREAM_COLL(N##_fcollect, T, GIN_NV_STREAM_##KIND(N, fcollect))                                             \
    GIN_NV_STREAM_BROADCAST(N##_broadcast, T, GIN_NV_STREAM_##KIND(N, broadcast))
GIN_NV_RMA_TYPES(GIN_NV_STREAM_COLL_TYPED)
GIN_NV_STREAM_COLL(alltoallmem, void, shmemx_alltoallmem_on_stream)
GIN_NV_STREAM_COLL(fcollectmem, void, shmemx_fcollectmem_on_stream)
GIN_NV_STREAM_BROADCAST(broadcastmem, void, shmemx_broadcastmem_on_stream)

#define GIN_NV_STREAM_REDUCE_TO(N, T, OP, WHAT, SCATTER)                                                               \
    GIN_NV_H int nvshmemx_##N##_##OP##_##WHAT##_on_stream(nvshmem_team_t team, T *dest, const T *source,               \
                                                          size_t nreduce, cudaStream_t stream)                         \
    {                                                                                                                  \
        return shmemx_nvshmem_reduce_on_stream("nvshmemx_" #N "_" #OP "_" #WHAT "_on_stream", gin_nv_team(team), dest, \
                                               source, nreduce, GIN_NV_TYPE_##N, GIN_NV_OP_##OP, SCATTER, stream);     \
    }
#define GIN_NV_STREAM_REDUCE(N, T, OP)                                                                                 \
    GIN_NV_STREAM_REDUCE_TO(N, T, OP, reduce, 0) GIN_NV_STREAM_REDUCE_TO(N, T, OP, reducescatter, 1)
#define GIN_NV_STREAM_REDUCE_BITS(KIND, N, T)                                                                          \
    GIN_NV_STREAM_REDUCE(N, T, and) GIN_NV_STREAM_REDUCE(N, T, or) GIN_NV_STREAM_REDUCE(N, T, xor)
#define GIN_NV_STREAM_REDUCE_NUMBERS(KIND, N, T)                                                                       \
    GIN_NV_STREAM_REDUCE(N, T, min) GIN_NV_STREAM_REDUCE(N, T, max)                                                    \
    GIN_NV_STREAM_REDUCE(N, T, sum) GIN_NV_STREAM_REDUCE(N, T, prod)
SHMEMI_BIT_REDUCE_TYPES(GIN_NV_STREAM_REDUCE_BITS, std)
GIN_NV_RMA_TYPES(GIN_NV_STREAM_REDUCE_NUMBERS)

/* ---- launches ---- */

GIN_NV_H shmemx_dim3_t gin_nv_dim(dim3 d)
{
    shmemx_dim3_t ours;
    ours.x = d.x, ours.y = d.y, ours.z = d.z;
    return ours;
}
GIN_NV_H int gin_nv_launched(int rc)
{
    return rc == 0 ? NVSHMEMX_SUCCESS : NVSHMEMX_ERROR_COLLECTIVE_LAUNCH_FAILED;
}

/* Zero blocks: as many as can be resident. NVSHMEMX_ERROR_COLLECTIVE_LAUNCH_FAILED when the grid cannot be. */
GIN_NV_H int nvshmemx_collective_launch(const void *func, dim3 gridDims, dim3 blockDims, void **args, size_t sharedMem,
                                        cudaStream_t stream)
{
    shmemx_dim3_t grid = gin_nv_dim(gridDims);
    if (grid.x == 0 || grid.y == 0 || grid.z == 0)
        grid.x = grid.y = grid.z = 0;
    return gin_nv_launched(shmemx_collective_launch(func, grid, gin_nv_dim(blockDims), args, sharedMem, stream));
}
GIN_NV_H int nvshmemx_collective_launch_query_gridsize(const void *func, dim3 blockDims, void **args, size_t sharedMem,
                                                       int *gridsize)
{
    (void)args;
    return gin_nv_launched(shmemx_collective_launch_query_gridsize(func, gin_nv_dim(blockDims), sharedMem, gridsize));
}
#if GIN_NV_DEVICE
/* With the kernel itself: what the CPU machine needs, and no worse for a GPU. */
template <class... P>
static inline int nvshmemx_collective_launch(void (*kernel)(P...), dim3 gridDims, dim3 blockDims, void **args,
                                             size_t sharedMem, cudaStream_t stream)
{
    if (gridDims.x == 0 || gridDims.y == 0 || gridDims.z == 0)
        gridDims = dim3(0, 0, 0);
    return gin_nv_launched(shmemx_collective_launch(kernel, gridDims, blockDims, args, sharedMem, stream));
}
template <class... P>
static inline int nvshmemx_collective_launch_query_gridsize(void (*kernel)(P...), dim3 blockDims, void **args,
                                                            size_t sharedMem, int *gridsize)
{
    (void)args;
    return gin_nv_launched(shmemx_collective_launch_query_gridsize(kernel, blockDims, sharedMem, gridsize));
}
#endif

#endif
