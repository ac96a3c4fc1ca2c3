/* SPDX-License-Identifier: BSD-3-Clause */
/* GIN_SHMEM_SYMMETRIC_DATA=0: globals are private, the heap works as ever. */
#include "check.h"

static long global = 5, lock_word;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    CHECK(!shmem_ptr(&global, (me + 1) % n) && !shmem_addr_accessible(&global, me), "a global is symmetric");
    long *p = shmem_malloc(sizeof *p);
    CHECK(p && shmem_addr_accessible(p, (me + 1) % n), "the heap");
    shmem_long_p(p, me, (me + 1) % n);
    lock_word = 3;
    shmem_barrier_all();
    CHECK(*p == (me + n - 1) % n && global == 5 && lock_word == 3, "values");
    shmem_free(p);
    shmem_finalize();
    return 0;
}
