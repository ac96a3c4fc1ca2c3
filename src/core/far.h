/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PEs on other nodes: which they are, the module that reaches them, and access to symmetric memory that may be far or on a
 * device. A job on one node pays for it with the test of gs_direct() that a device heap needs as well.
 */
#ifndef GS_CORE_FAR_H
#define GS_CORE_FAR_H

#include <stdatomic.h>

#include "core/device.h"
#include "core/job.h"
#include "transport/far.h"

/* After the records: sets peers[].near, and loads the module when some PE is far. Collective. 0, or nonzero and logged. */
int gs_far_choose(struct gs_peer *peers);
/* After attach: connects; sets gs.far. Collective. */
int gs_far_start(void);
/* After a barrier of all. settle: before the bootstrap fence that must come between the two. */
void gs_far_settle(void);
void gs_far_stop(void);
/* "shared memory", "UCX 1.13 ...": what carries host memory between nodes; NULL: there is one node. */
const char *gs_far_describe(void);

/* World PE pe, in range: is it far? */
static inline bool gs_pe_far(int pe)
{
    return gs_unlikely(gs.far != NULL) && !gs.peer[pe].near;
}

/* The same of a resolved pointer. */
bool gs_far_pointer(const void *p);
static inline bool gs_is_far(const void *p)
{
    return gs_unlikely(gs.far != NULL) && gs_far_pointer(p);
}
/* Where p is; p must be far. */
struct gs_far_place gs_far_place(const void *p);

/* Messages between processes (transport/device.h). */
bool gs_far_messages(void);
void gs_far_message(int pe, const void *data, size_t bytes, void (*sent)(void *arg), void *arg);
void gs_far_on_message(const struct gs_message_listener *l);
void gs_far_poll(void);

/* Like gs_copy_elsewhere (core/device.h): for memory that may lie on a device or on another node. One side at least is
 * this PE's. */
void gs_copy_rows_elsewhere(const char *fn, void *to, size_t to_pitch, const void *from, size_t from_pitch,
                            size_t width, size_t rows);
/* False: the word is in reach of processor atomics, and nothing has happened. result NULL: not fetched. */
bool gs_amo_elsewhere(const char *fn, enum gs_amo_op op, void *addr, size_t size, const void *operand, const void *cond,
                      void *result);

/* Everything that this PE has begun on devices and on other nodes is complete. */
void gs_complete_elsewhere(void);
/* It comes before what this PE does there later, at each PE. Where both are, they know nothing of each other: messages for
 * the host heap have to be complete before something goes to the device heap. */
void gs_order_elsewhere(void);

/* Sets a word of the runtime's own. It may be a while before a far PE sees it. */
static inline void gs_word_set(_Atomic uint64_t *word, uint64_t value)
{
    if (gs_is_far(word))
        gs.far->amo(GS_AMO_SET, gs_far_place(word), sizeof value, &value, NULL, NULL, false);
    else
        atomic_store_explicit(word, value, memory_order_release);
}

#endif
