/* SPDX-License-Identifier: BSD-3-Clause */
/* shmem_ptr, shmem_team_ptr, addr_accessible and pe_accessible, on heap, globals, and what is neither. */
#include <stdlib.h>

#include "check.h"

static long global = 5;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    long local = 0, *heap = shmem_malloc(100 * sizeof *heap), *private = malloc(sizeof *private);
    shmem_team_t reversed, odd;
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, n - 1, -1, n, NULL, 0, &reversed) == 0, "no team");
    heap[99] = global = me;
    shmem_barrier_all();
    for (int pe = 0; pe < n; pe++) {
        long *h = shmem_ptr(&heap[99], pe), *g = shmem_ptr(&global, pe);
        if (shmem_team_translate_pe(SHMEM_TEAM_WORLD, pe, SHMEM_TEAM_SHARED) >= 0)
            CHECK(h && *h == pe && g && *g == pe, "pointers to PE %d", pe);
        else
            CHECK(!h && !g, "pointers to PE %d, which is on another node", pe);
        CHECK((h == &heap[99]) == (pe == me) && (g == &global) == (pe == me), "a pointer to PE %d is one to me", pe);
        CHECK(shmem_team_ptr(reversed, &heap[99], n - 1 - pe) == h &&
                  shmem_team_ptr(reversed, &global, n - 1 - pe) == g,
              "team_ptr to PE %d", pe);
        CHECK(shmem_team_ptr(SHMEM_TEAM_WORLD, &heap[99], pe) == h, "team_ptr of the world to PE %d", pe);
        CHECK(!shmem_ptr(&local, pe) && !shmem_ptr(private, pe) && !shmem_ptr(NULL, pe), "a pointer to private memory");
        CHECK(!shmem_ptr((void *)(uintptr_t)main, pe), "a pointer to code");
        CHECK(shmem_pe_accessible(pe) && shmem_addr_accessible(heap, pe) && shmem_addr_accessible(&global, pe),
              "access");
        CHECK(!shmem_addr_accessible(&local, pe) && !shmem_addr_accessible(private, pe), "access to private memory");
    }
    CHECK(!shmem_pe_accessible(-1) && !shmem_pe_accessible(n), "PEs that do not exist");
    CHECK(!shmem_addr_accessible(heap, -1) && !shmem_addr_accessible(heap, n), "PEs that do not exist");
    CHECK(!shmem_team_ptr(SHMEM_TEAM_INVALID, heap, 0), "team_ptr of no team");
    if (n > 1) {
        CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 1, 2, n / 2, NULL, 0, &odd) == 0, "no team");
        if (me % 2)
            CHECK(shmem_team_ptr(odd, heap, 0) == shmem_ptr(heap, 1), "team_ptr of the odd PEs");
    }
    shmem_barrier_all();

    /* Stores through the pointer are seen by waits there. */
    long *next = shmem_ptr(&heap[0], (me + 1) % n);
    heap[0] = 0;
    shmem_barrier_all();
    if (next)
        __atomic_store_n(next, 7, __ATOMIC_RELEASE);
    else
        shmem_long_p(&heap[0], 7, (me + 1) % n);
    shmem_long_wait_until(&heap[0], SHMEM_CMP_EQ, 7);
    shmem_barrier_all();
    shmem_free(heap);
    free(private);
    shmem_finalize();
    return 0;
}
