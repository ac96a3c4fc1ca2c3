/* SPDX-License-Identifier: BSD-3-Clause */
/* Which GPU this PE uses, whether it goes together with those of the others, and the communicator over all. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "transport/nccl/module.h"

/* What the PEs tell each other before NCCL starts. */
struct peer {
    char uuid[16], bus[16];
    int device;
    int compiled, loaded; /* NCCL versions */
    int rank;             /* in the adopted communicator */
    uint64_t host;        /* of NCCL_HOSTID: PEs that differ count as nodes of their own */
    ncclUniqueId id;      /* PE 0's counts */
};

/* The device that the program has chosen: the one whose primary context is current, or the only one that has one.
 * -1: it has not. -2, logged: the current context cannot be used. */
static int chosen_device(int count)
{
    CUcontext now = nullptr, primary = nullptr;
    CUdevice dev;
    if (GS_DRV(cuCtxGetCurrent, &now))
        return -2;
    if (now) {
        if (GS_DRV(cuCtxGetDevice, &dev) || GS_DRV(cuDevicePrimaryCtxRetain, &primary, dev))
            return -2;
        (void)gs_drv.cuDevicePrimaryCtxRelease(dev);
        if (primary != now) {
            gs_mod_error(
                "the current CUDA context is not the primary one of GPU %d: choose the GPU with cudaSetDevice, or "
                "make its primary context current (cuDevicePrimaryCtxRetain), before the first allocation",
                dev);
            return -2;
        }
        return (int)dev;
    }
    int only = -1;
    for (int i = 0; i < count; i++) {
        unsigned flags;
        int active = 0;
        if (GS_DRV(cuDeviceGet, &dev, i) || GS_DRV(cuDevicePrimaryCtxGetState, dev, &flags, &active))
            return -2;
        if (active && only >= 0)
            return -1;
        if (active)
            only = i;
    }
    return only;
}

static int check_device(int device)
{
    int vmm = 0, mem_ops = 0, major = 0, minor = 0;
    if (GS_CUDA(cudaDeviceGetAttribute, &major, cudaDevAttrComputeCapabilityMajor, device) ||
        GS_CUDA(cudaDeviceGetAttribute, &minor, cudaDevAttrComputeCapabilityMinor, device) ||
        GS_CUDA(cudaDeviceGetAttribute, &gs_mod.sms, cudaDevAttrMultiProcessorCount, device) ||
        GS_CUDA(cudaDeviceGetAttribute, &vmm, (cudaDeviceAttr)CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
                device) ||
        GS_CUDA(cudaDeviceGetAttribute, &mem_ops, (cudaDeviceAttr)CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS,
                device))
        return -1;
    if (major < 7) {
        gs_mod_error(
            "GPU %d has compute capability %d.%d; 7.0 or newer is needed: set GIN_SHMEM_HEAP=host to run on host "
            "memory",
            device, major, minor);
        return -1;
    }
    if (!vmm || !mem_ops) {
        gs_mod_error("GPU %d %s: update the driver, or set GIN_SHMEM_HEAP=host", device,
                     vmm ? "has no 64-bit stream memory operations"
                         : "cannot map memory of other GPUs (CUDA virtual memory "
                           "management)");
        return -1;
    }
    return 0;
}

int gs_gpu_choose(void)
{
    int count = 0;
    if (GS_CUDA(cudaGetDeviceCount, &count))
        return -1;
    int chosen = chosen_device(count);
    if (chosen == -2)
        return -1;
    if (gs_mod.core.adopted_comm) {
        int theirs;
        if (GS_NCCL(ncclCommCuDevice, (ncclComm_t)gs_mod.core.adopted_comm, &theirs))
            return -1;
        if (chosen >= 0 && chosen != theirs) {
            gs_mod_error(
                "the communicator handed in belongs to GPU %d, but GPU %d is current: call cudaSetDevice(%d) first",
                theirs, chosen, theirs);
            return -1;
        }
        chosen = theirs;
    }
    gs_mod.device = chosen >= 0 ? chosen : gs_mod.core.local_rank % count;
    if (check_device(gs_mod.device))
        return -1;
    /* Stays current on this thread, so that a program without a choice of its own launches on this GPU too. */
    if (GS_CUDA(cudaSetDevice, gs_mod.device) || GS_CUDA(cudaFree, nullptr) || GS_DRV(cuCtxGetCurrent, &gs_mod.context))
        return -1;
    cudaDeviceProp p;
    if (GS_CUDA(cudaGetDeviceProperties, &p, gs_mod.device))
        return -1;
    snprintf(gs_mod.gpu, sizeof gs_mod.gpu, "%.100s", p.name);
    return 0;
}

/* FNV-1a; 0 when the variable is not set. */
static uint64_t hash_of(const char *s)
{
    uint64_t h = 14695981039346656037u;
    if (!s)
        return 0;
    while (*s)
        h = (h ^ (unsigned char)*s++) * 1099511628211u;
    return h;
}

