/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The only file that knows how NCCL's versions differ: a build belongs to the version it was compiled against. 2.28 has
 * no host calls that tell a window's addresses, and its device communicator is not accepted by newer libraries; from
 * 2.29 on, structures carry their version and newer libraries take older callers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transport/nccl/module.h"

#if NCCL_VERSION_CODE < 22809
#error "NCCL 2.28.9 or newer is needed: it is the first whose device interface works"
#endif
#define GS_NCCL_HAS_GETTERS (NCCL_VERSION_CODE >= 22902)

static struct {
    ncclTeam_t (*team_lsa)(ncclComm_t);
    ncclResult_t (*dev_comm_create)(ncclComm_t, ncclDevCommRequirements_t const *, ncclDevComm_t *);
    ncclResult_t (*dev_comm_destroy)(ncclComm_t, ncclDevComm_t const *);
#if GS_NCCL_HAS_GETTERS
    decltype(&ncclGetLsaDevicePointer) lsa_pointer;
    decltype(&ncclCommQueryProperties) query;
#endif
} fn;

int gs_nccl_compiled(void)
{
    return NCCL_VERSION_CODE;
}

bool gs_nccl_fits(int loaded, const char *path, char *why, size_t len)
{
    const char *compiled = gs_nccl_version_text(NCCL_VERSION_CODE), *found = gs_nccl_version_text(loaded);
    if (loaded < NCCL_VERSION_CODE) {
        snprintf(why, len,
                 "this build was compiled against NCCL %s, but %s is %s, which is older: let LD_LIBRARY_PATH name "
                 "the newer one first, or build against %s",
                 compiled, path, found, found);
        return false;
    }
    if (!GS_NCCL_HAS_GETTERS && loaded >= 22900) {
        snprintf(why, len,
                 "this build was compiled against NCCL %s, but %s is %s, and 2.28 builds run with 2.28 only: let "
                 "LD_LIBRARY_PATH name NCCL %s first, or build against %s",
                 compiled, path, found, compiled, found);
        return false;
    }
    return true;
}

bool gs_nccl_version_symbols(char *why, size_t len)
{
    const char *missing = nullptr;
    auto find = [&](const char *name) {
        void *p = gs_nccl_symbol(name);
        if (!p)
            missing = name;
        return p;
    };
    fn.team_lsa = (decltype(fn.team_lsa))find("ncclTeamLsa");
    fn.dev_comm_create = (decltype(fn.dev_comm_create))find("ncclDevCommCreate");
    fn.dev_comm_destroy = (decltype(fn.dev_comm_destroy))find("ncclDevCommDestroy");
#if GS_NCCL_HAS_GETTERS
    fn.lsa_pointer = (decltype(fn.lsa_pointer))find("ncclGetLsaDevicePointer");
    fn.query = (decltype(fn.query))find("ncclCommQueryProperties");
#endif
    if (missing)
        snprintf(why, len, "NCCL has no %s", missing);
    return !missing;
}

ncclTeam_t gs_nccl_lsa(ncclComm_t comm)
{
    return fn.team_lsa(comm);
}

int gs_nccl_flat(ncclWindow_t w, int lsa_n, uintptr_t *base, size_t *stride)
{
#if GS_NCCL_HAS_GETTERS
    void *first = nullptr, *second = nullptr;
    if (gs_nccl_check(fn.lsa_pointer(w, 0, 0, &first), "ncclGetLsaDevicePointer"))
        return -1;
    if (lsa_n > 1 && gs_nccl_check(fn.lsa_pointer(w, 0, 1, &second), "ncclGetLsaDevicePointer"))
        return -1;
    *base = (uintptr_t)first;
    *stride = lsa_n > 1 ? (uintptr_t)second - (uintptr_t)first : 0;
#else
    /* The window is a structure in device memory, whose layout nccl_device.h publishes. */
    struct ncclWindow_vidmem v;
    (void)lsa_n;
    if (GS_CUDA(cudaMemcpyAsync, &v, w, sizeof v, cudaMemcpyDeviceToHost, gs_lane_mine()->stream) ||
        gs_sync(gs_lane_mine()->stream))
        return -1;
    *base = (uintptr_t)v.lsaFlatBase;
    *stride = (size_t)v.stride4G << 32;
#endif
    return 0;
}

