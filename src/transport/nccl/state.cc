/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What kernels know: the state in every unit's and module's constant memory, and the tables behind it. The state
 * changes when host memory becomes reachable for the first time, and at the end; windows and teams only change the
 * tables.
 */
#include <algorithm>
#include <stdlib.h>
#include <string.h>

#include "transport/nccl/module.h"
#include "transport/shared/team.h"

static struct gin_shmem_windows windows; /* as the device has it */
static std::mutex lock;                  /* filling, modules, tables */
static std::vector<CUmodule> modules;
static uint64_t filling = 1; /* units that have this in library[0] are up to date */
std::atomic<bool> gs_units_pending{false};

static const char STATE_SYMBOL[] = "gin_shmem_device_state";

static int send(void *to, const void *from, size_t bytes, cudaStream_t s)
{
    return GS_CUDA(cudaMemcpyAsync, to, from, bytes, cudaMemcpyHostToDevice, s);
}

/* ---- tables ---- */

/* Offsets in gs_mod.tables. */
struct layout {
    size_t teams, pes, ranks, host_ranks, comm, bytes;
};

static struct layout table_layout(void)
{
    struct layout l;
    size_t n = (size_t)gs_mod.core.n, teams = (size_t)gs_mod.core.max_teams;
    auto after = [](size_t bytes) { return (bytes + 255) / 256 * 256; };
    l.teams = after(sizeof windows);
    l.pes = after(l.teams + teams * sizeof(struct gin_shmem_team));
    l.ranks = after(l.pes + teams * n * sizeof(int32_t));
    l.host_ranks = after(l.ranks + n * sizeof(int32_t));
    l.comm = after(l.host_ranks + n * sizeof(int32_t));
    l.bytes = after(l.comm + gs_nccl_dev_comm_bytes());
    return l;
}

/* Without GIN (gin.cc makes it otherwise), for authors of extensions. A failed creation spoils the communicator, so none
 * is tried where it may fail: over several nodes NCCL asks for GIN all the same. */
static int make_dev_comm(void)
{
    const struct gs_nccl_want want = {GS_LSA_BARRIERS, 0, 0, 0};
    char why[256];
    if (gs_mod.dev_comm)
        return 0;
    if (gs_mod.lsa.nRanks < gs_mod.core.n) {
        gs_mod_log(GS_DEBUG, "no ncclDevComm: %d of %d PEs are reachable by load and store", gs_mod.lsa.nRanks,
                   gs_mod.core.n);
        return 0;
    }
    if (!gs_nccl_dev_comm_fits(why, sizeof why)) {
        gs_mod_log(GS_INFO, "no ncclDevComm for kernels: %s", why);
        return 0;
    }
    if (gs_nccl_dev_comm(gs_mod.comm, &want, &gs_mod.dev_comm, why, sizeof why)) {
        gs_mod_error("%s (NCCL %s; NCCL_DEBUG=WARN shows more)", why, gs_nccl_version_text(gs_lib.version));
        return -1;
    }
    return 0;
}

static int make_tables(cudaStream_t s)
{
    struct layout l = table_layout();
    if (GS_CUDA(cudaMalloc, (void **)&gs_mod.tables, l.bytes) || GS_CUDA(cudaMemsetAsync, gs_mod.tables, 0, l.bytes, s))
        return -1;
    gs_mod.state.windows = (struct gin_shmem_windows *)gs_mod.tables;
    gs_mod.state.teams = (struct gin_shmem_team *)(gs_mod.tables + l.teams);
    gs_mod.team_pes = (int32_t *)(gs_mod.tables + l.pes);
    if (!gs_mod.lsa_plain) {
        gs_mod.state.dev.rank = (int32_t *)(gs_mod.tables + l.ranks);
        if (send(gs_mod.tables + l.ranks, gs_mod.lsa_rank.data(), (size_t)gs_mod.core.n * sizeof(int32_t), s))
            return -1;
    }
    std::vector<int32_t> near;
    for (int pe = 0; pe < gs_mod.core.n; pe++)
        near.push_back(gs_mod.core.near(pe) ? pe : -1);
    if (std::count(near.begin(), near.end(), -1)) {
        gs_mod.host_ranks = (int32_t *)(gs_mod.tables + l.host_ranks);
        if (send(gs_mod.host_ranks, near.data(), near.size() * sizeof(int32_t), s) || gs_sync(s))
            return -1;
    }
    if (make_dev_comm())
        return -1;
    if (gs_mod.dev_comm) {
        gs_mod.state.nccl_dev_comm = gs_mod.tables + l.comm;
        if (send(gs_mod.tables + l.comm, gs_mod.dev_comm, gs_nccl_dev_comm_bytes(), s))
            return -1;
    }
    memset(&windows, 0, sizeof windows);
    return gs_state_window_added(0);
}

