/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective launches: kernels whose blocks are all resident, so that they may wait for each other. */
#include "cpu/module.h"
#include "transport/shared/grid.h"

static const struct gin_shmem_cpu_kernel *resolve(const void *func)
{
    const struct gin_shmem_cpu_kernel *k = gs_kernel_find(func);
    if (!k)
        gs_cpu_error(
            "collective launch: %p is no kernel that the CPU machine knows: pass the kernel's name without a cast, "
            "in a file that includes gin_shmem.h",
            func);
    return k;
}

static int limit_of(const unsigned block[3], size_t smem)
{
    return gs_launch_fits((struct gin_shmem_cpu_dim){block[0], block[1], block[2]}, smem);
}

int gs_cpu_launch(const void *func, const unsigned grid[3], const unsigned block[3], void **args, size_t smem,
                  void *stream)
{
    unsigned g[3];
    const struct gin_shmem_cpu_kernel *k = resolve(func);
    if (!k || gs_grid_for(&gs_cpu.core, grid, block, smem, limit_of(block, smem), "a block has at most 1024", g))
        return -1;
    const struct gs_launch l = {
        .fn = func,
        .kernel = k,
        .grid = {g[0], g[1], g[2]},
        .block = {block[0], block[1], block[2]},
        .smem = smem,
        .cooperative = true,
    };
    int rc = gs_launch_enqueue(&l, args, (uintptr_t)stream == 1 ? NULL : stream);
    if (rc != GS_MACHINE_OK)
        gs_cpu_error("collective launch: the CPU machine refuses the kernel (error %d)", rc);
    return rc == GS_MACHINE_OK ? 0 : -1;
}

int gs_cpu_launch_grid(const void *func, const unsigned block[3], size_t smem, int *gridsize)
{
    if (!resolve(func))
        return -1;
    *gridsize = limit_of(block, smem);
    return 0;
}
