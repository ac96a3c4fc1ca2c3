/* SPDX-License-Identifier: BSD-3-Clause */
/* The deprecated collectives over active sets (OpenSHMEM 1.6 section 9.9, deprecated since 1.5): the same collectives,
 * over a group that lives for one call and synchronises through pSync. pWrk is not needed. */
#include "api/entry.h"
#include "coll/coll.h"
#include "coll/kernels.h"
#include "core/log.h"
#include "heap/addr.h"

static struct gs_group active_set(const char *fn, int start, int log_stride, int size, long *psync)
{
    gs_need_up(fn);
    long last = start + ((long)size - 1) * (1L << (log_stride & 31));
    if (size < 1 || start < 0 || log_stride < 0 || log_stride > 30 || last >= gs.n)
        gs_die(fn, "the active set (PE_start %d, logPE_stride %d, PE_size %d) does not name PEs 0 to %d", start, log_stride,
               size, gs.n - 1);
    struct gs_group g = {.n = size, .start = start, .stride = 1 << log_stride, .slot = -1, .psync = psync};
    int d = gs.me - start;
    if (d < 0 || d % g.stride || d / g.stride >= size)
        gs_die(fn, "called by PE %d, which is not in the active set (PE_start %d, logPE_stride %d, PE_size %d)", gs.me,
               start, log_stride, size);
    g.me = d / g.stride;
    if (gs_unlikely(gs.far != NULL))
        (void)gs_group_look(&g); /* which has nothing to allocate here */
    gs_check_local(fn, "pSync", psync, SHMEM_SYNC_SIZE * sizeof *psync);
    return g;
}
#define GROUP(fn) struct gs_group g = active_set(fn, PE_start, logPE_stride, PE_size, pSync);

#define BODY_broadcast(fn, SIZE)                                                                                       \
    if (PE_root < 0 || PE_root >= PE_size)                                                                             \
        gs_die(fn, "PE_root %d is out of range: the active set has %d PEs", PE_root, PE_size);                         \
    gs_coll_broadcast(fn, &g, dest, source, gs_bytes(nelems, SIZE), PE_root, false);
#define BODY_collect(fn, SIZE)   gs_coll_collect(fn, &g, dest, source, gs_bytes(nelems, SIZE));
#define BODY_fcollect(fn, SIZE)  gs_coll_fcollect(fn, &g, dest, source, gs_bytes(nelems, SIZE));
#define BODY_alltoall(fn, SIZE)  gs_coll_alltoall(fn, &g, dest, source, gs_bytes(nelems, SIZE));
#define BODY_alltoalls(fn, SIZE) gs_coll_alltoalls(fn, &g, dest, source, dst, sst, nelems, SIZE);
#define DEFINE_OLD_COLL(BITS, OP, PROTO)                                                                               \
    void pshmem_##OP##BITS PROTO                                                                                       \
    {                                                                                                                  \
        GROUP("shmem_" #OP #BITS)                                                                                      \
        BODY_##OP("shmem_" #OP #BITS, BITS / 8)                                                                        \
    }                                                                                                                  \
    GS_ALIAS(shmem_##OP##BITS)
SHMEMI_OLD_COLL_FUNCTIONS(DEFINE_OLD_COLL)

#define TO_ALL(fn, N, OP)                                                                                              \
    (void)pWrk;                                                                                                        \
    GROUP(fn)                                                                                                          \
    if (nreduce < 0)                                                                                                   \
        gs_die(fn, "nreduce %d is negative", nreduce);                                                                 \
    gs_coll_reduce(fn, &g, dest, source, (size_t)nreduce, GS_COMBINE(N, OP, *dest));
#define IMPL_and_to_all(fn, ctx, N)  TO_ALL(fn, N, and)
#define IMPL_or_to_all(fn, ctx, N)   TO_ALL(fn, N, or)
#define IMPL_xor_to_all(fn, ctx, N)  TO_ALL(fn, N, xor)
#define IMPL_max_to_all(fn, ctx, N)  TO_ALL(fn, N, max)
#define IMPL_min_to_all(fn, ctx, N)  TO_ALL(fn, N, min)
#define IMPL_sum_to_all(fn, ctx, N)  TO_ALL(fn, N, sum)
#define IMPL_prod_to_all(fn, ctx, N) TO_ALL(fn, N, prod)
SHMEMI_TO_ALL_FUNCTIONS(GS_DEFINE)

void pshmem_barrier(int PE_start, int logPE_stride, int PE_size, long *pSync)
{
    GROUP("shmem_barrier")
    gs_group_barrier(&g);
}
GS_ALIAS(shmem_barrier)

void pshmem_sync(int PE_start, int logPE_stride, int PE_size, long *pSync)
{
    GROUP("shmem_sync")
    gs_group_sync(&g);
}
GS_ALIAS(shmem_sync)
