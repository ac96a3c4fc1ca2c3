/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times of the host API. Standard shmem.h only, so that the same source measures any OpenSHMEM 1.4 or newer.
 *
 * host            every case, 2 PEs: PE 0 prints lines "case<TAB>value", nanoseconds of one operation
 * host barrier    barrier alone, any number of PEs
 * host startup    init, barrier, broadcast of 1 KiB, finalize; the caller takes the time
 *
 * A value is the median of many samples, a sample the mean of a batch short enough that most escape other programs.
 */
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if SHMEM_MAJOR_VERSION > 1 || SHMEM_MINOR_VERSION >= 5
#define HAVE_1_5 1 /* put_signal, teams, collectives over teams */
#else
#define HAVE_1_5 0
#endif

enum { SAMPLES = 301, WARM_UP = 20, KIB = 1024, MIB = 1024 * 1024, PIECE = 4 * KIB, PAGE = 4 * KIB };

static int me, npes;
static double sample[SAMPLES];

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void report(const char *name, double per_operation)
{
    qsort(sample, SAMPLES, sizeof *sample, by_value);
    if (me == 0)
        printf("%s\t%.2f\n", name, sample[SAMPLES / 2] / per_operation);
}

static void must(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "bench/host: PE %d: wrong result of %s\n", me, what);
    shmem_global_exit(1);
}

/* Times the statement, batch times a sample, on this PE. */
#define TIMED(batch, statement)                                                                                        \
    for (int s_ = -WARM_UP; s_ < SAMPLES; s_++) {                                                                      \
        double from_ = now_ns();                                                                                       \
        for (int b_ = 0; b_ < (batch); b_++) {                                                                         \
            statement;                                                                                                 \
        }                                                                                                              \
        if (s_ >= 0)                                                                                                   \
            sample[s_] = now_ns() - from_;                                                                             \
    }

/* PE 0 works, the others wait in a barrier. */
#define ONE_SIDED(name, batch, statement)                                                                              \
    do {                                                                                                               \
        if (me == 0) {                                                                                                 \
            TIMED(batch, statement)                                                                                    \
            report(name, batch);                                                                                       \
        }                                                                                                              \
        shmem_barrier_all();                                                                                           \
    } while (0)

/* Every PE takes part. */
#define TOGETHER(name, batch, statement)                                                                               \
    do {                                                                                                               \
        shmem_barrier_all();                                                                                           \
        TIMED(batch, statement)                                                                                        \
        report(name, batch);                                                                                           \
        shmem_barrier_all();                                                                                           \
    } while (0)

/* PEs 0 and 1 by turns: send(i) tells the other that round i is due, await(i) waits for it. Half a round is one way. */
#define PING_PONG(name, rounds, send, await)                                                                           \
    do {                                                                                                               \
        long i = 0;                                                                                                    \
        shmem_barrier_all();                                                                                           \
        if (me < 2) {                                                                                                  \
            TIMED(rounds, i++; if (me == 0) { send; await; } else { await; send; })                                    \
            report(name, 2 * (rounds));                                                                                \
        }                                                                                                              \
        shmem_barrier_all();                                                                                           \
    } while (0)

/* ---- floors: what the machine takes, without a library ---- */

static void floors(long *word)
{
    long counter = 0;
    ONE_SIDED("floor fetch_add", 1000, __atomic_fetch_add(&counter, 1, __ATOMIC_SEQ_CST));

    long *theirs = shmem_ptr(word, me ^ 1);
    if (theirs) /* else the peers' memory is not mapped here */
        PING_PONG("floor ping-pong", 200, __atomic_store_n(theirs, i, __ATOMIC_RELEASE),
                  while (__atomic_load_n(word, __ATOMIC_ACQUIRE) < i));
}

static void copies(char *dest, char *source)
{
    /* From page to page, as the symmetric ones: how far apart source and target are changes what a copy takes. */
    char *a = aligned_alloc(PAGE, MIB), *b = aligned_alloc(PAGE, MIB);
    must(a && b, "aligned_alloc");
    memset(a, 1, MIB);
    memset(b, 2, MIB);
    /* The empty statement keeps the compiler from dropping the copy. */
    ONE_SIDED("memcpy 64 KiB", 10, memcpy(b, a, 64 * KIB); __asm__ volatile("" ::: "memory"));
    ONE_SIDED("put 64 KiB", 10, shmem_putmem(dest, a, 64 * KIB, 1); shmem_quiet());
    ONE_SIDED("get 64 KiB", 10, shmem_getmem(b, source, 64 * KIB, 1));
    ONE_SIDED("memcpy 1 MiB", 1, memcpy(b, a, MIB); __asm__ volatile("" ::: "memory"));
    ONE_SIDED("put 1 MiB", 1, shmem_putmem(dest, a, MIB, 1); shmem_quiet());
    ONE_SIDED("get 1 MiB", 1, shmem_getmem(b, source, MIB, 1));
    if (me == 0)
        must(memcmp(b, source, MIB) == 0, "get");
    if (me == 1)
        must(memcmp(dest, a, MIB) == 0, "put");
    free(a);
    free(b);
    shmem_barrier_all();
}

