/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "server.h"

#include "say.h"

#include <errno.h>
#include <pmix.h>
#include <pmix_server.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows, up to states */
static bool aborted;
static struct gs_abort first;
static enum gs_srv_state *states;

static int event_fd = -1;
static int npes;
static pmix_nspace_t nspace;
static char host[256];

/* --- called in libpmix's thread --- */

static void announce(void)
{
    uint64_t one = 1;
    if (write(event_fd, &one, sizeof one) < 0)
        return; /* the counter is far from full, so it is readable already */
}

static void set_state(const pmix_proc_t *proc, enum gs_srv_state s)
{
    pthread_mutex_lock(&lock);
    if (states && proc->rank < (pmix_rank_t)npes && PMIX_CHECK_NSPACE(proc->nspace, nspace))
        states[proc->rank] = s;
    pthread_mutex_unlock(&lock);
    announce();
}

static pmix_status_t on_connected(const pmix_proc_t *proc, void *object, pmix_info_t info[], size_t ninfo,
                                  pmix_op_cbfunc_t done, void *cbdata)
{
    (void)object, (void)info, (void)ninfo, (void)done, (void)cbdata;
    set_state(proc, GS_SRV_CONNECTED);
    return PMIX_OPERATION_SUCCEEDED;
}

static pmix_status_t on_finalized(const pmix_proc_t *proc, void *object, pmix_op_cbfunc_t done, void *cbdata)
{
    (void)object, (void)done, (void)cbdata;
    set_state(proc, GS_SRV_FINALIZED);
    return PMIX_OPERATION_SUCCEEDED;
}

static pmix_status_t on_abort(const pmix_proc_t *proc, void *object, int status, const char text[], pmix_proc_t procs[],
                              size_t nprocs, pmix_op_cbfunc_t done, void *cbdata)
{
    (void)object, (void)procs, (void)nprocs, (void)done, (void)cbdata;
    pthread_mutex_lock(&lock);
    if (!aborted) {
        first.pe = (int)proc->rank;
        first.status = status;
        snprintf(first.text, sizeof first.text, "%s", text ? text : "");
        for (char *p = first.text; *p; p++)
            if (*p == '\n' || *p == '\r')
                *p = ' ';
        for (size_t n = strlen(first.text); n && first.text[n - 1] == ' '; n--)
            first.text[n - 1] = '\0';
        aborted = true;
    }
    pthread_mutex_unlock(&lock);
    announce();
    return PMIX_OPERATION_SUCCEEDED;
}

/* libpmix completes a fence among local PEs itself unless told otherwise (an MCA parameter); here all PEs are local. */
static pmix_status_t on_fence(const pmix_proc_t procs[], size_t nprocs, const pmix_info_t info[], size_t ninfo,
                              char *data, size_t ndata, pmix_modex_cbfunc_t done, void *cbdata)
{
    (void)procs, (void)nprocs, (void)info, (void)ninfo;
    done(PMIX_SUCCESS, data, ndata, cbdata, free, data);
    return PMIX_SUCCESS;
}

static pmix_server_module_t module = {
    .client_connected2 = on_connected,
    .client_finalized = on_finalized,
    .abort = on_abort,
    .fence_nb = on_fence,
};

/* --- called in the main thread --- */

/* Leftovers of an outer launcher would make libpmix a part of that one's job. User's tuning (PMIX_MCA_) stays. */
static void clean_environment(void)
{
    extern char **environ;
    char name[256];

    for (char **e = environ; e && *e;) {
        size_t n = strcspn(*e, "=");
        if (!strncmp(*e, "PMIX_", 5) && strncmp(*e, "PMIX_MCA_", 9) && n < sizeof name) {
            memcpy(name, *e, n);
            name[n] = '\0';
            unsetenv(name);
            e = environ;
        } else {
            e++;
        }
    }
    setenv("PMIX_MCA_gds", "hash", 1);
}

static int say_failed(const char *what, pmix_status_t rc)
{
    gs_say("cannot serve PMIx: %s: %s (libpmix %s)", what, PMIx_Error_string(rc), gs_srv_version());
    return -1;
}

