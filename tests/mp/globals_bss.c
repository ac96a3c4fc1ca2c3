/* SPDX-License-Identifier: BSD-3-Clause */
/* Gigabytes of .bss cost nothing: neither at start nor in memory, until they are touched. */
#include "check.h"

static char big[(size_t)6 << 30];
static char *volatile touched = big; /* keeps the compiler from knowing */

int main(void)
{
    touched[4096 * 77] = 'x'; /* before init, in the middle of nothing */
    double start = seconds();
    shmem_init();
    double took = seconds() - start;
    int me = shmem_my_pe(), n = shmem_n_pes();
    CHECK(took < 4, "shmem_init took %.1f s", took);
    CHECK(shmem_char_g(&big[4096 * 77], (me + 1) % n) == 'x', "what was there before");
    shmem_char_p(&big[sizeof big - 1], (char)(me + 1), (me + 1) % n);
    shmem_barrier_all();
    CHECK(touched[sizeof big - 1] == (me + n - 1) % n + 1, "the last byte of .bss");
    CHECK(touched[sizeof big / 2] == 0, "untouched .bss");
    long kib = -1;
    char line[256];
    FILE *f = fopen("/proc/self/status", "re");
    CHECK(f, "no /proc/self/status");
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "VmRSS: %ld", &kib) == 1)
            break;
    fclose(f);
    CHECK(kib < 200 << 10, "%ld KiB are resident", kib);
    shmem_finalize();
    return 0;
}
