/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The machine, as the device headers see it: everything that differs between a GPU and a CPU that plays one. Nothing
 * outside port_*.h may use PTX, threadIdx or a CUDA intrinsic. A side defines, in namespace gin_shmem_impl:
 *
 * GIN_SHMEM_FN          how a device function begins (inlined); _METHOD: a member; _COLD: called, not inlined;
 *                       _NEVER: called, does not return
 * GIN_SHMEM_UNROLLED    before a loop: unroll it; _ROLLED: do not
 * GIN_SHMEM_CLEARED     behind a variable that is set wherever it is used, which g++ does not see: cleared on the CPU; on a
 *                       GPU that would cost instructions
 * thread_group, warp_group, block_group
 *                       static rank(), size(), sync(); tag (GIN_SHMEM_SCOPE_*). All members call sync, which orders
 *                       their memory accesses among them (as __syncthreads does).
 * state()               this unit's gin_shmem_state
 * load_relaxed, load_acquire, store_relaxed, store_release
 *                       single-copy atomic accesses to global memory, system scope, of 1, 2 (relaxed only), 4 and 8
 *                       bytes, naturally aligned. Relaxed loads never give a stale cached value.
 * load_pair, store_pair two relaxed 8-byte accesses side by side, 16-byte aligned: atomic each, not together
 * load_local            relaxed load of a word that only this device writes
 * load_fresh<V>         what a get reads with: V is one of unit16 (16 bytes), uint64_t .. uint8_t; weak, but not stale
 * store_remote<V>       what a put writes with: weak, to global memory
 * atomic_*              read-modify-write, relaxed, system scope; the reduce forms give nothing back
 * load_plain<V>         what a put reads with: weak, any memory; prefetch: a hint
 * store_plain<V>        what a get writes with: weak, any memory
 * fence_order()         acquire and release fence, system scope. Cumulative: what other threads wrote and this thread
 *                       has observed (through sync, or an acquire) is ordered as well
 * fence_complete()      sequentially consistent fence, system scope: earlier writes are performed everywhere before any
 *                       later access, loads included
 * clock_ns              time for the watchdog
 * relax(polls)          what a waiting loop does after each poll in vain; polls: how many it had before
 * shuffle               a value from another lane of the warp
 * opaque                its argument, of which the compiler knows nothing
 * trap()                ends the kernel; printf works before it
 * bulk_*                asynchronous copies through shared memory (bulk_available is false below sm_90)
 */
#ifndef GIN_SHMEM_PORT_H
#define GIN_SHMEM_PORT_H

#include "state.h"

#if defined(GIN_SHMEM_CPU) && defined(__CUDACC__)
#error "gin_shmem: GIN_SHMEM_CPU is for g++ and clang; nvcc compiles for the GPU"
#elif defined(GIN_SHMEM_CPU)
#include "port_cpu.h"
#elif defined(__CUDACC__)
#include "port_cuda.h"
#else
#error \
    "gin_shmem.h holds device code: compile this file with nvcc or NVRTC, or for the CPU with g++ -x c++ -std=c++17 -DGIN_SHMEM_CPU (host code includes shmem.h)"
#endif

#endif
