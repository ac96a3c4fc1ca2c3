/* SPDX-License-Identifier: BSD-3-Clause */
/* calloc has zeroed before any PE can write into the block, and zeroes what was used before; count * size may not
 * wrap. */
#include <string.h>

#include "check.h"

enum { ROUNDS = 300, WORDS = 20000 };

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes(), to = (me + 1) % n;
    for (int r = 0; r < ROUNDS; r++) {
        size_t words = 1 + mix((unsigned)r, 0) % WORDS;
        long *p = shmem_calloc(words, sizeof *p);
        CHECK(p, "no memory");
        shmem_long_p(&p[words - 1], r + 1, to); /* at once: the other's calloc may have just returned, or not yet */
        for (size_t i = 0; i + 1 < words; i++)
            CHECK(p[i] == 0, "round %d: word %zu of %zu is %ld", r, i, words, p[i]);
        shmem_barrier_all();
        CHECK(p[words - 1] == r + 1, "round %d: an early put is lost", r);
        shmem_barrier_all();
        memset(p, 0xff, words * sizeof *p); /* the next one gets dirty memory */
        shmem_free(p);
    }
    CHECK(!shmem_calloc(SIZE_MAX / 2 + 1, 2), "calloc of a product that wraps to 0");
    CHECK(!shmem_calloc(1ull << 33, (1ull << 31) + 1), "calloc of a product that wraps to 8 GiB");
    void *p = shmem_calloc(3, 5);
    CHECK(p, "calloc behind a failed one");
    shmem_free(p);
    shmem_finalize();
    return 0;
}
