/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "core/device.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gin_shmem/state.h>

#include "coll/coll.h"
#include "coll/sync.h"
#include "bootstrap/leave.h"
#include "core/env.h"
#include "core/far.h"
#include "core/team.h"
#include "core/wait.h"
#include "heap/addr.h"

/* ---- units: code with device state, in the executable, its libraries, and what is opened later ---- */

static struct shmemx_device_unit *units;
static pthread_mutex_t units_lock = PTHREAD_MUTEX_INITIALIZER;

struct shmemx_device_unit *gs_device_units(void)
{
    return units;
}

/* Where kernels run. */
enum machine { MACHINE_NONE, MACHINE_GPU, MACHINE_CPU };
static const char *const machine_text[] = {"nowhere", "on a GPU", "on the CPU"};

static enum machine unit_machine(const struct shmemx_device_unit *u)
{
    return u->flags & GIN_SHMEM_UNIT_CPU ? MACHINE_CPU : MACHINE_GPU;
}

/* Of all units; dies when they do not agree. */
static enum machine machine_of_units(const char *fn)
{
    enum machine m = MACHINE_NONE;
    bool agree = true;
    pthread_mutex_lock(&units_lock);
    for (const struct shmemx_device_unit *u = units; u; u = u->next) {
        agree = agree && (m == MACHINE_NONE || m == unit_machine(u));
        m = unit_machine(u);
    }
    pthread_mutex_unlock(&units_lock);
    if (!agree)
        gs_die(fn,
               "this program has kernels that nvcc compiled and kernels for the CPU (GIN_SHMEM_CPU): compile all of "
               "them, and the libraries that it opens, in one way");
    return m;
}

static enum machine started; /* the machine of the module that is up */

/* shmem_malloc stays on the host though there is a device heap: shmem_init_thread's flags ask for both heaps, or the
 * kernels run on the CPU and GIN_SHMEM_HEAP=host. */
static bool host_default;

/* By default a GPU gives a process 8 queues: as many streams with a waiting kernel and work behind it block a put that
 * would end the wait. CUDA reads this once, when the program first calls it, so it is set before main begins. */
static void ask_for_queues(void)
{
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
}

/* This thread is loading the module, whose own kernels register like all others. */
static _Thread_local bool opening;

__attribute__((visibility("default"))) void shmemx_device_register(struct shmemx_device_unit *u)
{
    if (unit_machine(u) == MACHINE_GPU)
        ask_for_queues();
    pthread_mutex_lock(&units_lock);
    u->next = units;
    units = u;
    pthread_mutex_unlock(&units_lock);
    if (gs.dev && unit_machine(u) != started)
        gs_die("dlopen", "this job's kernels run %s, those of the library just opened %s: compile all in one way",
               machine_text[started], machine_text[unit_machine(u)]);
    if (gs.dev)
        gs.dev->unit_added(u);
    else if (gs.depth && !opening && gs_device_wanted(host_default))
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

static void *adopted;
static bool preferred; /* gs_device_prefer */

bool gs_device_wanted(bool asked)
{
    bool host = strcmp(gs_env.heap, "host") == 0, device = strcmp(gs_env.heap, "device") == 0;
    enum machine m = machine_of_units("shmem_init");
    host_default = asked;
    if (m == MACHINE_CPU) {
        host_default = asked || host; /* kernels need the module all the same, and reach the host heap */
        return true;
    }
    if (host)
        return false;
    if (asked || device || preferred)
        ask_for_queues();
    return asked || m == MACHINE_GPU || device || preferred;
}

void gs_device_prefer(void)
{
    bool late = gs.depth && !preferred;
    preferred = true;
    if (late && !gs.dev && gs_device_wanted(host_default))
        gs.dev_expected = true;
}

void gs_device_expect(bool expected, void *adopted_comm)
{
    gs.dev_expected = expected;
    adopted = adopted_comm;
    /* A kernel that CUDA loads when it is first launched can wait for those that run, and they for another node; and this
     * process's agent cannot call CUDA meanwhile. Read when CUDA starts in the process. */
    if (expected && gs.nodes > 1)
        setenv("CUDA_MODULE_LOADING", "EAGER", 0);
}

enum gs_kind gs_device_default_kind(void)
{
    return gs.dev && !host_default ? GS_KIND_DEVICE : GS_KIND_HOST;
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

static bool core_near(int pe)
{
    return (unsigned)pe < (unsigned)gs.n && gs.records[pe].node == gs.node;
}

static int core_process(int pe)
{
    return gs_boot_same_host(&gs.records[pe], &gs.records[gs.me]) ? gs.records[pe].pid : -1;
}

static int core_host_open(int pe)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", gs.records[pe].pid, gs.records[pe].heap_fd);
    return open(path, O_RDWR | O_CLOEXEC);
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
        gs_load("device", data, gs_group_slot(g, root)->scratch, bytes);
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
        .gin = gs_env.gin,
        .gin_add = gs_env.gin_add,
        .fake_node = gs_env.fake_nodes > 1 ? gs.records[gs.me].fake_node : -1,
        .cpu_memory = gs_env.cpu_memory,
        .remote = gs_env.remote,
        .agent_direct = gs_env.agent_direct,
        .host_base = gs.peer[0].heap,
        .host_stride = gs.n > 1 ? (size_t)(gs.peer[1].heap - gs.peer[0].heap) : gs.heap_size,
        .host_size = gs.heap_size,
        .near = core_near,
        .process = core_process,
        .host_open = core_host_open,
        .allgather = core_allgather,
        .barrier = core_barrier,
        .group_sync = gs_group_sync,
        .group_pe = core_group_pe,
        .group_info = core_group_info,
        .group_handle = core_group_handle,
        .group_broadcast = core_group_broadcast,
        .relax = gs_relax_idle,
        .thread_start = gs_thread_start,
        .messages = gs_far_messages,
        .far_describe = gs_far_describe,
        .message = gs_far_message,
        .on_message = gs_far_on_message,
        .message_poll = gs_far_poll,
        .log = gs_log,
        .die = gs_die,
        .abort = gs_job_abort,
        .units = gs_device_units,
        .heap_offset = core_heap_offset,
    };
}