/* Everything about PE pe, as an array in info. */
static void load_pe(pmix_info_t *info, int pe)
{
    pmix_data_array_t *array;
    pmix_rank_t rank = (pmix_rank_t)pe;
    uint32_t zero = 0;
    uint16_t local = (uint16_t)pe;

    PMIX_DATA_ARRAY_CREATE(array, 8, PMIX_INFO);
    pmix_info_t *a = array->array;
    PMIX_INFO_LOAD(&a[0], PMIX_RANK, &rank, PMIX_PROC_RANK); /* must come first */
    PMIX_INFO_LOAD(&a[1], PMIX_GLOBAL_RANK, &rank, PMIX_PROC_RANK);
    PMIX_INFO_LOAD(&a[2], PMIX_APP_RANK, &rank, PMIX_PROC_RANK);
    PMIX_INFO_LOAD(&a[3], PMIX_APPNUM, &zero, PMIX_UINT32);
    PMIX_INFO_LOAD(&a[4], PMIX_LOCAL_RANK, &local, PMIX_UINT16);
    PMIX_INFO_LOAD(&a[5], PMIX_NODE_RANK, &local, PMIX_UINT16);
    PMIX_INFO_LOAD(&a[6], PMIX_NODEID, &zero, PMIX_UINT32);
    PMIX_INFO_LOAD(&a[7], PMIX_HOSTNAME, host, PMIX_STRING);
    strncpy(info->key, PMIX_PROC_DATA, PMIX_MAX_KEYLEN);
    info->value.type = PMIX_DATA_ARRAY;
    info->value.data.darray = array;
}

static int register_job(int n)
{
    pmix_status_t rc;
    char *nodes = NULL, *ranks = NULL, *peers = NULL;
    size_t len = 0, k = 0, ninfo = 14 + (size_t)n;
    pmix_info_t *info;
    uint32_t size = (uint32_t)n, one = 1, zero = 0;
    pmix_rank_t lead = 0;

    FILE *f = open_memstream(&peers, &len);
    for (int i = 0; f && i < n; i++)
        fprintf(f, "%s%d", i ? "," : "", i);
    if (!f || fclose(f))
        return say_failed("list of PEs", PMIX_ERR_NOMEM);
    rc = PMIx_generate_regex(host, &nodes);
    if (rc == PMIX_SUCCESS)
        rc = PMIx_generate_ppn(peers, &ranks);
    if (rc != PMIX_SUCCESS) {
        free(peers);
        return say_failed("PMIx_generate_regex", rc);
    }
    PMIX_INFO_CREATE(info, ninfo);
    PMIX_INFO_LOAD(&info[k], PMIX_NODE_MAP, nodes, PMIX_REGEX), k++;
    PMIX_INFO_LOAD(&info[k], PMIX_PROC_MAP, ranks, PMIX_REGEX), k++;
    PMIX_INFO_LOAD(&info[k], PMIX_JOBID, nspace, PMIX_STRING), k++;
    PMIX_INFO_LOAD(&info[k], PMIX_UNIV_SIZE, &size, PMIX_UINT32), k++;
    PMIX_INFO_LOAD(&info[k], PMIX_JOB_SIZE, &size, PMIX_UINT32), k++;
    PMIX_INFO_LOAD(&info[k], PMIX_MAX_PROCS, &size, PMIX_UINT32), k++;
    PMIX_INFO_LOAD(&info[k], PMIX_JOB_NUM_APPS, &one, PMIX_UINT32), k++;
    PMIX_INFO_LOAD(&info[k], PMIX_NUM_NODES, &one, PMIX_UINT32), k++;
    PMIX_INFO_LOAD(&info[k], PMIX_LOCAL_SIZE, &size, PMIX_UINT32), k++;
    PMIX_INFO_LOAD(&info[k], PMIX_NODE_SIZE, &size, PMIX_UINT32), k++;
    PMIX_INFO_LOAD(&info[k], PMIX_LOCAL_PEERS, peers, PMIX_STRING), k++;
    PMIX_INFO_LOAD(&info[k], PMIX_LOCALLDR, &lead, PMIX_PROC_RANK), k++;
    PMIX_INFO_LOAD(&info[k], PMIX_NODEID, &zero, PMIX_UINT32), k++;
    PMIX_INFO_LOAD(&info[k], PMIX_APP_SIZE, &size, PMIX_UINT32), k++;
    for (int i = 0; i < n; i++)
        load_pe(&info[k++], i);
    rc = PMIx_server_register_nspace(nspace, n, info, ninfo, NULL, NULL);
    PMIX_INFO_FREE(info, ninfo);
    free(nodes);
    free(ranks);
    free(peers);
    if (rc != PMIX_SUCCESS && rc != PMIX_OPERATION_SUCCEEDED)
        return say_failed("PMIx_server_register_nspace", rc);
    for (int i = 0; i < n; i++) {
        pmix_proc_t proc;
        PMIX_LOAD_PROCID(&proc, nspace, (pmix_rank_t)i);
        rc = PMIx_server_register_client(&proc, geteuid(), getegid(), NULL, NULL, NULL);
        if (rc != PMIX_SUCCESS && rc != PMIX_OPERATION_SUCCEEDED)
            return say_failed("PMIx_server_register_client", rc);
    }
    return 0;
}

