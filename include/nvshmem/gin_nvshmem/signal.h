/* SPDX-License-Identifier: BSD-3-Clause */
/* Signals, and puts with a signal; NVSHMEM has the latter in kernels and streams only. */
#ifndef GIN_NVSHMEM_SIGNAL_H
#define GIN_NVSHMEM_SIGNAL_H

#include "rma.h"

#if GIN_NV_HOST
GIN_NV_H void gin_nv_signal_op(uint64_t *sig_addr, uint64_t signal, int sig_op, int pe)
{
    if (sig_op == NVSHMEM_SIGNAL_SET)
        shmem_signal_set(sig_addr, signal, pe);
    else if (sig_op == NVSHMEM_SIGNAL_ADD)
        shmem_signal_add(sig_addr, signal, pe);
    else {
        fprintf(stderr, "nvshmemx_signal_op: sig_op %d is unknown: use NVSHMEM_SIGNAL_SET or NVSHMEM_SIGNAL_ADD\n", sig_op);
        shmem_global_exit(1);
    }
}
#endif

GIN_NV_HD uint64_t nvshmem_signal_fetch(uint64_t *sig_addr)
    GIN_NV_BODY(gin_shmem_signal_fetch(sig_addr), shmem_signal_fetch(sig_addr))
GIN_NV_HD void nvshmemx_signal_op(uint64_t *sig_addr, uint64_t signal, int sig_op, int pe)
    GIN_NV_BODY(gin_shmem_signal_op(sig_addr, signal, gin_nv_sig_op(sig_op), pe),
                gin_nv_signal_op(sig_addr, signal, sig_op, pe))

#if GIN_NV_DEVICE
/* An acquire: what the signal's sender ordered before it is visible. */
GIN_NV_D uint64_t nvshmem_signal_wait_until(uint64_t *sig_addr, int cmp, uint64_t cmp_value)
{
    return gin_shmem_signal_wait_until(sig_addr, cmp, cmp_value);
}

#define GIN_NV_PUT_SIGNAL(NAME, OP, T)                                                                                 \
    GIN_NV_D void NAME(T *dest, const T *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op,       \
                       int pe)                                                                                         \
    {                                                                                                                  \
        OP(dest, source, nelems, sig_addr, signal, gin_nv_sig_op(sig_op), pe);                                         \
    }
#define GIN_NV_PUT_SIGNAL_GROUP(PUT, T, S)                                                                             \
    GIN_NV_PUT_SIGNAL(nvshmemx_##PUT##_signal##S, gin_shmem_##PUT##_signal##S, T)                                      \
    GIN_NV_PUT_SIGNAL(nvshmemx_##PUT##_signal_nbi##S, gin_shmem_##PUT##_signal_nbi##S, T)
#define GIN_NV_PUT_SIGNALS(PUT, T)                                                                                     \
    GIN_NV_PUT_SIGNAL(nvshmem_##PUT##_signal, gin_shmem_##PUT##_signal, T)                                             \
    GIN_NV_PUT_SIGNAL(nvshmem_##PUT##_signal_nbi, gin_shmem_##PUT##_signal_nbi, T)                                     \
    GIN_NV_GROUPS(GIN_NV_PUT_SIGNAL_GROUP, PUT, T)
#define GIN_NV_PUT_SIGNAL_TYPED(KIND, N, T) GIN_NV_PUT_SIGNALS(N##_put, T)
GIN_NV_RMA_TYPES(GIN_NV_PUT_SIGNAL_TYPED)
#define GIN_NV_PUT_SIGNAL_SIZED(A, S) GIN_NV_PUT_SIGNALS(put##S, void)
SHMEMI_SIZES(GIN_NV_PUT_SIGNAL_SIZED, )
GIN_NV_PUT_SIGNALS(putmem, void)

/* NVSHMEM has its group forms of 16 bits under this name. */
#define GIN_NV_PUT6_SIGNAL(OP, S) GIN_NV_PUT_SIGNAL(nvshmemx_put6_##OP##S, gin_shmem_put16_##OP##S, void)
GIN_NV_GROUPS(GIN_NV_PUT6_SIGNAL, signal)
GIN_NV_GROUPS(GIN_NV_PUT6_SIGNAL, signal_nbi)
#endif

#endif
