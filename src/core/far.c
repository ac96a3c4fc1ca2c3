/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "core/far.h"

#include <dlfcn.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "bootstrap/leave.h"
#include "bootstrap/net.h"
#include "core/env.h"
#include "core/wait.h"
#include "transport/transport.h"

static const struct gs_far_ops *ops; /* the module, once it is loaded */
static struct gs_far_core core;
static char interface[GS_NET_NAME];

/* ---- loading ---- */

/* A library that comes with a module may take signals for its own reports; a crash stays the program's. */
static const int crash_signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
enum { CRASH_SIGNALS = sizeof crash_signals / sizeof *crash_signals };

static void *open_quietly(const char *path)
{
    struct sigaction before[CRASH_SIGNALS];
    for (int i = 0; i < CRASH_SIGNALS; i++)
        sigaction(crash_signals[i], NULL, &before[i]);
    void *m = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    for (int i = 0; i < CRASH_SIGNALS; i++)
        sigaction(crash_signals[i], &before[i], NULL);
    return m;
}

/* The module lies beside this library; where it does not (a static build, a test), the loader's path is searched. */
static void *open_module(char *why, size_t len)
{
    char path[PATH_MAX] = "libginshmem_ucx.so";
    Dl_info self;
    const char *slash = dladdr(&gs, &self) && self.dli_fname ? strrchr(self.dli_fname, '/') : NULL;
    if (slash)
        snprintf(path, sizeof path, "%.*s/libginshmem_ucx.so", (int)(slash - self.dli_fname), self.dli_fname);
    void *m = open_quietly(path);
    if (!m && !(m = open_quietly("libginshmem_ucx.so")))
        snprintf(why, len, "%s", dlerror());
    return m;
}

static const struct gs_far_ops *load(char *why, size_t len)
{
    static void *module;
    if (ops)
        return ops;
    if (!module && !(module = open_module(why, len)))
        return NULL;
    gs_far_module_fn *get = (gs_far_module_fn *)(uintptr_t)dlsym(module, GS_FAR_MODULE_SYMBOL);
    if (!get) {
        snprintf(why, len, "libginshmem_ucx.so has no symbol %s", GS_FAR_MODULE_SYMBOL);
        return NULL;
    }
    const struct gs_far_ops *found = get(GS_FAR_ABI, why, len);
    if (found && (found->abi != GS_FAR_ABI || found->size != sizeof *found)) {
        snprintf(why, len, "libginshmem_ucx.so is of another build than libginshmem.so: install both together");
        return NULL;
    }
    return ops = found;
}

/* ---- who is far ---- */

/* What each PE found out about the module, for all to come to the same end. */
struct found {
    bool usable;
    bool must;                   /* some PE is on another host, or the user insists */
    uint8_t token[GS_FAR_TOKEN]; /* PE 0's counts */
    char why[223];
};

int gs_far_choose(struct gs_peer *peers)
{
    bool several = gs.nodes > 1, other_host = false;
    for (int i = 0; i < gs.n; i++) {
        other_host |= !gs_boot_same_host(&gs.records[i], &gs.records[gs.me]);
        peers[i].near = gs.records[i].node == gs.node;
    }
    bool all_near = !several;
    if (several && !other_host && strcmp(gs_env.transport, "shm") == 0)
        all_near = true; /* fake nodes, and the user wants no module; the same on all PEs, or agree.c has refused */
    if (!all_near) {
        struct found mine = {.must = other_host || strcmp(gs_env.transport, "ucx") == 0};
        struct found *all = calloc((size_t)gs.n, sizeof *all);
        int without = -1;
        bool must = false;
        if (!all) {
            gs_error("no memory to reach the PEs of %d nodes", gs.nodes);
            return -1;
        }
        if (other_host && strcmp(gs_env.transport, "shm") == 0)
            snprintf(mine.why, sizeof mine.why, "GIN_SHMEM_TRANSPORT=shm reaches the PEs of one host only");
        else
            mine.usable = load(mine.why, sizeof mine.why) != NULL;
        if (getrandom(mine.token, sizeof mine.token, 0) != sizeof mine.token) {
            mine.usable = false;
            snprintf(mine.why, sizeof mine.why, "getrandom gives no token for the job");
        }
        int rc = gs.boot.ops->allgather(&gs.boot, &mine, sizeof mine, all);
        for (int i = 0; !rc && i < gs.n; i++) {
            must |= all[i].must;
            if (!all[i].usable && without < 0)
                without = i;
        }
        if (!rc && without >= 0 && must) {
            if (gs.me == 0)
                gs_error("the PEs are on %d nodes, and PE %d cannot reach other nodes: %s; install UCX and "
                         "libginshmem_ucx.so on all hosts, or start all PEs on one",
                         gs.nodes, without, all[without].why);
            gs.boot.ops->fence(&gs.boot); /* a launcher ends all when the first leaves: not before PE 0 has spoken */
            rc = -1;
        } else if (!rc && without >= 0) {
            all_near = true; /* fake nodes without the module */
        } else if (!rc) {
            memcpy(core.token, all[0].token, sizeof core.token);
        }
        free(all);
        if (rc)
            return rc;
    }
    for (int i = 0; all_near && i < gs.n; i++)
        peers[i].near = true;
    if (all_near)
        ops = NULL;
    return 0;
}

