/* SPDX-License-Identifier: BSD-3-Clause */
/* The net half: NCCL asks for one where there is a GIN half. Sends and receives of host memory over stream sockets, in
 * order, each with its length in front. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include <deque>

#include "plugin.h"
#include "wire.h"

namespace gin_provider
{

struct connection;

struct transfer {
    connection *on;
    char *data;
    size_t room; /* bytes sent, or room for what comes */
    uint64_t length;
    size_t head, at; /* of the length and of the data: bytes that have gone or come */
    bool done;
};

struct connection {
    descriptor fd;
    bool sends;
    std::deque<transfer *> queue;
};

/* Moves what can be moved without waiting. */
static result advance(connection *c)
{
    while (!c->queue.empty()) {
        transfer *t = c->queue.front();
        while (t->head < sizeof t->length || t->at < t->length) {
            const bool in_head = t->head < sizeof t->length;
            char *p = in_head ? (char *)&t->length + t->head : t->data + t->at;
            const size_t left = in_head ? sizeof t->length - t->head : t->length - t->at;
            ssize_t k = c->sends ? send(c->fd.get(), p, left, MSG_DONTWAIT | MSG_NOSIGNAL)
                                 : recv(c->fd.get(), p, left, MSG_DONTWAIT);
            if (k < 0 && (errno == EAGAIN || errno == EINTR))
                return OK;
            if (k <= 0) {
                say("net: a peer is gone: %s", k == 0 ? "it has closed the connection" : strerror(errno));
                return REMOTE_ERROR;
            }
            (in_head ? t->head : t->at) += (size_t)k;
            if (t->head == sizeof t->length && t->length > t->room) {
                say("net: %llu bytes came for a buffer of %zu", (unsigned long long)t->length, t->room);
                return INTERNAL_ERROR;
            }
        }
        t->done = true;
        c->queue.pop_front();
    }
    return OK;
}

static result begin(void *comm, void *data, size_t bytes, void **request)
{
    connection *c = (connection *)comm;
    transfer *t = new transfer{c, (char *)data, bytes, c->sends ? bytes : 0, 0, 0, false};
    c->queue.push_back(t);
    *request = t;
    return OK;
}

static result net_init(void **ctx, uint64_t, void *, log_fn, profile_fn)
{
    return plugin_init(ctx);
}

static result net_properties(int, properties_v11 *p)
{
    fill_properties(p, NET_ON_HOST, HOST_MEMORY, 1);
    return OK;
}

static result net_listen(void *, int, void *handle, void **listener)
{
    return plugin_listen(half::NET, handle, listener);
}

static result net_connect(void *, int, void *handle, void **to, device_handle **)
{
    descriptor fd = dial(*(const struct handle *)handle, half::NET, 0);
    if (!fd)
        return SYSTEM_ERROR;
    *to = new connection{std::move(fd), true, {}};
    return OK;
}

static result net_accept(void *l, void **from, device_handle **)
{
    int rank;
    descriptor fd = ((listener *)l)->accept(&rank);
    *from = fd ? new connection{std::move(fd), false, {}} : nullptr; /* NULL: NCCL asks again */
    return OK;
}

static result net_reg(void *, void *, size_t, int type, void **mhandle)
{
    static char nothing;
    *mhandle = &nothing;
    return type == HOST_MEMORY ? OK : INVALID_USAGE;
}

static result net_dereg(void *, void *)
{
    return OK;
}

static result net_isend(void *to, void *data, size_t bytes, int, void *, void *, void **request)
{
    return begin(to, data, bytes, request);
}

static result net_irecv(void *from, int n, void **data, size_t *bytes, int *, void **, void **, void **request)
{
    if (n != 1) {
        say("net: a receive of %d buffers at once, though max_recvs is 1", n);
        return INVALID_USAGE;
    }
    return begin(from, data[0], bytes[0], request);
}

static result net_iflush(void *, int, void **, int *, void **, void **request)
{
    *request = nullptr; /* host memory is there when it is there */
    return OK;
}

static result net_test(void *request, int *done, int *bytes)
{
    transfer *t = (transfer *)request;
    *done = 0;
    if (!t->done) {
        result r = advance(t->on);
        if (r != OK)
            return r;
    }
    if (t->done) {
        *done = 1;
        if (bytes)
            *bytes = (int)t->length;
        delete t;
    }
    return OK;
}

static result net_close(void *comm)
{
    connection *c = (connection *)comm;
    for (transfer *t : c->queue)
        delete t;
    delete c;
    return OK;
}

} // namespace gin_provider

using namespace gin_provider;
net_v11 ncclNetPlugin_v11 = {
    "gin_provider", net_init, plugin_devices,  net_properties, net_listen,          net_connect,
    net_accept,     net_reg,  nullptr,         net_dereg,      net_isend,           net_irecv,
    net_iflush,     net_test, net_close,       net_close,      plugin_close_listen, nullptr,
    nullptr,        nullptr,  plugin_finalize, nullptr};
