/* SPDX-License-Identifier: BSD-3-Clause */
/* RDMA devices, through rdma-core's headers; the library is opened at run time, so that this program starts without. */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "probe.h"

#if GS_HAVE_VERBS

#include <infiniband/verbs.h>

/* The header's own ibv_query_port would have to be linked. */
#undef ibv_query_port

struct verbs {
    struct ibv_device **(*list)(int *n);
    void (*free_list)(struct ibv_device **list);
    const char *(*name)(struct ibv_device *device);
    struct ibv_context *(*open)(struct ibv_device *device);
    int (*close)(struct ibv_context *context);
    int (*query_device)(struct ibv_context *context, struct ibv_device_attr *attr);
    /* Fills ibv_port_attr up to its flags. */
    int (*query_port)(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr);
};

static bool load(struct verbs *v, struct reasons *why)
{
    void *lib = open_library("libibverbs.so.1", why);
    if (!lib)
        return false;
    v->list = (struct ibv_device * *(*)(int *)) dlsym(lib, "ibv_get_device_list");
    v->free_list = (void (*)(struct ibv_device **))dlsym(lib, "ibv_free_device_list");
    v->name = (const char *(*)(struct ibv_device *))dlsym(lib, "ibv_get_device_name");
    v->open = (struct ibv_context * (*)(struct ibv_device *)) dlsym(lib, "ibv_open_device");
    v->close = (int (*)(struct ibv_context *))dlsym(lib, "ibv_close_device");
    v->query_device = (int (*)(struct ibv_context *, struct ibv_device_attr *))dlsym(lib, "ibv_query_device");
    v->query_port = (int (*)(struct ibv_context *, uint8_t, struct ibv_port_attr *))dlsym(lib, "ibv_query_port");
    if (v->list && v->free_list && v->name && v->open && v->close && v->query_device && v->query_port)
        return true;
    reasons_add(why, "libibverbs.so.1 lacks functions of the verbs interface");
    return false;
}

static const char *state_name(enum ibv_port_state state)
{
    switch (state) {
    case IBV_PORT_NOP:
        return "no change";
    case IBV_PORT_DOWN:
        return "down";
    case IBV_PORT_INIT:
        return "initialising";
    case IBV_PORT_ARMED:
        return "armed";
    case IBV_PORT_ACTIVE:
        return "active";
    case IBV_PORT_ACTIVE_DEFER:
        return "active, deferred";
    }
    return "unknown";
}

static const char *link_name(uint8_t layer)
{
    return layer == IBV_LINK_LAYER_ETHERNET     ? "Ethernet"
           : layer == IBV_LINK_LAYER_INFINIBAND ? "InfiniBand"
                                                : "unspecified link layer";
}

struct port {
    char device[IBV_SYSFS_NAME_MAX];
    unsigned number;     /* 0: the device, which could not be asked */
    const char *problem; /* NULL: attr holds */
    struct ibv_port_attr attr;
};
enum { PORTS_MAX = 64 };

static unsigned add(struct port *ports, unsigned n, const char *device, unsigned number, const char *problem)
{
    struct port *p = &ports[n];
    snprintf(p->device, sizeof p->device, "%s", device);
    p->number = number;
    p->problem = problem;
    return n + 1;
}

/* Appends the ports of one device; the new number of ports. */
static unsigned ask_device(const struct verbs *v, struct ibv_device *device, struct port *ports, unsigned n)
{
    const char *name = v->name(device);
    struct ibv_device_attr attr;
    struct ibv_context *context = v->open(device);
    if (!context)
        return n < PORTS_MAX ? add(ports, n, name, 0, "cannot be opened") : n;
    memset(&attr, 0, sizeof attr);
    if (v->query_device(context, &attr) != 0 && n < PORTS_MAX)
        n = add(ports, n, name, 0, "does not answer");
    for (unsigned port = 1; port <= attr.phys_port_cnt && n < PORTS_MAX; port++) {
        int error = v->query_port(context, (uint8_t)port, &ports[n].attr);
        n = add(ports, n, name, port, error ? "does not answer" : NULL);
    }
    v->close(context);
    return n;
}

static void show_port(struct out *o, const struct port *p)
{
    const char *state = p->problem ? p->problem : state_name(p->attr.state);
    const char *link = p->problem ? "link not known" : link_name(p->attr.link_layer);
    if (o->json) {
        out_open(o, NULL);
        out_text(o, "device", "%s", p->device);
        out_number(o, "port", p->number);
        out_text(o, "state", "%s", state);
        out_text(o, "link_layer", "%s", link);
        out_close(o);
    } else {
        out_text(o, NULL, "%s port %u: %s, %s", p->device, p->number, state, link);
    }
}

/* Fills ports; the number of them. */
static unsigned ask_all(struct port *ports, struct reasons *why)
{
    struct verbs v;
    int devices = 0;
    unsigned n = 0;
    if (!load(&v, why))
        return 0;
    struct ibv_device **list = v.list(&devices);
    if (!list && errno == ENOSYS) {
        reasons_add(why, "the kernel has no RDMA: no InfiniBand modules are loaded");
    } else if (!list) {
        reasons_add(why, "ibv_get_device_list: %s", strerror(errno));
    } else {
        if (devices == 0)
            reasons_add(why, "no RDMA device");
        for (int i = 0; i < devices; i++)
            n = ask_device(&v, list[i], ports, n);
        v.free_list(list);
    }
    return n;
}

/* Fills ports, and says whether one of them is active. */
static bool look(struct port *ports, unsigned *n, struct reasons *why)
{
    *n = ask_all(ports, why);
    for (unsigned i = 0; i < *n; i++)
        if (!ports[i].problem && ports[i].attr.state == IBV_PORT_ACTIVE)
            return true;
    if (*n > 0)
        reasons_add(why, "no port is active");
    return false;
}

static struct port ports[PORTS_MAX];

bool rdma_usable(void)
{
    struct reasons why = {""};
    unsigned n;
    return look(ports, &n, &why);
}

void probe_rdma(struct out *o)
{
    struct reasons why = {""};
    unsigned n;
    bool works = look(ports, &n, &why);
    out_open(o, "rdma");
    out_verdict(o, works, why.text);
    out_list(o, "ports");
    for (unsigned i = 0; i < n; i++)
        show_port(o, &ports[i]);
    out_list_end(o);
    out_close(o);
}

#else

bool rdma_usable(void)
{
    return false;
}

void probe_rdma(struct out *o)
{
    out_open(o, "rdma");
    out_verdict(o, false, "not looked for: this program was built without rdma-core's headers");
    out_list(o, "ports");
    out_list_end(o);
    out_close(o);
}

#endif
