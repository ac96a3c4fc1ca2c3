/* SPDX-License-Identifier: BSD-3-Clause */
/* The profiling interface: functions that the program defines itself are the ones that are called, also by the generic
 * names, and reach the library by the names with a leading p. */
#include <pshmem.h>

#include "check.h"

static int puts_seen, barriers_seen, fetches_seen, inits_seen, levels;

void shmem_init(void)
{
    inits_seen++;
    pshmem_init();
}

void shmem_long_put(long *dest, const long *source, size_t nelems, int pe)
{
    puts_seen++;
    pshmem_long_put(dest, source, nelems, pe);
}

void shmem_barrier_all(void)
{
    barriers_seen++;
    pshmem_barrier_all();
}

long shmem_long_atomic_fetch_add(long *dest, long value, int pe)
{
    fetches_seen++;
    return pshmem_long_atomic_fetch_add(dest, value, pe);
}

void shmem_pcontrol(int level, ...)
{
    levels = level;
}

static long box, sum;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    long value = me + 1;
    shmem_barrier_all();
    shmem_long_put(&box, &value, 1, (me + 1) % n);
    shmem_put(&box, &value, 1, (me + 1) % n);
    (void)shmem_atomic_fetch_add(&sum, 2L, 0);
    shmem_barrier_all();
    pshmem_barrier_all(); /* not seen */
    pshmem_long_p(&box, value, (me + 1) % n);
    pshmem_barrier_all();
    shmem_pcontrol(5);
    CHECK(inits_seen == 1 && puts_seen == 2 && barriers_seen == 2 && fetches_seen == 1 && levels == 5,
          "seen: %d inits, %d puts, %d barriers, %d fetch_adds, level %d", inits_seen, puts_seen, barriers_seen,
          fetches_seen, levels);
    CHECK(box == (me + n - 1) % n + 1 && pshmem_long_g(&sum, 0) == 2L * n, "box is %ld, sum %ld", box, sum);
    /* The library does not call itself by names that a tool may have taken over. */
    void *p = pshmem_malloc(100);
    pshmem_free(p);
    CHECK(barriers_seen == 2, "the library's own barrier is seen");
    pshmem_finalize();
    return 0;
}
