/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The agent's machine on a GPU: a stream of its own is the queue. Copies go by the copy engine, signals and other words
 * that are set by the stream's own writes, which need no room on the GPU and wait behind the copies; what reads and
 * changes a word is a small kernel, and waits for room where kernels fill the GPU.
 */
#include "agent/agent.h"

#include <gin_shmem/agent.h>
#include <string.h>

#include "transport/nccl/kernels.h"
#include "transport/nccl/module.h"
#include "transport/shared/word.h"

static struct {
    cudaStream_t stream;
    uint64_t *reached;              /* pinned */
    uint64_t *words;                /* on the device */
    struct gin_shmem_agent *shared; /* on the device */
    uint64_t marked;                /* the last mark */
    bool behind_mark;               /* the stream has been given something since */
} agent;

static void *pinned(size_t bytes)
{
    gs_enter in;
    void *p = nullptr;
    if (GS_CUDA(cudaHostAlloc, &p, bytes, cudaHostAllocMapped | cudaHostAllocPortable))
        return nullptr;
    memset(p, 0, bytes);
    return p;
}

static void unpin(void *p)
{
    gs_enter in;
    (void)GS_CUDA(cudaFreeHost, p);
}

/* Our context stays current on the agent's thread. */
static int begins(void)
{
    return GS_CUDA(cudaSetDevice, gs_mod.device);
}

/* What the processor does itself comes behind what the stream holds. */
static int settle(void)
{
    if (!agent.behind_mark && __atomic_load_n(agent.reached, __ATOMIC_ACQUIRE) == agent.marked)
        return 0;
    return gs_sync(agent.stream);
}

/* A few words, as the stream's own writes: quicker than a copy, and CUDA lets them in where it lets nothing else in. */
static int store_words(void *to, const void *from, size_t bytes)
{
    CUstreamBatchMemOpParams ops[GIN_SHMEM_AGENT_INLINE / 4] = {};
    const size_t word = (uintptr_t)to % 8 == 0 && bytes % 8 == 0 ? 8 : 4;
    const unsigned n = (unsigned)(bytes / word);
    for (unsigned i = 0; i < n; i++) {
        auto &w = ops[i].writeValue;
        w.operation = word == 8 ? CU_STREAM_MEM_OP_WRITE_VALUE_64 : CU_STREAM_MEM_OP_WRITE_VALUE_32;
        w.address = (CUdeviceptr)to + i * word;
        memcpy(&w.value64, (const char *)from + i * word, word);
        w.flags = CU_STREAM_WRITE_VALUE_DEFAULT; /* the only one there is for batches */
    }
    return GS_DRV(cuStreamBatchMemOp, (CUstream)agent.stream, n, ops, 0);
}

static int copy(void *to, const void *from, size_t bytes, bool ready)
{
    const bool to_device = gs_is_device(to);
    if (!to_device && (ready || !gs_is_device(from))) {
        if (settle())
            return -1;
        memmove(to, from, bytes);
        return 0;
    }
    agent.behind_mark = true;
    if (to_device && ready && bytes && bytes <= GIN_SHMEM_AGENT_INLINE && ((uintptr_t)to | bytes) % 4 == 0)
        return store_words(to, from, bytes);
    return gs_copy_bytes(to, from, bytes, agent.stream, false);
}

static int host_amo(int op, void *at, uint32_t bytes, uint64_t value, uint64_t cond, uint64_t *old)
{
    if (op > GIN_SHMEM_OP_XOR || (bytes != 4 && bytes != 8)) {
        gs_mod_error(
            "a kernel's atomic addition of floating-point numbers at %p, in the host heap of another node: that "
            "works on the device heap only",
            at);
        return -1;
    }
    if (settle())
        return -1;
    uint64_t was = gs_word_amo((enum gs_amo_op)op, at, bytes, value, cond);
    if (old)
        *old = was;
    return 0;
}

