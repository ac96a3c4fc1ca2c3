/* SPDX-License-Identifier: BSD-3-Clause */
/* Short reductions in a stream: the device API's, by one block. */
#include <gin_shmem/reduce.h>

#include "transport/nccl/dispatch.h"
#include "transport/nccl/follow.h"

using namespace gin_shmem_impl;

enum { THREADS = 512 };

typedef void kernel(shmem_team_t team, void *dest, const void *source, uint64_t nelems);

template <class T, class Op>
static __global__ void __launch_bounds__(THREADS)
    k_reduce_short(shmem_team_t team, void *dest, const void *source, uint64_t nelems)
{
    gs_k_follow();
    reduce<block_group, Op, T>(team, (T *)dest, (const T *)source, nelems, GIN_SHMEM_INDEX_HOST);
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

bool gs_k_reduce_knows(enum gs_k_type type, int op)
{
    return gs_k_choose<shorts>(type, op) != nullptr;
}

cudaError_t gs_k_reduce_launch(uint64_t team, void *dest, const void *source, uint64_t nelems, enum gs_k_type type,
                               int op, cudaStream_t s)
{
    kernel *k = gs_k_choose<shorts>(type, op);
    /* a thread for each line of 8 bytes; elements are not longer */
    uint64_t threads = (nelems + 31) / 32 * 32;
    if (!k)
        return cudaErrorInvalidValue;
    return gs_k_launch_behind(k, threads < THREADS ? (unsigned)threads : (unsigned)THREADS, s, (shmem_team_t)team, dest,
                              source, nelems);
}

cudaError_t gs_k_load_reduce(void)
{
    return gs_k_load_all<shorts>();
}
