/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Launches and dynamic shared memory, spelled so that one source is compiled by nvcc and, for the CPU, by g++ and clang:
 *
 *   GIN_SHMEM_LAUNCH(kernel, grid, block, stream, arguments...)            kernel<<<grid, block, 0, stream>>>(...)
 *   GIN_SHMEM_LAUNCH_SMEM(kernel, grid, block, bytes, stream, arguments...)  kernel<<<grid, block, bytes, stream>>>(...)
 *   GIN_SHMEM_SHARED(type, name)        in a kernel: extern __shared__ type name[], aligned to 128 bytes
 *   shmemx_collective_launch(kernel, grid, block, args, bytes, stream)     with the kernel itself
 *
 * A kernel with commas in its name (a template's arguments) goes into parentheses.
 */
#ifndef GIN_SHMEM_LAUNCH_H
#define GIN_SHMEM_LAUNCH_H

#if defined(GIN_SHMEM_CPU)
#define GIN_SHMEM_LAUNCH(kernel, grid, block, stream, ...) \
    gin_shmem_cpu::launcher_of(#kernel, kernel, grid, block, 0, stream)(__VA_ARGS__)
#define GIN_SHMEM_LAUNCH_SMEM(kernel, grid, block, bytes, stream, ...) \
    gin_shmem_cpu::launcher_of(#kernel, kernel, grid, block, bytes, stream)(__VA_ARGS__)
#define GIN_SHMEM_SHARED(type, name) type *name = (type *)gin_shmem_cpu_self->shared
#else
#define GIN_SHMEM_LAUNCH(kernel, grid, block, stream, ...) kernel<<<grid, block, 0, stream>>>(__VA_ARGS__)
#define GIN_SHMEM_LAUNCH_SMEM(kernel, grid, block, bytes, stream, ...) \
    kernel<<<grid, block, bytes, stream>>>(__VA_ARGS__)
#define GIN_SHMEM_SHARED(type, name) extern __shared__ __align__(128) type name[]
#endif

#ifndef __CUDACC_RTC__
#ifndef SHMEMX_H /* gin_shmem.h has included it, and MPI may have one too */
#include <shmemx.h>
#endif

#if defined(GIN_SHMEM_CPU)
static inline shmemx_dim3_t gin_shmem_dim(dim3 d)
{
    shmemx_dim3_t s = {d.x, d.y, d.z};
    return s;
}
static inline int shmemx_collective_launch(const void *func, dim3 grid, dim3 block, void **args, size_t smem,
                                           cudaStream_t stream)
{
    return shmemx_collective_launch(func, gin_shmem_dim(grid), gin_shmem_dim(block), args, smem, stream);
}
static inline int shmemx_collective_launch_query_gridsize(const void *func, dim3 block, size_t smem, int *gridsize)
{
    return shmemx_collective_launch_query_gridsize(func, gin_shmem_dim(block), smem, gridsize);
}
#endif

template <class... P>
static inline int shmemx_collective_launch(void (*kernel)(P...), dim3 grid, dim3 block, void **args, size_t smem,
                                           cudaStream_t stream)
{
#if defined(GIN_SHMEM_CPU)
    gin_shmem_cpu_known((const void *)kernel, gin_shmem_cpu::kernel_of<P...>::get());
#endif
    return shmemx_collective_launch((const void *)kernel, grid, block, args, smem, stream);
}
template <class... P>
static inline int shmemx_collective_launch_query_gridsize(void (*kernel)(P...), dim3 block, size_t smem, int *gridsize)
{
#if defined(GIN_SHMEM_CPU)
    gin_shmem_cpu_known((const void *)kernel, gin_shmem_cpu::kernel_of<P...>::get());
#endif
    return shmemx_collective_launch_query_gridsize((const void *)kernel, block, smem, gridsize);
}
#endif

#endif
