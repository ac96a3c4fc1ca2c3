/* SPDX-License-Identifier: BSD-3-Clause */
/* Launches, modules, and what lies underneath: the GPU part of shmemx.h beside the stream calls. */
#include <shmemx.h>

#include "core/device.h"

int shmemx_collective_launch(const void *func, shmemx_dim3_t grid, shmemx_dim3_t block, void **args, size_t smem,
                             struct CUstream_st *stream)
{
    const unsigned g[3] = {grid.x, grid.y, grid.z}, b[3] = {block.x, block.y, block.z};
    return gs_device_need("shmemx_collective_launch")->launch(func, g, b, args, smem, stream);
}

int shmemx_collective_launch_query_gridsize(const void *func, shmemx_dim3_t block, size_t smem, int *gridsize)
{
    const unsigned b[3] = {block.x, block.y, block.z};
    return gs_device_need("shmemx_collective_launch_query_gridsize")->launch_grid(func, b, smem, gridsize);
}

int shmemx_cumodule_init(struct CUmod_st *module)
{
    return gs_device_need("shmemx_cumodule_init")->module_init(module);
}

int shmemx_cumodule_finalize(struct CUmod_st *module)
{
    return gs_device_need("shmemx_cumodule_finalize")->module_finish(module);
}

void shmemx_device_init(void)
{
    (void)gs_device_need("shmemx_device_init");
}

struct ncclComm *shmemx_nccl_comm(void)
{
    return gs_device_need("shmemx_nccl_comm")->nccl_comm();
}

int shmemx_nccl_window(const void *addr, void **window, size_t *offset)
{
    return gs_device_need("shmemx_nccl_window")->window_of(addr, window, offset);
}