/* Can this PE's GPU load from and store to pe's? Where that GPU is not visible here, NCCL will find out. */
static int check_p2p(const struct peer *all, int pe)
{
    int count = 0, can = 1;
    if (GS_CUDA(cudaGetDeviceCount, &count))
        return -1;
    for (int i = 0; i < count; i++) {
        CUuuid u;
        CUdevice dev;
        if (GS_DRV(cuDeviceGet, &dev, i) || GS_DRV(cuDeviceGetUuid, &u, dev))
            return -1;
        if (memcmp(u.bytes, all[pe].uuid, sizeof u.bytes) != 0 || i == gs_mod.device)
            continue;
        if (GS_CUDA(cudaDeviceCanAccessPeer, &can, gs_mod.device, i))
            return -1;
        if (!can) {
            gs_mod_error(
                "GPU %d (%s) cannot load from and store to GPU %d (%s) of PE %d: `nvidia-smi topo -p2p r` shows which "
                "pairs can; choose such GPUs with cudaSetDevice or CUDA_VISIBLE_DEVICES, or set GIN_SHMEM_HEAP=host",
                gs_mod.device, all[gs_mod.core.me].bus, i, all[pe].bus, pe);
            return -1;
        }
    }
    return 0;
}

/* Whether NCCL has been told to bear PEs that share a GPU. They take turns on it, unless MPS runs them side by side. */
static bool shared_gpus(int loaded)
{
    const char *value = getenv("NCCL_MULTI_RANK_GPU_ENABLE");
    return loaded >= 23000 && value && atoi(value) != 0;
}

static int compare(const struct peer *all)
{
    const struct peer *mine = &all[gs_mod.core.me];
    for (int pe = 0; pe < gs_mod.core.n; pe++) {
        const struct peer *p = &all[pe];
        if (pe == gs_mod.core.me)
            continue;
        if (p->loaded != mine->loaded || p->compiled != mine->compiled) {
            gs_mod_error(
                "PE %d uses NCCL %s (compiled against %s), this one %s (compiled against %s): all need the same", pe,
                gs_nccl_version_text(p->loaded), gs_nccl_version_text(p->compiled), gs_nccl_version_text(mine->loaded),
                gs_nccl_version_text(mine->compiled));
            return -1;
        }
        if (p->host != mine->host)
            continue;
        if (memcmp(p->uuid, mine->uuid, sizeof p->uuid) == 0) {
            if (shared_gpus(p->loaded))
                continue;
            gs_mod_error(
                "this PE and PE %d use the same GPU (%s): each PE needs one of its own. Start no more PEs on a node "
                "than it has GPUs, or choose different ones with cudaSetDevice before the first allocation; NCCL 2.30 "
                "and newer (this is %s) take several on one with NCCL_MULTI_RANK_GPU_ENABLE=1",
                pe, mine->bus, gs_nccl_version_text(p->loaded));
            return -1;
        }
        if (check_p2p(all, pe))
            return -1;
    }
    return 0;
}

/* Variables that switch off what windows need; NCCL would only fail later, without saying so. */
static int check_environment(void)
{
    static const char *const off[] = {"NCCL_CUMEM_ENABLE", "NCCL_WIN_ENABLE"};
    for (const char *name : off) {
        const char *value = getenv(name);
        if (value && strcmp(value, "0") == 0) {
            gs_mod_error(
                "%s=0 switches off NCCL's symmetric windows, which the device heap is made of: unset it, or set "
                "GIN_SHMEM_HEAP=host",
                name);
            return -1;
        }
    }
    return 0;
}

static int adopt(struct peer *mine)
{
    ncclComm_t comm = (ncclComm_t)gs_mod.core.adopted_comm;
    int n;
    if (GS_NCCL(ncclCommCount, comm, &n) || GS_NCCL(ncclCommUserRank, comm, &mine->rank))
        return -1;
    if (n != gs_mod.core.n) {
        gs_mod_error("the communicator handed in has %d ranks, the job %d PEs: hand in one that has all of them", n,
                     gs_mod.core.n);
        return -1;
    }
    gs_mod.comm = comm;
    return 0;
}

static int make_comm(const ncclUniqueId *id)
{
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 1;
    return GS_NCCL(ncclCommInitRankConfig, &gs_mod.comm, gs_mod.core.n, *id, gs_mod.core.me, &config);
}

