/* SPDX-License-Identifier: BSD-3-Clause */
/* All PEs at one PE's words: sums are exact, fetched values unique, swaps lose nothing, compare-and-swap loops work,
 * bits are set once each. */
#include <stdlib.h>

#include "check.h"

enum { TIMES = 2000, MAX_PES = 16 };
static long inc, add, cas, tickets;
static unsigned char taken[TIMES * MAX_PES];
static int inc32[3];
static unsigned long bits[TIMES / 64 * MAX_PES + 1];
static double swapped;
static float swapped32[2];
static long got_sum;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    CHECK(n <= MAX_PES, "at most %d PEs", MAX_PES);
    shmem_barrier_all();
    long last = -1;
    double swaps = 0, floats = 0;
    for (int i = 0; i < TIMES; i++) {
        int root = i % n; /* each target sees all PEs at a time, more or less */
        shmem_long_atomic_inc(&inc, root);
        shmem_long_atomic_add(&add, me + 1, root);
        shmem_int_atomic_inc(&inc32[1], root);
        long ticket = shmem_long_atomic_fetch_inc(&tickets, 0);
        CHECK(ticket > last && ticket < (long)TIMES * n, "ticket %ld after %ld", ticket, last);
        last = ticket;
        shmem_uchar_p(&taken[ticket], (unsigned char)(shmem_uchar_g(&taken[ticket], 0) + 1), 0);
        long seen = shmem_long_atomic_fetch(&cas, 0), want;
        do
            want = seen;
        while ((seen = shmem_long_atomic_compare_swap(&cas, want, want + 3, 0)) != want);
        int bit = me * (TIMES / 64 * 64) + i;
        if (i < TIMES / 64 * 64)
            CHECK(!(shmem_ulong_atomic_fetch_or(&bits[bit / 64], 1ul << bit % 64, 0) >> bit % 64 & 1), "bit %d is set",
                  bit);
        swaps += shmem_double_atomic_swap(&swapped, me + 1, 0); /* whoever puts a value in, another takes out */
        floats += shmem_float_atomic_swap(&swapped32[1], (float)(me + 1), 0);
    }
    shmem_barrier_all();
    long incs = 0, adds = 0, incs32 = 0;
    for (int pe = 0; pe < n; pe++) {
        incs += shmem_long_g(&inc, pe);
        adds += shmem_long_g(&add, pe);
        incs32 += shmem_int_g(&inc32[1], pe);
        CHECK(shmem_int_g(&inc32[0], pe) == 0 && shmem_int_g(&inc32[2], pe) == 0,
              "a 32-bit increment hit its neighbour");
    }
    CHECK(incs == (long)TIMES * n && incs32 == incs, "%ld and %ld increments", incs, incs32);
    CHECK(adds == (long)TIMES * n * (n + 1) / 2, "added up to %ld", adds);
    shmem_long_atomic_add(&got_sum, (long)swaps, 0);
    shmem_barrier_all();
    if (me == 0) {
        CHECK(cas == 3L * TIMES * n, "compare_swap counted to %ld", cas);
        CHECK(tickets == (long)TIMES * n, "%ld tickets", tickets);
        for (int i = 0; i < TIMES * n; i++)
            CHECK(taken[i] == 1, "ticket %d was given %d times", i, taken[i]);
        for (int i = 0; i < TIMES / 64 * n; i++)
            CHECK(bits[i] == ~0ul, "bits[%d] is %#lx", i, bits[i]);
        CHECK(got_sum + (long)swapped == (long)TIMES * n * (n + 1) / 2, "swaps took out %ld", got_sum);
        CHECK(swapped32[0] == 0, "a float swap hit its neighbour");
        got_sum = 0;
    }
    shmem_barrier_all();
    shmem_long_atomic_add(&got_sum, (long)floats, 0);
    shmem_barrier_all();
    if (me == 0)
        CHECK(got_sum + (long)swapped32[1] == (long)TIMES * n * (n + 1) / 2, "float swaps took out %ld", got_sum);
    shmem_finalize();
    return 0;
}