/* ---- loading the module ---- */

#define STRING_OF(x) #x
#define STRING(x)    STRING_OF(x)
static const char *const module_file[] = {[MACHINE_NONE] = "libginshmem_nccl.so",
                                          [MACHINE_GPU] = "libginshmem_nccl.so",
                                          [MACHINE_CPU] = ("libginshmem_cpu.so." STRING(GS_VERSION_MAJOR))};

/* A module that the program is linked to is there already: by no means a second one. Otherwise it lies beside this
 * library; where it does not (a static build, a test), the loader's path is searched. */
static void *open_module(const char *file, char *why, size_t len)
{
    char path[PATH_MAX];
    Dl_info self;
    const char *slash = dladdr(&gs, &self) && self.dli_fname ? strrchr(self.dli_fname, '/') : NULL;
    opening = true;
    void *m = dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash - self.dli_fname) + 1 : 0, slash ? self.dli_fname : "",
             file);
    if (!m && !(m = dlopen(path, RTLD_NOW | RTLD_LOCAL)) && !(m = dlopen(file, RTLD_NOW | RTLD_LOCAL)))
        snprintf(why, len, "%s", dlerror());
    opening = false;
    return m;
}

static const struct gs_device_ops *load(enum machine where, char *why, size_t len)
{
    static void *modules[MACHINE_CPU + 1];
    const char *file = module_file[where];
    if (!modules[where] && !(modules[where] = open_module(file, why, len)))
        return NULL;
    gs_device_module_fn *get = (gs_device_module_fn *)(uintptr_t)dlsym(modules[where], GS_DEVICE_MODULE_SYMBOL);
    if (!get) {
        snprintf(why, len, "%s has no symbol %s", file, GS_DEVICE_MODULE_SYMBOL);
        return NULL;
    }
    const struct gs_device_ops *ops = get(GS_DEVICE_ABI, why, len);
    if (ops && (ops->abi != GS_DEVICE_ABI || ops->size != sizeof *ops)) {
        snprintf(why, len, "%s is of another build than libginshmem.so: install both together", file);
        return NULL;
    }
    return ops;
}

/* Where the job's kernels run: PEs without any follow the others. Collective. */
static enum machine agreed_machine(const char *fn)
{
    enum machine mine = machine_of_units(fn), job = MACHINE_NONE, *all = calloc((size_t)gs.n, sizeof *all);
    int first = 0;
    if (!all)
        gs_die(fn, "no memory to start the device heap of %d PEs", gs.n);
    if (core_allgather(&mine, sizeof mine, all) != 0)
        gs_die(fn, "the PEs could not agree on the device heap");
    for (int i = 0; i < gs.n; i++) {
        if (job != MACHINE_NONE && all[i] != MACHINE_NONE && all[i] != job)
            gs_die(fn, "the kernels of PE %d run %s, those of PE %d %s: start programs of one kind", first,
                   machine_text[job], i, machine_text[all[i]]);
        if (job == MACHINE_NONE && all[i] != MACHINE_NONE) {
            job = all[i];
            first = i;
        }
    }
    free(all);
    return job;
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
    enum machine where = agreed_machine(fn);
    const struct gs_device_ops *ops = load(where, mine.why, sizeof mine.why);
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
    if (without && where == MACHINE_CPU)
        gs_die(fn, "kernels cannot run on the CPU of PE %d: %s; install libginshmem_cpu with libginshmem", first,
               all[first].why);
    if (without && (must || without < gs.n))
        gs_die(fn,
               "no device heap: PE %d has no usable GPU: %s; run where every PE has one, or set GIN_SHMEM_HEAP=host",
               first, all[first].why);
    if (without) { /* on no PE, and nobody insisted: kernels cannot run here anyway, the host part can */
        if (gs.me == 0)
            gs_warn(
                "this program wants a device heap, but there is no usable GPU: %s; the symmetric heap is host memory",
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
    started = where == MACHINE_NONE ? MACHINE_GPU : where;
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
    started = MACHINE_NONE;
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
