/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PMIx client: oshrun, Open MPI's mpirun, srun --mpi=pmix, prterun.
 *
 * The client is connected once per process and disconnected when the process ends, not between a finalize and the next
 * init: a server counts a PE that has finalised as lost for the fences in which faster PEs already wait, so
 * that PMIx_Finalize followed by PMIx_Init makes them end early or never.
 */
#include "bootstrap/bootstrap.h"

#include <errno.h>
#include <pmix.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bootstrap/leave.h"
#include "core/env.h"
#include "core/log.h"

extern char **environ;

/* The process's one client. */
static struct client {
    atomic_bool up;     /* PMIx_Init has succeeded, PMIx_Finalize was not called */
    atomic_bool in_use; /* between init and finalize of a bootstrap */
    pid_t pid;          /* who called PMIx_Init: a forked child has no client */
    pmix_proc_t me;
    unsigned generation; /* inits so far; part of each key, as keys are never taken back */
    unsigned round;      /* allgathers of this generation */
    bool met;            /* all PEs have come to a fence of this generation */
} client;

static bool server_in_environment(void)
{
    for (char **e = environ; *e; e++)
        if (!strncmp(*e, "PMIX_SERVER_URI", strlen("PMIX_SERVER_URI")))
            return true;
    return false;
}

static enum gs_boot_probe probe(const struct gs_boot_attr *attr, char *why, size_t whylen)
{
    const char *nspace = getenv("PMIX_NAMESPACE");

    (void)attr;
    if (!nspace) {
        snprintf(why, whylen,
                 "PMIX_NAMESPACE is not set, so no PMIx server started this process; "
                 "start it with oshrun, mpirun, prterun or `srun --mpi=pmix`");
        return GS_BOOT_ABSENT;
    }
    const char *missing = !getenv("PMIX_RANK") ? "PMIX_RANK" : !server_in_environment() ? "PMIX_SERVER_URI..." : NULL;
    if (missing) {
        snprintf(why, whylen,
                 "PMIX_NAMESPACE=%s is set but %s is not: the environment of a PMIx launcher came through in "
                 "part only; start the program with oshrun, mpirun, prterun or `srun --mpi=pmix`, or unset "
                 "PMIX_NAMESPACE",
                 nspace, missing);
        return GS_BOOT_BROKEN;
    }
    return GS_BOOT_USABLE;
}

/* When the program has left its exit to us: after main, after its atexit handlers. A PE that is still in use did not
 * finalise; its launcher must see that. */
__attribute__((destructor)) static void at_exit(void)
{
    if (client.pid == getpid() && !atomic_load(&client.in_use) && atomic_exchange(&client.up, false))
        PMIx_Finalize(NULL, 0);
}

static void *server_lost(void *arg)
{
    (void)arg;
    /* A launcher that ends the job closes its sockets and kills us at the same time: then its own words suffice. */
    struct timespec second = {.tv_sec = 1};
    nanosleep(&second, NULL);
    if (!atomic_load(&client.in_use))
        return NULL;
    gs_error("lost the connection to the PMIx server: the launcher has ended without ending this PE; leaving");
    gs_flush_bounded();
    _exit(1);
}

static void on_event(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[], size_t ninfo,
                     pmix_info_t results[], size_t nresults, pmix_event_notification_cbfunc_fn_t done, void *arg)
{
    pthread_t thread;

    (void)id, (void)source, (void)info, (void)ninfo, (void)results, (void)nresults;
    if (status == PMIX_ERR_LOST_CONNECTION && !gs_thread_start(&thread, server_lost, NULL))
        pthread_detach(thread);
    if (done)
        done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, arg);
}

static int get_number(const pmix_proc_t *of, const char *key, long *number)
{
    pmix_value_t *value = NULL;
    pmix_status_t rc = PMIx_Get(of, key, NULL, 0, &value);

    if (rc != PMIX_SUCCESS)
        return rc;
    switch (value->type) {
    case PMIX_UINT16:
        *number = value->data.uint16;
        break;
    case PMIX_UINT32:
        *number = value->data.uint32;
        break;
    case PMIX_INT:
        *number = value->data.integer;
        break;
    case PMIX_INT32:
        *number = value->data.int32;
        break;
    case PMIX_PROC_RANK:
        *number = value->data.rank;
        break;
    default:
        rc = PMIX_ERR_TYPE_MISMATCH;
    }
    PMIX_VALUE_RELEASE(value);
    return rc;
}

/* Guards all struct fence. One for all and never made anew, so that the library's thread need not learn of it. */
static pthread_mutex_t fence_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t fence_changed; /* monotonic clock; made before the library starts its thread */

static void fences_begin(void)
{
    pthread_condattr_t attr;

    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&fence_changed, &attr);
    pthread_condattr_destroy(&attr);
}

