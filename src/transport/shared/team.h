/* SPDX-License-Identifier: BSD-3-Clause */
/* Teams, as kernels get them. Shared by the modules. */
#ifndef GS_SHARED_TEAM_H
#define GS_SHARED_TEAM_H

#include <gin_shmem/state.h>

#include "transport/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the core says of g, with the world numbers of its members in pes (core->n of room). True: start and stride say
 * them all; else shape.pes is for the caller to point at a copy that kernels reach. */
bool gs_team_shape(const struct gs_device_core *core, const struct gs_group *g, struct gin_shmem_team *shape,
                   int32_t *pes);

/* World number of a member. */
static inline int gs_team_pe(const struct gs_device_core *core, const struct gin_shmem_team *t,
                             const struct gs_group *g, int rank)
{
    return t->pes ? core->group_pe(g, rank) : t->start + rank * t->stride;
}

#ifdef __cplusplus
}
#endif

#endif
