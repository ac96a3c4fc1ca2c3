/* SPDX-License-Identifier: BSD-3-Clause */
/* A kernel that fails at a place known to report.sh, which looks at what the host says of it. */
#include "check.h"

__global__ void fails(uint64_t *word)
{
    if (blockIdx.x == 1 && threadIdx.x == 5)
        gin_shmem_uint64_p(word, 1, 77);
}

int main()
{
    start();
    uint64_t *word = symmetric<uint64_t>(1);
    GIN_SHMEM_LAUNCH(fails, 2, 8, 0, word);
    CU(cudaDeviceSynchronize());
    printf("the kernel has not failed\n");
    return done();
}