/* The entry first, then the count: kernels that run see all of it or nothing. */
int gs_state_window_added(int index)
{
    gs_lane *l = gs_lane_mine();
    const gs_window *w = &gs_mod.windows[index];
    windows.w[index].lo = (uint64_t)(uintptr_t)w->flat;
    windows.w[index].bytes = w->bytes;
    windows.w[index].nccl = (void *)w->handle;
    windows.count = (uint32_t)gs_mod.window_count;
    return send(&gs_mod.state.windows->w[index], &windows.w[index], sizeof windows.w[0], l->stream) ||
                   gs_sync(l->stream) ||
                   send(&gs_mod.state.windows->count, &windows.count, sizeof windows.count, l->stream) ||
                   gs_sync(l->stream)
               ? -1
               : 0;
}

void gs_state_window_gone(void)
{
    gs_lane *l = gs_lane_mine();
    windows.count = (uint32_t)gs_mod.window_count;
    if (send(&gs_mod.state.windows->count, &windows.count, sizeof windows.count, l->stream) == 0)
        (void)gs_sync(l->stream);
}

/* ---- teams ---- */

static int clear_slot(int slot, cudaStream_t s)
{
    uint32_t n = (uint32_t)gs_mod.core.n;
    return GS_CUDA(cudaMemsetAsync, gs_mod.state.sys + gin_shmem_sys_slot_offset(n, (uint32_t)slot), 0,
                   gin_shmem_sys_slot_bytes(n, (uint32_t)slot), s);
}

int gs_team_set(int slot, const struct gs_group *g)
{
    gs_enter in;
    gs_dev_team *t = &gs_mod.teams[(size_t)slot];
    gs_lane *l = gs_lane_mine();
    struct gin_shmem_team shape = {};
    std::vector<int32_t> pes((size_t)gs_mod.core.n);
    gs_team_release(t);
    t->present = g != nullptr;
    t->world_comm = false;
    if (g) {
        bool strided = gs_team_shape(&gs_mod.core, g, &shape, pes.data());
        t->world_comm = slot == 0; /* not for its equals: two threads may be in both at one time */
        for (int r = 0; r < shape.n; r++)
            t->world_comm = t->world_comm && gs_mod.nccl_rank[(size_t)pes[(size_t)r]] == r;
        if (!strided) {
            int32_t *table = gs_mod.team_pes + (size_t)slot * (size_t)gs_mod.core.n;
            shape.pes = table;
            if (send(table, pes.data(), (size_t)shape.n * sizeof(int32_t), l->stream))
                return -1;
        }
        if (clear_slot(slot, l->stream) || (slot == 0 && gs_team_stream(t)))
            return -1;
    }
    t->shape = shape;
    return send(&gs_mod.state.teams[slot], &t->shape, sizeof t->shape, l->stream) || gs_sync(l->stream) ? -1 : 0;
}

/* ---- filling ---- */

/* An error of CUDA that may go away: the unit's code is not registered with its runtime yet. */
static bool not_loaded(int e)
{
    return e == cudaErrorInvalidSymbol || e == cudaErrorInvalidDeviceFunction || e == cudaErrorSymbolNotFound;
}

/* 0 done; 1 not loaded yet; -1, logged. */
static int fill_unit(struct shmemx_device_unit *u, const struct gin_shmem_state *st, cudaStream_t s)
{
    if (u->abi != GIN_SHMEM_DEVICE_ABI || u->unit_bytes != sizeof *u || u->state_bytes != sizeof *st) {
        gs_mod_error(
            "a file of this program was compiled with another version's gin_shmem.h (device ABI %u, state of %u bytes; "
            "the library has %d and %zu): compile it again",
            u->abi, u->state_bytes, (int)GIN_SHMEM_DEVICE_ABI, sizeof *st);
        return -1;
    }
    int e = u->fill(st, sizeof *st, s);
    if (e == cudaSuccess)
        return 0;
    if (not_loaded(e))
        return 1;
    if (e == cudaErrorNoKernelImageForDevice)
        gs_mod_error(
            "kernels of this program were not compiled for GPU %d (%s): add its architecture to nvcc's -arch or "
            "-gencode",
            gs_mod.device, gs_mod.gpu);
    else
        (void)gs_cuda_failed((cudaError_t)e, "device state");
    return -1;
}

/* Under the lock. all: also those that are up to date. */
static int fill_units(const struct gin_shmem_state *st, bool all, cudaStream_t s)
{
    bool pending = false;
    if (all)
        filling++;
    for (struct shmemx_device_unit *u = gs_mod.core.units(); u; u = u->next) {
        if (u->library[0] == (void *)filling)
            continue;
        int rc = fill_unit(u, st, s);
        if (rc < 0)
            return -1;
        if (rc == 0)
            u->library[0] = (void *)filling;
        pending = pending || rc > 0;
    }
    gs_units_pending = pending;
    return 0;
}