size_t gs_nccl_dev_comm_bytes(void)
{
    return sizeof(ncclDevComm_t);
}

bool gs_nccl_dev_comm_fits(char *why, size_t len)
{
    if (gs_lib.version / 100 == NCCL_VERSION_CODE / 100)
        return true;
    snprintf(why, len,
             "this build was compiled against NCCL %s, loaded is %s, and NCCL's device interface is another one "
             "there",
             gs_nccl_version_text(NCCL_VERSION_CODE), gs_nccl_version_text(gs_lib.version));
    return false;
}

bool gs_nccl_gin_possible(ncclComm_t comm, char *why, size_t len)
{
    const char *enable = getenv("NCCL_GIN_ENABLE");
    if (enable && strcmp(enable, "0") == 0) {
        snprintf(why, len, "NCCL_GIN_ENABLE is 0");
        return false;
    }
#if GS_NCCL_HAS_GETTERS
    ncclCommProperties_t p = NCCL_COMM_PROPERTIES_INITIALIZER;
    ncclResult_t r = fn.query(comm, &p);
    if (r != ncclSuccess || p.ginType == NCCL_GIN_TYPE_NONE) {
        snprintf(why, len, "NCCL finds no network that GIN works with%s%s", r == ncclSuccess ? "" : ": ",
                 r == ncclSuccess ? "" : gs_lib.ncclGetErrorString(r));
        return false;
    }
#else
    (void)comm; /* 2.28 tells only by failing */
#endif
    return true;
}

/* From 2.30.7 on not where it has several nodes and no GIN; before, NCCL tells only by failing. */
bool gs_nccl_has_windows(ncclComm_t comm)
{
#if GS_NCCL_HAS_GETTERS
    ncclCommProperties_t p = NCCL_COMM_PROPERTIES_INITIALIZER;
    return fn.query(comm, &p) != ncclSuccess || p.deviceApiSupport;
#else
    (void)comm;
    return true;
#endif
}

int gs_nccl_dev_comm(ncclComm_t comm, const struct gs_nccl_want *want, void **out, char *why, size_t len)
{
#if GS_NCCL_HAS_GETTERS
    ncclDevCommRequirements_t r = NCCL_DEV_COMM_REQUIREMENTS_INITIALIZER;
#else
    ncclDevCommRequirements_t r;
    memset(&r, 0, sizeof r);
#endif
    *out = nullptr;
    r.lsaBarrierCount = want->lsa_barriers;
    if (want->contexts) {
        r.ginForceEnable = true;
        r.ginContextCount = want->contexts;
        r.ginSignalCount = want->signals;
        r.ginCounterCount = want->counters;
#if NCCL_VERSION_CODE >= 22907
        r.ginConnectionType = NCCL_GIN_CONNECTION_FULL;
#endif
    }
    void *made = calloc(1, sizeof(ncclDevComm_t));
    if (!made) {
        snprintf(why, len, "no memory");
        return -1;
    }
    ncclResult_t e = fn.dev_comm_create(comm, &r, (ncclDevComm_t *)made);
    if (e != ncclSuccess) {
        const char *last = gs_lib.ncclGetLastError(NULL);
        (void)cudaGetLastError();
        snprintf(why, len, "ncclDevCommCreate: %s%s%s", gs_lib.ncclGetErrorString(e), last && *last ? ": " : "",
                 last ? last : "");
        free(made);
        return -1;
    }
    *out = made;
    return 0;
}

unsigned gs_nccl_gin_contexts(const void *dev_comm)
{
    return (unsigned)((const ncclDevComm_t *)dev_comm)->ginContextCount;
}

void gs_nccl_dev_comm_free(ncclComm_t comm, void *dev_comm)
{
    if (!dev_comm)
        return;
    (void)gs_nccl_check(fn.dev_comm_destroy(comm, (ncclDevComm_t *)dev_comm), "ncclDevCommDestroy");
    free(dev_comm);
}
