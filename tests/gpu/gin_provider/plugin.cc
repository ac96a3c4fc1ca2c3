/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables that NCCL's GIN proxy drives: one group, seen by the names of two versions. */
#include "plugin.h"

#include <string.h>

#include <vector>

#include "group.h"

namespace gin_provider
{

/* NCCL's queue to a peer has 32 times as many entries, and deep queues keep kernels from waiting for room in them. */
enum { MAX_RECVS = 256 };

result plugin_init(void **ctx)
{
    static char nothing;
    *ctx = &nothing;
    return OK;
}

result plugin_finalize(void *)
{
    return OK;
}

result plugin_devices(int *n)
{
    *n = 1;
    return OK;
}

result plugin_listen(half of, void *handle, void **out)
{
    struct handle h;
    std::unique_ptr<listener> l = listener::open(of, &h);
    if (!l)
        return SYSTEM_ERROR;
    memset(handle, 0, HANDLE_BYTES);
    memcpy(handle, &h, sizeof h);
    *out = l.release();
    return OK;
}

result plugin_close_listen(void *l)
{
    delete (listener *)l;
    return OK;
}

static result gin_init(void **ctx, uint64_t, log_fn)
{
    return plugin_init(ctx);
}

template <class P>
static result gin_properties(int, P *p)
{
    fill_properties(p, GIN_BY_PROXY, HOST_MEMORY | DEVICE_MEMORY, MAX_RECVS);
    return OK;
}

static result rma_properties(int dev, properties_v12 *p)
{
    result r = gin_properties(dev, p);
    p->rail = p->plane = -1;
    return r;
}

static result gin_listen(void *, int, void *handle, void **l)
{
    return plugin_listen(half::GIN, handle, l);
}

static result gin_connect(void *, void *handles[], int n, int rank, void *own, void **out)
{
    std::vector<struct handle> copies((size_t)n); /* NCCL's need not be aligned */
    std::vector<const struct handle *> all;
    for (int r = 0; r < n; r++) {
        memcpy(&copies[(size_t)r], handles[r], sizeof(struct handle));
        all.push_back(&copies[(size_t)r]);
    }
    *out = group::connect(all.data(), n, rank, (listener *)own).release();
    return *out ? OK : SYSTEM_ERROR;
}

static result rma_reg(void *g, void *data, size_t bytes, int type, uint64_t, void **mhandle)
{
    if (type != HOST_MEMORY && type != DEVICE_MEMORY)
        return INVALID_ARGUMENT;
    *mhandle = ((group *)g)->add(data, bytes, type == DEVICE_MEMORY);
    return *mhandle ? OK : SYSTEM_ERROR;
}

/* Kernels get one of the two handles, NCCL's proxy the other, and both come back here. */
static result gin_reg(void *g, void *data, size_t bytes, int type, uint64_t flags, void **mhandle, void **gin_handle)
{
    result r = rma_reg(g, data, bytes, type, flags, mhandle);
    *gin_handle = *mhandle;
    return r;
}

static result gin_dereg(void *g, void *mhandle)
{
    ((group *)g)->remove((region *)mhandle);
    return OK;
}

static result gin_close(void *g)
{
    delete (group *)g;
    return OK;
}

static result put(void *g, uint64_t src_off, void *src, size_t bytes, uint64_t dst_off, void *dst, uint32_t rank,
                  void **request)
{
    return ((group *)g)
        ->put((region *)src, src_off, bytes, (region *)dst, dst_off, (int)rank, {nullptr, 0, 0},
              (struct request **)request);
}

static result put_signal(void *g, uint64_t src_off, void *src, size_t bytes, uint64_t dst_off, void *dst, uint32_t rank,
                         uint64_t sig_off, void *sig, uint64_t value, uint32_t op, void **request)
{
    if (!sig || (op != SIGNAL_INC && op != SIGNAL_ADD)) {
        say("a signal with operation %u: only INC and ADD exist", op);
        return INVALID_ARGUMENT;
    }
    return ((group *)g)
        ->put((region *)src, src_off, bytes, (region *)dst, dst_off, (int)rank,
              {(region *)sig, sig_off, op == SIGNAL_INC ? 1 : value}, (struct request **)request);
}

static result test(void *g, void *request, int *done)
{
    *done = ((group *)g)->test((struct request *)request);
    return OK;
}

static result progress(void *g)
{
    ((group *)g)->progress();
    return OK;
}

static result last_error(void *g, bool *failed)
{
    *failed = g && ((group *)g)->failed();
    return OK;
}

/* ---- RMA: a context is the group itself, since the order between contexts may be stronger than it must ---- */

static result rma_create_context(void *g, rma_config_v14 *, void **context)
{
    *context = g;
    return OK;
}

static result rma_destroy_context(void *)
{
    return OK;
}

static result rma_put(void *g, int, uint64_t src_off, void *src, size_t bytes, uint64_t dst_off, void *dst,
                      uint32_t rank, void **request)
{
    return put(g, src_off, src, bytes, dst_off, dst, rank, request);
}

static result rma_put_signal(void *g, int, uint64_t src_off, void *src, size_t bytes, uint64_t dst_off, void *dst,
                             uint32_t rank, uint64_t sig_off, void *sig, uint64_t value, uint32_t op, bool,
                             void **request)
{
    return put_signal(g, src_off, src, bytes, dst_off, dst, rank, sig_off, sig, value, op, request);
}

static result rma_get(void *g, int, uint64_t remote_off, void *remote, size_t bytes, uint64_t local_off, void *local,
                      uint32_t rank, void **request)
{
    return ((group *)g)
        ->get((region *)remote, remote_off, bytes, (region *)local, local_off, (int)rank, (struct request **)request);
}

/* A get is done when its data is at its place, so there is nothing to flush: no request. */
static result rma_flush(void *, int, void *, uint32_t, void **request)
{
    *request = nullptr;
    return OK;
}

} // namespace gin_provider

using namespace gin_provider;

/* What a proxy does without: contexts, DMA-BUFs (there is no such memory type), and errors, for which some versions
 * pass a context of their own. */
gin_v11 ncclGinPlugin_v11 = {"gin_provider",
                             gin_init,
                             plugin_devices,
                             gin_properties<properties_v11>,
                             gin_listen,
                             gin_connect,
                             nullptr,
                             gin_reg,
                             nullptr,
                             gin_dereg,
                             rma_destroy_context,
                             gin_close,
                             plugin_close_listen,
                             put,
                             put_signal,
                             test,
                             progress,
                             nullptr,
                             plugin_finalize};

rma_v14 ncclRmaPlugin_v14 = {"gin_provider",
                             gin_init,
                             plugin_devices,
                             rma_properties,
                             gin_listen,
                             gin_connect,
                             rma_create_context,
                             rma_reg,
                             nullptr,
                             gin_dereg,
                             rma_destroy_context,
                             gin_close,
                             plugin_close_listen,
                             rma_put,
                             rma_put_signal,
                             rma_get,
                             rma_flush,
                             test,
                             progress,
                             last_error,
                             plugin_finalize};
