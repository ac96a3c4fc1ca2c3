/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * OpenSHMEM Auxiliary Specification for GPU Support, draft 0.1: the names of the draft for what shmem.h and gin_shmem.h
 * do. Constants and handles (SHMEM_DEVICE_*) come with shmem.h. Valid as C11 and C++17 for the host half; the device
 * half is there for nvcc and NVRTC.
 *
 * Thread groups (_tg) are blocks, hardware thread groups (_htg) warps. PE numbers are those of the context's team, or
 * of SHMEM_DEVICE_TEAM_WORLD without a context. Operands may lie in host symmetric memory too, where kernels reach it.
 * A device context orders nothing by itself: fence and quiet of any context cover the calling thread's operations of
 * all.
 */
#ifndef SHMEMG_H
#define SHMEMG_H

#ifndef __CUDACC_RTC__
#include <shmem.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The device heap, collective over all PEs, with the rules of shmem_malloc, shmem_calloc, shmem_align and shmem_free.
 * NULL when size is 0 or there is no room on every PE. Need a job initialised with SHMEM_DEVICE_HOST_INIT or
 * _KERNEL_INIT, or one whose heap is the device's. */
void *shmemg_malloc(size_t size);
void *shmemg_calloc(size_t count, size_t size);
void *shmemg_align(size_t alignment, size_t size);
void shmemg_free(void *ptr);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif

#if defined(__CUDACC__) || defined(GIN_SHMEM_CPU)
#include <gin_shmem.h>
#include <gin_shmem/shmemg_device.h>
#endif

#endif
