/* SPDX-License-Identifier: BSD-3-Clause */
/* The device heap grows by windows; all windows are reached alike; what is freed is used again.
 * run: env SHMEM_SYMMETRIC_SIZE=64m
 * run: alone */
#include "check.h"

enum { PARTS = 12 };

__global__ void put_ends(uint64_t *p, size_t words, uint64_t value, int pe)
{
    gin_shmem_uint64_p(p, value, pe);
    gin_shmem_uint64_p(p + words - 1, value + 1, pe);
    gin_shmem_quiet();
}
__global__ void verify_ends(const uint64_t *p, size_t words, uint64_t value, int which)
{
    EXPECT(p[0], value, which);
    EXPECT(p[words - 1], value + 1, which);
}

int main()
{
    start();
    uint64_t *parts[PARTS];
    for (int round = 0; round < 3; round++) {
        for (int k = 0; k < PARTS; k++) {
            size_t words = ((size_t)(k % 3 ? 20 : 90) << 20) / 8; /* some larger than a window */
            parts[k] = symmetric<uint64_t>(words);
            CHECK(((uintptr_t)parts[k] & 15) == 0, "alignment of %p", (void *)parts[k]);
        }
        for (int k = 0; k < PARTS; k++)
            GIN_SHMEM_LAUNCH(put_ends, 1, 1, 0, parts[k], ((size_t)(k % 3 ? 20 : 90) << 20) / 8,
                             1000 * k + round * 10 + me, next_pe);
        KERNELS_DONE("put");
        shmem_barrier_all();
        for (int k = 0; k < PARTS; k++)
            GIN_SHMEM_LAUNCH(verify_ends, 1, 1, 0, parts[k], ((size_t)(k % 3 ? 20 : 90) << 20) / 8,
                             1000 * k + round * 10 + previous_pe, k);
        KERNELS_DONE("verify");
        uint64_t got = shmem_uint64_g(parts[PARTS - 1], next_pe);
        CHECK(got == (uint64_t)(1000 * (PARTS - 1) + round * 10 + me), "the host reads %llu", (unsigned long long)got);
        shmem_barrier_all();
        for (int k = 0; k < PARTS; k++)
            shmem_free(parts[(k * 5) % PARTS]);
    }
    return done();
}
