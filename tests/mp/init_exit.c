/* SPDX-License-Identifier: BSD-3-Clause */
/* exit(0) in the middle of a function, without finalize, some PEs earlier than others. */
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

static long box;

static void said_goodbye(void)
{
    printf("goodbye\n");
}

int main(void)
{
    atexit(said_goodbye);
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    if (me == 0 && n > 1)
        usleep(150000);
    shmem_long_p(&box, me, (me + 1) % n);
    exit(0);
}
