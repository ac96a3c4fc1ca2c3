/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The device API of gin_shmem: OpenSHMEM calls in CUDA kernels. This is the one header a .cu file includes; it brings
 * the host API (shmem.h, shmemx.h) as well. Compile with plain nvcc (-rdc=true works, and is not needed), sm_70 or
 * newer, C++14 or newer, and link libginshmem. NVRTC compiles it too (shmemx_cumodule_init fills such a module's
 * state).
 *
 * Names are the standard's with the prefix gin_shmem_: gin_shmem_int_put, gin_shmem_putmem, gin_shmem_quiet. A call
 * without suffix is one thread's; with _warp or _block all threads of the warp or block make it together, with the same
 * arguments. Overloads without a type name exist (gin_shmem_put(dest, source, n, pe)). Each header in device/gin_shmem
 * documents its family:
 *   team.h    my_pe, n_pes, teams             signal.h  put_signal, signal_op, signal_fetch
 *   rma.h     put, get, p, g, iput, iget      wait.h    wait_until, test, signal_wait_until
 *   amo.h     atomic_*                        order.h   fence, quiet
 *   addr.h    gin_shmem_ptr                   coll.h    barrier, sync, broadcast, collect, fcollect, alltoall
 *   smem.h    gin_shmem_smem_give             reduce.h  reductions, reduce-scatter
 *   fabric.h  NCCL underneath, for extensions
 *
 * Calls have no error results. What cannot work ends the kernel and then the job, with a report of the PE, block,
 * thread, function and address. -DGIN_SHMEM_DEVICE_CHECK makes every call check its PE and address range first.
 *
 * PEs on other nodes are served by the agent (docs/ordering.md). -DGIN_SHMEM_WITH_GIN=1 lets NCCL's GIN do what it can,
 * and needs C++17 and <nccl_device.h> of the library's NCCL; -DGIN_SHMEM_FAR=0 leaves them all out, for kernels of one node.
 *
 * Many accesses in flight take registers: a kernel that is launched with more than 256 threads a block and calls bulk
 * operations or collectives says so with __launch_bounds__(threads), or the launch may ask for more registers than
 * there are.
 */
#ifndef GIN_SHMEM_H
#define GIN_SHMEM_H

#ifndef __CUDACC_RTC__
#include "shmem.h" /* beside this file: MPI has a header of this name too */
#include "shmemx.h"
#endif

#include <gin_shmem/amo.h>
#include <gin_shmem/coll.h>
#include <gin_shmem/launch.h>
#include <gin_shmem/order.h>
#include <gin_shmem/reduce.h>
#include <gin_shmem/rma.h>
#include <gin_shmem/signal.h>
#include <gin_shmem/team.h>
#include <gin_shmem/wait.h>

#endif
