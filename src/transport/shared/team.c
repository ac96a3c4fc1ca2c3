/* SPDX-License-Identifier: BSD-3-Clause */
#include "transport/shared/team.h"

bool gs_team_shape(const struct gs_device_core *core, const struct gs_group *g, struct gin_shmem_team *shape,
                   int32_t *pes)
{
    bool strided = true;
    int n, me, slot;
    core->group_info(g, &n, &me, &slot);
    for (int r = 0; r < n; r++)
        pes[r] = core->group_pe(g, r);
    int stride = n > 1 ? pes[1] - pes[0] : 1;
    for (int r = 1; r < n; r++)
        strided = strided && pes[r] - pes[r - 1] == stride;
    *shape = (struct gin_shmem_team){
        .n = n, .me = me, .start = pes[0], .stride = stride, .pes = NULL, .handle = core->group_handle(g)};
    return strided;
}