static int amo(int op, void *at, uint32_t bytes, uint64_t value, uint64_t cond, uint64_t *old)
{
    if (!gs_is_device(at))
        return host_amo(op, at, bytes, value, cond, old);
    agent.behind_mark = true;
    if (op == GIN_SHMEM_OP_SET && bytes == 8)
        return GS_DRV(cuStreamWriteValue64, (CUstream)agent.stream, (CUdeviceptr)at, value,
                      CU_STREAM_WRITE_VALUE_DEFAULT);
    if (op == GIN_SHMEM_OP_SET && bytes == 4)
        return GS_DRV(cuStreamWriteValue32, (CUstream)agent.stream, (CUdeviceptr)at, (cuuint32_t)value,
                      CU_STREAM_WRITE_VALUE_DEFAULT);
    if (op == GIN_SHMEM_OP_FETCH)
        return GS_CUDA(cudaMemcpyAsync, old, at, bytes, cudaMemcpyDefault, agent.stream);
    struct gs_k_amo a = {op, (int)bytes, at, {value, 0}, cond, old};
    return gs_cuda_check(gs_k_amo_launch(&a, agent.stream), "atomic kernel");
}

static int mark(uint64_t n)
{
    const bool idle = !agent.behind_mark && __atomic_load_n(agent.reached, __ATOMIC_ACQUIRE) == agent.marked;
    agent.marked = n;
    agent.behind_mark = false;
    if (idle) {
        __atomic_store_n(agent.reached, n, __ATOMIC_RELEASE);
        return 0;
    }
    return GS_DRV(cuStreamWriteValue64, (CUstream)agent.stream, (CUdeviceptr)agent.reached, n,
                  CU_STREAM_WRITE_VALUE_DEFAULT);
}

static uint64_t reached(void)
{
    return __atomic_load_n(agent.reached, __ATOMIC_ACQUIRE);
}

int gs_mod_agent_start(void)
{
    struct gin_shmem_agent shared;
    CUmoduleLoadingMode loading;
    int least = 0, greatest = 0;
    if (gs_mod.lsa.nRanks == gs_mod.core.n)
        return 0;
    if (GS_DRV(cuModuleGetLoadingMode, &loading))
        return -1;
    if (loading != CU_MODULE_EAGER_LOADING)
        gs_mod_log(GS_WARN,
                   "CUDA loads each kernel when it is first launched, and that can wait for kernels that wait for "
                   "other nodes, for ever: set CUDA_MODULE_LOADING=EAGER, or call shmem_init before CUDA");
    if (GS_CUDA(cudaDeviceGetStreamPriorityRange, &least, &greatest) ||
        GS_CUDA(cudaStreamCreateWithPriority, &agent.stream, cudaStreamNonBlocking, greatest) ||
        !(agent.reached = (uint64_t *)pinned(64)) || GS_CUDA(cudaMalloc, (void **)&agent.words, 64) ||
        GS_CUDA(cudaMalloc, (void **)&agent.shared, sizeof shared) ||
        GS_CUDA(cudaMemsetAsync, agent.words, 0, 64, agent.stream) || gs_sync(agent.stream))
        return -1;
    const struct gs_agent_machine m = {
        .core = &gs_mod.core,
        .state = &gs_mod.state,
        .pinned = pinned,
        .unpin = unpin,
        .words = agent.words,
        .thread_begins = begins,
        .reach = gs_direct_peer,
        .copy = copy,
        .amo = amo,
        .mark = mark,
        .reached = reached,
        .blocked = "CUDA lets no other call in while a synchronous cudaMemcpy waits behind a kernel, and where that kernel "
                   "waits for another node, this is for ever: call cudaStreamSynchronize first, or cudaMemcpyAsync",
    };
    if (gs_agent_start(&m, &shared) ||
        GS_CUDA(cudaMemcpyAsync, agent.shared, &shared, sizeof shared, cudaMemcpyHostToDevice, agent.stream) ||
        gs_sync(agent.stream))
        return -1;
    gs_mod.state.agent = agent.shared;
    gs_mod.state.remote = GIN_SHMEM_REMOTE_AGENT;
    return 0;
}

void gs_mod_agent_stop(void)
{
    gs_agent_stop();
    if (agent.shared)
        (void)GS_CUDA(cudaFree, agent.shared);
    if (agent.words)
        (void)GS_CUDA(cudaFree, agent.words);
    if (agent.reached)
        unpin(agent.reached);
    if (agent.stream)
        (void)GS_CUDA(cudaStreamDestroy, agent.stream);
    agent = {};
}
