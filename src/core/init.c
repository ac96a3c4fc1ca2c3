/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
/* Bringing a PE up and down: OpenSHMEM 1.6 section 9.1. */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bootstrap/leave.h"
#include "bootstrap/links.h"
#include "coll/heap.h"
#include "core/device.h"
#include "core/env.h"
#include "core/far.h"
#include "core/job.h"
#include "core/log.h"
#include "core/sys.h"
#include "core/team.h"
#include "core/watch.h"
#include "heap/data.h"
#include "transport/transport.h"

struct gs_job gs;

static struct gs_local_memory memory = {.heap_fd = -1, .data_fd = -1};
static struct gs_peer *peers;
static pid_t owner; /* the process that initialised: a forked child is no PE */

static size_t round_up(size_t bytes, size_t to)
{
    return (bytes + to - 1) / to * to;
}

/* ---- the record that PEs compare ---- */

static unsigned long long hash_bytes(const void *bytes, size_t len)
{
    unsigned long long h = 14695981039346656037ull;
    for (const unsigned char *p = bytes; len; len--, p++)
        h = (h ^ *p) * 1099511628211ull;
    return h;
}

static unsigned long long hash_file(const char *path)
{
    char text[128];
    size_t len = 0;
    FILE *f = fopen(path, "re");
    if (f) {
        len = fread(text, 1, sizeof text, f);
        fclose(f);
    }
    return hash_bytes(text, len);
}

static void fill_record(struct gs_record *r, unsigned long long data_id, bool wants_device)
{
    struct stat ns;
    cpu_set_t cores;
    memset(r, 0, sizeof *r);
    memcpy(r->magic, "ginshmem", sizeof r->magic);
    r->abi = GS_ABI;
    snprintf(r->version, sizeof r->version, "%s", GS_VERSION);
    r->check = gs_env.check;
    r->max_teams = (unsigned)gs_env.max_teams;
    snprintf(r->wait, sizeof r->wait, "%s", gs_env.wait);
    snprintf(r->transport, sizeof r->transport, "%s", gs_env.transport);
    r->heap_size = gs_env.symmetric_size;
    r->pid = (int)getpid();
    r->heap_fd = memory.heap_fd;
    r->data_fd = memory.data_fd;
    r->data_size = memory.data_size;
    r->data_id = data_id;
    r->wants_device = wants_device;
    r->cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (sched_getaffinity(0, sizeof cores, &cores) == 0) {
        r->cores = CPU_COUNT(&cores);
        r->core_set = hash_bytes(&cores, sizeof cores);
    }
    gethostname(r->host, sizeof r->host - 1);
    r->fake_node = (int)((long)gs.me * gs_env.fake_nodes / gs.n);
    r->boot_id = hash_file("/proc/sys/kernel/random/boot_id");
    if (stat("/proc/self/ns/pid", &ns) == 0)
        r->pid_ns = ns.st_ino;
}

/* Do PEs share cores? The same answer on all, for it chooses the barrier's algorithm. */
static bool shares_cores(void)
{
    if (strcmp(gs_env.wait, "auto") != 0)
        return strcmp(gs_env.wait, "yield") == 0;
    for (int i = 0; i < gs.n; i++) {
        int together = 0;
        for (int j = 0; j < gs.n; j++)
            together += gs.records[j].core_set == gs.records[i].core_set &&
                        gs_boot_same_host(&gs.records[j], &gs.records[i]);
        if (together > gs.records[i].cores)
            return true;
    }
    return false;
}

/* Globals are symmetric only where all PEs run the same executable. Every PE comes to the same answer. */
static bool same_executable(void)
{
    for (int i = 0; i < gs.n; i++) {
        const struct gs_record *r = &gs.records[i];
        if (r->data_fd < 0 || r->data_size != gs.records[0].data_size || r->data_id != gs.records[0].data_id)
            return false;
    }
    return true;
}

static bool somebody_wants_device(void)
{
    bool any = false;
    for (int i = 0; i < gs.n; i++)
        any |= gs.records[i].wants_device != 0;
    return any;
}

/* ---- up ---- */

