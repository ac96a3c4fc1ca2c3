/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/watch.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bootstrap/leave.h"
#include "core/log.h"

struct target {
    int pe, pid;
    struct gs_watch_shared *shared;
};

static struct watch {
    atomic_bool runs;
    pid_t owner; /* a forked child inherits this struct, not the thread */
    pthread_t thread;
    int n; /* elements of fds and targets; fds[0] is the eventfd that stops the thread, with targets[0] ourselves */
    struct pollfd *fds;
    struct target *targets;
    void (*leave)(void *);
    void *leave_arg;
    atomic_flag leaving;
} watch;

static _Noreturn void leave(int status)
{
    struct gs_watch_shared *mine = watch.targets[0].shared;

    /* A second thread that comes here waits for the first one's _exit: leave() is called once. */
    while (atomic_flag_test_and_set(&watch.leaving))
        poll(NULL, 0, 10000);
    atomic_store(&mine->status, status);
    atomic_store(&mine->state, GS_WATCH_EXIT);
    gs_flush_bounded();
    if (watch.leave)
        watch.leave(watch.leave_arg);
    _exit(status);
}

static void on_end(const struct target *t)
{
    int running = 0;

    switch (atomic_load(&t->shared->state)) {
    case GS_WATCH_LEFT:
        return;
    case GS_WATCH_EXIT:
        leave(atomic_load(&t->shared->status));
    default:
        if (atomic_compare_exchange_strong(&t->shared->reported, &running, 1))
            gs_error("PE %d (pid %d) has ended without shmem_finalize or shmem_global_exit; ending the job", t->pe,
                     t->pid);
        leave(1);
    }
}

static void *run(void *arg)
{
    (void)arg;
    for (;;) {
        if (poll(watch.fds, (nfds_t)watch.n, -1) < 0)
            continue;
        if (watch.fds[0].revents)
            return NULL;
        for (int i = 1; i < watch.n; i++) {
            if (!watch.fds[i].revents)
                continue;
            on_end(&watch.targets[i]);
            close(watch.fds[i].fd);
            watch.fds[i].fd = -1; /* poll skips it */
        }
    }
}

static void release(void)
{
    for (int i = 0; i < watch.n; i++)
        if (watch.fds[i].fd >= 0)
            close(watch.fds[i].fd);
    free(watch.fds);
    free(watch.targets);
    watch.fds = NULL;
    watch.targets = NULL;
    watch.n = 0;
}

int gs_watch_start(int n, int me, const int *pids, struct gs_watch_shared *const *shared, void (*leave_fn)(void *),
                   void *arg)
{
    watch.fds = calloc((size_t)n, sizeof *watch.fds);
    watch.targets = calloc((size_t)n, sizeof *watch.targets);
    if (!watch.fds || !watch.targets) {
        gs_error("no memory to watch over %d PEs", n);
        goto fail;
    }
    watch.leave = leave_fn;
    watch.leave_arg = arg;
    atomic_flag_clear(&watch.leaving);
    watch.targets[0] = (struct target){.pe = me, .pid = pids[me], .shared = shared[me]};
    watch.fds[0] = (struct pollfd){.fd = eventfd(0, EFD_CLOEXEC), .events = POLLIN};
    watch.n = 1;
    if (watch.fds[0].fd < 0) {
        gs_error("cannot watch over the other PEs: eventfd: %s", strerror(errno));
        goto fail;
    }
    for (int pe = 0; pe < n; pe++) {
        if (pe == me)
            continue;
        int fd = (int)syscall(SYS_pidfd_open, pids[pe], 0);
        if (fd < 0) {
            if (errno == ESRCH)
                gs_error("PE %d (pid %d) has ended while others were still starting", pe, pids[pe]);
            else
                gs_error("cannot watch over PE %d (pid %d): pidfd_open: %s%s", pe, pids[pe], strerror(errno),
                         errno == EMFILE ? "; raise the limit of open files (ulimit -n)" : "");
            goto fail;
        }
        watch.targets[watch.n] = (struct target){.pe = pe, .pid = pids[pe], .shared = shared[pe]};
        watch.fds[watch.n++] = (struct pollfd){.fd = fd, .events = POLLIN};
    }
    watch.owner = getpid();
    int rc = gs_thread_start(&watch.thread, run, NULL);
    if (rc) {
        gs_error("cannot start the thread that watches over the other PEs: %s", strerror(rc));
        goto fail;
    }
    atomic_store(&watch.runs, true);
    return 0;

fail:
    release();
    return -1;
}

void gs_watch_stop(void)
{
    if (watch.owner != getpid() || !atomic_exchange(&watch.runs, false))
        return;
    atomic_store(&watch.targets[0].shared->state, GS_WATCH_LEFT);
    eventfd_write(watch.fds[0].fd, 1);
    pthread_join(watch.thread, NULL);
    release();
}

void gs_watch_exit(int status)
{
    if (watch.owner == getpid() && atomic_load(&watch.runs))
        leave(status);
}
