/* SPDX-License-Identifier: BSD-3-Clause */
/* The module's life, and the table that the core calls. */
#include "cpu/module.h"

#include <stdio.h>
#include <string.h>

#include "agent/agent.h"
#include "core/fence.h"
#include "cpu/sim.h"
#include "transport/shared/watchdog.h"

struct gs_cpu gs_cpu;
static char description[160];

static int sim_start(void)
{
    const struct gs_device_core *core = &gs_cpu.core;
    return gs_sim_start(&(struct gs_sim_config){
        .me = core->me,
        .n = core->n,
        .far = gs_cpu.state.remote == GIN_SHMEM_REMOTE_SIM,
        .peer = gs_cpu_peer,
        .own = gs_cpu_own,
        .sys = gs_cpu.windows[0].base,
        .sys_bytes = gs_cpu.windows[0].bytes,
        .report = &gs_cpu.report,
        .report_bytes = sizeof gs_cpu.report,
        .look = gs_watchdog_look,
        .allgather = core->allgather,
        .log = core->log,
        .die = core->die,
    });
}

static int start(const struct gs_device_core *core)
{
    memset(&gs_cpu, 0, sizeof gs_cpu);
    gs_cpu.core = *core;
    if (core->abi != GS_DEVICE_ABI || core->size != sizeof *core) {
        core->log(GS_ERROR, "libginshmem_cpu is of another build than libginshmem: install both together");
        return -1;
    }
    gs_machine_share(core->n);
    if (gs_cpu_window_start() || gs_cpu_reach_start() || sim_start() || gs_cpu_agent_start() || gs_cpu_state_start() ||
        gs_watchdog_start(&gs_cpu.core, &gs_cpu.report))
        return -1;             /* the core ends the job: there is nothing to go back to */
    if (!gs_pes_are_threads()) /* a store that is made later comes out of another fibre: no order to ThreadSanitizer */
        gs_machine_thread_hooks(gs_sim_thread_begins, gs_sim_thread_ended);
    gs_machine_hooks(core->abort, gs_watchdog_look);
    int near = 0;
    for (int pe = 0; pe < core->n; pe++)
        near += gs_cpu_reaches(pe);
    snprintf(description, sizeof description,
             "kernels run on the CPU, %d blocks of 256 threads at one time; %zu MiB of device memory, %d of %d PEs "
             "reachable by load and store",
             gs_launch_fits((struct gin_shmem_cpu_dim){256, 1, 1}, 0), core->cpu_memory >> 20, near, core->n);
    gs_cpu.up = true;
    return 0;
}

static void stop(void)
{
    (void)gs_machine_synchronize();
    gs_sim_quiet();
    gs_agent_quiet();
    gs_watchdog_look();    /* before peers are waited for, which may have heard of a failure already */
    gs_cpu.core.barrier(); /* nobody uses our memory any more */
    gs_watchdog_stop();
    gs_machine_hooks(NULL, NULL);
    gs_machine_thread_hooks(NULL, NULL);
    gs_agent_stop();
    gs_sim_stop();
    gs_cpu.up = false;
    gs_cpu_state_stop();
    gs_cpu_reach_stop();
    gs_cpu_window_stop();
}

static const char *describe(void)
{
    return description;
}

static int fence(void)
{
    return 0; /* copies are done when they return */
}

/* ---- what the CPU has no counterpart of ---- */

static int module_init(void *cu_module)
{
    gs_cpu_error(
        "shmemx_cumodule_init: %p: where kernels run on the CPU there are no modules of the CUDA driver (NVRTC, "
        "Triton): compile the kernel into the program, with GIN_SHMEM_CPU",
        cu_module);
    return -1;
}

static int module_finish(void *cu_module)
{
    gs_cpu_error("shmemx_cumodule_finalize: %p: where kernels run on the CPU there are no modules of the CUDA driver",
                 cu_module);
    return -1;
}

static void *nccl_comm(void)
{
    gs_cpu_error("shmemx_nccl_comm: kernels of this job run on the CPU, without NCCL");
    return NULL;
}

static int window_of(const void *addr, void **window, size_t *offset)
{
    (void)window, (void)offset;
    gs_cpu_error("shmemx_nccl_window: %p: kernels of this job run on the CPU, without NCCL", addr);
    return -1;
}

static const struct gs_device_ops ops = {
    .abi = GS_DEVICE_ABI,
    .size = sizeof(struct gs_device_ops),
    .describe = describe,
    .more_memory = "raise GIN_SHMEM_CPU_MEMORY",
    .start = start,
    .stop = stop,
    .range = gs_cpu_range,
    .delta = gs_cpu_delta,
    .reaches = gs_cpu_reaches,
    .serves = gs_cpu_serves,
    .window_add = gs_cpu_window_add,
    .window_remove = gs_cpu_window_remove,
    .window_adopt = gs_cpu_window_adopt,
    .window_release = gs_cpu_window_remove, /* nothing is ever adopted */
    .host_register = gs_cpu_host_register,
    .memset = gs_cpu_memset,
    .is_device = gs_cpu_is_device,
    .copy = gs_cpu_copy,
    .copy_rows = gs_cpu_copy_rows,
    .amo = gs_cpu_amo,
    .wait_until = gs_cpu_wait_until,
    .quiet = gs_cpu_quiet,
    .fence = fence,
    .quiet_on_stream = gs_cpu_quiet_on_stream,
    .team_set = gs_cpu_team_set,
    .coll = gs_cpu_coll,
    .barrier_on_stream = gs_cpu_barrier_on_stream,
    .launch = gs_cpu_launch,
    .launch_grid = gs_cpu_launch_grid,
    .module_init = module_init,
    .module_finish = module_finish,
    .unit_added = gs_cpu_unit_added,
    .nccl_comm = nccl_comm,
    .window_of = window_of,
};

__attribute__((visibility("default"))) gs_device_module_fn gs_device_module;
const struct gs_device_ops *gs_device_module(unsigned abi, char *why, size_t whylen)
{
    if (abi == GS_DEVICE_ABI)
        return &ops;
    snprintf(why, whylen, "libginshmem_cpu is of another build than libginshmem: install both together");
    return NULL;
}