static int check_env(void)
{
    if (gs_env_load() != 0)
        return -1;
    if (gs_env.max_teams < 5 || gs_env.max_teams > GS_TEAMS_MAX) {
        gs_error("GIN_SHMEM_MAX_TEAMS is %ld: use 5 (the predefined ones) to %d", gs_env.max_teams, GS_TEAMS_MAX);
        return -1;
    }
    if (strcmp(gs_env.heap, "auto") != 0 && strcmp(gs_env.heap, "device") != 0 && strcmp(gs_env.heap, "host") != 0) {
        gs_error("GIN_SHMEM_HEAP is \"%s\": use auto, device or host", gs_env.heap);
        return -1;
    }
    if (strcmp(gs_env.wait, "auto") != 0 && strcmp(gs_env.wait, "spin") != 0 && strcmp(gs_env.wait, "yield") != 0) {
        gs_error("GIN_SHMEM_WAIT is \"%s\": use auto, spin or yield", gs_env.wait);
        return -1;
    }
    if (strcmp(gs_env.transport, "auto") != 0 && strcmp(gs_env.transport, "shm") != 0 &&
        strcmp(gs_env.transport, "ucx") != 0) {
        gs_error("GIN_SHMEM_TRANSPORT is \"%s\": use auto, shm or ucx", gs_env.transport);
        return -1;
    }
    if (strcmp(gs_env.gin, "auto") != 0 && strcmp(gs_env.gin, "0") != 0 && strcmp(gs_env.gin, "1") != 0) {
        gs_error("GIN_SHMEM_GIN is \"%s\": use auto, 0 or 1", gs_env.gin);
        return -1;
    }
    if (strcmp(gs_env.remote, "auto") != 0 && strcmp(gs_env.remote, "sim") != 0 && strcmp(gs_env.remote, "agent") != 0) {
        gs_error("GIN_SHMEM_REMOTE is \"%s\": use auto, sim or agent", gs_env.remote);
        return -1;
    }
    if (gs_env.fake_nodes < 1) {
        gs_error("GIN_SHMEM_FAKE_NODES is %ld: use 1 (no fake nodes) or more", gs_env.fake_nodes);
        return -1;
    }
    return 0;
}

size_t gs_sys_bytes(void)
{
    return round_up(sizeof(struct gs_sys) + (size_t)gs_env.max_teams * sizeof(struct gs_slot),
                    (size_t)sysconf(_SC_PAGESIZE));
}

static int make_memory(unsigned long long *data_id)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    memory = (struct gs_local_memory){.heap_fd = -1, .data_fd = -1};
    /* A heap of 0 bytes is legal: every allocation then fails. One page keeps the mapping code free of that case. */
    if (gs_env.symmetric_size > GS_ALLOC_MAX) {
        gs_error("SHMEM_SYMMETRIC_SIZE is %zu bytes: the most is %zu", gs_env.symmetric_size, (size_t)GS_ALLOC_MAX);
        return -1;
    }
    memory.heap_size = gs_env.symmetric_size ? round_up(gs_env.symmetric_size, page) : page;
    memory.sys_size = gs_sys_bytes();
    /* shmem_align can ask for any alignment that fits the heap; up to 1 GiB it gets it. */
    for (memory.align = page; memory.align < memory.heap_size && memory.align < (size_t)1 << 30;)
        memory.align *= 2;
    if (gs_env.symmetric_data) {
        struct gs_data d;
        if (gs_data_open(&d) != 0)
            return -1;
        memory.data_fd = d.fd;
        memory.data_size = d.size;
        *data_id = d.id;
        gs.data_base = d.base;
    }
    memory.heap_fd = gs_heap_make_fd(memory.heap_size, memory.sys_size);
    return memory.heap_fd < 0 ? -1 : 0;
}

static void release_memory(void)
{
    gs_far_stop();
    gs_transport_shm.detach();
    if (memory.heap_fd >= 0)
        close(memory.heap_fd); /* the data segment stays where it is, see heap/data.h */
    memory.heap_fd = -1;
    free(peers);
    free(gs.records);
    peers = NULL;
    gs.records = NULL;
    gs.peer = NULL;
    gs.heap_size = gs.data_size = 0;
    gs.nodes = gs.node = 0;
    gs.heap_base = gs.data_base = 0;
}

static void leave(void *boot)
{
    gs.boot.ops->leave(boot);
}

