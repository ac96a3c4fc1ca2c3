/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernel for a type and an operation. A family of kernels is a class K with
 *   kernel                        their function type
 *   of<T, Op>()                   the kernel for elements T, or NULL
 *   op_and .. op_prod             what it takes for Op
 *   complexes, complex<T>         does it know complex numbers, and as what
 *   halves                        does it know __half and __nv_bfloat16
 */
#ifndef GS_NCCL_DISPATCH_H
#define GS_NCCL_DISPATCH_H

#include "transport/device.h"
#include "transport/nccl/kernels.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <class K, class T>
static typename K::kernel *gs_k_arithmetic(int op)
{
    return op == GS_OP_sum    ? K::template of<T, typename K::op_sum>()
           : op == GS_OP_prod ? K::template of<T, typename K::op_prod>()
                              : nullptr;
}
template <class K, class T>
static typename K::kernel *gs_k_order(int op)
{
    return op == GS_OP_min   ? K::template of<T, typename K::op_min>()
           : op == GS_OP_max ? K::template of<T, typename K::op_max>()
                             : nullptr;
}
template <class K, class T>
static typename K::kernel *gs_k_real(int op)
{
    return op == GS_OP_min || op == GS_OP_max ? gs_k_order<K, T>(op) : gs_k_arithmetic<K, T>(op);
}
template <class K, class T>
static typename K::kernel *gs_k_unsigned(int op)
{
    return op == GS_OP_and   ? K::template of<T, typename K::op_and>()
           : op == GS_OP_or  ? K::template of<T, typename K::op_or>()
           : op == GS_OP_xor ? K::template of<T, typename K::op_xor>()
                             : gs_k_real<K, T>(op);
}

/* op: enum gs_reduce_op. NULL: K does not know it. Signed integers come here for their order only. */
template <class K>
static typename K::kernel *gs_k_choose(enum gs_k_type type, int op)
{
    switch (type) {
    case GS_K_U8:
        return gs_k_unsigned<K, uint8_t>(op);
    case GS_K_U16:
        return gs_k_unsigned<K, uint16_t>(op);
    case GS_K_U32:
        return gs_k_unsigned<K, uint32_t>(op);
    case GS_K_U64:
        return gs_k_unsigned<K, uint64_t>(op);
    case GS_K_S8:
        return gs_k_order<K, int8_t>(op);
    case GS_K_S16:
        return gs_k_order<K, int16_t>(op);
    case GS_K_S32:
        return gs_k_order<K, int32_t>(op);
    case GS_K_S64:
        return gs_k_order<K, int64_t>(op);
    case GS_K_F32:
        return gs_k_real<K, float>(op);
    case GS_K_F64:
        return gs_k_real<K, double>(op);
    case GS_K_C32:
        if constexpr (K::complexes)
            return gs_k_arithmetic<K, typename K::template complex<float>>(op);
        break;
    case GS_K_C64:
        if constexpr (K::complexes)
            return gs_k_arithmetic<K, typename K::template complex<double>>(op);
        break;
    case GS_K_F16:
        if constexpr (K::halves)
            return gs_k_real<K, __half>(op);
        break;
    case GS_K_BF16:
        if constexpr (K::halves)
            return gs_k_real<K, __nv_bfloat16>(op);
        break;
    case GS_K_TYPES:
        break;
    }
    return nullptr;
}

/* Loads all kernels of K. */
template <class K>
static cudaError_t gs_k_load_all(void)
{
    cudaFuncAttributes a;
    cudaError_t e = cudaSuccess;
    for (int type = 0; type < GS_K_TYPES; type++)
        for (int op = GS_OP_and; op <= GS_OP_prod; op++)
            if (typename K::kernel *k = gs_k_choose<K>((enum gs_k_type)type, op))
                if (e == cudaSuccess)
                    e = cudaFuncGetAttributes(&a, (const void *)k);
    return e;
}

#endif
