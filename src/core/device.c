/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "core/device.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gin_shmem/state.h>

#include "coll/coll.h"
#include "coll/sync.h"
#include "core/env.h"
#include "core/team.h"
#include "heap/addr.h"

/* ---- units: code with device state, in the executable, its libraries, and what is opened later ---- */

static struct shmemx_device_unit *units;
static pthread_mutex_t units_lock = PTHREAD_MUTEX_INITIALIZER;

struct shmemx_device_unit *gs_device_units(void)
{
    return units;
}

/* By default a GPU gives a process 8 queues: as many streams with a waiting kernel and work behind it block a put that
 * would end the wait. CUDA reads this once, when the program first calls it, so it is set before main begins. */
static void ask_for_queues(void)
{
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
}

__attribute__((visibility("default"))) void shmemx_device_register(struct shmemx_device_unit *u)
{
    ask_for_queues();
    pthread_mutex_lock(&units_lock);
    u->next = units;
    units = u;
    pthread_mutex_unlock(&units_lock);
    if (gs.dev)
        gs.dev->unit_added(u);
    else if (gs.depth && strcmp(gs_env.heap, "host") != 0)
        gs.dev_expected = true; /* opened late: every PE opens it, and the next collective call finds it */
}

__attribute__((visibility("default"))) void shmemx_device_unregister(struct shmemx_device_unit *u)
{
    pthread_mutex_lock(&units_lock);
    for (struct shmemx_device_unit **p = &units; *p; p = &(*p)->next)
        if (*p == u) {
            *p = u->next;
            break;
        }
    pthread_mutex_unlock(&units_lock);
}

/* ---- does the job want a device heap? ---- */

static bool asked_for; /* by shmem_init_thread's flags: both heaps, and shmem_malloc stays on the host */
static void *adopted;

bool gs_device_wanted(bool asked)
{
    asked_for = asked;
    if (strcmp(gs_env.heap, "host") == 0)
        return false;
    if (asked || strcmp(gs_env.heap, "device") == 0)
        ask_for_queues();
    return asked || units || strcmp(gs_env.heap, "device") == 0;
}

void gs_device_expect(bool expected, void *adopted_comm)
{
    gs.dev_expected = expected;
    adopted = adopted_comm;
}

enum gs_kind gs_device_default_kind(void)
{
    return gs.dev && !asked_for ? GS_KIND_DEVICE : GS_KIND_HOST;
}

/* ---- what the module calls back ---- */

static int core_allgather(const void *mine, size_t len, void *all)
{
    return gs.boot.ops->allgather(&gs.boot, mine, len, all);
}

static void core_barrier(void)
{
    gs_group_sync(&gs_team_world.g);
}

static int core_group_pe(const struct gs_group *g, int rank)
{
    return gs_group_pe(g, rank);
}

static void core_group_info(const struct gs_group *g, int *n, int *me, int *slot)
{
    *n = g->n;
    *me = g->me;
    *slot = g->slot;
}

static uint64_t core_group_handle(const struct gs_group *g)
{
    const struct gs_team *t = (const struct gs_team *)((const char *)g - offsetof(struct gs_team, g));
    return (uint64_t)(uintptr_t)t->handle;
}

/* Through the root's scratch words, which others read between two barriers. */
static void core_group_broadcast(struct gs_group *g, void *data, size_t bytes, int root)
{
    if (g->slot < 0 || bytes > GS_SCRATCH_BYTES)
        gs_die("device", "internal: a broadcast of %zu bytes in slot %d", bytes, g->slot);
    if (g->me == root)
        memcpy(gs_group_slot(g, root)->scratch, data, bytes);
    gs_group_sync(g);
    if (g->me != root)
        memcpy(data, gs_group_slot(g, root)->scratch, bytes);
    gs_group_sync(g);
}

static size_t core_heap_offset(const void *addr)
{
    const struct gs_pool *pool = gs_pool_of(addr);
    return pool ? (size_t)((const char *)addr - pool->base) : SIZE_MAX;
}

static struct gs_device_core core_for_module(void)
{
    int local_rank = gs.boot.local_rank >= 0 ? gs.boot.local_rank : gs.me; /* one host: PE numbers count on it */
    return (struct gs_device_core){
        .abi = GS_DEVICE_ABI,
        .size = sizeof(struct gs_device_core),
        .me = gs.me,
        .n = gs.n,
        .local_rank = local_rank,
        .max_teams = (int)gs_env.max_teams,
        .adopted_comm = adopted,
        .timeout_s = gs_env.timeout,
        .host_base = gs.peer[0].heap,
        .host_stride = gs.n > 1 ? (size_t)(gs.peer[1].heap - gs.peer[0].heap) : gs.heap_size,
        .host_size = gs.heap_size,
        .allgather = core_allgather,
        .barrier = core_barrier,
        .group_sync = gs_group_sync,
        .group_pe = core_group_pe,
        .group_info = core_group_info,
        .group_handle = core_group_handle,
        .group_broadcast = core_group_broadcast,
        .log = gs_log,
        .die = gs_die,
        .abort = gs_job_abort,
        .units = gs_device_units,
        .heap_offset = core_heap_offset,
    };
}

