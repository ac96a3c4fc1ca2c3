/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives. The device forms take one argument more than NVSHMEM's, index, 0 when not given: several blocks of a PE
 * may use one team at the same time, each with an index of its own, where NVSHMEM wants a team for each.
 */
#ifndef GIN_NVSHMEM_COLL_H
#define GIN_NVSHMEM_COLL_H

#include "team.h"
#if GIN_NV_HOST
#include "half.h"
#endif

/* ---- barriers ---- */

#if GIN_NV_HOST
GIN_NV_H int gin_nv_barrier(shmem_team_t team)
{
    shmem_quiet();
    return shmem_team_sync(team);
}
#endif

GIN_NV_HD int nvshmem_barrier(nvshmem_team_t team)
    GIN_NV_BODY(gin_shmem_barrier(gin_nv_team(team)), gin_nv_barrier(gin_nv_team(team)))
GIN_NV_HD void nvshmem_barrier_all(void) GIN_NV_BODY(gin_shmem_barrier_all(), shmem_barrier_all())
GIN_NV_HD int nvshmem_team_sync(nvshmem_team_t team)
    GIN_NV_BODY(gin_shmem_team_sync(gin_nv_team(team)), shmem_team_sync(gin_nv_team(team)))
GIN_NV_HD void nvshmem_sync_all(void) GIN_NV_BODY(gin_shmem_sync_all(), shmem_sync_all())

#if GIN_NV_DEVICE
#define GIN_NV_BARRIER_GROUP(A, S)                                                                                     \
    GIN_NV_D int nvshmemx_barrier##S(nvshmem_team_t team, int index = 0)                                               \
    {                                                                                                                  \
        return gin_shmem_barrier##S(gin_nv_team(team), index);                                                         \
    }                                                                                                                  \
    GIN_NV_D void nvshmemx_barrier_all##S(int index = 0) { gin_shmem_barrier_all##S(index); }                          \
    GIN_NV_D int nvshmemx_team_sync##S(nvshmem_team_t team, int index = 0)                                             \
    {                                                                                                                  \
        return gin_shmem_team_sync##S(gin_nv_team(team), index);                                                       \
    }                                                                                                                  \
    GIN_NV_D void nvshmemx_sync_all##S(int index = 0) { gin_shmem_sync_all##S(index); }
GIN_NV_GROUPS(GIN_NV_BARRIER_GROUP, )

/* Four warps: here all of a block of 128 threads. Larger blocks have no barrier of their own for a part of them. */
GIN_NV_D int nvshmemx_barrier_warpgroup(nvshmem_team_t team)
{
    if (gin_shmem_impl::block_group::size() != 128)
        gin_shmem_impl::fail(GIN_SHMEM_REPORT_ARGUMENT, GIN_SHMEM_FN_barrier | GIN_SHMEM_SCOPE_BLOCK, -1, -1, NULL, 0,
                             gin_shmem_impl::block_group::size(), 128);
    return gin_shmem_barrier_block(gin_nv_team(team));
}
#endif

/* ---- data ---- */

#define GIN_NV_COLL(NAME, T, DEV, HOST)                                                                                \
    GIN_NV_HD int NAME(nvshmem_team_t team, T *dest, const T *source, size_t nelems)                                   \
        GIN_NV_BODY(DEV(gin_nv_team(team), dest, source, nelems), HOST(gin_nv_team(team), dest, source, nelems))
#define GIN_NV_BROADCAST(NAME, T, DEV, HOST)                                                                           \
    GIN_NV_HD int NAME(nvshmem_team_t team, T *dest, const T *source, size_t nelems, int PE_root)                      \
        GIN_NV_BODY(DEV(gin_nv_team(team), dest, source, nelems, PE_root),                                             \
                    HOST(gin_nv_team(team), dest, source, nelems, PE_root))
