/* SPDX-License-Identifier: BSD-3-Clause */
/* Signals without data: OpenSHMEM 1.6 section 9.8. */
#include "api/signal.h"

#include "api/entry.h"
#include "core/team.h"
#include "core/wait.h"

uint64_t pshmem_signal_fetch(const uint64_t *sig_addr)
{
    gs_check_local("shmem_signal_fetch", "sig_addr", sig_addr, sizeof *sig_addr);
    gs_check_aligned("shmem_signal_fetch", "sig_addr", sig_addr, sizeof *sig_addr);
    gs_polled();
    if (!gs_on_device(sig_addr))
        return __atomic_load_n(sig_addr, __ATOMIC_ACQUIRE);
    uint64_t value;
    gs_load("shmem_signal_fetch", &value, sig_addr, sizeof value);
    return value;
}
GS_ALIAS(shmem_signal_fetch)

#define DEFINE(OP, CODE)                                                                                               \
    void pshmem_signal_##OP(uint64_t *sig_addr, uint64_t signal, int pe)                                               \
    {                                                                                                                  \
        gs_signal("shmem_signal_" #OP, sig_addr, signal, CODE, pe);                                                    \
    }                                                                                                                  \
    void pshmem_ctx_signal_##OP(shmem_ctx_t ctx, uint64_t *sig_addr, uint64_t signal, int pe)                          \
    {                                                                                                                  \
        pe = gs_ctx_pe("shmem_ctx_signal_" #OP, ctx, pe);                                                              \
        gs_signal("shmem_ctx_signal_" #OP, sig_addr, signal, CODE, pe);                                                \
    }                                                                                                                  \
    GS_ALIAS(shmem_signal_##OP) GS_ALIAS(shmem_ctx_signal_##OP)

DEFINE(set, SHMEM_SIGNAL_SET)
DEFINE(add, SHMEM_SIGNAL_ADD)