static int fill_module(CUmodule m, const struct gin_shmem_state *st, cudaStream_t s)
{
    CUdeviceptr p;
    size_t bytes;
    CUresult e = gs_drv.cuModuleGetGlobal(&p, &bytes, m, STATE_SYMBOL);
    if (e != CUDA_SUCCESS) {
        gs_mod_error("the module has no %s (error %d): its source must include gin_shmem.h and use it in a kernel",
                     STATE_SYMBOL, (int)e);
        return -1;
    }
    if (bytes != sizeof *st) {
        gs_mod_error(
            "the module was compiled with another version's gin_shmem.h (state of %zu bytes; the library has %zu): "
            "compile it again",
            bytes, sizeof *st);
        return -1;
    }
    return GS_DRV(cuMemcpyHtoDAsync, p, st, sizeof *st, (CUstream)s);
}

static int fill_all(const struct gin_shmem_state *st)
{
    std::lock_guard<std::mutex> hold(lock);
    cudaStream_t s = gs_lane_mine()->stream;
    if (fill_units(st, true, s))
        return -1;
    for (CUmodule m : modules)
        if (fill_module(m, st, s))
            return -1;
    return gs_sync(s);
}

int gs_state_fill(void)
{
    return fill_all(&gs_mod.state);
}

void gs_units_retry(void)
{
    static thread_local bool inside; /* filling enters again, through its own errors */
    if (inside || !gs_mod.up)
        return;
    inside = true;
    {
        std::lock_guard<std::mutex> hold(lock);
        cudaStream_t s = gs_lane_mine()->stream;
        if (fill_units(&gs_mod.state, false, s) == 0)
            (void)gs_sync(s);
        else
            gs_units_pending = false; /* said once */
    }
    inside = false;
}

void gs_unit_added(struct shmemx_device_unit *u)
{
    u->library[0] = nullptr;
    gs_units_pending = true;
    gs_enter in; /* tries at once */
}

int gs_module_init(void *cu_module)
{
    gs_enter in;
    std::lock_guard<std::mutex> hold(lock);
    cudaStream_t s = gs_lane_mine()->stream;
    if (fill_module((CUmodule)cu_module, &gs_mod.state, s) || gs_sync(s))
        return -1;
    for (CUmodule m : modules)
        if (m == (CUmodule)cu_module)
            return 0;
    modules.push_back((CUmodule)cu_module);
    return 0;
}

int gs_module_finish(void *cu_module)
{
    static const struct gin_shmem_state none = {};
    gs_enter in;
    std::lock_guard<std::mutex> hold(lock);
    for (size_t i = 0; i < modules.size(); i++)
        if (modules[i] == (CUmodule)cu_module) {
            cudaStream_t s = gs_lane_mine()->stream;
            modules.erase(modules.begin() + (ptrdiff_t)i);
            return fill_module((CUmodule)cu_module, &none, s) || gs_sync(s) ? -1 : 0;
        }
    gs_mod_error("the module at %p was not initialised (shmemx_cumodule_init), or is finished already", cu_module);
    return -1;
}

/* ---- life ---- */

int gs_state_start(void)
{
    cudaStream_t s = gs_lane_mine()->stream;
    struct gin_shmem_state *st = &gs_mod.state;
    if (GS_CUDA(cudaHostAlloc, (void **)&gs_mod.report, sizeof *gs_mod.report,
                cudaHostAllocMapped | cudaHostAllocPortable))
        return -1;
    memset(gs_mod.report, 0, sizeof *gs_mod.report);
    if (GS_CUDA(cudaHostGetDevicePointer, (void **)&st->report, gs_mod.report, 0) || make_tables(s))
        return -1;
    if (gs_gin_state_start(s))
        return -1;
    st->magic = GIN_SHMEM_STATE_MAGIC;
    st->abi = GIN_SHMEM_DEVICE_ABI;
    st->bytes = sizeof *st;
    st->me = gs_mod.core.me;
    st->n = gs_mod.core.n;
    st->max_teams = gs_mod.core.max_teams;
    st->layout = gin_shmem_sys_layout_of((uint32_t)gs_mod.core.n);
    st->timeout_ns = gs_mod.core.timeout_s > 0 ? (uint64_t)(gs_mod.core.timeout_s * 1e9) : 0;
    std::vector<gs_dev_team> none((size_t)gs_mod.core.max_teams);
    gs_mod.teams.swap(none);
    return gs_state_fill();
}

/* Kernels launched from now on trap. Modules that were not finished are taken to be loaded still. */
void gs_state_stop(void)
{
    static const struct gin_shmem_state none = {};
    if (gs_mod.tables)
        (void)fill_all(&none);
    modules.clear();
    gs_units_pending = false;
    gs_gin_state_stop();
    gs_nccl_dev_comm_free(gs_mod.comm, gs_mod.dev_comm);
    gs_mod.dev_comm = nullptr;
    if (gs_mod.tables)
        (void)GS_CUDA(cudaFree, gs_mod.tables);
    gs_mod.tables = nullptr;
    if (gs_mod.report)
        (void)GS_CUDA(cudaFreeHost, gs_mod.report);
    gs_mod.report = nullptr;
}
