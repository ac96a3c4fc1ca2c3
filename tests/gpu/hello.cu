/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels and the host agree on who is who; gin_shmem_ptr and shmem_ptr give addresses that load and store.
 * run: near
 * run: sanitize-quick */
#include "check.h"

__global__ void look(uint64_t *heap, int me, int n, int shared_me, int shared_n)
{
    EXPECT(gin_shmem_my_pe(), me, 0);
    EXPECT(gin_shmem_n_pes(), n, 0);
    EXPECT(gin_shmem_team_my_pe(SHMEM_TEAM_WORLD), me, 1);
    EXPECT(gin_shmem_team_n_pes(SHMEM_TEAM_WORLD), n, 1);
    EXPECT(gin_shmem_team_my_pe(SHMEM_TEAM_SHARED), shared_me, 2);
    EXPECT(gin_shmem_team_n_pes(SHMEM_TEAM_SHARED), shared_n, 2);
    EXPECT(gin_shmem_team_my_pe(SHMEM_TEAM_INVALID), -1, 3);
    EXPECT(gin_shmem_team_n_pes(SHMEM_TEAM_INVALID), -1, 3);
    for (int pe = 0; pe < n; pe++) {
        EXPECT(gin_shmem_team_translate_pe(SHMEM_TEAM_WORLD, pe, SHMEM_TEAM_SHARED), pe, 4);
        uint64_t *there = (uint64_t *)gin_shmem_ptr(heap + me, pe);
        EXPECT_TRUE(there != NULL, pe);
        *there = 100 * pe + me;
    }
    EXPECT_TRUE(gin_shmem_ptr(heap, me) == heap, 5);
    EXPECT_TRUE(gin_shmem_ptr(heap, n) == NULL, 6);
    EXPECT_TRUE(gin_shmem_ptr(heap, -1) == NULL, 6);
    int on_stack;
    EXPECT_TRUE(gin_shmem_ptr(&on_stack, 0) == NULL, 7);
    gin_shmem_quiet();
}

int main()
{
    start();
    uint64_t *heap = symmetric<uint64_t>(n);
    cudaPointerAttributes a;
    CU(cudaPointerGetAttributes(&a, heap));
    CHECK(a.type == cudaMemoryTypeDevice, "shmem_malloc gave memory of type %d", (int)a.type);
    GIN_SHMEM_LAUNCH(look, 1, 1, 0, heap, me, n, shmem_team_my_pe(SHMEM_TEAM_SHARED),
                     shmem_team_n_pes(SHMEM_TEAM_SHARED));
    KERNELS_DONE("look");
    shmem_barrier_all();
    uint64_t got[64];
    from_device(got, heap, n);
    for (int pe = 0; pe < n; pe++)
        CHECK(got[pe] == (uint64_t)(100 * me + pe), "word %d: %llu", pe, (unsigned long long)got[pe]);
    void *there = shmem_ptr(heap, next_pe);
    CHECK(there, "shmem_ptr of the device heap at PE %d", next_pe);
    uint64_t word;
    CU(cudaMemcpy(&word, (uint64_t *)there + me, 8, cudaMemcpyDefault));
    CHECK(word == (uint64_t)(100 * next_pe + me), "through shmem_ptr: %llu", (unsigned long long)word);
    shmem_barrier_all();
    return done();
}
