/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GPUs, as the core sees them: whether the job wants a device heap, the module that serves it, and access to memory that
 * may lie on a device. A job without one pays a test of gs.dev, which is NULL there.
 */
#ifndef GS_CORE_DEVICE_H
#define GS_CORE_DEVICE_H

#include <string.h>

#include "core/fence.h"
#include "core/job.h"
#include "heap/pool.h"
#include "transport/device.h"

/* Does this PE want a device heap, as far as it can tell at initialisation? flags: what shmem_init_thread was asked for
 * beside the thread level (SHMEM_DEVICE_HOST_INIT, _KERNEL_INIT). Goes into the record that PEs exchange. */
bool gs_device_wanted(bool asked);
/* This program wants a device heap, although no unit of its may have kernels (NVSHMEM's API). Before initialisation; or
 * behind it, on every PE. */
void gs_device_prefer(void);
/* After the exchange: some PE wants one. The module starts at the first collective call after this. */
void gs_device_expect(bool expected, void *adopted_comm);

/* Starts the module if it is expected; collective. Called by what is collective over all PEs, allocates, or launches. */
void gs_device_start(const char *fn);
static inline void gs_device_ready(const char *fn)
{
    if (gs_unlikely(gs.dev_expected))
        gs_device_start(fn);
}
void gs_device_stop(void);
/* Dies unless there is a device heap; starts it when it is expected. For calls that make no sense without one. */
const struct gs_device_ops *gs_device_need(const char *fn);

/* Where shmem_malloc takes memory from, and shmemg_malloc or a hint otherwise. */
enum gs_kind gs_device_default_kind(void);

/* Is this a resolved pointer into some PE's device heap? */
static inline bool gs_on_device(const void *p)
{
    return gs_unlikely(gs.dev != NULL) && gs.dev->is_device(p);
}

/* core/far.c: where memory may lie on a device, or on another node. */
void gs_copy_elsewhere(const char *fn, void *to, const void *from, size_t bytes, bool nbi);

/* Copies between any two memories. The source may be reused when it returns; the target has the data then, too, unless
 * nbi, or the target is on another node: that may be as late as the next quiet. */
static inline void gs_copy(const char *fn, void *to, const void *from, size_t bytes, bool nbi)
{
    if (gs_direct()) {
        if (bytes == 8) { /* the commonest: a load and a store */
            uint64_t word;
            gs_load_word(&word, from, 8);
            gs_store_word(to, &word, 8);
        } else if (bytes) { /* without, the pointers may be NULL */
            /* memmove: a PE may put to itself, in place; it is the same code as memcpy */
            memmove(to, from, bytes);
        }
    } else {
        gs_copy_elsewhere(fn, to, from, bytes, nbi);
    }
}

static inline void gs_load(const char *fn, void *value, const void *from, size_t bytes)
{
    if (gs_direct())
        gs_load_word(value, from, bytes);
    else
        gs_copy_elsewhere(fn, value, from, bytes, false);
}

static inline void gs_store(const char *fn, void *to, const void *value, size_t bytes)
{
    if (gs_direct())
        gs_store_word(to, value, bytes);
    else
        gs_copy_elsewhere(fn, to, value, bytes, false);
}

/* An atomic on device memory; operand, cond and result hold size bytes, result may be NULL. Dies when it fails. */
void gs_device_amo(const char *fn, enum gs_amo_op op, void *addr, size_t size, const void *operand, const void *cond,
                   void *result);

/* What this PE has begun on its device's streams is complete. */
void gs_complete_device(void);

/* ---- translation units with device code: shmemx_device_register ---- */
struct shmemx_device_unit *gs_device_units(void);

#endif