/* Where the launcher does not look after the PEs of a host, they look after each other. */
static int start_watch(void)
{
    if (gs.far || !gs.boot.ops->needs_watch(&gs.boot))
        return 0;
    int *pids = malloc(sizeof *pids * (size_t)gs.n), rc = -1;
    struct gs_watch_shared **words = malloc(sizeof *words * (size_t)gs.n);
    if (pids && words) {
        for (int i = 0; i < gs.n; i++) {
            pids[i] = gs.records[i].pid;
            words[i] = &((struct gs_sys *)gs.peer[i].sys)->watch;
        }
        rc = gs_watch_start(gs.n, gs.me, pids, words, leave, &gs.boot);
    } else {
        gs_error("no memory to watch %d PEs", gs.n);
    }
    free(pids);
    free(words);
    return rc;
}

/* Where hosts may vanish, and the launcher does not notice. */
static int start_links(void)
{
    bool other_host = false;
    for (int i = 0; i < gs.n; i++)
        other_host |= !gs_boot_same_host(&gs.records[i], &gs.records[0]);
    return other_host && !gs.boot.ops->sees_hosts ? gs_links_start(&gs.boot) : 0;
}

static void at_exit(int status, void *unused);

static int start(const struct gs_boot_attr *attr, bool asked_device, void *adopted_comm)
{
    unsigned long long data_id = 0;
    struct gs_record mine;
    gs_log_pe = -1;
    if (check_env() != 0 || gs_boot_start(&gs.boot, attr) != 0)
        return -1;
    gs.me = gs_log_pe = gs.boot.rank;
    gs.n = gs.boot.size;
    gs.records = calloc((size_t)gs.n, sizeof *gs.records);
    peers = calloc((size_t)gs.n, sizeof *peers);
    if (!gs.records || !peers) {
        gs_error("no memory for the tables of %d PEs", gs.n);
        goto fail;
    }
    if (make_memory(&data_id) != 0)
        goto fail;
    fill_record(&mine, data_id, gs_device_wanted(asked_device));
    if (gs_boot_agree(&gs.boot, &mine, gs.records) != 0)
        goto fail;
    gs.node = gs.records[gs.me].node;
    for (int i = 0; i < gs.n; i++)
        gs.nodes = gs.records[i].node >= gs.nodes ? gs.records[i].node + 1 : gs.nodes;
    if (gs_far_choose(peers) != 0)
        goto fail;
    if (memory.data_fd >= 0 && !same_executable()) {
        if (gs.me == 0)
            gs_warn("the PEs run different executables, or some have GIN_SHMEM_SYMMETRIC_DATA=0: global variables are "
                    "not symmetric in this job");
        memory.data_fd = -1;
        memory.data_size = 0;
        gs.data_base = 0;
    }
    if (gs_transport_shm.attach(gs.me, gs.n, &memory, gs.records, peers) != 0)
        goto fail;
    if (gs_heap_start(peers[gs.me].heap, gs_env.symmetric_size ? memory.heap_size : 0) != 0)
        goto fail;
    gs.peer = peers;
    gs.check = gs_env.check;
    gs.yield = shares_cores();
    gs.live = gs_alloc_live_bits(gs_pool_at(0)->alloc);
    if (gs_far_start() != 0 || start_links() != 0 || gs_team_start() != 0)
        goto fail_heap;
    if (start_watch() != 0 || gs.boot.ops->fence(&gs.boot) != 0)
        goto fail_team;
    gs.heap_base = (uintptr_t)peers[gs.me].heap;
    gs.heap_size = memory.heap_size;
    gs.data_size = memory.data_size;
    gs_device_expect(somebody_wants_device(), adopted_comm);
    owner = getpid();
    return 0;

fail_team:
    gs_watch_stop();
    gs_team_stop();
fail_heap:
    gs_heap_stop();
fail: /* the others wait for us in a collective step: end the job, they cannot go on */
    gs.boot.ops->abort(&gs.boot, 1, NULL);
    release_memory();
    return -1;
}

static void greet(void)
{
    if (gs.me != 0)
        return;
    if (gs_env.version || gs_env.info)
        printf("%s, OpenSHMEM %d.%d\n", SHMEM_VENDOR_STRING, SHMEM_MAJOR_VERSION, SHMEM_MINOR_VERSION);
    if (gs_env.info)
        gs_env_print(stdout, false);
    if (gs_env.version || gs_env.info)
        fflush(stdout);
    gs_env_warn_unknown();
    gs_info("%d PEs on %d node%s by %s, %zu bytes of symmetric heap each, %s", gs.n, gs.nodes, gs.nodes > 1 ? "s" : "",
            gs.boot.ops->name, gs.heap_size,
            gs.yield ? "more PEs than cores: waits yield" : "a core per PE: waits spin");
    if (gs.nodes > 1) {
        char *text = gs_boot_nodes_text(gs.records, gs.n);
        gs_info("nodes: %s; host memory within a node by shared memory, between nodes by %s", text ? text : "?",
                gs_far_describe());
        free(text);
    }
}