static int connect_server(void)
{
    sigset_t all, old;
    pmix_proc_t me;

    fences_begin();
    /* The library's threads are not to take the program's signals. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    pmix_status_t rc = PMIx_Init(&me, NULL, 0);
    pthread_sigmask(SIG_SETMASK, &old, NULL);

    const char *nspace = getenv("PMIX_NAMESPACE");
    if (rc == PMIX_SUCCESS && (!nspace || strcmp(me.nspace, nspace))) { /* PMIx made a singleton of its own */
        PMIx_Finalize(NULL, 0);
        rc = PMIX_ERR_UNREACH;
    }
    if (rc != PMIX_SUCCESS) {
        gs_error(
            "PMIX_NAMESPACE=%s is set but its PMIx server does not answer (%s): was the launcher ended, or the "
            "variable inherited? Start the program anew with oshrun, mpirun, prterun or `srun --mpi=pmix`, or unset "
            "PMIX_NAMESPACE",
            nspace ? nspace : "", PMIx_Error_string(rc));
        return -1;
    }

    client.me = me;
    client.pid = getpid();
    atomic_store(&client.up, true);
    /* Without the handler the end of the launcher goes unnoticed; not worth failing for. */
    pmix_status_t lost = PMIX_ERR_LOST_CONNECTION;
    PMIx_Register_event_handler(&lost, 1, NULL, 0, on_event, NULL, NULL);
    return 0;
}

static int init(struct gs_boot *b, const struct gs_boot_attr *attr)
{
    long size, local_rank;

    (void)attr;
    if (!atomic_load(&client.up) || client.pid != getpid()) {
        if (connect_server())
            return -1;
    }
    pmix_proc_t job;
    PMIX_LOAD_PROCID(&job, client.me.nspace, PMIX_RANK_WILDCARD);
    int rc = get_number(&job, PMIX_JOB_SIZE, &size);
    if (rc != PMIX_SUCCESS) {
        gs_error("the PMIx server does not tell the number of PEs (PMIX_JOB_SIZE: %s)", PMIx_Error_string(rc));
        return -1;
    }
    if (size < 1 || client.me.rank >= (unsigned long)size) {
        gs_error("the PMIx server says that this is PE %u of %ld", client.me.rank, size);
        return -1;
    }
    b->rank = (int)client.me.rank;
    b->size = (int)size;
    b->local_rank = get_number(&client.me, PMIX_LOCAL_RANK, &local_rank) == PMIX_SUCCESS ? (int)local_rank : -1;
    b->state = &client;
    client.generation++;
    client.round = 0;
    client.met = false;
    atomic_store(&client.in_use, true);
    return 0;
}

/* Shared by the waiting thread and the callback; the last of them frees it. */
struct fence {
    int owners;
    bool done;
    pmix_status_t status;
    pmix_info_t info; /* here and not on the stack: the fence may outlive its waiter */
};

static void fence_drop(struct fence *f) /* with the lock held */
{
    if (--f->owners)
        return;
    PMIX_INFO_DESTRUCT(&f->info);
    free(f);
}

static void fence_done(pmix_status_t status, void *arg)
{
    struct fence *f = arg;

    pthread_mutex_lock(&fence_lock);
    f->status = status;
    f->done = true;
    pthread_cond_broadcast(&fence_changed);
    fence_drop(f);
    pthread_mutex_unlock(&fence_lock);
}

static struct fence *fence_new(bool collect)
{
    struct fence *f = calloc(1, sizeof *f);

    if (!f) {
        gs_error("out of memory in the PMIx fence");
        return NULL;
    }
    pthread_mutex_lock(&fence_lock);
    f->owners = 2;
    PMIX_INFO_CONSTRUCT(&f->info);
    PMIX_INFO_LOAD(&f->info, PMIX_COLLECT_DATA, &collect, PMIX_BOOL);
    pthread_mutex_unlock(&fence_lock);
    return f;
}

/* Waits for all PEs. collect: what they have committed is here afterwards. */
static int fence_all(struct gs_boot *b, bool collect)
{
    double limit = client.met ? 0 : gs_env.connect_timeout; /* only the start has a limit */
    struct timespec end;
    int rc = 0;

    struct fence *f = fence_new(collect);
    if (!f)
        return -1;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += (time_t)limit;
    end.tv_nsec += (long)((limit - (double)(time_t)limit) * 1e9);
    if (end.tv_nsec >= 1000000000L) {
        end.tv_sec++;
        end.tv_nsec -= 1000000000L;
    }

    pmix_status_t status = PMIx_Fence_nb(NULL, 0, &f->info, 1, fence_done, f);
    pthread_mutex_lock(&fence_lock);
    if (status == PMIX_SUCCESS) {
        while (!f->done && rc != ETIMEDOUT)
            rc = limit > 0 ? pthread_cond_timedwait(&fence_changed, &fence_lock, &end)
                           : pthread_cond_wait(&fence_changed, &fence_lock);
        status = f->status;
    } else {
        f->owners--; /* the callback will not come */
        f->done = true;
        if (status == PMIX_OPERATION_SUCCEEDED)
            status = PMIX_SUCCESS;
    }
    bool done = f->done;
    fence_drop(f);
    pthread_mutex_unlock(&fence_lock);

    if (!done) {
        gs_error("waited %g s for the other PEs (%d in all): not all of them have initialised; "
                 "GIN_SHMEM_CONNECT_TIMEOUT sets the limit, 0 waits for ever",
                 limit, b->size);
        return -1;
    }
    if (status != PMIX_SUCCESS) {
        gs_error("PMIx fence of %d PEs failed: %s%s", b->size, PMIx_Error_string(status),
                 status == PMIX_ERR_PARTIAL_SUCCESS ? "; a PE has ended" : "");
        return -1;
    }
    client.met = true;
    return 0;
}

