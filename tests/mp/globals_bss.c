/* SPDX-License-Identifier: BSD-3-Clause */
/* Gigabytes of .bss cost nothing: neither at start nor in memory, until they are touched. Large and small variables,
 * which are in segments of their own, are symmetric alike. */
#include "check.h"

static char big[(size_t)6 << 30];
static int large_initialised[100000] = {1, 2, 3};
static long small_initialised = 4, small;
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
    int next = (me + 1) % n;
    CHECK(shmem_int_g(&large_initialised[2], next) == 3 && shmem_long_g(&small_initialised, next) == 4,
          "initialised data");
    shmem_barrier_all();
    shmem_int_p(&large_initialised[99999], me, next);
    shmem_long_p(&small_initialised, me, next);
    shmem_long_p(&small, me, next);
    shmem_char_p(&big[sizeof big - 1], (char)(me + 1), (me + 1) % n);
    shmem_barrier_all();
    CHECK(touched[sizeof big - 1] == (me + n - 1) % n + 1, "the last byte of .bss");
    const int from = (me + n - 1) % n;
    CHECK(large_initialised[99999] == from && small_initialised == from && small == from, "puts");
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
