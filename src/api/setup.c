/* SPDX-License-Identifier: BSD-3-Clause */
/* Set-up, exit, query and threads: OpenSHMEM 1.6 sections 9.1, 9.2 and 10; shmemx_init_attr. */
#include <shmemx.h>
#include <stdlib.h>
#include <string.h>

#include "api/entry.h"
#include "core/device.h"
#include "core/env.h"
#include "core/log.h"
#include "core/team.h"
#include "heap/addr.h"

_Static_assert(sizeof(SHMEM_VENDOR_STRING) <= SHMEM_MAX_NAME_LEN, "the vendor string fits");
_Static_assert(sizeof(shmemx_uniqueid_t) == GS_UID_BYTES, "one size of unique id");

void pshmem_init(void)
{
    int provided;
    if (gs_job_init(NULL, NULL, SHMEM_THREAD_SINGLE, &provided) != 0)
        exit(EXIT_FAILURE); /* it said why */
}
GS_ALIAS(shmem_init)

int pshmem_init_thread(int requested, int *provided)
{
    return gs_job_init(NULL, NULL, requested, provided);
}
GS_ALIAS(shmem_init_thread)

void pshmem_query_thread(int *provided)
{
    gs_need_up("shmem_query_thread");
    *provided = gs.thread_level;
}
GS_ALIAS(shmem_query_thread)

void pshmem_query_initialized(int *initialized)
{
    *initialized = gs.depth > 0;
}
GS_ALIAS(shmem_query_initialized)

void pshmem_finalize(void)
{
    gs_job_finalize("shmem_finalize");
}
GS_ALIAS(shmem_finalize)

_Noreturn void pshmem_global_exit(int status)
{
    gs_job_global_exit(status);
}
GS_ALIAS(shmem_global_exit)

/* Deprecated: npes never mattered, a second call does nothing, and the end of the program finalises. */
void pstart_pes(int npes)
{
    (void)npes;
    if (!gs.depth)
        pshmem_init();
}
GS_ALIAS(start_pes)

int pshmem_my_pe(void)
{
    gs_need_up("shmem_my_pe");
    return gs.me;
}
GS_ALIAS(shmem_my_pe)

int pshmem_n_pes(void)
{
    gs_need_up("shmem_n_pes");
    return gs.n;
}
GS_ALIAS(shmem_n_pes)

int p_my_pe(void)
{
    return pshmem_my_pe();
}
GS_ALIAS(_my_pe)

int p_num_pes(void)
{
    return pshmem_n_pes();
}
GS_ALIAS(_num_pes)

int pshmem_pe_accessible(int pe)
{
    gs_need_up("shmem_pe_accessible");
    return (unsigned)pe < (unsigned)gs.n;
}
GS_ALIAS(shmem_pe_accessible)

/* PEs of a fake node may be mapped here, and are out of reach all the same. */
static bool same_node(int pe)
{
    return gs.records[pe].node == gs.node;
}

static void *ptr(const void *dest, int pe)
{
    size_t off;
    if (pe == gs.me)
        return gs_addr_region(dest, &off) == GS_REGION_NONE ? NULL : (void *)(uintptr_t)dest;
    switch (gs_addr_region(dest, &off)) {
    case GS_REGION_HEAP: return same_node(pe) ? gs.peer[pe].heap + off : NULL;
    case GS_REGION_DATA: return same_node(pe) ? gs.peer[pe].data + off : NULL;
    case GS_REGION_DEVICE: return gs.dev->reaches(pe) ? (char *)(uintptr_t)dest + gs.dev->delta(pe) : NULL;
    case GS_REGION_NONE: break;
    }
    return NULL;
}

int pshmem_addr_accessible(const void *addr, int pe)
{
    gs_need_up("shmem_addr_accessible");
    size_t off;
    if ((unsigned)pe >= (unsigned)gs.n)
        return 0;
    switch (gs_addr_region(addr, &off)) {
    case GS_REGION_HEAP:
    case GS_REGION_DATA: return 1;
    case GS_REGION_DEVICE: return gs.dev->serves(pe);
    case GS_REGION_NONE: break;
    }
    return 0;
}
GS_ALIAS(shmem_addr_accessible)

void *pshmem_ptr(const void *dest, int pe)
{
    gs_need_up("shmem_ptr");
    if ((unsigned)pe >= (unsigned)gs.n)
        gs_bad_pe("shmem_ptr", pe, gs.n);
    return ptr(dest, pe);
}
GS_ALIAS(shmem_ptr)

void *pshmem_team_ptr(shmem_team_t team, const void *dest, int pe)
{
    const struct gs_team *t = gs_team_get("shmem_team_ptr", team);
    if (!t)
        return NULL;
    if ((unsigned)pe >= (unsigned)t->g.n)
        gs_bad_pe("shmem_team_ptr", pe, t->g.n);
    return ptr(dest, gs_group_pe(&t->g, pe));
}
GS_ALIAS(shmem_team_ptr)

void pshmem_info_get_version(int *major, int *minor)
{
    *major = SHMEM_MAJOR_VERSION;
    *minor = SHMEM_MINOR_VERSION;
}
GS_ALIAS(shmem_info_get_version)

void pshmem_info_get_name(char *name)
{
    strcpy(name, SHMEM_VENDOR_STRING);
}
GS_ALIAS(shmem_info_get_name)

/* A level means something to a profiling tool, which then defines this function itself. */
void pshmem_pcontrol(int level, ...)
{
    (void)level;
}
GS_ALIAS(shmem_pcontrol)

/* ---- extensions ---- */

int shmemx_get_uniqueid(shmemx_uniqueid_t *id)
{
    if (!gs.depth && gs_env_load() != 0) /* how to listen is set there */
        return -1;
    return gs_boot_uid_make(id->bytes);
}

int shmemx_init_attr(shmemx_init_attr_t *attr)
{
    if (attr->size != sizeof *attr) {
        gs_error("shmemx_init_attr: attr->size is %zu, not %zu: start from SHMEMX_INIT_ATTR_DEFAULT, with the headers of "
                 "this library's version", attr->size, sizeof *attr);
        return -1;
    }
    struct gs_boot_attr boot = {.rank = attr->pe, .size = attr->n_pes, .uid = attr->uid ? attr->uid->bytes : NULL};
    return gs_job_init(&boot, attr->nccl_comm, attr->thread_requested, &attr->thread_provided);
}
