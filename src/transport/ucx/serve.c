/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The thread that serves while the program computes. It sleeps until UCX's descriptor says that something has come. While
 * another thread waits, and so serves as well, it keeps out of the way and only looks in now and then.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "ucx.h"

enum { LOOK_IN_NS = 200 * 1000 };

static struct {
    pthread_t thread;
    int events, stop;
    atomic_bool stopping;
} serve;

static void *run(void *arg)
{
    struct pollfd fds[2] = {{.fd = serve.events, .events = POLLIN}, {.fd = serve.stop, .events = POLLIN}};
    (void)arg;
    for (;;) {
        pthread_mutex_lock(&ux.lock);
        while (ux_progress())
            ;
        ucs_status_t status = ucp_worker_arm(ux.worker); /* UCS_ERR_BUSY: something came meanwhile */
        pthread_mutex_unlock(&ux.lock);
        if (atomic_load(&serve.stopping))
            return NULL;
        if (status == UCS_OK)
            poll(fds, 2, -1);
        while (atomic_load(&ux.waiting) && !atomic_load(&serve.stopping)) {
            struct timespec t = {.tv_nsec = LOOK_IN_NS};
            nanosleep(&t, NULL);
        }
    }
}

int ux_serve_start(void)
{
    ucs_status_t status = ucp_worker_get_efd(ux.worker, &serve.events);
    if (status != UCS_OK) {
        ux.core->log(GS_ERROR, "UCX gives no descriptor to sleep on: %s", ucs_status_string(status));
        return -1;
    }
    serve.stop = eventfd(0, EFD_CLOEXEC);
    if (serve.stop < 0) {
        ux.core->log(GS_ERROR, "cannot start the thread that serves other nodes: eventfd: %s", strerror(errno));
        return -1;
    }
    atomic_store(&serve.stopping, false);
    int rc = ux.core->thread_start(&serve.thread, run, NULL);
    if (rc) {
        ux.core->log(GS_ERROR, "cannot start the thread that serves other nodes: %s", strerror(rc));
        close(serve.stop);
        return -1;
    }
    return 0;
}

void ux_serve_stop(void)
{
    atomic_store(&serve.stopping, true);
    eventfd_write(serve.stop, 1);
    pthread_join(serve.thread, NULL);
    close(serve.stop);
}