int gs_job_init(const struct gs_boot_attr *attr, void *adopted_comm, int requested, int *provided)
{
    static bool registered;
    int device = requested & (SHMEM_DEVICE_HOST_INIT | SHMEM_DEVICE_KERNEL_INIT);
    requested &= ~device;
    if (requested < SHMEM_THREAD_SINGLE || requested > SHMEM_THREAD_MULTIPLE) {
        gs_error("shmem_init_thread: %d is no thread level: use SHMEM_THREAD_SINGLE, _FUNNELED, _SERIALIZED or _MULTIPLE",
                 requested);
        return -1;
    }
    if (gs.depth) {
        if (attr && attr->uid && (attr->rank != gs.me || attr->size != gs.n)) {
            gs_error("shmemx_init_attr: this process is already PE %d of %d; it cannot be PE %d of %d as well: finalize "
                     "first", gs.me, gs.n, attr->rank, attr->size);
            return -1;
        }
        if (requested > gs.thread_level)
            gs.thread_level = requested;
    } else {
        if (start(attr, device != 0, adopted_comm) != 0)
            return -1;
        gs.thread_level = requested;
    }
    gs.depth++;
    /* Our launcher reads through a pipe, on which stdio would hold lines back until a crash loses them. */
    const char *launcher = getenv("GIN_SHMEM_LAUNCHER");
    if (gs.depth == 1 && launcher && strcmp(launcher, "oshrun") == 0)
        setvbuf(stdout, NULL, _IOLBF, 0);
    if (!registered) {
        if (on_exit(at_exit, NULL) != 0)
            gs_warn("cannot register an exit handler: call shmem_finalize before exit");
        registered = true;
    }
    if (gs.depth == 1)
        greet();
    if (device)
        gs_device_ready("shmem_init_thread"); /* asked for by name: at once, so that *provided can tell */
    *provided = gs.thread_level | (gs.dev ? device : 0);
    return 0;
}

/* ---- down ---- */

void gs_job_finalize(const char *fn)
{
    gs_need_up(fn);
    gs_barrier_world();
    if (gs.depth > 1) {
        gs.depth--;
        return;
    }
    gs_device_stop();
    gs_watch_stop();
    if (gs.far) { /* peers may still need this PE's thread for what they have sent, but nobody sends any more */
        gs_far_settle();
        if (gs.boot.ops->fence(&gs.boot) != 0)
            gs_job_abort(1, NULL);
        gs_links_stop();
    }
    gs_team_stop();
    gs_heap_stop();
    gs.depth = 0;
    gs.dev_expected = false;
    gs.was_up = true;
    release_memory();
    gs_boot_stop(&gs.boot); /* the number stays for messages, until the next initialisation */
}

/* A program that leaves by exit(0) or by returning from main has finished its work: the implicit finalize of section
 * 9.1. Any other status is a failure that the launcher sees. */
static void at_exit(int status, void *unused)
{
    (void)unused;
    if (!gs.depth || getpid() != owner || status != 0)
        return;
    gs.depth = 1;
    gs_job_finalize("exit");
}

_Noreturn void gs_job_abort(int status, const char *message)
{
    if (gs.depth && getpid() == owner) {
        if (message)
            gs_error("%s", message);
        gs_flush_bounded();
        gs_watch_exit(status);
        if (gs_links_abort(&gs.boot, status))
            _exit(status);
        gs.boot.ops->abort(&gs.boot, status, NULL);
    }
    _exit(status);
}

_Noreturn void gs_job_global_exit(int status)
{
    gs_need_up("shmem_global_exit");
    gs_job_abort(status, NULL);
}

void gs_not_up(const char *fn)
{
    if (gs.was_up)
        gs_die(fn, "called after shmem_finalize: initialise again first");
    gs_die(fn, "called before initialisation: call shmem_init or shmem_init_thread first");
}

void gs_bad_pe(const char *fn, int pe, int n)
{
    gs_die(fn, "pe %d is out of range: there are %d, numbered 0 to %d", pe, n, n - 1);
}
