/* SPDX-License-Identifier: BSD-3-Clause */
/* Short collectives in a stream: the device API's, by one block. */
#include <gin_shmem/coll.h>
#include <gin_shmem/reduce.h>

#include "transport/nccl/dispatch.h"
#include "transport/nccl/follow.h"

using namespace gin_shmem_impl;

enum { THREADS = 512 };

/* A thread for each line of 8 bytes. */
static unsigned threads_for(uint64_t lines)
{
    uint64_t threads = (lines + 31) / 32 * 32;
    return threads < THREADS ? (unsigned)threads : (unsigned)THREADS;
}

/* ---- reductions ---- */

typedef void kernel(shmem_team_t team, void *dest, const void *source, uint64_t nelems);

template <class T, class Op>
static __global__ void __launch_bounds__(THREADS)
    k_reduce_short(shmem_team_t team, void *dest, const void *source, uint64_t nelems)
{
    gs_k_follow();
    reduce<block_group, Op, T>(team, (T *)dest, (const T *)source, nelems, GIN_SHMEM_INDEX_HOST);
}

template <class T, class Op>
static __global__ void __launch_bounds__(THREADS)
    k_reducescatter_short(shmem_team_t team, void *dest, const void *source, uint64_t nelems)
{
    gs_k_follow();
    reducescatter<block_group, Op, T>(team, (T *)dest, (const T *)source, nelems, GIN_SHMEM_INDEX_HOST);
}

struct shorts {
    typedef ::kernel kernel;
    typedef gin_shmem_impl::op_and op_and;
    typedef gin_shmem_impl::op_or op_or;
    typedef gin_shmem_impl::op_xor op_xor;
    typedef gin_shmem_impl::op_min op_min;
    typedef gin_shmem_impl::op_max op_max;
    typedef gin_shmem_impl::op_sum op_sum;
    typedef gin_shmem_impl::op_prod op_prod;
    static constexpr bool complexes = false, halves = true;
    template <class T, class Op>
    static kernel *of()
    {
        return k_reduce_short<T, Op>;
    }
};
struct scatters : shorts {
    template <class T, class Op>
    static kernel *of()
    {
        return k_reducescatter_short<T, Op>;
    }
};

bool gs_k_reduce_knows(enum gs_k_type type, int op)
{
    return gs_k_choose<shorts>(type, op) != nullptr;
}

cudaError_t gs_k_reduce_launch(uint64_t team, void *dest, const void *source, uint64_t nelems, enum gs_k_type type,
                               int op, bool scatter, cudaStream_t s)
{
    kernel *k = scatter ? gs_k_choose<scatters>(type, op) : gs_k_choose<shorts>(type, op);
    if (!k)
        return cudaErrorInvalidValue;
    return gs_k_launch_behind(k, threads_for(nelems) /* elements are not longer than a line */, s, (shmem_team_t)team,
                              dest, source, nelems);
}

/* ---- moves ---- */

static __global__ void __launch_bounds__(THREADS)
    k_broadcast_short(shmem_team_t team, void *dest, const void *source, uint64_t bytes, int root)
{
    gs_k_follow();
    broadcast<block_group, 1>(team, dest, source, bytes, root, GIN_SHMEM_INDEX_HOST, GIN_SHMEM_FN_broadcast);
}
/* same: a block for all members (fcollect), or one for each. */
static __global__ void __launch_bounds__(THREADS)
    k_alltoall_short(shmem_team_t team, void *dest, const void *source, uint64_t bytes, bool same)
{
    gs_k_follow();
    alltoall<block_group, 1>(team, dest, source, bytes, same, GIN_SHMEM_INDEX_HOST,
                             same ? GIN_SHMEM_FN_fcollect : GIN_SHMEM_FN_alltoall);
}

cudaError_t gs_k_broadcast_launch(uint64_t team, void *dest, const void *source, uint64_t bytes, int root,
                                  cudaStream_t s)
{
    return gs_k_launch_behind(k_broadcast_short, threads_for((bytes + 7) / 8), s, (shmem_team_t)team, dest, source,
                              bytes, root);
}
cudaError_t gs_k_alltoall_launch(uint64_t team, void *dest, const void *source, uint64_t bytes, bool same,
                                 cudaStream_t s)
{
    return gs_k_launch_behind(k_alltoall_short, threads_for((bytes + 7) / 8), s, (shmem_team_t)team, dest, source, bytes,
                              same);
}

cudaError_t gs_k_load_short(void)
{
    cudaFuncAttributes a;
    cudaError_t e = gs_k_load_all<shorts>();
    if (e == cudaSuccess)
        e = gs_k_load_all<scatters>();
    if (e == cudaSuccess)
        e = cudaFuncGetAttributes(&a, (const void *)k_broadcast_short);
    return e == cudaSuccess ? cudaFuncGetAttributes(&a, (const void *)k_alltoall_short) : e;
}
