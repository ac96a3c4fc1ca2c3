/* SPDX-License-Identifier: BSD-3-Clause */
/* What authors of extensions do: NCCL's own header beside ours, and its types from our calls. */
#include <gin_shmem.h>
#include <nccl_device.h>

__global__ void store(int *p, int value)
{
    const ncclDevComm *comm = gin_shmem_nccl_dev_comm();
    size_t offset;
    ncclWindow_t window = gin_shmem_nccl_window(p, &offset);
    if (comm && window)
        *(int *)ncclGetLsaPointer(window, offset, (comm->lsaRank + 1) % comm->lsaSize) = value;
}
