/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Explicit queue pairs. Peers are reached by load and store, or by queues that the library manages, so a queue pair
 * chooses nothing: its calls are the plain ones, and its quiet and fence cover at least what they must.
 */
#ifndef GIN_NVSHMEM_QP_H
#define GIN_NVSHMEM_QP_H

#include "signal.h"

#if GIN_NV_HOST
/* num_qps handles, which live until the job's end; qps gets their address. */
GIN_NV_H int nvshmemx_qp_create(int num_qps, nvshmemx_qp_handle_t **out_qp_array)
{
    return shmemx_nvshmem_qp_create(num_qps, out_qp_array);
}
#endif

#if GIN_NV_DEVICE
#define GIN_NV_QP_COPY(N, T, OP, S)                                                                                    \
    GIN_NV_D void nvshmemx_qp_##N##_##OP##S(T *dest, const T *source, size_t nelems, int pe, nvshmemx_qp_handle_t)     \
    {                                                                                                                  \
        gin_shmem_##N##_##OP##S(dest, source, nelems, pe);                                                             \
    }                                                                                                                  \
    GIN_NV_D void nvshmemx_qp_##N##_##OP##_nbi##S(T *dest, const T *source, size_t nelems, int pe,                     \
                                                  nvshmemx_qp_handle_t)                                                \
    {                                                                                                                  \
        gin_shmem_##N##_##OP##_nbi##S(dest, source, nelems, pe);                                                       \
    }
#define GIN_NV_QP_SIGNAL(N, T, OP, S)                                                                                  \
    GIN_NV_D void nvshmemx_qp_##N##_##OP##S(T *dest, const T *source, size_t nelems, uint64_t *sig_addr,               \
                                            uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t)                 \
    {                                                                                                                  \
        gin_shmem_##N##_##OP##S(dest, source, nelems, sig_addr, signal, gin_nv_sig_op(sig_op), pe);                    \
    }
#define GIN_NV_QP_SET(N, T, S)                                                                                         \
    GIN_NV_QP_COPY(N, T, put, S) GIN_NV_QP_COPY(N, T, get, S)                                                          \
    GIN_NV_QP_SIGNAL(N, T, put_signal, S) GIN_NV_QP_SIGNAL(N, T, put_signal_nbi, S)
#define GIN_NV_QP(KIND, N, T)                                                                                          \
    GIN_NV_QP_SET(N, T, ) GIN_NV_GROUPS(GIN_NV_QP_SET, N, T)                                                           \
    GIN_NV_D void nvshmemx_qp_##N##_p(T *dest, const T value, int pe, nvshmemx_qp_handle_t)                            \
    {                                                                                                                  \
        gin_shmem_##N##_p(dest, value, pe);                                                                            \
    }                                                                                                                  \
    GIN_NV_D T nvshmemx_qp_##N##_g(const T *source, int pe, nvshmemx_qp_handle_t)                                      \
    {                                                                                                                  \
        return gin_shmem_##N##_g(source, pe);                                                                          \
    }
GIN_NV_RMA_TYPES(GIN_NV_QP)

GIN_NV_D void nvshmemx_qp_signal_op(uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, nvshmemx_qp_handle_t)
{
    gin_shmem_signal_op(sig_addr, signal, gin_nv_sig_op(sig_op), pe);
}
#define GIN_NV_QP_ORDER(OP, S)                                                                                         \
    GIN_NV_D void nvshmemx_qp_##OP##S(int, nvshmemx_qp_handle_t *, int)                                                \
    {                                                                                                                  \
        gin_shmem_##OP##S();                                                                                           \
    }
#define GIN_NV_QP_ORDER_SET(OP) GIN_NV_QP_ORDER(OP, ) GIN_NV_GROUPS(GIN_NV_QP_ORDER, OP)
GIN_NV_QP_ORDER_SET(quiet)
GIN_NV_QP_ORDER_SET(fence)
#endif

#endif
