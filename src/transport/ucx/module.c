/* SPDX-License-Identifier: BSD-3-Clause */
/* Life of the module: UCX's context and worker, the choice of devices, addresses. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucs/debug/log_def.h>

#include "ucx.h"

struct ux ux = {.lock = PTHREAD_MUTEX_INITIALIZER};

static char devices[512]; /* what UCX may use */
static char description[640];
static bool serving;

/* ---- UCX's messages ---- */

/* UCX prints to stdout, which is the program's; and of a stranger at its port it tells each time. */
static ucs_log_func_rc_t on_log(const char *file, unsigned line, const char *function, ucs_log_level_t level,
                                const ucs_log_component_config_t *component, const char *message, va_list ap)
{
    char text[512];
    (void)file, (void)line, (void)function, (void)component;
    if (!ux.core || level > UCS_LOG_LEVEL_WARN)
        return UCS_LOG_FUNC_RC_CONTINUE;
    vsnprintf(text, sizeof text, message, ap);
    if (strstr(text, "magic"))
        ux_stranger(text);
    ux.core->log(level == UCS_LOG_LEVEL_FATAL ? GS_ERROR : GS_INFO, "UCX: %s", text);
    return UCS_LOG_FUNC_RC_STOP;
}

/* ---- devices ---- */

static bool port_active(const char *device, const char *port)
{
    char path[300], text[32] = "";
    snprintf(path, sizeof path, "/sys/class/infiniband/%.64s/ports/%.16s/state", device, port);
    FILE *f = fopen(path, "re");
    if (!f)
        return false;
    bool ok = fgets(text, sizeof text, f) && strstr(text, "ACTIVE");
    fclose(f);
    return ok;
}

/* Every active RDMA port, and the chosen interface. Left to itself UCX would offer each interface that is up, those of
 * containers too, and take the wrong one of two that have the same address on every host. */
static void choose_devices(void)
{
    DIR *d = opendir("/sys/class/infiniband");
    size_t at = 0;
    devices[0] = 0;
    for (struct dirent *e; d && (e = readdir(d)) && at + 100 < sizeof devices;) {
        char path[300];
        if (e->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "/sys/class/infiniband/%.64s/ports", e->d_name);
        DIR *ports = opendir(path);
        for (struct dirent *p; ports && (p = readdir(ports)) && at + 100 < sizeof devices;)
            if (p->d_name[0] != '.' && port_active(e->d_name, p->d_name))
                at += (size_t)snprintf(devices + at, sizeof devices - at, "%.64s:%.16s,", e->d_name, p->d_name);
        if (ports)
            closedir(ports);
    }
    if (d)
        closedir(d);
    snprintf(devices + at, sizeof devices - at, "%s", ux.core->interface);
}

static ucs_status_t configure(ucp_config_t **config)
{
    /* UCX has these in its environment only. For an idle connection whose other end is gone: */
    setenv("UCX_TCP_KEEPIDLE", "2s", 0);
    setenv("UCX_TCP_KEEPINTVL", "2s", 0);
    /* Long messages go by TCP in pieces, of 8 KiB where nobody says so. 16 MiB between two processes of one machine, UCX 1.16:
     * 11 to 14 ms, and 4 with these; UCX 1.13: 5 and 4. Short ones take as long. */
    setenv("UCX_TCP_TX_SEG_SIZE", "256k", 0);
    setenv("UCX_TCP_RX_SEG_SIZE", "256k", 0);
    ucs_status_t status = ucp_config_read(NULL, NULL, config);
    if (status != UCS_OK)
        return status;
    choose_devices();
    if (getenv("UCX_NET_DEVICES"))
        snprintf(devices, sizeof devices, "%.256s (UCX_NET_DEVICES)", getenv("UCX_NET_DEVICES"));
    else
        ucp_config_modify(*config, "NET_DEVICES", devices);
    if (!getenv("UCX_TLS")) /* what is within a host is not for UCX */
        ucp_config_modify(*config, "TLS", "^shm,self");
    return UCS_OK;
}

