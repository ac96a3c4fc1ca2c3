/* SPDX-License-Identifier: BSD-3-Clause */
/* A PE whose host will be lost: pe exit | die | work | wait | put | compute. Says ready first. */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    shmem_init();
    const char *mode = argc > 1 ? argv[1] : "";
    int me = shmem_my_pe(), n = shmem_n_pes(), far = (me + n / 2) % n;
    long *word = shmem_calloc(1 << 16, sizeof *word);
    shmem_long_p(&word[1], me, far);
    shmem_barrier_all();
    if (word[1] != (far + n) % n) {
        fprintf(stderr, "PE %d: %ld has come from PE %d\n", me, word[1], far);
        shmem_global_exit(2);
    }
    printf("ready\n");
    fflush(stdout);
    if (!strcmp(mode, "exit")) { /* one ends all */
        if (me == n - 1) {
            usleep(300000);
            shmem_global_exit(argc > 2 ? atoi(argv[2]) : 0);
        }
        shmem_long_wait_until(word, SHMEM_CMP_NE, 0);
    } else if (!strcmp(mode, "die")) { /* one ends without a word */
        if (me == n - 1)
            _exit(3);
        shmem_long_wait_until(word, SHMEM_CMP_NE, 0);
    } else if (!strcmp(mode, "work")) { /* for so many seconds */
        for (time_t end = time(NULL) + atoi(argv[2]); !word[4];) {
            shmem_long_atomic_add(&word[3], 1, far);
            shmem_long_put(&word[100], &word[200], 1000, far);
            shmem_barrier_all();
            for (int pe = 0; me == 0 && time(NULL) >= end && pe < n; pe++)
                shmem_long_p(&word[4], 1, pe);
            shmem_barrier_all();
        }
        shmem_finalize();
    } else if (!strcmp(mode, "wait")) {
        shmem_long_wait_until(word, SHMEM_CMP_NE, 0);
    } else if (!strcmp(mode, "put")) {
        for (;;) {
            shmem_long_put(&word[100], &word[200], 1000, far);
            shmem_quiet();
        }
    } else {
        for (;;)
            pause();
    }
    return 0;
}
