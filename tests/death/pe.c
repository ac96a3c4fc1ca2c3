/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that dies:  pe ACTIVITY DEED VICTIM MILLISECONDS [CODE]
 * All PEs do ACTIVITY without end. VICTIM does its DEED after that time, having written the time of day to $DEATH_DIR/deed.
 * Every PE writes its process number to $DEATH_DIR/pid.<its number> before it initialises, and up.<its number> then.
 */
#include <pthread.h>
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static long word, lock, in[4000], out[4000];
static const char *activity, *deed;
static int victim, code, me, n;
static double at;

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void note(const char *name, const char *text)
{
    char path[4096], temp[4096 + 8];
    snprintf(path, sizeof path, "%s/%s", getenv("DEATH_DIR"), name);
    snprintf(temp, sizeof temp, "%s.new", path);
    FILE *f = fopen(temp, "w");
    if (!f || fprintf(f, "%s\n", text) < 0 || fclose(f) || rename(temp, path))
        _exit(99);
}

static void note_pid(void)
{
    static const char *const ranks[] = {"PMIX_RANK", "RANK"};
    char name[32], text[32];
    for (int i = 0; i < 2; i++)
        if (getenv(ranks[i])) {
            snprintf(name, sizeof name, "pid.%.10s", getenv(ranks[i]));
            snprintf(text, sizeof text, "%d", (int)getpid());
            note(name, text);
            return;
        }
}

/* Stack without end. */
__attribute__((noinline)) static int overflow(int depth)
{
    volatile char room[4096];
    memset((char *)room, depth, sizeof room);
    return depth < 0 ? 0 : overflow(depth + 1) + room[depth % 4096];
}

static void *leave_by_thread(void *arg)
{
    (void)arg;
    shmem_global_exit(code);
}

static void do_deed(void)
{
    char text[64];
    snprintf(text, sizeof text, "%.6f", now(CLOCK_REALTIME));
    note("deed", text);
    if (strcmp(deed, "exit") == 0)
        exit(code);
    if (strcmp(deed, "_exit") == 0)
        _exit(code);
    if (strcmp(deed, "global_exit") == 0)
        shmem_global_exit(code);
    if (strcmp(deed, "abort") == 0)
        abort();
    if (strcmp(deed, "kill") == 0)
        kill(getpid(), SIGKILL);
    if (strcmp(deed, "overflow") == 0)
        _exit(overflow(1) & 1);
    if (strcmp(deed, "thread") == 0) {
        pthread_t t;
        pthread_create(&t, NULL, leave_by_thread, NULL);
        shmem_barrier_all(); /* where nobody comes: the others wait elsewhere */
    }
    _exit(98);
}

static void step(void)
{
    static long turn;
    turn++;
    if (strcmp(activity, "barrier") == 0) {
        shmem_barrier_all();
    } else if (strcmp(activity, "reduce") == 0) {
        shmem_long_sum_reduce(SHMEM_TEAM_WORLD, out, in, turn % 2 ? 3 : 4000);
    } else if (strcmp(activity, "wait") == 0) {
        if (me != victim)
            shmem_long_wait_until(&word, SHMEM_CMP_EQ, 1);
        usleep(1000);
    } else if (strcmp(activity, "compute") == 0) {
        for (volatile int i = 0; i < 100000; i++)
            ;
    } else if (strcmp(activity, "sleep") == 0) {
        usleep(me == victim ? 1000 : 100000000);
    } else if (strcmp(activity, "lock") == 0) {
        shmem_set_lock(&lock);
        if (me == victim && now(CLOCK_MONOTONIC) > at)
            do_deed(); /* others wait for the lock */
        shmem_clear_lock(&lock);
    } else if (strcmp(activity, "put") == 0) {
        shmem_long_put(out, in, 4000, (int)(turn % n));
        shmem_long_atomic_inc(&word, (int)(turn % n));
        shmem_quiet();
    } else if (strcmp(activity, "malloc") == 0) {
        char *p = shmem_malloc(100000);
        memset(p, 1, 100000);
        shmem_free(p);
    } else if (strcmp(activity, "team") == 0) {
        shmem_team_t t;
        shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 1 + (int)(turn % n), NULL, 0, &t);
        shmem_team_destroy(t);
    } else if (strcmp(activity, "finalize") == 0) {
        if (me != victim)
            shmem_finalize();
        usleep(1000);
    } else {
        _exit(97);
    }
}

int main(int argc, char **argv)
{
    if (argc < 5)
        return 96;
    activity = argv[1];
    deed = argv[2];
    victim = atoi(argv[3]);
    code = argc > 5 ? atoi(argv[5]) : 0;
    note_pid();
    int provided;
    char up[32];
    if (shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) != 0)
        return 95;
    at = now(CLOCK_MONOTONIC) + atof(argv[4]) / 1000;
    me = shmem_my_pe();
    n = shmem_n_pes();
    snprintf(up, sizeof up, "up.%d", me);
    note(up, "");
    if (strcmp(activity, "return") == 0)
        return code; /* from main, all of them */
    for (;;) {
        step();
        if (me == victim && now(CLOCK_MONOTONIC) > at)
            do_deed();
    }
}