/* ---- life ---- */

static const char *describe(void)
{
    return description;
}

static void close_all(void)
{
    if (ux.address)
        ucp_worker_release_address(ux.worker, ux.address);
    if (ux.worker)
        ucp_worker_destroy(ux.worker);
    if (ux.context)
        ucp_cleanup(ux.context);
    for (int i = 0; ux.peer && i < ux.core->n; i++)
        free(ux.peer[i].reach);
    free(ux.peer);
    free(ux.reach);
    free(ux.dirty);
    ux_free_lists();
    if (ux.core)
        ucs_log_pop_handler();
    ux.address = NULL;
    ux.reach = NULL;
    ux.worker = NULL;
    ux.context = NULL;
    ux.peer = NULL;
    ux.dirty = NULL;
    ux.core = NULL;
}

static int open_worker(const struct gs_far_core *core, const void **address, size_t *len)
{
    const char *what = "ucp_init";
    ucp_config_t *config;

    if (core->abi != GS_FAR_ABI || core->size != sizeof *core) {
        core->log(GS_ERROR, "libginshmem_ucx.so is of another build than libginshmem.so: install both together");
        return -1;
    }
    ux.core = core;
    ux.tasks = NULL;
    ux.tasks_end = &ux.tasks;
    ux.ndirty = 0;
    ux.in_flight = 0;
    ux.gets.left = 0;
    atomic_store(&ux.waiting, 0);
    atomic_store(&ux.settled, false);
    ucs_log_push_handler(on_log);
    ucs_status_t status = configure(&config);
    if (status != UCS_OK)
        goto fail;
    ucp_params_t params = {.field_mask =
                               UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_ESTIMATED_NUM_EPS | UCP_PARAM_FIELD_NAME,
                           .features = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP,
                           .estimated_num_eps = (size_t)core->n,
                           .name = "gin_shmem"};
    status = ucp_init(&params, config, &ux.context);
    ucp_config_release(config);
    if (status != UCS_OK)
        goto fail;
    what = "ucp_worker_create";
    ucp_worker_params_t wparams = {.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE | UCP_WORKER_PARAM_FIELD_EVENTS,
                                   .thread_mode = UCS_THREAD_MODE_SERIALIZED, /* by our lock */
                                   .events = UCP_WAKEUP_RX | UCP_WAKEUP_TX};
    ux_guard_before();
    if ((status = ucp_worker_create(ux.context, &wparams, &ux.worker)) != UCS_OK)
        goto fail;
    ux_guard_close();
    ucp_am_handler_param_t handler = {.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_FLAGS |
                                                    UCP_AM_HANDLER_PARAM_FIELD_CB,
                                      .id = 0,
                                      .flags = UCP_AM_FLAG_WHOLE_MSG,
                                      .cb = ux_on_message};
    what = "ucp_worker_set_am_recv_handler";
    if ((status = ucp_worker_set_am_recv_handler(ux.worker, &handler)) != UCS_OK)
        goto fail;
    what = "ucp_worker_get_address";
    size_t bytes;
    if ((status = ucp_worker_get_address(ux.worker, &ux.address, &bytes)) != UCS_OK)
        goto fail;
    *len = sizeof *ux.reach + bytes;
    ux.reach = calloc(1, *len);
    ux.peer = calloc((size_t)core->n, sizeof *ux.peer);
    ux.dirty = calloc((size_t)core->n, sizeof *ux.dirty);
    what = "memory for its peers";
    if (!ux.reach || !ux.peer || !ux.dirty) {
        status = UCS_ERR_NO_MEMORY;
        goto fail;
    }
    ux.reach->n = (uint32_t)ux_guard_own(ux.reach->from, UX_ADDRESSES);
    memcpy(ux.reach->worker, ux.address, bytes);
    *address = ux.reach;
    unsigned major, minor, release;
    ucp_get_version(&major, &minor, &release);
    snprintf(description, sizeof description, "UCX %u.%u.%u on %s", major, minor, release, devices);
    return 0;

fail:
    core->log(GS_ERROR, "UCX does not work on %s: %s: %s; GIN_SHMEM_SOCKET_IFNAME or UCX_NET_DEVICES choose others",
              devices, what, ucs_status_string(status));
    close_all();
    return -1;
}