/* ---- life ---- */

/* A process that ends breaks its connections, and its launcher is about to say so, and to end this one. Only where
 * nothing of the kind happens it is for us to speak. */
enum { GRACE_S = 3 };
static struct loss {
    atomic_flag told;
    int pe;
    char why[96];
} loss = {.told = ATOMIC_FLAG_INIT};

static void *tell_loss(void *arg)
{
    char text[320];
    struct timespec t = {.tv_sec = GRACE_S};
    (void)arg;
    nanosleep(&t, NULL);
    snprintf(text, sizeof text,
             "lost the connection to PE %d on host %.*s (%s): it has ended, its host is down, or the "
             "network between is cut; ending the job",
             loss.pe, GS_HOST_LEN, gs.records[loss.pe].host, loss.why);
    gs_job_abort(1, text);
    return NULL;
}

static void lost(int pe, const char *why)
{
    pthread_t thread;
    if (atomic_flag_test_and_set(&loss.told))
        return;
    loss.pe = pe;
    snprintf(loss.why, sizeof loss.why, "%s", why);
    if (gs_thread_start(&thread, tell_loss, NULL) == 0)
        pthread_detach(thread);
    else
        tell_loss(NULL);
}

/* ---- messages ---- */

static const struct gs_message_listener *_Atomic listener;

static const struct gs_message_listener *message_listener(void)
{
    return atomic_load(&listener);
}

bool gs_far_messages(void)
{
    return gs.far != NULL;
}

void gs_far_message(int pe, const void *data, size_t bytes, void (*sent)(void *arg), void *arg)
{
    gs.far->message(pe, data, bytes, sent, arg);
}

void gs_far_on_message(const struct gs_message_listener *l)
{
    atomic_store(&listener, l);
}

void gs_far_poll(void)
{
    gs.far->poll();
}

/* What each PE tells the others of where it is reached. */
static int exchange_addresses(const void *mine, size_t len, char **all, size_t *stride)
{
    size_t *lens = malloc(sizeof *lens * (size_t)gs.n), most = 0;
    char *padded = NULL;
    int rc = -1;
    *all = NULL;
    if (!lens)
        goto no_memory;
    if (gs.boot.ops->allgather(&gs.boot, &len, sizeof len, lens) != 0)
        goto out;
    for (int i = 0; i < gs.n; i++)
        most = lens[i] > most ? lens[i] : most;
    padded = calloc(1, most);
    *all = malloc(most * (size_t)gs.n);
    if (!padded || !*all)
        goto no_memory;
    memcpy(padded, mine, len);
    *stride = most;
    rc = gs.boot.ops->allgather(&gs.boot, padded, most, *all);
    goto out;
no_memory:
    gs_error("no memory for the addresses of %d PEs", gs.n);
out:
    free(lens);
    free(padded);
    return rc;
}

int gs_far_start(void)
{
    const void *address;
    size_t len, stride;
    char *all;
    if (!ops)
        return 0;
    struct gs_net_choice net;
    if (gs_net_choose(&net) != 0)
        return -1;
    snprintf(interface, sizeof interface, "%s", net.interface);
    core.abi = GS_FAR_ABI;
    core.size = sizeof core;
    core.me = gs.me;
    core.n = gs.n;
    core.region[GS_FAR_HEAP].base = gs.peer[gs.me].heap;
    core.region[GS_FAR_HEAP].bytes = (size_t)(gs.peer[gs.me].sys - gs.peer[gs.me].heap) + gs_sys_bytes();
    core.region[GS_FAR_DATA].base = gs.peer[gs.me].data;
    core.region[GS_FAR_DATA].bytes = gs.peer[gs.me].data ? gs.records[gs.me].data_size : 0;
    core.interface = interface;
    core.filter = gs_env.host_filter;
    core.relax = gs_relax_idle;
    core.log = gs_log;
    core.thread_start = gs_thread_start;
    core.lost = lost;
    core.listener = message_listener;
    if (ops->open(&core, &address, &len) != 0)
        return -1;
    if (exchange_addresses(address, len, &all, &stride) != 0 || ops->start(all, stride) != 0) {
        free(all);
        ops->stop();
        return -1;
    }
    free(all);
    gs.far = ops;
    return 0;
}

