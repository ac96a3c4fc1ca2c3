/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Atomics on symmetric words. On the device heap the GPU performs them at system scope, so that they are atomic
 * with those of kernels and of other PEs; on the host heap a CPU does, because a GPU's are not atomic with its own.
 */
#include <stdlib.h>
#include <string.h>

#include "transport/nccl/kernels.h"
#include "transport/nccl/module.h"
#include "transport/shared/word.h"

/* ---- host words, in stream order ---- */

struct deferred {
    enum gs_amo_op op;
    void *addr;
    size_t size;
    uint64_t operand;
    bool once; /* not part of a graph, which may run it again */
    struct deferred *next;
};
static struct deferred *in_graphs; /* kept until the end, as nothing tells when a graph goes */
static std::mutex in_graphs_lock;

static void run_deferred(void *arg)
{
    struct deferred *d = (struct deferred *)arg;
    (void)gs_word_amo(d->op, d->addr, d->size, d->operand, 0);
    if (d->once)
        free(d);
}

static int defer(enum gs_amo_op op, void *addr, size_t size, uint64_t operand, cudaStream_t s)
{
    cudaStreamCaptureStatus capturing;
    struct deferred *d = (struct deferred *)malloc(sizeof *d);
    if (!d) {
        gs_mod_error("no memory for an atomic operation in a stream");
        return -1;
    }
    if (GS_CUDA(cudaStreamIsCapturing, s, &capturing)) {
        free(d);
        return -1;
    }
    *d = {op, addr, size, operand, capturing == cudaStreamCaptureStatusNone, nullptr};
    bool once = d->once; /* it may have run, and be gone, when the call returns */
    if (GS_CUDA(cudaLaunchHostFunc, s, run_deferred, d)) {
        free(d);
        return -1;
    }
    if (!once) {
        std::lock_guard<std::mutex> hold(in_graphs_lock);
        d->next = in_graphs;
        in_graphs = d;
    }
    return 0;
}

void gs_amo_stop(void)
{
    while (in_graphs) {
        struct deferred *d = in_graphs;
        in_graphs = d->next;
        free(d);
    }
}

/* ---- device words ---- */

/* A stream's own write needs no room on the GPU, and waits for what the stream did before. */
static int write_value(void *addr, size_t size, uint64_t value, cudaStream_t s)
{
    if (size == 4)
        return GS_DRV(cuStreamWriteValue32, (CUstream)s, (CUdeviceptr)addr, (cuuint32_t)value,
                      CU_STREAM_WRITE_VALUE_DEFAULT);
    return GS_DRV(cuStreamWriteValue64, (CUstream)s, (CUdeviceptr)addr, (cuuint64_t)value,
                  CU_STREAM_WRITE_VALUE_DEFAULT);
}

static int launch(enum gs_amo_op op, void *addr, size_t size, const uint64_t operand[2], uint64_t cond,
                  uint64_t *result, cudaStream_t s)
{
    struct gs_k_amo a = {(int)op, (int)size, addr, {operand[0], operand[1]}, cond, result};
    return gs_cuda_check(gs_k_amo_launch(&a, s), "atomic kernel");
}

static int fetch(void *addr, size_t size, void *result, gs_lane *l)
{
    std::lock_guard<std::mutex> hold(l->lock);
    if (GS_CUDA(cudaMemcpyAsync, l->pinned, addr, size, cudaMemcpyDefault, l->stream) || gs_sync(l->stream))
        return -1;
    memcpy(result, l->pinned, size);
    return 0;
}

static int refuse(const char *what)
{
    gs_mod_error("an atomic operation in a stream: %s", what);
    return -1;
}

static int on_host_word(enum gs_amo_op op, void *addr, size_t size, const uint64_t operand[2], uint64_t cond,
                        void *result, void *stream)
{
    if (size != 4 && size != 8) {
        if (stream || op == GS_AMO_FETCH)
            return gs_copy_bytes(op == GS_AMO_FETCH ? result : addr, op == GS_AMO_FETCH ? addr : operand, size, stream,
                                 true);
        memcpy(addr, operand, size);
        return 0;
    }
    if (stream)
        return op == GS_AMO_SET ? write_value(addr, size, operand[0], (cudaStream_t)stream)
                                : defer(op, addr, size, operand[0], (cudaStream_t)stream);
    uint64_t old = gs_word_amo(op, addr, size, operand[0], cond);
    if (result)
        memcpy(result, &old, size);
    return 0;
}

int gs_amo(enum gs_amo_op op, void *addr, size_t size, const void *operand, const void *cond, void *result,
           void *stream, bool wait)
{
    gs_enter in;
    uint64_t value[2] = {0, 0}, than = 0;
    if (!gs_direct_use(&addr))
        return -1;
    if (operand)
        memcpy(value, operand, size);
    if (cond)
        memcpy(&than, cond, size);
    if (stream && (result || op == GS_AMO_FETCH || op == GS_AMO_CSWAP))
        return refuse("only operations without a result can be done so");
    if (!gs_is_device(addr))
        return on_host_word(op, addr, size, value, than, result, stream);
    if (stream && op == GS_AMO_SET && (size == 4 || size == 8))
        return write_value(addr, size, value[0], (cudaStream_t)stream);
    if (stream)
        return launch(op, addr, size, value, than, nullptr, (cudaStream_t)stream);

    gs_lane *l = gs_lane_mine();
    if (op == GS_AMO_FETCH)
        return fetch(addr, size, result, l);
    if (!result) {
        int rc = op == GS_AMO_SET && (size == 4 || size == 8) ? write_value(addr, size, value[0], l->stream)
                                                              : launch(op, addr, size, value, than, nullptr, l->stream);
        if (rc)
            return -1;
        if (wait)
            return gs_sync(l->stream);
        gs_lane_issued(l);
        return 0;
    }
    std::lock_guard<std::mutex> hold(l->lock);
    if (launch(op, addr, size, value, than, (uint64_t *)l->pinned, l->stream) || gs_sync(l->stream))
        return -1;
    memcpy(result, l->pinned, size);
    return 0;
}