static int start(const void *addresses, size_t stride)
{
    struct ux_source *from = malloc(sizeof *from * UX_ADDRESSES * (size_t)ux.core->n);
    size_t n = 0;
    for (int i = 0; i < ux.core->n; i++) {
        struct ux_reach *r = ux.peer[i].reach = malloc(stride);
        if (!r || !from) {
            ux.core->log(GS_ERROR, "no memory for the addresses of %d PEs", ux.core->n);
            free(from);
            return -1;
        }
        memcpy(r, (const char *)addresses + stride * (size_t)i, stride);
        for (uint32_t k = 0; k < r->n && k < UX_ADDRESSES; k++)
            from[n++] = r->from[k];
    }
    ux_guard_open(from, n);
    free(from);
    if (ux_serve_start() != 0)
        return -1;
    serving = true;
    return 0;
}

static void on_end(void *request, ucs_status_t status, void *arg)
{
    struct ux_batch *b = arg;
    (void)status;
    ucp_request_free(request);
    b->left--;
}

/* Waits for what UCX calls a request; under the lock. */
static void finish(ucs_status_ptr_t request, struct ux_batch *batch)
{
    if (!request || UCS_PTR_IS_ERR(request))
        batch->left--;
    ux_wait(batch);
}

static void settle(void)
{
    struct ux_batch one = {1};
    ucp_request_param_t param = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA, .cb.send = on_end, .user_data = &one};
    pthread_mutex_lock(&ux.lock);
    finish(ucp_worker_flush_nbx(ux.worker, &param), &one);
    atomic_store(&ux.settled, true);
    pthread_mutex_unlock(&ux.lock);
}

static void stop(void)
{
    if (serving)
        ux_serve_stop();
    serving = false;
    atomic_store(&ux.settled, true);
    pthread_mutex_lock(&ux.lock);
    for (int i = 0; i < ux.core->n; i++) {
        struct ux_batch one = {1};
        ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA |
                                                     UCP_OP_ATTR_FIELD_FLAGS,
                                     .cb.send = on_end,
                                     .user_data = &one,
                                     .flags = UCP_EP_CLOSE_FLAG_FORCE};
        if (ux.peer[i].ep)
            finish(ucp_ep_close_nbx(ux.peer[i].ep, &param), &one);
    }
    pthread_mutex_unlock(&ux.lock);
    close_all();
}

static const struct gs_far_ops ops = {
    .abi = GS_FAR_ABI,
    .size = sizeof ops,
    .describe = describe,
    .open = open_worker,
    .start = start,
    .settle = settle,
    .stop = stop,
    .put = ux_put,
    .put_signal = ux_put_signal,
    .get = ux_get,
    .put_rows = ux_put_rows,
    .get_rows = ux_get_rows,
    .amo = ux_amo,
    .message = ux_message,
    .fence = ux_fence,
    .quiet = ux_quiet,
    .poll = ux_poll,
};

__attribute__((visibility("default"))) const struct gs_far_ops *gs_far_module(unsigned abi, char *why, size_t whylen);
const struct gs_far_ops *gs_far_module(unsigned abi, char *why, size_t whylen)
{
    if (abi != GS_FAR_ABI) {
        snprintf(why, whylen, "libginshmem_ucx.so is of another version than libginshmem.so: install both together");
        return NULL;
    }
    return &ops;
}
