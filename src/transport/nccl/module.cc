/* SPDX-License-Identifier: BSD-3-Clause */
/* The module's life, and the table that the core calls. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transport/nccl/kernels.h"
#include "transport/nccl/module.h"

gs_mod_state gs_mod;
static char description[1024];

static int load_kernels(void)
{
    cudaError_t e = gs_k_load();
    if (e != cudaErrorNoKernelImageForDevice)
        return gs_cuda_check(e, "loading kernels");
    (void)cudaGetLastError();
    gs_mod_error(
        "this build of gin_shmem has no code for GPU %d (%s): configure it with -DGIN_SHMEM_CUDA_ARCHITECTURES for "
        "that GPU",
        gs_mod.device, gs_mod.gpu);
    return -1;
}

/* Which way leads to which PEs, and why. */
static void describe_paths(void)
{
    int n = gs_mod.core.n, mapped = 0, far = n - gs_mod.lsa.nRanks;
    int at = snprintf(description, sizeof description, "GPU %d (%s), NCCL %s, %d of %d PEs reachable by load and store",
                      gs_mod.device, gs_mod.gpu, gs_nccl_version_text(gs_lib.version), gs_mod.lsa.nRanks, n);
    auto add = [&at](const char *fmt, auto... values) {
        if (at >= 0 && (size_t)at < sizeof description)
            at += snprintf(description + at, sizeof description - (size_t)at, fmt, values...);
    };
    if (far == 0)
        return;
    for (int pe = 0; pe < n; pe++)
        mapped += !gs_reaches(pe) && gs_direct_peer(pe, gs_mod.windows[0].flat);
    if (gs_mod.gin_contexts)
        add("; %d PEs by GIN (%u contexts), and by the agent for what GIN does not offer", far, gs_mod.gin_contexts);
    else
        add("; %d PEs by the agent, not by GIN (%s)", far, gs_mod.gin_why);
    if (mapped)
        add("; the agent copies straight to %d of them, on this host", mapped);
    if (mapped < far)
        add("; the agent sends messages to %d of them, %s", far - mapped,
            gs_mod.core.messages() ? gs_mod.core.far_describe()
                                   : "but nothing carries them: libginshmem_ucx is missing");
}

/* Kernels choose when they are compiled. */
static void tell_of_gin(void)
{
    int without = 0; /* the module's own are with it */
    for (const struct shmemx_device_unit *u = gs_mod.core.units(); u; u = u->next)
        without += !(u->flags & GIN_SHMEM_UNIT_GIN);
    if (gs_mod.gin_contexts && without)
        gs_mod_log(
            GS_INFO,
            "NCCL's GIN works here, but %d files with kernels were compiled without it, and reach other nodes by the "
            "agent alone: compile them with -DGIN_SHMEM_WITH_GIN=1",
            without);
}

static int start(const struct gs_device_core *core)
{
    gs_mod.core = *core;
    if (core->abi != GS_DEVICE_ABI || core->size != sizeof *core) {
        core->log(GS_ERROR, "libginshmem_nccl.so is of another build than libginshmem.so: install both together");
        return -1;
    }
    /* Kernels and streams before windows, so that nothing is loaded or made once kernels may wait. */
    if (gs_gpu_choose() || load_kernels() || gs_stream_start() || gs_comm_start() || gs_gin_start() ||
        gs_comm_windows() || gs_window_start() || gs_direct_start() || gs_mod_agent_start() || gs_state_start() ||
        gs_watchdog_start(&gs_mod.core, gs_mod.report))
        return -1; /* the core ends the job: there is nothing to go back to */
    describe_paths();
    tell_of_gin();
    gs_mod.up = true;
    return 0;
}

/* The lanes come last but for the communicator: all others use them. */
static void stop(void)
{
    gs_enter in;
    (void)gs_quiet();
    gs_watchdog_look();    /* before peers are waited for, which may have heard of a failure already */
    gs_mod.core.barrier(); /* deregistration waits for nobody: first all are done with our memory */
    gs_watchdog_stop();
    gs_mod.up = false;
    gs_mod_agent_stop();
    gs_state_stop();
    for (gs_dev_team &t : gs_mod.teams)
        gs_team_release(&t);
    gs_window_stop();
    gs_direct_stop();
    gs_host_stop();
    gs_amo_stop();
    gs_comm_stop();
    gs_stream_stop();
    gs_mod.teams = std::vector<gs_dev_team>();
    gs_mod.nccl_rank.clear();
    gs_mod.window_rank.clear();
    gs_mod.lsa_rank.clear();
    gs_mod.lsa_plain = true;
    gs_mod.flat = 0;
    gs_mod.stride = 0;
    gs_mod.lsa = ncclTeam_t();
    gs_mod.gin_contexts = 0;
    gs_mod.state = {};
    gs_mod.team_pes = nullptr;
    gs_mod.host_ranks = nullptr;
}

static const char *describe(void)
{
    return description;
}

static void *nccl_comm(void)
{
    return gs_mod.comm;
}

static const struct gs_device_ops ops = {
    .abi = GS_DEVICE_ABI,
    .size = sizeof(struct gs_device_ops),
    .describe = describe,
    .more_memory = "use a GPU with more free memory",
    .start = start,
    .stop = stop,
    .range = gs_range,
    .delta = gs_delta,
    .reaches = gs_reaches,
    .serves = gs_serves,
    .window_add = gs_window_add,
    .window_remove = gs_window_remove,
    .window_adopt = gs_window_adopt,
    .window_release = gs_window_release,
    .host_register = gs_host_register,
    .memset = gs_fill_bytes,
    .is_device = gs_is_device,
    .copy = gs_copy_bytes,
    .copy_rows = gs_copy_rows,
    .amo = gs_amo,
    .wait_until = gs_wait_until,
    .quiet = gs_quiet,
    .fence = gs_lanes_quiet,
    .quiet_on_stream = gs_quiet_on_stream,
    .team_set = gs_team_set,
    .coll = gs_coll,
    .barrier_on_stream = gs_barrier_on_stream,
    .launch = gs_launch,
    .launch_grid = gs_launch_grid,
    .module_init = gs_module_init,
    .module_finish = gs_module_finish,
    .unit_added = gs_unit_added,
    .nccl_comm = nccl_comm,
    .window_of = gs_window_lookup,
};

extern "C" __attribute__((visibility("default"))) const struct gs_device_ops *gs_device_module(unsigned abi, char *why,
                                                                                               size_t whylen);
const struct gs_device_ops *gs_device_module(unsigned abi, char *why, size_t whylen)
{
    if (abi != GS_DEVICE_ABI) {
        snprintf(why, whylen, "libginshmem_nccl.so is of another build than libginshmem.so: install both together");
        return NULL;
    }
    /* Read when CUDA starts in the process. With 8, the default, work for one stream waits behind kernels of others
     * that themselves wait for it. */
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
    if (gs_driver_load(why, whylen))
        return NULL;
    int count = 0;
    cudaError_t e = cudaGetDeviceCount(&count);
    if (e != cudaSuccess || count == 0) {
        (void)cudaGetLastError();
        snprintf(why, whylen, "CUDA finds no GPU that it can use (%s)",
                 e == cudaSuccess ? "none is visible; see "
                                    "CUDA_VISIBLE_DEVICES"
                                  : cudaGetErrorString(e));
        return NULL;
    }
    if (gs_nccl_load(why, whylen))
        return NULL;
    return &ops;
}
