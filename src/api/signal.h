/* SPDX-License-Identifier: BSD-3-Clause */
/* Updating a signal word on a PE: shared by put_signal and the plain signal calls. */
#ifndef GS_SIGNAL_H
#define GS_SIGNAL_H

#include <shmem.h>

#include "api/entry.h"
#include "core/device.h"
#include "core/log.h"
#include "heap/addr.h"

/* pe in world numbering. Whoever sees the signal sees what this PE stored before it. Gives the word that was updated. */
static inline uint64_t *gs_signal(const char *fn, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe)
{
    uint64_t *word = gs_remote(fn, "sig_addr", sig_addr, sizeof *sig_addr, pe);
    gs_check_aligned(fn, "sig_addr", sig_addr, sizeof *sig_addr);
    if (gs_unlikely((unsigned)sig_op > SHMEM_SIGNAL_ADD))
        gs_die(fn, "sig_op %d is unknown: use SHMEM_SIGNAL_SET or SHMEM_SIGNAL_ADD", sig_op);
    if (gs_on_device(word))
        gs_device_amo(fn, sig_op == SHMEM_SIGNAL_SET ? GS_AMO_SET : GS_AMO_ADD, word, sizeof *word, &signal, NULL, NULL);
    else if (sig_op == SHMEM_SIGNAL_SET)
        __atomic_store_n(word, signal, __ATOMIC_RELEASE);
    else
        __atomic_fetch_add(word, signal, __ATOMIC_RELEASE);
    return word;
}

#endif