static void key_of(char key[64])
{
    snprintf(key, 64, "gin_shmem.%u.%u", client.generation, client.round);
}

static int publish(const char *key, const void *mine, size_t len)
{
    pmix_value_t value = {.type = PMIX_BYTE_OBJECT};
    value.data.bo.bytes = (char *)mine; /* only read */
    value.data.bo.size = len;

    pmix_status_t rc = PMIx_Put(PMIX_GLOBAL, key, &value);
    if (rc == PMIX_SUCCESS)
        rc = PMIx_Commit();
    if (rc != PMIX_SUCCESS) {
        gs_error("cannot publish %zu bytes through PMIx: %s", len, PMIx_Error_string(rc));
        return -1;
    }
    return 0;
}

static int fetch(int pe, const char *key, void *to, size_t len)
{
    pmix_proc_t of;
    pmix_value_t *value = NULL;

    PMIX_LOAD_PROCID(&of, client.me.nspace, (pmix_rank_t)pe);
    pmix_status_t rc = PMIx_Get(&of, key, NULL, 0, &value);
    if (rc != PMIX_SUCCESS) {
        gs_error("PMIx has nothing from PE %d: %s", pe, PMIx_Error_string(rc));
        return -1;
    }
    int bad = value->type != PMIX_BYTE_OBJECT || value->data.bo.size != len;
    if (bad)
        gs_error(
            "PE %d sent %zu bytes through PMIx where this PE sent %zu: do they run different versions of gin_shmem?",
            pe, value->type == PMIX_BYTE_OBJECT ? value->data.bo.size : 0, len);
    else if (len)
        memcpy(to, value->data.bo.bytes, len);
    PMIX_VALUE_RELEASE(value);
    return bad ? -1 : 0;
}

static int allgather(struct gs_boot *b, const void *mine, size_t len, void *all)
{
    char key[64];

    key_of(key);
    client.round++;
    if (publish(key, mine, len) || fence_all(b, true))
        return -1;
    for (int pe = 0; pe < b->size; pe++) {
        char *to = (char *)all + (size_t)pe * len;
        if (pe == b->rank)
            memmove(to, mine, len);
        else if (fetch(pe, key, to, len))
            return -1;
    }
    return 0;
}

static int fence(struct gs_boot *b)
{
    return fence_all(b, false);
}

static bool under_oshrun(void)
{
    const char *launcher = getenv("GIN_SHMEM_LAUNCHER");
    return launcher && !strcmp(launcher, "oshrun");
}

static void end_job(struct gs_boot *b, int status, const char *message)
{
    (void)b;
    if (message && !under_oshrun()) /* which shows what PMIx_Abort brings */
        gs_error("%s", message);
    gs_flush_bounded(); /* the server kills us before the call returns: what stdio holds would be lost */
    if (atomic_load(&client.up))
        PMIx_Abort(status, message ? message : "", NULL, 0);
}

static int finalize(struct gs_boot *b)
{
    (void)b;
    atomic_store(&client.in_use, false);
    return 0; /* at_exit() disconnects */
}

static void disconnect(void)
{
    PMIx_Finalize(NULL, 0);
}

static void leave(struct gs_boot *b)
{
    (void)b;
    atomic_store(&client.in_use, false);
    if (client.pid == getpid() && atomic_exchange(&client.up, false))
        gs_run_bounded(disconnect, 1000);
}

static bool needs_watch(const struct gs_boot *b)
{
    (void)b;
    if (under_oshrun())
        return false;
    /* Open MPI 4's mpirun ends the survivors and takes any status. Slurm answers PMIx_Abort(0) by killing the step, with
     * status 137; of others we do not know. */
    return !getenv("OMPI_MCA_orte_hnp_uri");
}

const struct gs_boot_ops gs_boot_pmix = {
    .name = "pmix",
    .probe = probe,
    .init = init,
    .allgather = allgather,
    .fence = fence,
    .abort = end_job,
    .finalize = finalize,
    .leave = leave,
    .needs_watch = needs_watch,
};
