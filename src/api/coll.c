/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives over teams: OpenSHMEM 1.6 section 9.9. They return 0; what would be another value ends the job. */
#include "api/entry.h"
#include "coll/coll.h"
#include "coll/kernels.h"
#include "core/device.h"
#include "core/log.h"
#include "core/team.h"
#include "heap/addr.h"

#define GROUP(fn) (&gs_team_need(fn, team)->g)

static int broadcast(const char *fn, shmem_team_t team, void *dest, const void *source, size_t bytes, int root)
{
    struct gs_group *g = GROUP(fn);
    if ((unsigned)root >= (unsigned)g->n)
        gs_die(fn, "PE_root %d is out of range: the team has %d PEs", root, g->n);
    gs_coll_broadcast(fn, g, dest, source, bytes, root, true);
    return 0;
}

/* Bodies over the element size. */
#define BODY_broadcast(fn, SIZE) return broadcast(fn, team, dest, source, gs_bytes(nelems, SIZE), PE_root);
#define BODY_collect(fn, SIZE)                                                                                         \
    gs_coll_collect(fn, GROUP(fn), dest, source, gs_bytes(nelems, SIZE));                                              \
    return 0;
#define BODY_fcollect(fn, SIZE)                                                                                        \
    gs_coll_fcollect(fn, GROUP(fn), dest, source, gs_bytes(nelems, SIZE));                                             \
    return 0;
#define BODY_alltoall(fn, SIZE)                                                                                        \
    gs_coll_alltoall(fn, GROUP(fn), dest, source, gs_bytes(nelems, SIZE));                                             \
    return 0;
#define BODY_alltoalls(fn, SIZE)                                                                                       \
    gs_coll_alltoalls(fn, GROUP(fn), dest, source, dst, sst, nelems, SIZE);                                            \
    return 0;

#define IMPL_broadcast(fn, ctx, N) BODY_broadcast(fn, sizeof *dest)
#define IMPL_collect(fn, ctx, N)   BODY_collect(fn, sizeof *dest)
#define IMPL_fcollect(fn, ctx, N)  BODY_fcollect(fn, sizeof *dest)
#define IMPL_alltoall(fn, ctx, N)  BODY_alltoall(fn, sizeof *dest)
#define IMPL_alltoalls(fn, ctx, N) BODY_alltoalls(fn, sizeof *dest)
SHMEMI_COLL_FUNCTIONS(GS_DEFINE)

int pshmem_broadcastmem(shmem_team_t team, void *dest, const void *source, size_t nelems, int PE_root)
{
    BODY_broadcast("shmem_broadcastmem", 1)
}
GS_ALIAS(shmem_broadcastmem)

int pshmem_collectmem(shmem_team_t team, void *dest, const void *source, size_t nelems)
{
    BODY_collect("shmem_collectmem", 1)
}
GS_ALIAS(shmem_collectmem)

int pshmem_fcollectmem(shmem_team_t team, void *dest, const void *source, size_t nelems)
{
    BODY_fcollect("shmem_fcollectmem", 1)
}
GS_ALIAS(shmem_fcollectmem)

int pshmem_alltoallmem(shmem_team_t team, void *dest, const void *source, size_t nelems)
{
    BODY_alltoall("shmem_alltoallmem", 1)
}
GS_ALIAS(shmem_alltoallmem)

int pshmem_alltoallsmem(shmem_team_t team, void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems)
{
    BODY_alltoalls("shmem_alltoallsmem", 1)
}
GS_ALIAS(shmem_alltoallsmem)

#define REDUCE(fn, N, OP)                                                                                              \
    gs_coll_reduce(fn, GROUP(fn), dest, source, nreduce, GS_COMBINE(N, OP, *dest));                                    \
    return 0;
#define SCAN(fn, N, INCLUSIVE)                                                                                         \
    gs_coll_scan(fn, GROUP(fn), dest, source, nreduce, GS_COMBINE(N, sum, *dest), INCLUSIVE);                          \
    return 0;
#define IMPL_and_reduce(fn, ctx, N)  REDUCE(fn, N, and)
#define IMPL_or_reduce(fn, ctx, N)   REDUCE(fn, N, or)
#define IMPL_xor_reduce(fn, ctx, N)  REDUCE(fn, N, xor)
#define IMPL_max_reduce(fn, ctx, N)  REDUCE(fn, N, max)
#define IMPL_min_reduce(fn, ctx, N)  REDUCE(fn, N, min)
#define IMPL_sum_reduce(fn, ctx, N)  REDUCE(fn, N, sum)
#define IMPL_prod_reduce(fn, ctx, N) REDUCE(fn, N, prod)
#define IMPL_sum_inscan(fn, ctx, N)  SCAN(fn, N, true)
#define IMPL_sum_exscan(fn, ctx, N)  SCAN(fn, N, false)
SHMEMI_REDUCE_FUNCTIONS(GS_DEFINE)

/* ---- barriers ---- */

void pshmem_barrier_all(void)
{
    gs_need_up("shmem_barrier_all");
    gs_device_ready("shmem_barrier_all");
    gs_barrier_world();
}
GS_ALIAS(shmem_barrier_all)

void pshmem_sync_all(void)
{
    gs_need_up("shmem_sync_all");
    gs_device_ready("shmem_sync_all");
    gs_group_sync(&gs_team_world.g);
}
GS_ALIAS(shmem_sync_all)

int pshmem_team_sync(shmem_team_t team)
{
    gs_group_sync(GROUP("shmem_team_sync"));
    return 0;
}
GS_ALIAS(shmem_team_sync)
