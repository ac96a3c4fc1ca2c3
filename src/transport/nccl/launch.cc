/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective launches: kernels whose blocks are all resident, so that they may wait for each other. */
#include <stdio.h>

#include "transport/nccl/module.h"
#include "transport/shared/grid.h"

/* The kernel behind the program's symbol: a unit of the program asks the program's own CUDA runtime. */
static int resolve(const void *func, CUfunction *f)
{
    for (struct shmemx_device_unit *u = gs_mod.core.units(); u; u = u->next) {
        void *found = nullptr;
        if (u->function && u->function(func, &found) == 0 && found) {
            *f = (CUfunction)found;
            return 0;
        }
    }
    gs_mod_error(
        "collective launch: %p is no kernel of a file that includes gin_shmem.h: pass the kernel's name, and include "
        "the header in the file that defines it",
        func);
    return -1;
}

/* Blocks that fit onto the GPU at one time. */
static int limit_of(CUfunction f, const unsigned block[3], size_t smem, int *limit)
{
    int per_sm = 0, allowed = 0;
    unsigned threads = block[0] * block[1] * block[2];
    if (GS_DRV(cuFuncGetAttribute, &allowed, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, f))
        return -1;
    if (smem > (size_t)allowed &&
        GS_DRV(cuFuncSetAttribute, f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)smem))
        return -1;
    if (GS_DRV(cuOccupancyMaxActiveBlocksPerMultiprocessor, &per_sm, f, (int)threads, smem))
        return -1;
    *limit = per_sm * gs_mod.sms;
    return 0;
}

int gs_launch(const void *func, const unsigned grid[3], const unsigned block[3], void **args, size_t smem, void *stream)
{
    gs_enter in;
    CUfunction f;
    int limit;
    unsigned g[3];
    if (resolve(func, &f) || limit_of(f, block, smem, &limit))
        return -1;
    char bounds[64];
    snprintf(bounds, sizeof bounds, "compile it with __launch_bounds__(%u)", block[0] * block[1] * block[2]);
    if (gs_grid_for(&gs_mod.core, grid, block, smem, limit, bounds, g))
        return -1;
    return GS_DRV(cuLaunchCooperativeKernel, f, g[0], g[1], g[2], block[0], block[1], block[2], (unsigned)smem,
                  (CUstream)stream, args);
}

int gs_launch_grid(const void *func, const unsigned block[3], size_t smem, int *gridsize)
{
    gs_enter in;
    CUfunction f;
    return resolve(func, &f) || limit_of(f, block, smem, gridsize) ? -1 : 0;
}
