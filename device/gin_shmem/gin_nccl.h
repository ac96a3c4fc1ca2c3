/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NCCL's GIN as fabric_gin.h wants it, over the versions of NCCL: a build belongs to the headers it was compiled with.
 * What differs:
 *   2.28.9   put, signal, flush and counters. putValue writes out of bounds, and its scopes are swapped: neither is used
 *   2.29.7   VASignal: a signal that is a word of a window
 *   2.30.3   get
 *   2.30.7   signals are strong (behind all earlier puts of the context to that peer) or weak; a GPU's own descriptor is
 *            aligned, and with some network devices a given one must be shared memory
 * Before 2.30.7 NCCL puts a 64-byte descriptor on the stack without the alignment that it needs, so it is given one.
 */
#ifndef GIN_SHMEM_GIN_NCCL_H
#define GIN_SHMEM_GIN_NCCL_H

#include <nccl_device.h>

#include "gin_op.h"
#include "gin_state.h"
#include "report.h"

#define GIN_SHMEM_GIN_HAS_ADD (NCCL_VERSION_CODE >= 22907)
#define GIN_SHMEM_GIN_HAS_GET (NCCL_VERSION_CODE >= 23003)

namespace gin_shmem_impl
{

#if NCCL_VERSION_CODE >= 23007
typedef ncclGin_StrongSignalInc gin_signal_inc;
typedef ncclGin_WeakCounterInc gin_counter_inc;
typedef ncclGin_StrongVASignalAdd gin_word_add;
#define GIN_SHMEM_GIN_DESCRIPTOR(name) const ncclGin_None name = {}
#else
typedef ncclGin_SignalInc gin_signal_inc;
typedef ncclGin_CounterInc gin_counter_inc;
#if GIN_SHMEM_GIN_HAS_ADD
typedef ncclGin_VASignalAdd gin_word_add;
#endif
#define GIN_SHMEM_GIN_DESCRIPTOR(name)         \
    ncclGinDescriptorSmem name##_on_the_stack; \
    const ncclGin_DescriptorSmem name = {&name##_on_the_stack}
#endif

GIN_SHMEM_FN const ncclDevComm &gin_comm()
{
    return *(const ncclDevComm *)state().nccl_dev_comm;
}

/* Posts a piece. The caller has fenced: what is sent is visible at system scope. */
GIN_SHMEM_COLD void gin_nccl_put(const struct gin_op *o, int with)
{
    const ncclGin gin(gin_comm(), (int)o->context);
    const ncclTeam world = ncclTeamWorld(gin_comm());
    const ncclCoopThread one = {};
    GIN_SHMEM_GIN_DESCRIPTOR(room);
    switch (with) {
    case GIN_ALONE:
        gin.put(world, o->rank, o->to.window, o->to.offset, o->from.window, o->from.offset, o->length, ncclGin_None{},
                ncclGin_None{}, one, room);
        break;
    case GIN_COUNT:
        gin.put(world, o->rank, o->to.window, o->to.offset, o->from.window, o->from.offset, o->length, ncclGin_None{},
                gin_counter_inc{o->slot}, one, room);
        break;
    case GIN_SIGNAL:
        gin.put(world, o->rank, o->to.window, o->to.offset, o->from.window, o->from.offset, o->length,
                gin_signal_inc{GIN_SHMEM_GIN_SIGNAL}, gin_counter_inc{o->slot}, one, room);
        break;
    }
}
#if GIN_SHMEM_GIN_HAS_ADD
GIN_SHMEM_COLD void gin_nccl_add(const struct gin_op *o)
{
    const ncclGin gin(gin_comm(), (int)o->context);
    const ncclTeam world = ncclTeamWorld(gin_comm());
    const ncclCoopThread one = {};
    const gin_word_add add = {o->sig.window, (size_t)o->sig.offset, o->value};
    GIN_SHMEM_GIN_DESCRIPTOR(room);
    if (o->length)
        gin.put(world, o->rank, o->to.window, o->to.offset, o->from.window, o->from.offset, o->length, add,
                gin_counter_inc{o->slot}, one, room);
    else
        gin.signal(world, o->rank, add, one, room);
}
#else
GIN_SHMEM_FN void gin_nccl_add(const struct gin_op *) {} /* not reached */
#endif

/* Gets a piece; the data is in place when it returns: NCCL's wait is an acquire. */
#if GIN_SHMEM_GIN_HAS_GET
GIN_SHMEM_COLD void gin_nccl_get(const struct gin_op *o)
{
    const ncclGin gin(gin_comm(), (int)o->context);
    const ncclTeam world = ncclTeamWorld(gin_comm());
    const ncclCoopThread one = {};
    ncclGinRequest_t request;
    GIN_SHMEM_GIN_DESCRIPTOR(room);
    gin.get(world, o->rank, o->from.window, o->from.offset, o->to.window, o->to.offset, o->length, one, room);
    gin.flushAsync(world, (uint32_t)o->rank, &request);
    gin.wait(request, one, room);
}
#else
GIN_SHMEM_FN void gin_nccl_get(const struct gin_op *) {} /* not reached */
#endif

/* An acquire. */
GIN_SHMEM_COLD uint64_t gin_nccl_counter(uint32_t context, uint32_t counter)
{
    return ncclGin(gin_comm(), (int)context).readCounter(counter);
}

} // namespace gin_shmem_impl

#endif
