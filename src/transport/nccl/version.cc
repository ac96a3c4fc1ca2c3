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

enum { LSA_BARRIERS = 32 }; /* of NCCL's device communicator, for authors of extensions */

static struct {
    ncclTeam_t (*team_lsa)(ncclComm_t);
    ncclResult_t (*dev_comm_create)(ncclComm_t, ncclDevCommRequirements_t const *, ncclDevComm_t *);
    ncclResult_t (*dev_comm_destroy)(ncclComm_t, ncclDevComm_t const *);
#if GS_NCCL_HAS_GETTERS
    decltype(&ncclGetLsaDevicePointer) lsa_pointer;
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

int gs_nccl_dev_comm(ncclComm_t comm, int lsa_n, int n, void **out, size_t *bytes)
{
    *out = nullptr;
    *bytes = sizeof(ncclDevComm_t);
    /* A failed creation spoils the communicator, so none is tried where it may fail: over several nodes it asks for
     * GIN, and the structure is this version's. */
    if (lsa_n < n) {
        gs_mod_log(GS_DEBUG, "no ncclDevComm: %d of %d PEs are reachable by load and store", lsa_n, n);
        return 0;
    }
    if (gs_lib.version / 100 != NCCL_VERSION_CODE / 100) {
        gs_mod_log(GS_INFO, "no ncclDevComm for kernels: compiled against NCCL %s, loaded %s",
                   gs_nccl_version_text(NCCL_VERSION_CODE), gs_nccl_version_text(gs_lib.version));
        return 0;
    }
#if GS_NCCL_HAS_GETTERS
    ncclDevCommRequirements_t want = NCCL_DEV_COMM_REQUIREMENTS_INITIALIZER;
#else
    ncclDevCommRequirements_t want;
    memset(&want, 0, sizeof want);
#endif
    want.lsaBarrierCount = LSA_BARRIERS;
    void *made = calloc(1, sizeof(ncclDevComm_t));
    if (!made) {
        gs_mod_error("no memory for NCCL's device communicator");
        return -1;
    }
    if (gs_nccl_check(fn.dev_comm_create(comm, &want, (ncclDevComm_t *)made), "ncclDevCommCreate")) {
        free(made);
        return -1;
    }
    *out = made;
    return 0;
}

void gs_nccl_dev_comm_free(ncclComm_t comm, void *dev_comm)
{
    if (!dev_comm)
        return;
    (void)gs_nccl_check(fn.dev_comm_destroy(comm, (ncclDevComm_t *)dev_comm), "ncclDevCommDestroy");
    free(dev_comm);
}
