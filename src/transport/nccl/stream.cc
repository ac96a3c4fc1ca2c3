/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The module's own streams: few, because each takes one of the GPU's queues, and non-blocking, so that neither they
 * nor the default stream wait for each other. A thread keeps to one lane, so that what it issues stays in order.
 */
#include "agent/agent.h"
#include "transport/nccl/kernels.h"
#include "transport/nccl/module.h"

enum { LANES = 4 };
static gs_lane lanes[LANES];
/* Records the end of a lane's work for quiet_on_stream; under events_lock. */
static cudaEvent_t events[LANES];
static std::mutex events_lock;

int gs_stream_start(void)
{
    int least = 0, greatest = 0;
    if (GS_CUDA(cudaDeviceGetStreamPriorityRange, &least, &greatest))
        return -1;
    for (int i = 0; i < LANES; i++) {
        gs_lane *l = &lanes[i];
        l->issued = 0;
        l->completed = 0;
        if (GS_CUDA(cudaStreamCreateWithPriority, &l->stream, cudaStreamNonBlocking, greatest) ||
            GS_CUDA(cudaHostAlloc, (void **)&l->pinned, GS_LANE_PINNED, cudaHostAllocMapped | cudaHostAllocPortable) ||
            GS_CUDA(cudaEventCreateWithFlags, &events[i], cudaEventDisableTiming))
            return -1;
    }
    return 0;
}

void gs_stream_stop(void)
{
    for (int i = 0; i < LANES; i++) {
        gs_lane *l = &lanes[i];
        if (l->stream)
            (void)GS_CUDA(cudaStreamDestroy, l->stream);
        if (l->pinned)
            (void)GS_CUDA(cudaFreeHost, l->pinned);
        if (events[i])
            (void)GS_CUDA(cudaEventDestroy, events[i]);
        l->stream = nullptr;
        l->pinned = nullptr;
        events[i] = nullptr;
    }
}

gs_lane *gs_lane_mine(void)
{
    static std::atomic<unsigned> threads{0};
    static thread_local unsigned mine = threads++ % LANES;
    return &lanes[mine];
}

int gs_sync(cudaStream_t s)
{
    return GS_CUDA(cudaStreamSynchronize, s);
}

/* Returns only when everything issued before is done, whoever is waiting for it: so a lane is taken as completed
 * behind the wait, never before. */
int gs_lanes_quiet(void)
{
    for (gs_lane &l : lanes) {
        uint64_t until = l.issued.load();
        if (l.completed.load() >= until)
            continue;
        gs_enter in;
        if (gs_sync(l.stream))
            return -1;
        uint64_t seen = l.completed.load();
        while (seen < until && !l.completed.compare_exchange_weak(seen, until)) {
        }
    }
    return 0;
}

int gs_quiet(void)
{
    if (gs_lanes_quiet() || gs_gin_quiet())
        return -1;
    gs_agent_quiet();
    return 0;
}

/* What stream holds is done at its target when the stream gets behind it: copies and kernels end with their writes
 * performed. What is left are the lanes, and what the network carries for kernels. */
int gs_quiet_on_stream(void *stream)
{
    gs_enter in;
    cudaStreamCaptureStatus capturing = cudaStreamCaptureStatusNone;
    if (!stream)
        return gs_quiet();
    if (gs_mod.state.remote != GIN_SHMEM_REMOTE_NONE && gs_cuda_check(gs_k_quiet_launch((cudaStream_t)stream), "quieting kernel"))
        return -1;
    bool idle = true;
    for (gs_lane &l : lanes)
        idle = idle && l.completed.load() >= l.issued.load();
    if (idle)
        return 0;
    if (GS_CUDA(cudaStreamIsCapturing, (cudaStream_t)stream, &capturing))
        return -1;
    if (capturing != cudaStreamCaptureStatusNone)
        return gs_quiet(); /* a graph cannot wait for work outside it */
    std::lock_guard<std::mutex> hold(events_lock);
    for (int i = 0; i < LANES; i++) {
        gs_lane *l = &lanes[i];
        if (l->completed.load() >= l->issued.load())
            continue;
        if (GS_CUDA(cudaEventRecord, events[i], l->stream) ||
            GS_CUDA(cudaStreamWaitEvent, (cudaStream_t)stream, events[i], 0))
            return -1;
    }
    return 0;
}
