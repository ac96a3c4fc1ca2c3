/* SPDX-License-Identifier: BSD-3-Clause */
#include "bootstrap/leave.h"

#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int gs_thread_start(pthread_t *thread, void *(*fn)(void *), void *arg)
{
    sigset_t all, old;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int rc = pthread_create(thread, NULL, fn, arg);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return rc;
}

/* Shared by the waiter and the thread; the last of them frees it. */
struct bounded {
    void (*fn)(void);
    sem_t done;
    atomic_int owners;
};

static void drop(struct bounded *b)
{
    if (atomic_fetch_sub(&b->owners, 1) == 1) {
        sem_destroy(&b->done);
        free(b);
    }
}

static void *run(void *arg)
{
    struct bounded *b = arg;

    b->fn();
    sem_post(&b->done);
    drop(b);
    return NULL;
}

int gs_run_bounded(void (*fn)(void), int ms)
{
    struct bounded *b = malloc(sizeof *b);
    pthread_t thread;
    struct timespec end;

    if (!b)
        return -1;
    b->fn = fn;
    sem_init(&b->done, 0, 0);
    atomic_init(&b->owners, 2);
    if (gs_thread_start(&thread, run, b)) {
        sem_destroy(&b->done);
        free(b);
        return -1;
    }
    pthread_detach(thread);

    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += ms / 1000;
    end.tv_nsec += ms % 1000 * 1000000L;
    if (end.tv_nsec >= 1000000000L) {
        end.tv_sec++;
        end.tv_nsec -= 1000000000L;
    }
    int rc;
    while ((rc = sem_timedwait(&b->done, &end)) && errno == EINTR)
        ;
    drop(b);
    return rc;
}

static void flush_all(void)
{
    fflush(NULL);
}

void gs_flush_bounded(void)
{
    gs_run_bounded(flush_all, 200);
}
