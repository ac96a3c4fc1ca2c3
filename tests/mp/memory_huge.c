/* SPDX-License-Identifier: BSD-3-Clause */
/* A heap of 64 GiB is a limit, not a cost: start-up is fast, and only touched pages take memory. */
#include <string.h>

#include "check.h"

static long resident_kib(void)
{
    char line[256];
    long kib = -1;
    FILE *f = fopen("/proc/self/status", "re");
    CHECK(f, "no /proc/self/status");
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "VmRSS: %ld", &kib) == 1)
            break;
    fclose(f);
    return kib;
}

int main(void)
{
    double start = seconds();
    shmem_init();
    double took = seconds() - start;
    int me = shmem_my_pe(), n = shmem_n_pes();
    size_t bytes = (size_t)60 << 30;
    char *p = shmem_malloc(bytes);
    CHECK(p, "no 60 GiB in a heap of 64");
    shmem_char_p(&p[0], 'a', (me + 1) % n);
    shmem_char_p(&p[bytes / 2], 'b', (me + 1) % n);
    shmem_char_p(&p[bytes - 1], 'c', (me + 1) % n);
    shmem_barrier_all();
    CHECK(p[0] == 'a' && p[bytes / 2] == 'b' && p[bytes - 1] == 'c', "put far away");
    long kib = resident_kib();
    CHECK(kib < 100 << 10, "%ld KiB are resident", kib);
    CHECK(took < 5, "shmem_init took %.1f s", took);
    shmem_free(p);
    shmem_finalize();
    return 0;
}
