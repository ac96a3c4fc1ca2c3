/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One PE for the tests of the bootstraps: pe [-u FILE:MAKER] SCENARIO [ARGUMENT...]
 * With -u the PE of rank RANK of WORLD_SIZE uses a unique id, which PE MAKER makes and leaves in FILE.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bootstrap/bootstrap.h"
#include "core/env.h"
#include "core/log.h"
#include "core/watch.h"

static struct gs_boot boot;
static struct gs_boot_attr attr;
static unsigned char uid[GS_UID_BYTES];

_Noreturn void gs_job_abort(int status, const char *message) /* log.c wants it */
{
    boot.ops->abort(&boot, status, message);
    _exit(status);
}

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "pe: PE %d: %s\n", boot.rank, what);
    exit(99);
}

static int number(char **argv, int i)
{
    return argv[i] ? atoi(argv[i]) : 0;
}

/* "FILE:MAKER" */
static void make_or_read_uid(char *arg)
{
    char *colon = strrchr(arg, ':');
    char tmp[500];
    int maker = atoi(colon + 1);

    *colon = 0;
    attr = (struct gs_boot_attr){.rank = atoi(getenv("RANK")), .size = atoi(getenv("WORLD_SIZE")), .uid = uid};
    if (attr.rank == maker) {
        if (gs_boot_uid_make(uid))
            exit(3);
        snprintf(tmp, sizeof tmp, "%s.tmp", arg);
        FILE *f = fopen(tmp, "w");
        if (!f || fwrite(uid, 1, sizeof uid, f) != sizeof uid || fclose(f) || rename(tmp, arg))
            fail("cannot write the unique id");
        return;
    }
    FILE *f;
    while (!(f = fopen(arg, "r")))
        usleep(2000);
    if (fread(uid, 1, sizeof uid, f) != sizeof uid)
        fail("cannot read the unique id");
    fclose(f);
}

static void start(void)
{
    if (gs_boot_start(&boot, attr.uid ? &attr : NULL))
        exit(3);
}

static unsigned char pattern(int pe, int round, size_t i)
{
    return (unsigned char)(pe * 31 + round * 7 + (int)(i * i % 251));
}

/* rounds allgathers of different lengths, each byte checked. */
static void gather(int rounds)
{
    static const size_t lengths[] = {1, 8, 128, 264, 5000, 100000, 0};

    for (int r = 0; r < rounds; r++) {
        size_t len = lengths[r % 7];
        unsigned char *mine = malloc(len + 1), *all = malloc(len * (size_t)boot.size + 1);
        for (size_t i = 0; i < len; i++)
            mine[i] = pattern(boot.rank, r, i);
        if (boot.ops->allgather(&boot, mine, len, all))
            exit(4);
        for (int pe = 0; pe < boot.size; pe++)
            for (size_t i = 0; i < len; i++)
                if (all[(size_t)pe * len + i] != pattern(pe, r, i))
                    fail("allgather brought something else");
        free(mine);
        free(all);
        if (boot.ops->fence(&boot))
            exit(4);
    }
}

static void stop(void)
{
    if (gs_boot_stop(&boot))
        exit(5);
}

/* disagree FIELD PE: that PE has something else in that field. */
static void disagree(const char *field, int pe)
{
    struct gs_record mine = {.magic = "ginshmem",
                             .abi = 1,
                             .version = "0.1.0",
                             .check = 1,
                             .max_teams = 256,
                             .wait = "auto",
                             .heap_size = 1 << 30,
                             .pid = (int)getpid(),
                             .host = "node-a",
                             .boot_id = 1,
                             .pid_ns = 1};
    if (boot.rank == pe) {
        if (!strcmp(field, "version"))
            strcpy(mine.version, "0.2.0");
        else if (!strcmp(field, "abi"))
            mine.abi = 2;
        else if (!strcmp(field, "heap"))
            mine.heap_size = 1 << 20;
        else if (!strcmp(field, "check"))
            mine.check = 0;
        else if (!strcmp(field, "teams"))
            mine.max_teams = 10;
        else if (!strcmp(field, "wait"))
            strcpy(mine.wait, "spin");
        else if (!strcmp(field, "host"))
            strcpy(mine.host, "node-b");
        else if (!strcmp(field, "boot"))
            mine.boot_id = 2;
        else if (!strcmp(field, "transport"))
            strcpy(mine.transport, "ucx");
        else if (!strcmp(field, "fake"))
            mine.fake_node = 1;
        else if (!strcmp(field, "pid_ns"))
            mine.pid_ns = 2;
        else if (strcmp(field, "nothing"))
            fail("no such field");
    }
    struct gs_record *all = calloc((size_t)boot.size, sizeof *all);
    int rc = gs_boot_agree(&boot, &mine, all);
    if (rc == 0) {
        char *text = gs_boot_nodes_text(all, boot.size);
        printf("%s\n", text ? text : "?");
        free(text);
    }
    free(all);
    if (rc) {
        boot.ops->abort(&boot, 6, NULL);
        _exit(6);
    }
}

static void leave(void *b)
{
    ((struct gs_boot *)b)->ops->leave(b);
}

static atomic_int *arrived; /* in the shared page */
static int watched, watch_me;

static void barrier(int nth)
{
    atomic_fetch_add(arrived, 1);
    while (atomic_load(arrived) < nth * watched)
        usleep(500);
}

