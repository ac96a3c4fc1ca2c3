/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulated nodes, as programs see them: who shares a node, which memory has an address here, what is accessible. The
 * PEs are dealt in runs. argument: how many nodes */
#include "check.h"

__global__ void look(uint64_t *heap, int first, int last, int *team)
{
    for (int pe = 0; pe < gin_shmem_n_pes(); pe++) {
        const bool near = pe >= first && pe < last;
        EXPECT((int)(gin_shmem_ptr(heap, pe) != NULL), (int)near, pe);
        EXPECT(gin_shmem_team_translate_pe(SHMEM_TEAM_WORLD, pe, SHMEM_TEAM_SHARED), near ? pe - first : -1, pe);
        gin_shmem_uint64_p(heap + gin_shmem_my_pe(), gin_shmem_my_pe() + 1, pe); /* all are served */
    }
    gin_shmem_barrier_all();
    for (int pe = 0; pe < gin_shmem_n_pes(); pe++)
        EXPECT((int)heap[pe], pe + 1, pe);
    *team = gin_shmem_team_n_pes(SHMEM_TEAM_SHARED);
}

int main(int, char **argv)
{
    static uint64_t global;
    start();
    const int nodes = atoi(argv[1]), node = me * nodes / n;
    int first = 0, last;
    while (first * nodes / n != node)
        first++;
    for (last = first; last < n && last * nodes / n == node; last++)
        ;
    uint64_t *heap = (uint64_t *)shmem_calloc(n, sizeof *heap);
    uint64_t *host = (uint64_t *)shmem_malloc_with_hints(8, SHMEMX_MALLOC_HOST);
    int *team = symmetric<int>(1);
    CHECK(heap && host, "no memory");
    GIN_SHMEM_LAUNCH(look, 1, 1, 0, heap, first, last, team);
    KERNELS_DONE("look");
    CHECK(device_value(team) == last - first, "%d PEs share a node in kernels", device_value(team));
    CHECK(shmem_team_n_pes(SHMEM_TEAM_SHARED) == last - first, "%d PEs share a node",
          shmem_team_n_pes(SHMEM_TEAM_SHARED));
    CHECK(shmem_team_my_pe(SHMEM_TEAM_SHARED) == me - first, "rank %d in it", shmem_team_my_pe(SHMEM_TEAM_SHARED));
    for (int pe = 0; pe < n; pe++) {
        const bool near = pe >= first && pe < last;
        const void *const objects[] = {heap, host, &global};
        for (const void *p : objects) {
            CHECK((shmem_ptr(p, pe) != NULL) == near, "shmem_ptr(%p, %d)", p, pe);
            CHECK(shmem_addr_accessible(p, pe), "%p is not accessible at PE %d", p, pe);
        }
    }
    shmem_barrier_all();
    return done();
}
