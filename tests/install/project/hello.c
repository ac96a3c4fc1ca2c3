/* SPDX-License-Identifier: BSD-3-Clause */
#include <shmem.h>
#include <stdio.h>

int main(void)
{
    static long from;
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    shmem_p(&from, 100L + me, (me + 1) % n);
    shmem_barrier_all();
    int wrong = from != 100 + (me + n - 1) % n;
    if (!wrong)
        printf("hello from PE %d of %d\n", me, n);
    shmem_finalize();
    return wrong;
}
