/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The main job in small: PEs pass blocks of data around a ring with put-with-signal, each adds its share, and a
 * reduction over all PEs checks the result. Run with: oshrun -n 4 demo
 */
#include <inttypes.h>
#include <shmem.h>
#include <stdio.h>

enum { WORDS = 1 << 16, LAPS = 8 };

/* Global variables are symmetric: every PE has them, and every PE can write those of the others. */
static uint64_t arrived;
static long wrong, wrong_everywhere, moved, moved_everywhere;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes(), next = (me + 1) % n;
    long *inbox = shmem_malloc(WORDS * sizeof *inbox), *block = shmem_malloc(WORDS * sizeof *block);
    if (!inbox || !block)
        shmem_global_exit(1);
    for (long i = 0; i < WORDS; i++)
        block[i] = me + i;

    for (uint64_t step = 1; step <= (uint64_t)n * LAPS; step++) {
        /* The next PE may read its inbox as soon as the signal says step: data first, then the signal. */
        shmem_long_put_signal(inbox, block, WORDS, &arrived, step, SHMEM_SIGNAL_SET, next);
        shmem_signal_wait_until(&arrived, SHMEM_CMP_GE, step);
        for (long i = 0; i < WORDS; i++)
            block[i] = inbox[i] + 1;
        moved += WORDS * (long)sizeof *block;
        shmem_barrier_all(); /* the inbox is read: it may be overwritten */
    }

    /* After whole laps each block is home again, plus one for every hop. */
    for (long i = 0; i < WORDS; i++)
        wrong += block[i] != me + i + (long)n * LAPS;
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &wrong_everywhere, &wrong, 1);
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &moved_everywhere, &moved, 1);

    printf("PE %d of %d: put %d blocks of %zu KiB to PE %d with put_signal, got %d back, %ld wrong words\n", me, n,
           n * LAPS, WORDS * sizeof *block / 1024, next, n * LAPS, wrong);
    shmem_barrier_all();
    if (me == 0) {
        char name[SHMEM_MAX_NAME_LEN];
        shmem_info_get_name(name);
        printf("%s: %d PEs moved %.1f MiB around a ring in %d steps; a sum over all PEs says %ld words are wrong: %s\n",
               name, n, (double)moved_everywhere / (1 << 20), n * LAPS, wrong_everywhere,
               wrong_everywhere ? "FAILED" : "correct");
    }
    int failed = wrong_everywhere != 0;
    shmem_free(block);
    shmem_free(inbox);
    shmem_finalize();
    return failed;
}