/* One over this node's PEs; every PE is in one. */
static int make_node_comm(void)
{
    int n = gs_mod.core.n, me = gs_mod.core.me, members = 0, first = -1;
    ncclUniqueId mine;
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    std::vector<ncclUniqueId> all((size_t)n);
    config.blocking = 1;
    for (int pe = 0; pe < n; pe++) {
        bool near = gs_mod.core.near(pe);
        if (near && first < 0)
            first = pe;
        gs_mod.window_rank[(size_t)pe] = near ? members++ : -1;
    }
    memset(&mine, 0, sizeof mine);
    if (me == first && GS_NCCL(ncclGetUniqueId, &mine))
        return -1;
    if (gs_mod.core.allgather(&mine, sizeof mine, all.data()) != 0) {
        gs_mod_error("the PEs could not exchange NCCL's ids");
        return -1;
    }
    return GS_NCCL(ncclCommInitRankConfig, &gs_mod.window_comm, members, all[(size_t)first],
                   gs_mod.window_rank[(size_t)me], &config);
}

int gs_comm_windows(void)
{
    int has = gs_nccl_has_windows(gs_mod.comm);
    bool all_have = true, several = false;
    std::vector<int> all((size_t)gs_mod.core.n);
    if (gs_mod.core.allgather(&has, sizeof has, all.data()) != 0) {
        gs_mod_error("the PEs could not agree on NCCL's communicators");
        return -1;
    }
    for (int pe = 0; pe < gs_mod.core.n; pe++) {
        all_have = all_have && all[(size_t)pe];
        several = several || !gs_mod.core.near(pe);
    }
    gs_mod.window_comm = gs_mod.comm;
    gs_mod.window_rank = gs_mod.nccl_rank;
    if (all_have || !several || gs_mod.gin_contexts)
        return 0;
    gs_mod_log(GS_INFO, "NCCL %s makes no windows over several nodes without GIN: each node has its own communicator",
               gs_nccl_version_text(gs_lib.version));
    gs_mod.window_comm = nullptr;
    return make_node_comm();
}

/* NCCL takes PEs with different NCCL_HOSTIDs for PEs of different nodes, unless NVLink reaches across nodes. */
static void fake_host(void)
{
    char host[256] = "", id[sizeof host + 32];
    if (gs_mod.core.fake_node < 0)
        return;
    gethostname(host, sizeof host - 1);
    snprintf(id, sizeof id, "%s-fake-%d", host, gs_mod.core.fake_node);
    setenv("NCCL_HOSTID", id, 0);
    setenv("NCCL_MNNVL_ENABLE", "0", 0);
}

int gs_comm_start(void)
{
    int n = gs_mod.core.n, me = gs_mod.core.me;
    struct peer mine;
    std::vector<struct peer> all((size_t)n);
    CUuuid u;
    CUdevice dev;
    memset(&mine, 0, sizeof mine);
    mine.rank = me;
    fake_host();
    if (check_environment() || GS_DRV(cuDeviceGet, &dev, gs_mod.device) || GS_DRV(cuDeviceGetUuid, &u, dev) ||
        GS_DRV(cuDeviceGetPCIBusId, mine.bus, sizeof mine.bus, dev))
        return -1;
    memcpy(mine.uuid, u.bytes, sizeof mine.uuid);
    mine.device = gs_mod.device;
    mine.compiled = gs_nccl_compiled();
    mine.loaded = gs_lib.version;
    mine.host = hash_of(getenv("NCCL_HOSTID"));
    if (gs_mod.core.adopted_comm ? adopt(&mine) : me == 0 && GS_NCCL(ncclGetUniqueId, &mine.id))
        return -1;
    if (gs_mod.core.allgather(&mine, sizeof mine, all.data()) != 0) {
        gs_mod_error("the PEs could not exchange what GPUs they have");
        return -1;
    }
    if (compare(all.data()))
        return -1;
    for (int pe = 0; pe < n; pe++)
        gs_mod.nccl_rank.push_back(all[pe].rank);
    return gs_mod.comm ? 0 : make_comm(&all[0].id);
}

int gs_comm_again(void)
{
    ncclUniqueId mine;
    std::vector<ncclUniqueId> all((size_t)gs_mod.core.n);
    memset(&mine, 0, sizeof mine);
    (void)GS_NCCL(ncclCommDestroy, gs_mod.comm);
    gs_mod.comm = nullptr;
    if (gs_mod.core.me == 0 && GS_NCCL(ncclGetUniqueId, &mine))
        return -1;
    if (gs_mod.core.allgather(&mine, sizeof mine, all.data()) != 0) {
        gs_mod_error("the PEs could not exchange NCCL's id");
        return -1;
    }
    return make_comm(&all[0]);
}

void gs_comm_stop(void)
{
    if (gs_mod.window_comm && gs_mod.window_comm != gs_mod.comm)
        (void)GS_NCCL(ncclCommDestroy, gs_mod.window_comm);
    gs_mod.window_comm = nullptr;
    if (gs_mod.comm && !gs_mod.core.adopted_comm)
        (void)GS_NCCL(ncclCommDestroy, gs_mod.comm);
    gs_mod.comm = nullptr;
}
