/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the functions of the NVSHMEM headers are made: each is a thin inline call of gin_shmem's, and the same name is the
 * host call in host code and the device call in kernels.
 *
 *   GIN_NV_HD  begins a function of both sides, GIN_NV_D one of kernels, GIN_NV_H one of the host
 *   GIN_NV_BODY(D, H)  its body: the device's expression or the host's
 *
 * Under nvcc typed functions are templates with a parameter that nobody gives, so that the compiler makes code only of
 * those that a program calls.
 */
#ifndef GIN_NVSHMEM_CONFIG_H
#define GIN_NVSHMEM_CONFIG_H

#if defined(__CUDACC_RTC__)
#define GIN_NV_DEVICE 1
#define GIN_NV_HOST   0
#elif defined(__CUDACC__) || defined(GIN_SHMEM_CPU)
#define GIN_NV_DEVICE 1
#define GIN_NV_HOST   1
#else
#define GIN_NV_DEVICE 0
#define GIN_NV_HOST   1
#endif

/* Programs rely on these headers for CUDA's own. */
#if GIN_NV_HOST && !defined(GIN_SHMEM_CPU)
#include <cuda.h>
#include <cuda_runtime.h>
#endif
#if !defined(GIN_SHMEM_CPU) && defined(__cplusplus)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

/* By their places beside this file: MPI's folder, where a program names it first, may hold another shmem.h. */
#if GIN_NV_HOST
#include "../../shmemx.h"
#endif
#if GIN_NV_DEVICE
/* NVSHMEM's kernels have no launch bounds: with these, blocks of 512 threads find the registers they need. */
#ifndef GIN_SHMEM_THREAD_FLIGHT
#define GIN_SHMEM_THREAD_FLIGHT 8
#endif
#include "../../gin_shmem.h"
#endif
#if !GIN_NV_HOST
#include "../../gin_shmem/api.def.h" /* families as rows; on the host shmem.h has brought it */
#endif

#if GIN_NV_HOST
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#endif

#if defined(__CUDACC_RTC__)
#define GIN_NV_HD template <class gin_nv_lazy = void> static __device__ __forceinline__
#define GIN_NV_D  GIN_NV_HD
#define GIN_NV_BODY(D, H) { return D; }
#define GIN_NV_INLINE     static __device__ __forceinline__
#elif defined(__CUDACC__)
#define GIN_NV_HD template <class gin_nv_lazy = void> static __host__ __device__ __forceinline__
#define GIN_NV_D  template <class gin_nv_lazy = void> static __device__ __forceinline__
#define GIN_NV_H  template <class gin_nv_lazy = void> static inline
#ifdef __CUDA_ARCH__
#define GIN_NV_BODY(D, H) { return D; }
#else
#define GIN_NV_BODY(D, H) { return H; }
#endif
#define GIN_NV_INLINE static __host__ __device__ __forceinline__
#elif defined(GIN_SHMEM_CPU)
#define GIN_NV_HD template <class gin_nv_lazy = void> static inline
#define GIN_NV_D  GIN_NV_HD
#define GIN_NV_H  GIN_NV_HD
/* Kernels are host code there: who is asking shows at run time. */
#define GIN_NV_BODY(D, H) { return gin_shmem_cpu_self->stack ? D : H; }
#define GIN_NV_INLINE     static inline
#else
#define GIN_NV_HD static inline
#define GIN_NV_H  static inline
#define GIN_NV_BODY(D, H) { return H; }
#define GIN_NV_INLINE     static inline
#endif

/* X(A.., suffix) for warp and block, which only kernels have. */
#define GIN_NV_GROUPS(X, ...) X(__VA_ARGS__, _warp) X(__VA_ARGS__, _block)

/*
 * Types: X(KIND, TYPENAME, TYPE), composed of the lists in gin_shmem/types.def.h. KIND leads to the host's function of
 * one type: the C types have theirs in shmem.h (std); half and bfloat16, which OpenSHMEM does not know, in half.h.
 */
#define GIN_NV_STD_TYPES(X, KIND)                                                                                      \
    X(KIND, float, float) X(KIND, double, double) X(KIND, char, char) SHMEMI_C_SIGNED(X, KIND)                         \
    SHMEMI_C_UNSIGNED(X, KIND) SHMEMI_FIXED_TYPES(X, KIND) X(KIND, size, size_t) X(KIND, ptrdiff, ptrdiff_t)
#ifdef __cplusplus
#define GIN_NV_HALF_TYPES(X, KIND) X(KIND, half, __half) X(KIND, bfloat16, __nv_bfloat16)
#else
#define GIN_NV_HALF_TYPES(X, KIND)
#endif
#define GIN_NV_RMA_TYPES(X)  GIN_NV_STD_TYPES(X, std) GIN_NV_HALF_TYPES(X, half)
#define GIN_NV_WAIT_TYPES(X) SHMEMI_AMO_TYPES(X, std) SHMEMI_SYNC_OLD_TYPES(X, short)

#define GIN_NV_HOST_std(N, OP)    shmem_##N##_##OP
#define GIN_NV_HOST_half(N, OP)   gin_nv_##N##_##OP
#define GIN_NV_STREAM_std(N, OP)  shmemx_##N##_##OP##_on_stream
#define GIN_NV_STREAM_half(N, OP) gin_nv_##N##_##OP##_on_stream

#endif
