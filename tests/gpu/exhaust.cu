/* SPDX-License-Identifier: BSD-3-Clause */
/* Device memory runs out: shmem_malloc gives NULL on every PE, also where only one PE's GPU is full, and the job goes on.
 * The parent test (exhaust_message.sh) reads the message.
 * run: alone */
#include "check.h"

__global__ void touch(uint64_t *p, int pe) { gin_shmem_uint64_p(p, 1, pe); }

int main()
{
    start();
    uint64_t *before = symmetric<uint64_t>(1);
    size_t free_bytes, total;
    CU(cudaMemGetInfo(&free_bytes, &total));
    void *huge = shmem_malloc(total + ((size_t)1 << 30));
    CHECK(!huge, "more than the GPU has was allocated");
    /* PE 0 fills its own GPU, so that only there is too little */
    void *filler = NULL;
    if (me == 0) {
        CU(cudaMemGetInfo(&free_bytes, &total));
        CU(cudaMalloc(&filler, free_bytes - ((size_t)6 << 30)));
    }
    shmem_barrier_all();
    void *big = shmem_malloc((size_t)10 << 30);
    CHECK(!big, "PE %d got 10 GiB, though PE 0 had no room", me);
    CU(cudaFree(filler));
    shmem_barrier_all();
    uint64_t *after = symmetric<uint64_t>(((size_t)2 << 30) / 8);
    GIN_SHMEM_LAUNCH(touch, 1, 1, 0, before, next_pe);
    GIN_SHMEM_LAUNCH(touch, 1, 1, 0, after, next_pe);
    KERNELS_DONE("afterwards");
    shmem_barrier_all();
    shmem_free(after);
    return done();
}
