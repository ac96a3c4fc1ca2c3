/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of NCCL's GIN, between PEs that cannot load from and store to each other: run.sh --fake-nodes 2 --provider runs
 * them on one node. */
#ifndef PART_GIN_H
#define PART_GIN_H

#include "check.h"

#include <vector>

__device__ int gin_here_result[2];

__global__ void gin_here(const void *heap, int pe)
{
    gin_here_result[0] = gin_shmem_impl::try_peer(heap, pe) == nullptr;
    gin_here_result[1] = gin_shmem_impl::gin_up();
}

/* False, the same on all PEs: the next PE is near, so there is nothing to test. A far one without GIN is a failure. */
static bool gin_needed(const void *heap)
{
    int seen[2];
    gin_here<<<1, 1>>>(heap, next_pe);
    KERNELS_DONE("looking for GIN");
    CU(cudaMemcpyFromSymbol(seen, gin_here_result, sizeof seen));
    if (!seen[0])
        return false;
    CHECK(seen[1], "PE %d is far, and kernels have no GIN: set NCCL_NET_PLUGIN, see run.sh --provider", next_pe);
    return true;
}

static int gin_skip(void)
{
    if (me == 0)
        printf("the PEs are near each other: run.sh --fake-nodes 2 --provider\n");
    fflush(stdout);
    shmem_finalize();
    return 77;
}

__host__ __device__ inline unsigned char gin_byte(int from, int round, size_t i)
{
    return (unsigned char)(mix((unsigned long long)from * 1000 + round, i / 8) >> (i % 8 * 8));
}

/* What PE `from` put in this round is at p, and there is nothing of it behind. */
__attribute__((unused)) static void gin_check(const unsigned char *p, size_t bytes, int from, int round,
                                              const char *what)
{
    std::vector<unsigned char> seen(bytes + 1);
    from_device(seen.data(), p, bytes + 1);
    for (size_t i = 0; i < bytes; i++)
        CHECK(seen[i] == gin_byte(from, round, i), "%s of %zu bytes: byte %zu is %02x, not %02x", what, bytes, i, seen[i],
              gin_byte(from, round, i));
    CHECK(seen[bytes] == 0, "%s of %zu bytes wrote behind its end", what, bytes);
}

#endif
