/* SPDX-License-Identifier: BSD-3-Clause */
/* start_pes, twice, and no finalize: the end of main is an implicit one, that waits for the slowest PE and its
 * stores. */
#include <unistd.h>

#include "check.h"

static long box;

int main(void)
{
    start_pes(0);
    start_pes(12345);
    int me = _my_pe(), n = _num_pes();
    CHECK(shmem_my_pe() == me && shmem_n_pes() == n, "PE numbers");
    shmem_long_p(&box, me + 1, (me + 1) % n);
    shmem_barrier_all();
    CHECK(box == (me + n - 1) % n + 1, "box is %ld", box);
    if (me == n - 1) {
        usleep(200000); /* the others are at the end of main by now, and must still be there */
        for (int pe = 0; pe < n; pe++)
            CHECK(shmem_long_g(&box, pe) == (pe + n - 1) % n + 1, "box of PE %d", pe);
    }
    return 0;
}