#define GIN_NV_COLL_TYPED(KIND, N, T)                                                                                  \
    GIN_NV_COLL(nvshmem_##N##_alltoall, T, gin_shmem_##N##_alltoall, GIN_NV_HOST_##KIND(N, alltoall))                  \
    GIN_NV_COLL(nvshmem_##N##_fcollect, T, gin_shmem_##N##_fcollect, GIN_NV_HOST_##KIND(N, fcollect))                  \
    GIN_NV_BROADCAST(nvshmem_##N##_broadcast, T, gin_shmem_##N##_broadcast, GIN_NV_HOST_##KIND(N, broadcast))
GIN_NV_RMA_TYPES(GIN_NV_COLL_TYPED)
GIN_NV_COLL(nvshmem_alltoallmem, void, gin_shmem_alltoallmem, shmem_alltoallmem)
GIN_NV_COLL(nvshmem_fcollectmem, void, gin_shmem_fcollectmem, shmem_fcollectmem)
GIN_NV_BROADCAST(nvshmem_broadcastmem, void, gin_shmem_broadcastmem, shmem_broadcastmem)

#if GIN_NV_DEVICE
#define GIN_NV_COLL_GROUP(OP, T, S)                                                                                    \
    GIN_NV_D int nvshmemx_##OP##S(nvshmem_team_t team, T *dest, const T *source, size_t nelems, int index = 0)         \
    {                                                                                                                  \
        return gin_shmem_##OP##S(gin_nv_team(team), dest, source, nelems, index);                                      \
    }
#define GIN_NV_BROADCAST_GROUP(OP, T, S)                                                                               \
    GIN_NV_D int nvshmemx_##OP##S(nvshmem_team_t team, T *dest, const T *source, size_t nelems, int PE_root,           \
                                  int index = 0)                                                                       \
    {                                                                                                                  \
        return gin_shmem_##OP##S(gin_nv_team(team), dest, source, nelems, PE_root, index);                             \
    }
#define GIN_NV_COLL_GROUP_TYPED(KIND, N, T)                                                                            \
    GIN_NV_GROUPS(GIN_NV_COLL_GROUP, N##_alltoall, T) GIN_NV_GROUPS(GIN_NV_COLL_GROUP, N##_fcollect, T)                \
    GIN_NV_GROUPS(GIN_NV_BROADCAST_GROUP, N##_broadcast, T)
GIN_NV_RMA_TYPES(GIN_NV_COLL_GROUP_TYPED)
GIN_NV_GROUPS(GIN_NV_COLL_GROUP, alltoallmem, void)
GIN_NV_GROUPS(GIN_NV_COLL_GROUP, fcollectmem, void)
GIN_NV_GROUPS(GIN_NV_BROADCAST_GROUP, broadcastmem, void)
#endif

/* ---- reductions ---- */

#define GIN_NV_REDUCE_TO(N, T, OP, WHAT, SCATTER)                                                                      \
    GIN_NV_HD int nvshmem_##N##_##OP##_##WHAT(nvshmem_team_t team, T *dest, const T *source, size_t nreduce)           \
        GIN_NV_BODY(gin_shmem_##N##_##OP##_##WHAT(gin_nv_team(team), dest, source, nreduce),                           \
                    shmemx_nvshmem_reduce("nvshmem_" #N "_" #OP "_" #WHAT, gin_nv_team(team), dest, source, nreduce,   \
                                          GIN_NV_TYPE_##N, GIN_NV_OP_##OP, SCATTER))
#define GIN_NV_REDUCE(N, T, OP)                                                                                        \
    GIN_NV_REDUCE_TO(N, T, OP, reduce, 0) GIN_NV_REDUCE_TO(N, T, OP, reducescatter, 1)
#define GIN_NV_REDUCE_BITS(KIND, N, T)                                                                                 \
    GIN_NV_REDUCE(N, T, and) GIN_NV_REDUCE(N, T, or) GIN_NV_REDUCE(N, T, xor)
#define GIN_NV_REDUCE_NUMBERS(KIND, N, T)                                                                              \
    GIN_NV_REDUCE(N, T, min) GIN_NV_REDUCE(N, T, max) GIN_NV_REDUCE(N, T, sum) GIN_NV_REDUCE(N, T, prod)
SHMEMI_BIT_REDUCE_TYPES(GIN_NV_REDUCE_BITS, std)
GIN_NV_RMA_TYPES(GIN_NV_REDUCE_NUMBERS)

#if GIN_NV_DEVICE
#define GIN_NV_REDUCE_GROUP(OP, T, S)                                                                                  \
    GIN_NV_COLL_GROUP(OP##_reduce, T, S) GIN_NV_COLL_GROUP(OP##_reducescatter, T, S)
#define GIN_NV_REDUCE_GROUP_BITS(KIND, N, T)                                                                           \
    GIN_NV_GROUPS(GIN_NV_REDUCE_GROUP, N##_and, T) GIN_NV_GROUPS(GIN_NV_REDUCE_GROUP, N##_or, T)                       \
    GIN_NV_GROUPS(GIN_NV_REDUCE_GROUP, N##_xor, T)
#define GIN_NV_REDUCE_GROUP_NUMBERS(KIND, N, T)                                                                        \
    GIN_NV_GROUPS(GIN_NV_REDUCE_GROUP, N##_min, T) GIN_NV_GROUPS(GIN_NV_REDUCE_GROUP, N##_max, T)                      \
    GIN_NV_GROUPS(GIN_NV_REDUCE_GROUP, N##_sum, T) GIN_NV_GROUPS(GIN_NV_REDUCE_GROUP, N##_prod, T)
SHMEMI_BIT_REDUCE_TYPES(GIN_NV_REDUCE_GROUP_BITS, std)
GIN_NV_RMA_TYPES(GIN_NV_REDUCE_GROUP_NUMBERS)

template <class gin_nv_lazy, class P>
GIN_NV_INLINE int gin_nv_no_maxloc(P)
{
    static_assert(sizeof(P) == 0, "gin_shmem: nvshmemx_double2_maxloc_reduce_block is not there: reductions take elements "
                                  "of at most 8 bytes. Reduce the maxima, then the places of those that are equal");
    return 0;
}
#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
GIN_NV_HD int nvshmemx_double2_maxloc_reduce_block(nvshmem_team_t, double2 *dest, const double2 *, size_t)
{
    return gin_nv_no_maxloc<gin_nv_lazy>(dest);
}
#endif
#endif

#endif