/* Shares a page of PE 0 among all and starts the watch. A bootstrap that does not want it, and would see PEs end by itself, is left. */
static void watch(void)
{
    struct {
        int pid, fd;
    } mine = {.pid = (int)getpid(), .fd = -1}, all[64];
    struct gs_watch_shared *shared[64], *page;
    int pids[64], fd;
    char path[64];

    if (boot.rank == 0) {
        mine.fd = memfd_create("watch", MFD_CLOEXEC);
        if (ftruncate(mine.fd, 4096))
            fail("ftruncate");
    }
    if (boot.size > 64 || boot.ops->allgather(&boot, &mine, sizeof mine, all))
        exit(4);
    snprintf(path, sizeof path, "/proc/%d/fd/%d", all[0].pid, all[0].fd);
    fd = boot.rank ? open(path, O_RDWR | O_CLOEXEC) : mine.fd;
    page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED)
        fail("cannot map PE 0's page");
    for (int i = 0; i < boot.size; i++) {
        shared[i] = &page[i];
        pids[i] = all[i].pid;
    }
    arrived = (atomic_int *)&page[64];
    watched = boot.size;
    watch_me = boot.rank;
    bool wanted = boot.ops->needs_watch(&boot);
    if (gs_watch_start(boot.size, boot.rank, pids, shared, wanted ? leave : NULL, &boot))
        exit(4);
    if (!wanted)
        stop();
    barrier(1);
}

static void *hold_stdin(void *arg)
{
    flockfile(stdin);
    pause();
    return arg;
}

static _Noreturn void idle(void)
{
    for (;;)
        pause();
}

int main(int argc, char **argv)
{
    int a = 1;

    if (gs_env_load())
        return 2;
    if (argc > 2 && !strcmp(argv[1], "-u")) {
        make_or_read_uid(argv[2]);
        a = 3;
    }
    const char *scenario = argc > a ? argv[a++] : "gather";
    if (!strcmp(scenario, "never")) /* a PE that does not initialise */
        return sleep((unsigned)number(argv, a)) ? 1 : 0;
    if (!strcmp(scenario, "late")) { /* SECONDS */
        sleep((unsigned)number(argv, a));
        scenario = "gather";
        a++;
    }
    start();
    if (!strcmp(scenario, "gather")) {
        gather(argv[a] ? number(argv, a) : 8);
        stop();
        printf("ok gather\n");
    } else if (!strcmp(scenario, "uneven")) { /* parts of different lengths */
        char all[1024];
        if (boot.ops->allgather(&boot, "0123456789abcdef", (size_t)(boot.rank == 1 ? 16 : 8), all))
            exit(4);
    } else if (!strcmp(scenario, "reinit")) { /* TIMES */
        for (int i = number(argv, a); i > 0; i--) {
            gather(3);
            stop();
            if (i > 1)
                start();
        }
        printf("ok reinit\n");
    } else if (!strcmp(scenario, "disagree")) { /* FIELD PE */
        disagree(argv[a], number(argv, a + 1));
        stop();
        printf("ok agreed\n");
    } else if (!strcmp(scenario, "abort")) { /* STATUS PE [MESSAGE] */
        printf("buffered by %d", boot.rank);
        boot.ops->fence(&boot);
        if (boot.rank == number(argv, a + 1)) {
            boot.ops->abort(&boot, number(argv, a), argv[a + 2]);
            _exit(number(argv, a));
        }
        idle();
    } else if (!strcmp(scenario, "idle")) { /* [fork]: with a child that outlives its PE */
        if (argv[a] && fork() == 0) {
            for (int i = 0; i < 100; i++)
                usleep(50000);
            _exit(0);
        }
        boot.ops->fence(&boot);
        printf("ready %d\n", (int)getpid());
        fflush(stdout);
        idle();
    } else if (!strcmp(scenario, "exit")) { /* STATUS PE: leaves without finalize */
        boot.ops->fence(&boot);
        if (boot.rank == number(argv, a + 1))
            exit(number(argv, a));
        idle();
    } else if (!strcmp(scenario, "watch")) { /* WHAT PE [STATUS] */
        const char *what = argv[a];
        pthread_t t;
        printf("buffered by %d\n", boot.rank);
        watch();
        if (watch_me != number(argv, a + 1)) {
            if (strcmp(what, "finish"))
                idle();
        } else if (!strcmp(what, "kill")) {
            fflush(stdout);
            raise(SIGKILL);
        } else if (!strcmp(what, "exit")) {
            gs_watch_exit(number(argv, a + 2));
            fail("gs_watch_exit has returned");
        } else if (!strcmp(what, "stdin")) { /* a thread holds a stream's lock for ever */
            pthread_create(&t, NULL, hold_stdin, NULL);
            usleep(20000);
            gs_watch_exit(number(argv, a + 2));
        } else if (!strcmp(what, "all")) {
            gs_watch_exit(number(argv, a + 2));
        }
        barrier(2);
        gs_watch_stop();
        if (watch_me == 1)
            usleep(200000); /* the others are gone by then */
        gs_watch_exit(77);  /* does nothing now */
        stop();
        printf("ok watch\n");
    } else {
        fail("no such scenario");
    }
    return 0;
}
