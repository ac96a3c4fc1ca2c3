/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "transport/shared/watchdog.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "transport/device.h"

enum { PERIOD_MS = 5 };

static const struct gs_device_core *core;
static struct gin_shmem_report *report; /* NULL: nothing to look at */
static pthread_t thread;
static bool running, stopping;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake;

static const char *function_text(uint32_t fn, char *text, size_t len)
{
    static const char *const names[] = {
#define GS_FUNCTION_NAME(name) #name,
        GIN_SHMEM_FUNCTIONS(GS_FUNCTION_NAME)
#undef GS_FUNCTION_NAME
    };
    uint32_t f = fn & 0xffff, scope = fn & ~0xffffu;
    const char *name = f < GIN_SHMEM_FN_COUNT ? names[f] : "unknown";
    if (scope == GS_SCOPE_STREAM)
        snprintf(text, len, "shmemx_%s_on_stream", name);
    else
        snprintf(text, len, "gin_shmem_%s%s", name,
                 scope == GIN_SHMEM_SCOPE_WARP    ? "_warp"
                 : scope == GIN_SHMEM_SCOPE_BLOCK ? "_block"
                                                  : "");
    return text;
}

static const char *place_text(const struct gin_shmem_report *r, char *text, size_t len)
{
    size_t in_heap = core->heap_offset((const void *)(uintptr_t)r->address);
    switch (r->heap) {
    case 1:
        snprintf(text, len, "offset %#zx of the device heap", in_heap != SIZE_MAX ? in_heap : (size_t)r->offset);
        break;
    case 2:
        snprintf(text, len, "offset %#zx of the host heap", (size_t)r->offset);
        break;
    case 3:
        snprintf(text, len, "a word of the runtime's own (%#zx)", (size_t)r->offset);
        break;
    default:
        snprintf(text, len, "address %#zx", (size_t)r->address);
    }
    return text;
}

static const char *cmp_text(int cmp)
{
    static const char *const text[] = {"==", "!=", ">", "<=", "<", ">="};
    return cmp >= 0 && cmp < 6 ? text[cmp] : "?";
}

static void describe(const struct gin_shmem_report *r, char *text, size_t len)
{
    char fn[64], place[96], who[128];
    snprintf(who, sizeof who, "block (%u,%u,%u), thread (%u,%u,%u): %s", r->block[0], r->block[1], r->block[2],
             r->thread[0], r->thread[1], r->thread[2], function_text(r->fn, fn, sizeof fn));
    place_text(r, place, sizeof place);
    switch (r->kind) {
    case GIN_SHMEM_REPORT_TIMEOUT:
        snprintf(text, len, "%s: waited longer than %g s (GIN_SHMEM_TIMEOUT) at %s: wanted %s %lld, seen %lld", who,
                 core->timeout_s, place, cmp_text(r->cmp), (long long)r->wanted, (long long)r->seen);
        break;
    case GIN_SHMEM_REPORT_PE:
        snprintf(text, len, "%s: there is no PE %d; PEs are 0 to %d", who, r->target, core->n - 1);
        break;
    case GIN_SHMEM_REPORT_ADDRESS:
        snprintf(text, len, "%s: %llu bytes at %#llx are not symmetric memory (%s): pass what shmem_malloc returned",
                 who, (unsigned long long)r->bytes, (unsigned long long)r->address, place);
        break;
    case GIN_SHMEM_REPORT_UNREACHABLE:
        snprintf(text, len, "%s: PE %d is not reachable by load/store from here (%s)", who, r->target, place);
        break;
    case GIN_SHMEM_REPORT_TEAM:
        snprintf(text, len, "%s: %#llx is no team that this PE is a member of", who, (unsigned long long)r->wanted);
        break;
    case GIN_SHMEM_REPORT_INDEX:
        snprintf(text, len, "%s: index %llu, but this team has %llu", who, (unsigned long long)r->wanted,
                 (unsigned long long)r->seen);
        break;
    case GIN_SHMEM_REPORT_EXIT:
        snprintf(text, len, "block (%u,%u,%u), thread (%u,%u,%u) ends the job with status %d", r->block[0], r->block[1],
                 r->block[2], r->thread[0], r->thread[1], r->thread[2], (int)r->wanted);
        break;
    default:
        snprintf(text, len, "%s: bad argument %lld", who, (long long)r->wanted);
    }
}

void gs_watchdog_look(void)
{
    static bool told;
    const struct gin_shmem_report *r = __atomic_load_n(&report, __ATOMIC_ACQUIRE);
    char text[512];
    if (!r || __atomic_load_n(&r->ready, __ATOMIC_ACQUIRE) != GIN_SHMEM_REPORT_READY)
        return;
    if (__atomic_exchange_n(
            &told, true,
            __ATOMIC_ACQ_REL)) { /* another thread tells, and the process ends under us: what else fails is no news */
        sleep(10);
        return;
    }
    describe(r, text, sizeof text);
    bool wished = r->kind == GIN_SHMEM_REPORT_EXIT;
    core->log(wished ? GS_INFO : GS_ERROR, "%s", text);
    core->abort(wished ? (int)r->wanted : 1, NULL);
}

static void *watch(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    while (!stopping) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += PERIOD_MS * 1000000l;
        if (until.tv_nsec >= 1000000000l) {
            until.tv_nsec -= 1000000000l;
            until.tv_sec++;
        }
        (void)pthread_cond_timedwait(&wake, &lock, &until);
        pthread_mutex_unlock(&lock);
        gs_watchdog_look();
        pthread_mutex_lock(&lock);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

int gs_watchdog_start(const struct gs_device_core *to_tell, struct gin_shmem_report *r)
{
    sigset_t all, before;
    pthread_condattr_t monotonic;
    core = to_tell;
    __atomic_store_n(&report, r, __ATOMIC_RELEASE);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&wake, &monotonic);
    pthread_condattr_destroy(&monotonic);
    stopping = false;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* the program's handlers do not run on our thread */
    int rc = pthread_create(&thread, NULL, watch, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc != 0) {
        core->log(GS_ERROR, "no thread to watch kernels: %s", strerror(rc));
        pthread_cond_destroy(&wake);
        return -1;
    }
    running = true;
    return 0;
}

void gs_watchdog_stop(void)
{
    if (!running)
        return;
    pthread_mutex_lock(&lock);
    stopping = true;
    pthread_cond_signal(&wake);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    pthread_cond_destroy(&wake);
    running = false;
    __atomic_store_n(&report, NULL, __ATOMIC_RELEASE);
}
