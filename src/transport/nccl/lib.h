/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NCCL, found at run time, so that versions are compared before anything is called, and a missing library is an answer
 * instead of a failure to load. version.cc holds all that differs between NCCL's versions.
 */
#ifndef GS_NCCL_LIB_H
#define GS_NCCL_LIB_H

#include <nccl.h>
#include <nccl_device.h>

/* clang-format off */
#define GS_NCCL_FUNCTIONS(X)                                                                                           \
    X(ncclGetVersion) X(ncclGetErrorString) X(ncclGetLastError) X(ncclGetUniqueId) X(ncclCommInitRankConfig)           \
    X(ncclCommDestroy) X(ncclCommCount) X(ncclCommUserRank) X(ncclCommCuDevice) X(ncclMemAlloc) X(ncclMemFree)         \
    X(ncclCommWindowRegister) X(ncclCommWindowDeregister) X(ncclAllReduce) X(ncclBroadcast) X(ncclAllGather)           \
    X(ncclAlltoAll) X(ncclReduceScatter)
/* clang-format on */

struct gs_nccl {
#define GS_NCCL_ROW(name) decltype(&::name) name;
    GS_NCCL_FUNCTIONS(GS_NCCL_ROW)
#undef GS_NCCL_ROW
    int version; /* of the loaded library, as NCCL_VERSION_CODE */
    char path[256];
};
extern gs_nccl gs_lib;

/* 0, or nonzero with the reason in why. Once is enough. */
int gs_nccl_load(char *why, size_t len);
void *gs_nccl_symbol(const char *name);

/* Logs a failed call and gives nonzero; 0 for success. */
int gs_nccl_check(ncclResult_t r, const char *what);
#define GS_NCCL(name, ...) gs_nccl_check(gs_lib.name(__VA_ARGS__), #name)

/* 22809 as "2.28.9"; one of four buffers by turns, per thread. */
const char *gs_nccl_version_text(int code);

/* ---- version.cc ---- */

/* What this build was compiled against, and whether it runs with a loaded version; otherwise why not. */
int gs_nccl_compiled(void);
bool gs_nccl_fits(int loaded, const char *path, char *why, size_t len);
/* Symbols beyond GS_NCCL_FUNCTIONS that this version's code calls. */
bool gs_nccl_version_symbols(char *why, size_t len);
ncclTeam_t gs_nccl_lsa(ncclComm_t comm);
/* Where the window begins in LSA rank 0's part of the flat range, and the stride from rank to rank (0 when lsa_n is
 * 1 and NCCL does not tell). Nonzero, and logged, when it cannot be found out. */
int gs_nccl_flat(ncclWindow_t w, int lsa_n, uintptr_t *base, size_t *stride);
/* Is the loaded library's device communicator the one that this build knows? Otherwise why not. */
bool gs_nccl_dev_comm_fits(char *why, size_t len);
/* Why GIN cannot work on this communicator, as far as NCCL tells without trying. */
bool gs_nccl_gin_possible(ncclComm_t comm, char *why, size_t len);
/* Can windows be made on this communicator? */
bool gs_nccl_has_windows(ncclComm_t comm);
struct gs_nccl_want {
    int lsa_barriers;
    int contexts, signals, counters; /* of GIN, with all ranks; contexts 0: no GIN. NCCL may give other contexts */
};
/* A device communicator, on the heap, in *out. Nonzero with the reason in why, not logged; then the communicator is good
 * for nothing any more. Collective. */
int gs_nccl_dev_comm(ncclComm_t comm, const struct gs_nccl_want *want, void **out, char *why, size_t len);
/* GIN contexts that it has. */
unsigned gs_nccl_gin_contexts(const void *dev_comm);
void gs_nccl_dev_comm_free(ncclComm_t comm, void *dev_comm);
size_t gs_nccl_dev_comm_bytes(void);

#endif