/* ---- loading the module ---- */

static void *module;

/* The module lies beside this library; where it does not (a static build, a test), the loader's path is searched. */
static void *open_module(char *why, size_t len)
{
    char path[PATH_MAX] = "libginshmem_nccl.so";
    Dl_info self;
    const char *slash = dladdr(&gs, &self) && self.dli_fname ? strrchr(self.dli_fname, '/') : NULL;
    if (slash)
        snprintf(path, sizeof path, "%.*s/libginshmem_nccl.so", (int)(slash - self.dli_fname), self.dli_fname);
    void *m = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!m && !(m = dlopen("libginshmem_nccl.so", RTLD_NOW | RTLD_LOCAL)))
        snprintf(why, len, "%s", dlerror());
    return m;
}

static const struct gs_device_ops *load(char *why, size_t len)
{
    if (!module && !(module = open_module(why, len)))
        return NULL;
    gs_device_module_fn *get = (gs_device_module_fn *)(uintptr_t)dlsym(module, GS_DEVICE_MODULE_SYMBOL);
    if (!get) {
        snprintf(why, len, "%s has no symbol %s", "libginshmem_nccl.so", GS_DEVICE_MODULE_SYMBOL);
        return NULL;
    }
    const struct gs_device_ops *ops = get(GS_DEVICE_ABI, why, len);
    if (ops && (ops->abi != GS_DEVICE_ABI || ops->size != sizeof *ops)) {
        snprintf(why, len, "libginshmem_nccl.so is of another build than libginshmem.so: install both together");
        return NULL;
    }
    return ops;
}

/* What each PE found, compared before anybody starts. */
struct found {
    bool usable;
    char why[255];
};

void gs_device_start(const char *fn)
{
    struct found mine = {0}, *all = calloc((size_t)gs.n, sizeof *all);
    gs.dev_expected = false;
    if (!all)
        gs_die(fn, "no memory to start the device heap of %d PEs", gs.n);
    const struct gs_device_ops *ops = load(mine.why, sizeof mine.why);
    mine.usable = ops != NULL;
    if (core_allgather(&mine, sizeof mine, all) != 0)
        gs_die(fn, "the PEs could not agree on the device heap");
    int without = 0, first = -1;
    for (int i = 0; i < gs.n; i++)
        if (!all[i].usable) {
            without++;
            if (first < 0)
                first = i;
        }
    bool must = strcmp(gs_env.heap, "device") == 0;
    if (without && (must || without < gs.n))
        gs_die(fn, "no device heap: PE %d has no usable GPU: %s; run where every PE has one, or set GIN_SHMEM_HEAP=host",
               first, all[first].why);
    if (without) { /* on no PE, and nobody insisted: kernels cannot run here anyway, the host part can */
        if (gs.me == 0)
            gs_warn("this program wants a device heap, but there is no usable GPU: %s; the symmetric heap is host memory",
                    all[0].why);
        free(all);
        return;
    }
    free(all);
    struct gs_device_core core = core_for_module();
    if (ops->start(&core) != 0)
        gs_job_abort(1, NULL); /* it said why */
    ops->range(&gs.dev_base, &gs.dev_span);
    gs.dev = ops;
    for (int slot = 0; slot < gs_env.max_teams; slot++) {
        const struct gs_team *t = gs_team_in_slot(slot);
        if (t && ops->team_set(slot, &t->g) != 0)
            gs_job_abort(1, NULL);
    }
    if (gs.me == 0)
        gs_info("device heap: %s", ops->describe());
    core_barrier();
}

void gs_device_stop(void)
{
    if (!gs.dev)
        return;
    gs.dev->stop();
    gs.dev = NULL;
    gs.dev_base = 0;
    gs.dev_span = 0;
}

const struct gs_device_ops *gs_device_need(const char *fn)
{
    gs_need_up(fn);
    gs_device_ready(fn);
    if (!gs.dev)
        gs_die(fn, "this job has no device heap: compile a kernel that includes gin_shmem.h into the program, or set "
               "GIN_SHMEM_HEAP=device, and run it where there is a GPU");
    return gs.dev;
}

void gs_device_amo(const char *fn, enum gs_amo_op op, void *addr, size_t size, const void *operand, const void *cond,
                   void *result)
{
    if (gs.dev->amo(op, addr, size, operand, cond, result, NULL, true) != 0)
        gs_die(fn, "the atomic operation on device memory failed: see the message before this one");
}

void gs_complete_device(void)
{
    if (gs.dev->quiet() != 0)
        gs_die("shmem_quiet", "operations on device memory failed: see the message before this one");
}
