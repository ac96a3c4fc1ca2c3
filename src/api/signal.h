/* SPDX-License-Identifier: BSD-3-Clause */
/* Updating a signal word on a PE: shared by put_signal and the plain signal calls. */
#ifndef GS_SIGNAL_H
#define GS_SIGNAL_H

#include <shmem.h>

#include "api/entry.h"
#include "core/far.h"
#include "core/log.h"
#include "heap/addr.h"

static inline void gs_check_signal(const char *fn, const uint64_t *sig_addr, int sig_op)
{
    gs_check_aligned(fn, "sig_addr", sig_addr, sizeof *sig_addr);
    if (gs_unlikely((unsigned)sig_op > SHMEM_SIGNAL_ADD))
        gs_die(fn, "sig_op %d is unknown: use SHMEM_SIGNAL_SET or SHMEM_SIGNAL_ADD", sig_op);
}

/* pe in world numbering. Whoever sees the signal sees what this PE stored before it. Gives the word that was updated. */
static inline uint64_t *gs_signal(const char *fn, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe)
{
    uint64_t *word = gs_remote(fn, "sig_addr", sig_addr, sizeof *sig_addr, pe);
    gs_check_signal(fn, sig_addr, sig_op);
    if (!gs_direct() && gs_amo_elsewhere(fn, sig_op == SHMEM_SIGNAL_SET ? GS_AMO_SET : GS_AMO_ADD, word, sizeof *word,
                                         &signal, NULL, NULL))
        return word;
    if (sig_op == SHMEM_SIGNAL_SET)
        __atomic_store_n(word, signal, __ATOMIC_RELEASE);
    else
        __atomic_fetch_add(word, signal, __ATOMIC_RELEASE);
    return word;
}

#endif