int gs_srv_start(int n)
{
    char server[PMIX_MAX_NSLEN + 1];
    struct timespec t;
    pmix_info_t info[3];
    bool no = false;

    if (gethostname(host, sizeof host - 1) || !host[0])
        strcpy(host, "localhost");
    clock_gettime(CLOCK_REALTIME, &t);
    snprintf(nspace, sizeof nspace, "oshrun.%.64s.%ld.%lx", host, (long)getpid(),
             (unsigned long)(t.tv_sec * 1000 + t.tv_nsec / 1000000));
    snprintf(server, sizeof server, "%.200s.server", nspace);
    states = calloc((size_t)n, sizeof *states);
    event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (!states || event_fd < 0) {
        gs_say("cannot start: %s", strerror(errno));
        return -1;
    }
    npes = n;
    clean_environment();
    PMIX_INFO_LOAD(&info[0], PMIX_SERVER_NSPACE, server, PMIX_STRING);
    PMIX_INFO_LOAD(&info[1], PMIX_HOSTNAME, host, PMIX_STRING);
    PMIX_INFO_LOAD(&info[2], PMIX_SERVER_TOOL_SUPPORT, &no, PMIX_BOOL); /* it would leave files */
    pmix_status_t rc = PMIx_server_init(&module, info, 3);
    for (int i = 0; i < 3; i++)
        PMIX_INFO_DESTRUCT(&info[i]);
    unsetenv("PMIX_MCA_gds");
    if (rc != PMIX_SUCCESS)
        return say_failed("PMIx_server_init (is the loopback interface up?)", rc);
    return register_job(n);
}

void gs_srv_env_free(char **env)
{
    for (char **e = env; e && *e; e++)
        free(*e);
    free(env);
}

char **gs_srv_env(int pe, char *const *base)
{
    size_t n = 0;
    pmix_proc_t proc;

    while (base[n])
        n++;
    char **env = calloc(n + 1, sizeof *env);
    for (size_t i = 0; env && i < n; i++)
        if (!(env[i] = strdup(base[i])))
            goto nomem;
    if (!env)
        goto nomem;
    PMIX_LOAD_PROCID(&proc, nspace, (pmix_rank_t)pe);
    pmix_status_t rc = PMIx_server_setup_fork(&proc, &env);
    if (rc != PMIX_SUCCESS) {
        say_failed("PMIx_server_setup_fork", rc);
        gs_srv_env_free(env);
        return NULL;
    }
    return env;
nomem:
    gs_say("out of memory");
    gs_srv_env_free(env);
    return NULL;
}

int gs_srv_fd(void)
{
    return event_fd;
}

bool gs_srv_abort(struct gs_abort *a)
{
    pthread_mutex_lock(&lock);
    bool yes = aborted;
    if (yes)
        *a = first;
    pthread_mutex_unlock(&lock);
    return yes;
}

enum gs_srv_state gs_srv_state(int pe)
{
    pthread_mutex_lock(&lock);
    enum gs_srv_state s = states[pe];
    pthread_mutex_unlock(&lock);
    return s;
}

const char *gs_srv_job(void)
{
    return nspace;
}

const char *gs_srv_version(void)
{
    static char text[64];
    const char *v = PMIx_Get_version();
    const char *digit = v ? strpbrk(v, "0123456789") : NULL;
    snprintf(text, sizeof text, "%.*s", (int)strcspn(digit ? digit : "?", ", ("), digit ? digit : "?");
    return text;
}
