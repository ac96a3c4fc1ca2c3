/* SPDX-License-Identifier: BSD-3-Clause */
/* wait_until_any and test_any are fair: when every element holds all the time, each is found within a bounded number of
 * calls, for changing array lengths, and with two arrays looked at by turns. */
#include "check.h"

enum { MAX = 9, ROUNDS = 8 };
static long v[MAX], w[MAX];

/* Calls of which each looks at all elements; how often each was found. */
static void look(size_t nelems, int kind, int seen[])
{
    for (size_t i = 0; i < nelems * ROUNDS; i++) {
        size_t k = kind == 0   ? shmem_long_wait_until_any(v, nelems, NULL, SHMEM_CMP_EQ, 1)
                   : kind == 1 ? shmem_long_test_any(v, nelems, NULL, SHMEM_CMP_EQ, 1)
                   : kind == 2 ? shmem_long_wait_until_any_vector(v, nelems, NULL, SHMEM_CMP_EQ, v)
                               : shmem_long_test_any_vector(v, nelems, NULL, SHMEM_CMP_EQ, v);
        CHECK(k < nelems, "index %zu", k);
        seen[k]++;
        if (kind % 2 == 0) /* another array in between must not take the turns of this one */
            (void)shmem_long_test_any(w, MAX, NULL, SHMEM_CMP_EQ, 1);
    }
}

int main(void)
{
    shmem_init();
    for (int i = 0; i < MAX; i++)
        v[i] = w[i] = 1;
    shmem_barrier_all();
    for (size_t nelems = 1; nelems <= MAX; nelems++)
        for (int kind = 0; kind < 4; kind++) {
            int seen[MAX] = {0};
            look(nelems, kind, seen);
            for (size_t i = 0; i < nelems; i++)
                CHECK(seen[i] > 0, "%zu elements, kind %d: element %zu is never found in %zu calls", nelems, kind, i,
                      nelems * ROUNDS);
        }
    shmem_finalize();
    return 0;
}