void gs_far_settle(void)
{
    if (gs.far)
        gs.far->settle();
}

void gs_far_stop(void)
{
    if (gs.far)
        gs.far->stop();
    gs.far = NULL;
}

const char *gs_far_describe(void)
{
    return gs.far ? gs.far->describe() : "shared memory";
}

/* ---- access ---- */

bool gs_far_pointer(const void *p)
{
    struct gs_far_place at;
    return gs_transport_shm.place(p, &at);
}

struct gs_far_place gs_far_place(const void *p)
{
    struct gs_far_place at;
    (void)gs_transport_shm.place(p, &at);
    return at;
}

/* Between a device of ours and a far PE, through host memory. */
enum { BOUNCE = 256 << 10 };

static void bounce(const char *fn, void *to, const void *from, size_t bytes)
{
    char *buffer = malloc(bytes < BOUNCE ? bytes : BOUNCE);
    if (!buffer)
        gs_die(fn, "no memory for a copy between a device and another node");
    for (size_t at = 0, len; at < bytes; at += len) {
        len = bytes - at < BOUNCE ? bytes - at : BOUNCE;
        gs_copy_elsewhere(fn, buffer, (const char *)from + at, len, false);
        gs_copy_elsewhere(fn, (char *)to + at, buffer, len, false);
    }
    free(buffer);
}

void gs_copy_elsewhere(const char *fn, void *to, const void *from, size_t bytes, bool nbi)
{
    struct gs_far_place at;
    if (bytes == 0)
        return;
    if (gs.far && gs_transport_shm.place(to, &at)) {
        if (gs_on_device(from))
            bounce(fn, to, from, bytes);
        else
            gs.far->put(at, from, bytes, nbi);
    } else if (gs.far && gs_transport_shm.place(from, &at)) {
        if (gs_on_device(to))
            bounce(fn, to, from, bytes);
        else
            gs.far->get(to, at, bytes, nbi);
    } else if (!gs.dev) {
        memmove(to, from, bytes);
    } else if (gs.dev->copy(to, from, bytes, NULL, !nbi) != 0) {
        gs_die(fn, "the copy of %zu bytes failed: see the message before this one", bytes);
    }
}

void gs_copy_rows_elsewhere(const char *fn, void *to, size_t to_pitch, const void *from, size_t from_pitch,
                            size_t width, size_t rows)
{
    struct gs_far_place at;
    bool out = gs.far && gs_transport_shm.place(to, &at), in = gs.far && !out && gs_transport_shm.place(from, &at);
    if (rows == 0 || width == 0)
        return;
    if (out && !gs_on_device(from)) {
        gs.far->put_rows(at, from,
                         (struct gs_far_rows){.n = rows, .width = width, .here = from_pitch, .there = to_pitch});
    } else if (in && !gs_on_device(to)) {
        gs.far->get_rows(to, at,
                         (struct gs_far_rows){.n = rows, .width = width, .here = to_pitch, .there = from_pitch});
    } else if (out || in || !gs.dev) {
        for (size_t i = 0; i < rows; i++)
            gs_copy_elsewhere(fn, (char *)to + i * to_pitch, (const char *)from + i * from_pitch, width, false);
    } else if (gs.dev->copy_rows(to, to_pitch, from, from_pitch, width, rows, NULL, true) != 0) {
        gs_die(fn, "the copy of %zu blocks failed: see the message before this one", rows);
    }
}

bool gs_amo_elsewhere(const char *fn, enum gs_amo_op op, void *addr, size_t size, const void *operand, const void *cond,
                      void *result)
{
    struct gs_far_place at;
    if (gs.far && gs_transport_shm.place(addr, &at))
        gs.far->amo(op, at, size, operand, cond, result, false);
    else if (gs_on_device(addr))
        gs_device_amo(fn, op, addr, size, operand, cond, result);
    else
        return false;
    return true;
}

void gs_complete_elsewhere(void)
{
    if (gs.dev)
        gs_complete_device();
    if (gs.far)
        gs.far->quiet(NULL, 0);
}

void gs_order_elsewhere(void)
{
    if (gs.dev && gs.dev->fence() != 0)
        gs_die("shmem_fence", "operations on device memory failed: see the message before this one");
    if (!gs.far)
        return;
    if (gs.dev)
        gs.far->quiet(NULL, 0);
    else
        gs.far->fence();
}
