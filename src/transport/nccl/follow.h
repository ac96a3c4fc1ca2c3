/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Small kernels in a stream, one after the other: the launch of one overlaps the end of the one before it (programmatic
 * dependent launch, from sm_90 on), which is most of what a barrier in a stream costs otherwise.
 */
#ifndef GS_NCCL_FOLLOW_H
#define GS_NCCL_FOLLOW_H

#include <cuda_runtime.h>

/* First thing in such a kernel: waits until everything before it in the stream is complete and visible, then lets the
 * next one be launched. In this order, so that no more than one waits on the GPU. */
static __device__ __forceinline__ void gs_k_follow(void)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/* One block of a kernel that begins with gs_k_follow. */
template <class... Kernel, class... Args>
static cudaError_t gs_k_launch_behind(void (*kernel)(Kernel...), unsigned threads, cudaStream_t s, Args... args)
{
    cudaLaunchAttribute overlap = {};
    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = threads;
    config.stream = s;
    config.attrs = &overlap;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, kernel, args...);
}

#endif
