/* SPDX-License-Identifier: BSD-3-Clause */
/* A heap of 4 MiB: NULL on every PE when it is full, everything usable, and whole again when all is freed. */
#include <string.h>

#include "check.h"

enum { BLOCK = 100000, MOST = 64 };
static int count;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    unsigned char *p[MOST];
    for (int round = 0; round < 3; round++) {
        for (count = 0; count < MOST && (p[count] = shmem_malloc(BLOCK)); count++)
            memset(p[count], count + me, BLOCK);
        CHECK(count * BLOCK > (3 << 20) && count * BLOCK <= (4 << 20), "%d blocks of %d fit 4 MiB", count, BLOCK);
        CHECK(!shmem_calloc(BLOCK, 1) && !shmem_align(4096, BLOCK) && !shmem_malloc_with_hints(BLOCK, 0), "room?");
        CHECK(!shmem_realloc(p[0], 4 << 20), "realloc beyond the heap");
        shmem_barrier_all();
        CHECK(shmem_int_g(&count, (me + 1) % n) == count, "PEs got different numbers of blocks");
        for (int i = 0; i < count; i++)
            for (int k = 0; k < BLOCK; k += 997)
                CHECK(p[i][k] == (unsigned char)(i + me), "block %d lost its contents", i);
        shmem_barrier_all();
        for (int i = 0; i < count; i++)
            shmem_free(p[round ? i : count - 1 - i]);
        void *all = shmem_malloc(4 << 20);
        CHECK(all, "the heap is not whole again");
        shmem_free(all);
    }
    CHECK(!shmem_malloc(SIZE_MAX) && !shmem_malloc(SIZE_MAX - 64) && !shmem_malloc(1ull << 63), "absurd sizes");
    void *p1 = shmem_malloc(100);
    CHECK(!shmem_realloc(p1, SIZE_MAX - 10), "absurd realloc");
    shmem_free(p1);
    shmem_finalize();
    return 0;
}
