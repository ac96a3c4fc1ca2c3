/* SPDX-License-Identifier: BSD-3-Clause */
/* Short reductions in a stream: the device API's, by one block. */
#include <gin_shmem/reduce.h>

#include "transport/device.h"
#include "transport/nccl/follow.h"
#include "transport/nccl/kernels.h"

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

template <class T>
static kernel *order_kernel(int op)
{
    return op == GS_OP_min ? k_reduce_short<T, op_min> : op == GS_OP_max ? k_reduce_short<T, op_max> : nullptr;
}
template <class T>
static kernel *number_kernel(int op)
{
    return op == GS_OP_sum    ? k_reduce_short<T, op_sum>
           : op == GS_OP_prod ? k_reduce_short<T, op_prod>
                              : order_kernel<T>(op);
}
template <class T>
static kernel *unsigned_kernel(int op)
{
    return op == GS_OP_and   ? k_reduce_short<T, op_and>
           : op == GS_OP_or  ? k_reduce_short<T, op_or>
           : op == GS_OP_xor ? k_reduce_short<T, op_xor>
                             : number_kernel<T>(op);
}

static kernel *kernel_for(enum gs_k_type type, int op)
{
    switch (type) {
    case GS_K_U8:
        return unsigned_kernel<uint8_t>(op);
    case GS_K_U16:
        return unsigned_kernel<uint16_t>(op);
    case GS_K_U32:
        return unsigned_kernel<uint32_t>(op);
    case GS_K_U64:
        return unsigned_kernel<uint64_t>(op);
    case GS_K_S8:
        return order_kernel<int8_t>(op);
    case GS_K_S16:
        return order_kernel<int16_t>(op);
    case GS_K_S32:
        return order_kernel<int32_t>(op);
    case GS_K_S64:
        return order_kernel<int64_t>(op);
    case GS_K_F32:
        return number_kernel<float>(op);
    case GS_K_F64:
        return number_kernel<double>(op);
    case GS_K_F16:
        return number_kernel<__half>(op);
    case GS_K_BF16:
        return number_kernel<__nv_bfloat16>(op);
    default:
        return nullptr;
    }
}

bool gs_k_reduce_knows(enum gs_k_type type, int op)
{
    return kernel_for(type, op) != nullptr;
}

cudaError_t gs_k_reduce_launch(uint64_t team, void *dest, const void *source, uint64_t nelems, enum gs_k_type type,
                               int op, cudaStream_t s)
{
    kernel *k = kernel_for(type, op);
    /* a thread for each line of 8 bytes; elements are not longer */
    uint64_t threads = (nelems + 31) / 32 * 32;
    if (!k)
        return cudaErrorInvalidValue;
    return gs_k_launch_behind(k, threads < THREADS ? (unsigned)threads : (unsigned)THREADS, s, (shmem_team_t)team, dest,
                              source, nelems);
}

cudaError_t gs_k_load_reduce(void)
{
    cudaFuncAttributes a;
    cudaError_t e = cudaSuccess;
    for (int type = 0; type < GS_K_TYPES; type++)
        for (int op = GS_OP_and; op <= GS_OP_prod; op++)
            if (kernel *k = kernel_for((enum gs_k_type)type, op))
                if (e == cudaSuccess)
                    e = cudaFuncGetAttributes(&a, (const void *)k);
    return e;
}