/* ---- 8 bytes ---- */

static void words(long *word)
{
    long value = 5, got = 0;
    *word = 0;
    shmem_barrier_all();
    ONE_SIDED("put 8 B + quiet", 500, shmem_long_put(word, &value, 1, 1); shmem_quiet());
    ONE_SIDED("p + quiet", 500, shmem_long_p(word, value, 1); shmem_quiet());
    ONE_SIDED("get 8 B", 500, shmem_long_get(&got, word, 1, 1));
    must(me != 0 || got == 5, "put or get");
    ONE_SIDED("g", 500, got += shmem_long_g(word, 1));
    ONE_SIDED("fetch_add", 500, shmem_long_atomic_fetch_add(word, 1, 1));
    must(me != 1 || *word == 5 + 500L * (SAMPLES + WARM_UP), "fetch_add");
    shmem_barrier_all();
    if (me == 0)
        value = shmem_long_g(word, 1);
    ONE_SIDED("compare_swap", 500, value = shmem_long_atomic_compare_swap(word, value, value + 1, 1) + 1);
    must(me != 1 || *word == 5 + 1000L * (SAMPLES + WARM_UP), "compare_swap");
    shmem_barrier_all();
}

static void strided(long *array)
{
    long source[128];
    for (int i = 0; i < 128; i++)
        source[i] = i;
    ONE_SIDED("iput 64", 50, shmem_long_iput(array, source, 2, 2, 64, 1); shmem_quiet());
    ONE_SIDED("iget 64", 50, shmem_long_iget(source, array, 2, 2, 64, 1));
    must(me != 1 || array[126] == 126, "iput");
    must(me != 0 || source[126] == 126, "iget");
    shmem_barrier_all();
}

static void signals(long *data, uint64_t *signal)
{
    long value = 0;
    *signal = 0;
    int to = me ^ 1;
#if HAVE_1_5
    PING_PONG("put_signal", 200,
              value = i; shmem_long_put_signal(data, &value, 1, signal, (uint64_t)i, SHMEM_SIGNAL_SET, to),
              shmem_signal_wait_until(signal, SHMEM_CMP_GE, (uint64_t)i); must(*data == i, "put_signal"));
#else
    /* The same message in OpenSHMEM 1.4: data, fence, flag. The better of the two ways to write the flag counts. */
    long *flag = (long *)signal;
    PING_PONG("put_signal", 200,
              value = i; shmem_long_put(data, &value, 1, to); shmem_fence(); shmem_long_p(flag, i, to),
              shmem_long_wait_until(flag, SHMEM_CMP_GE, i); must(*data == i, "put"));
    *signal = 0;
    PING_PONG("put_signal", 200,
              value = i; shmem_long_put(data, &value, 1, to); shmem_fence(); shmem_long_atomic_set(flag, i, to),
              shmem_long_wait_until(flag, SHMEM_CMP_GE, i); must(*data == i, "put"));
#endif
}

/* ---- collectives: over the world team where there are teams, and over active sets ---- */

/* Of active sets. A word may be used again when every PE is done with it: two of each by turns, for no PE leaves a call
 * here before all are in it. For that the root of broadcasts changes as well. */
static long psync[2][SHMEM_ALLTOALL_SYNC_SIZE + SHMEM_REDUCE_SYNC_SIZE + SHMEM_COLLECT_SYNC_SIZE +
                     SHMEM_BCAST_SYNC_SIZE];
static double work[2][8 * KIB + SHMEM_REDUCE_MIN_WRKDATA_SIZE];

static void clear_psync(void)
{
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < sizeof psync[0] / sizeof psync[0][0]; i++)
            psync[k][i] = SHMEM_SYNC_VALUE;
    shmem_barrier_all();
}

static void check_sum(const double *dest)
{
    must(dest[0] == (double)npes, "sum");
}

