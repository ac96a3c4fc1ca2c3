/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels: who runs their blocks. A stream's thread takes blocks itself; helpers from a pool join it, as many at once as
 * the process has cores, and one more whenever a block does not get on while others have not begun: it may wait for
 * them. So blocks that wait for each other are all resident, up to a limit, as on a GPU, and others cost no threads.
 */
#define _GNU_SOURCE
#include "cpu/block.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

enum {
    BLOCKS_MAX = 128, /* resident at one time */
    THREADS_MAX = 32768,
    THREADS_MAX_TSAN = 4096, /* ThreadSanitizer has 8128 threads, for everything */
    LOOK_NS = 5000000,       /* between two looks at kernels that do not get on */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t left = PTHREAD_COND_INITIALIZER; /* a helper has left its grid */
static struct gs_runner *idle_runners;
static struct gs_grid *waiting; /* grids with blocks that nobody has begun */
static unsigned busy;           /* helpers at work, and */
static unsigned long long busy_threads;
static pthread_cond_t look = PTHREAD_COND_INITIALIZER;
static bool looking;
static unsigned share = 1;

void gs_machine_share(int processes)
{
    pthread_mutex_lock(&lock);
    share = processes > 1 ? (unsigned)processes : 1;
    pthread_mutex_unlock(&lock);
}

static unsigned cores(void)
{
    cpu_set_t set;
    unsigned n = sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) / share : 1;
    return n ? n : 1;
}

static unsigned long long threads_max(void)
{
    return gs_has_tsan() ? THREADS_MAX_TSAN : THREADS_MAX;
}

int gs_launch_fits(struct gin_shmem_cpu_dim block, size_t smem)
{
    const unsigned long long threads = (unsigned long long)block.x * block.y * block.z;
    if (threads == 0 || threads > GS_BLOCK_THREADS_MAX || smem > GS_SHARED_MAX)
        return 0;
    const unsigned long long by_threads = threads_max() / threads;
    return (int)(by_threads < BLOCKS_MAX ? by_threads : BLOCKS_MAX);
}

static struct gs_runner *runner_new(void)
{
    struct gs_runner *r = calloc(1, sizeof *r);
    if (r)
        r->lanes = calloc(GS_BLOCK_THREADS_MAX, sizeof *r->lanes);
    if (!r || !r->lanes)
        gs_machine_die("no memory for a host thread that runs blocks");
    pthread_cond_init(&r->wake, NULL);
    return r;
}

/* Blocks of g until there is none left. */
static void work(struct gs_runner *r, struct gs_grid *g)
{
    const size_t room = (g->l.smem + 127) / 128 * 128;
    r->shared = NULL;
    if (room) {
        if (!(r->shared = aligned_alloc(128, room)))
            gs_machine_die("no memory for %zu bytes of shared memory", room);
        memset(r->shared, 0xa5, room);
    }
    for (;;) {
        const unsigned long long i = __atomic_fetch_add(&g->next, 1, __ATOMIC_RELAXED);
        if (i >= g->blocks || !gs_block_run(r, g, i))
            break;
        __atomic_add_fetch(&g->ended, 1, __ATOMIC_ACQ_REL);
    }
    free(r->shared);
}

static void *helper_main(void *arg)
{
    struct gs_runner *r = arg;
    prctl(PR_SET_TIMERSLACK, 1000ul);
    gs_overflow_watch();
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!r->job)
            pthread_cond_wait(&r->wake, &lock);
        struct gs_grid *g = r->job;
        pthread_mutex_unlock(&lock);
        work(r, g);
        pthread_mutex_lock(&lock);
        r->job = NULL;
        busy--;
        busy_threads -= g->threads;
        g->helpers--;
        r->next = idle_runners;
        idle_runners = r;
        pthread_cond_broadcast(&left);
    }
    return NULL;
}

/* Under the lock. False: no more may be resident. */
static bool help(struct gs_grid *g)
{
    if (__atomic_load_n(&g->next, __ATOMIC_RELAXED) >= g->blocks || busy + 1 >= BLOCKS_MAX ||
        busy_threads + 2 * g->threads > threads_max())
        return false;
    struct gs_runner *r = idle_runners;
    if (r) {
        idle_runners = r->next;
    } else {
        pthread_attr_t detached;
        r = runner_new();
        pthread_attr_init(&detached);
        pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
        int e = pthread_create(&r->thread, &detached, helper_main, r);
        pthread_attr_destroy(&detached);
        if (e) {
            free(r->lanes);
            free(r);
            return false;
        }
        pthread_setname_np(r->thread, "gs-block");
    }
    busy++;
    busy_threads += g->threads;
    g->helpers++;
    r->job = g;
    pthread_cond_signal(&r->wake);
    return true;
}

void gs_grid_stalls(struct gs_grid *g)
{
    if (__atomic_load_n(&g->next, __ATOMIC_RELAXED) >= g->blocks)
        return;
    pthread_mutex_lock(&lock);
    (void)help(g);
    pthread_mutex_unlock(&lock);
}

/* A program's own loop may wait for blocks that have not begun, and nothing says so: where no block ends for a while,
 * twice as many run. */
static void *look_main(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!waiting)
            pthread_cond_wait(&look, &lock);
        pthread_mutex_unlock(&lock);
        nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
        pthread_mutex_lock(&lock);
        for (struct gs_grid **p = &waiting; *p;) {
            struct gs_grid *g = *p;
            if (__atomic_load_n(&g->next, __ATOMIC_RELAXED) >= g->blocks) {
                *p = g->more;
                g->more = NULL;
                g->listed = false;
                continue;
            }
            const unsigned long long ended = __atomic_load_n(&g->ended, __ATOMIC_RELAXED);
            if (ended == g->seen)
                for (unsigned more = g->helpers + 1; more && help(g); more--)
                    ;
            g->seen = ended;
            p = &g->more;
        }
    }
    return NULL;
}

/* Under the lock. */
static void list(struct gs_grid *g)
{
    if (!looking) {
        pthread_t t;
        looking = pthread_create(&t, NULL, look_main, NULL) == 0;
        if (looking) {
            pthread_detach(t);
            pthread_setname_np(t, "gs-look");
        }
    }
    g->more = waiting;
    g->listed = true;
    waiting = g;
    pthread_cond_signal(&look);
}

static void unlist(struct gs_grid *g)
{
    for (struct gs_grid **p = &waiting; g->listed && *p; p = &(*p)->more)
        if (*p == g) {
            *p = g->more;
            g->listed = false;
            break;
        }
}

/* Of a stream's thread. */
static __thread struct gs_runner *own;

void gs_grid_thread_ends(void)
{
    if (own) {
        free(own->lanes);
        free(own);
        own = NULL;
    }
}

void gs_grid_run(struct gs_grid *g)
{
    if (!own) {
        own = runner_new();
        prctl(PR_SET_TIMERSLACK, 1000ul);
        gs_overflow_watch();
    }
    if (g->blocks > 1) {
        pthread_mutex_lock(&lock);
        for (unsigned more = cores() - 1; more && help(g); more--)
            ;
        list(g);
        pthread_mutex_unlock(&lock);
    }
    work(own, g);
    if (g->blocks > 1) {
        pthread_mutex_lock(&lock);
        unlist(g);
        while (g->helpers && !gs_machine_error()) { /* after a trap some may never leave a loop of the program's */
            struct timespec until;
            clock_gettime(CLOCK_REALTIME, &until);
            until.tv_sec++;
            pthread_cond_timedwait(&left, &lock, &until);
        }
        pthread_mutex_unlock(&lock);
    }
}
