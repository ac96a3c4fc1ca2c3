/* SPDX-License-Identifier: BSD-3-Clause */
/* Waits that other PEs end, one at a time and in any order: all, any, some, with masks as elements are served, on heap
 * memory; and the plain names without a type. */
#include <string.h>

#include "check.h"

enum { ROUNDS = 200, MAX_PES = 16 };
static long any_global;

/* Everybody raises its own element on everybody. */
static void raise_all(int me, int n, long *flags, long value)
{
    for (int i = 0; i < n; i++)
        shmem_long_p(&flags[me], value, (me + i) % n);
}

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    CHECK(n <= MAX_PES, "at most %d PEs", MAX_PES);
    long *flags = shmem_calloc((size_t)n, sizeof *flags), value = 0;
    long wants[MAX_PES];
    for (int r = 0; r < ROUNDS; r++) {
        raise_all(me, n, flags, ++value);
        shmem_long_wait_until_all(flags, (size_t)n, NULL, SHMEM_CMP_EQ, value);
        shmem_barrier_all();

        raise_all(me, n, flags, ++value);
        int done[MAX_PES] = {0};
        for (int i = 0; i < n; i++) {
            size_t k = r % 2 ? shmem_long_wait_until_any(flags, (size_t)n, done, SHMEM_CMP_GE, value) : SIZE_MAX;
            while (k == SIZE_MAX)
                k = shmem_long_test_any(flags, (size_t)n, done, SHMEM_CMP_GE, value);
            CHECK(k < (size_t)n && !done[k] && shmem_long_g(&flags[k], me) == value, "any: %zu", k);
            done[k] = 1;
        }
        CHECK(shmem_long_wait_until_any(flags, (size_t)n, done, SHMEM_CMP_GE, value) == SIZE_MAX,
              "any: nothing is left");
        shmem_barrier_all();

        raise_all(me, n, flags, ++value);
        memset(done, 0, sizeof done);
        size_t indices[MAX_PES];
        for (int left = n; left;) {
            size_t k = shmem_long_wait_until_some(flags, (size_t)n, indices, done, SHMEM_CMP_EQ, value);
            CHECK(k >= 1 && k <= (size_t)left, "some: %zu of %d", k, left);
            for (size_t i = 0; i < k; i++) {
                CHECK(indices[i] < (size_t)n && !done[indices[i]], "some: index %zu", indices[i]);
                done[indices[i]] = 1;
            }
            left -= (int)k;
        }
        shmem_barrier_all();

        for (int i = 0; i < n; i++)
            wants[i] = value + 1 + i;
        for (int i = 0; i < n; i++)
            shmem_long_atomic_set(&flags[me], value + 1 + me, i);
        if (r % 3 == 0) {
            shmem_long_wait_until_all_vector(flags, (size_t)n, NULL, SHMEM_CMP_EQ, wants);
        } else {
            memset(done, 0, sizeof done);
            for (int left = n; left;) {
                size_t k = r % 3 == 1
                               ? shmem_long_wait_until_some_vector(flags, (size_t)n, indices, done, SHMEM_CMP_EQ, wants)
                               : 1;
                if (r % 3 == 2)
                    indices[0] = shmem_long_wait_until_any_vector(flags, (size_t)n, done, SHMEM_CMP_EQ, wants);
                for (size_t i = 0; i < k; i++, left--)
                    done[indices[i]] = 1;
            }
        }
        value += n;
        for (int i = 0; i < n; i++)
            CHECK(shmem_long_g(&flags[i], me) == wants[i], "vector: flag %d is not %ld", i, wants[i]);
        shmem_barrier_all();
    }
    /* Without a type in the name: long. */
    shmem_long_p(&any_global, 5, (me + 1) % n);
    (shmem_wait)(&any_global, 0);
    (shmem_wait_until)(&any_global, SHMEM_CMP_EQ, 5);
    shmem_free(flags);
    shmem_finalize();
    return 0;
}