static void collectives_of_active_sets(double *dest, double *source)
{
    int k = 0; /* calls made */
    clear_psync();
    TOGETHER("sum 8 B, active set", 20, k++;
             shmem_double_sum_to_all(dest, source, 1, 0, 0, npes, work[k % 2], psync[k % 2]));
    check_sum(dest);
    TOGETHER("sum 64 KiB, active set", 4, k++;
             shmem_double_sum_to_all(dest, source, 8 * KIB, 0, 0, npes, work[k % 2], psync[k % 2]));
    check_sum(dest + 8 * KIB - 1);
    clear_psync();
    TOGETHER("broadcast 64 KiB, active set", 4, k++;
             shmem_broadcast64(dest, source, 8 * KIB, k % npes, 0, 0, npes, psync[k % 2]));
    must(dest[8 * KIB - 1] == 1.0, "broadcast");
    clear_psync();
    TOGETHER("fcollect 4 KiB, active set", 10, k++;
             shmem_fcollect64(dest, source, PIECE / 8, 0, 0, npes, psync[k % 2]));
    must(dest[npes * PIECE / 8 - 1] == 1.0, "fcollect");
    clear_psync();
    TOGETHER("alltoall 4 KiB, active set", 10, k++;
             shmem_alltoall64(dest, source, PIECE / 8, 0, 0, npes, psync[k % 2]));
    must(dest[npes * PIECE / 8 - 1] == 1.0, "alltoall");
}

#if HAVE_1_5
static void collectives_of_teams(double *dest, double *source)
{
    shmem_team_t world = SHMEM_TEAM_WORLD;
    int k = 0;
    TOGETHER("sum 8 B", 20, shmem_double_sum_reduce(world, dest, source, 1));
    check_sum(dest);
    TOGETHER("sum 64 KiB", 4, shmem_double_sum_reduce(world, dest, source, 8 * KIB));
    check_sum(dest + 8 * KIB - 1);
    TOGETHER("broadcast 64 KiB", 4, shmem_double_broadcast(world, dest, source, 8 * KIB, k++ % npes));
    must(dest[8 * KIB - 1] == 1.0, "broadcast");
    TOGETHER("fcollect 4 KiB", 10, shmem_double_fcollect(world, dest, source, PIECE / 8));
    must(dest[npes * PIECE / 8 - 1] == 1.0, "fcollect");
    TOGETHER("alltoall 4 KiB", 10, shmem_double_alltoall(world, dest, source, PIECE / 8));
    must(dest[npes * PIECE / 8 - 1] == 1.0, "alltoall");
}
#endif

/* ---- */

static void all_cases(void)
{
    char *dest = shmem_align(PAGE, MIB), *source = shmem_align(PAGE, MIB);
    long *word = shmem_malloc(4 * KIB); /* words that different cases poll lie in different lines */
    must(dest && source && word, "shmem_align or shmem_malloc");
    memset(dest, 0, MIB);
    memset(source, 3, MIB);
    memset(word, 0, 4 * KIB);
    shmem_barrier_all();

    floors(word + 64);
    words(word);
    strided((long *)dest);
    signals(word + 128, (uint64_t *)(word + 192));
    TOGETHER("barrier", 50, shmem_barrier_all());
    TOGETHER("malloc + free", 20, shmem_free(shmem_malloc(64)));
    copies(dest, source);

    memset(dest, 0, MIB);
    for (int i = 0; i < MIB / 8; i++)
        ((double *)source)[i] = 1.0;
    shmem_barrier_all();
#if HAVE_1_5
    collectives_of_teams((double *)dest, (double *)source);
#endif
    collectives_of_active_sets((double *)dest, (double *)source);

    shmem_free(word);
    shmem_free(source);
    shmem_free(dest);
}

static void startup(void)
{
    static char dest[KIB], source[KIB];
    static long sync[SHMEM_BCAST_SYNC_SIZE];
    for (int i = 0; i < SHMEM_BCAST_SYNC_SIZE; i++)
        sync[i] = SHMEM_SYNC_VALUE;
    memset(source, me == 0 ? 7 : 1, sizeof source);
    shmem_barrier_all();
    shmem_broadcast64(dest, source, KIB / 8, 0, 0, 0, npes, sync);
    must(me == 0 || dest[KIB - 1] == 7, "broadcast");
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "all";
    shmem_init();
    me = shmem_my_pe();
    npes = shmem_n_pes();
    if (strcmp(mode, "barrier") == 0) {
        TOGETHER("barrier", 10, shmem_barrier_all());
    } else if (strcmp(mode, "startup") == 0) {
        startup();
    } else if (strcmp(mode, "all") == 0 && npes == 2) {
        all_cases();
    } else {
        fprintf(stderr, "usage: with 2 PEs: host; with any number: host barrier, host startup\n");
        shmem_global_exit(2);
    }
    shmem_finalize();
    return 0;
}
