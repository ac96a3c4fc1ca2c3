/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies between any two memories: by the CPU where it reaches both, else by the copy engine in the thread's lane
 * or the stream given. A copy from pageable memory returns when the source is read, so whoever needs the arrival
 * syncs the stream.
 */
#include <limits.h>
#include <string.h>

#include "transport/nccl/module.h"

/* In pieces that lie in one registration of host memory each. */
static int enqueue(char *to, const char *from, size_t bytes, cudaStream_t s)
{
    while (bytes) {
        size_t part = gs_host_run(from, gs_host_run(to, bytes));
        if (GS_CUDA(cudaMemcpyAsync, to, from, part, cudaMemcpyDefault, s))
            return -1;
        to += part;
        from += part;
        bytes -= part;
    }
    return 0;
}

static int finish(gs_lane *l, bool wait)
{
    if (wait)
        return gs_sync(l->stream);
    gs_lane_issued(l);
    return 0;
}

int gs_copy_bytes(void *to, const void *from, size_t bytes, void *stream, bool wait)
{
    if (!bytes || to == from)
        return 0;
    if (!gs_direct_use(&to) || !gs_direct_use(&from))
        return gs_far_copy(to, from, bytes, stream);
    if (!stream && !gs_is_device(to) && !gs_is_device(from)) {
        memmove(to, from, bytes);
        return 0;
    }
    gs_enter in;
    if (stream)
        return enqueue((char *)to, (const char *)from, bytes, (cudaStream_t)stream) ||
                       (wait && gs_sync((cudaStream_t)stream))
                   ? -1
                   : 0;
    gs_lane *l = gs_lane_mine();
    return enqueue((char *)to, (const char *)from, bytes, l->stream) || finish(l, wait) ? -1 : 0;
}

static int enqueue_rows(char *to, size_t to_pitch, const char *from, size_t from_pitch, size_t width, size_t rows,
                        cudaStream_t s)
{
    size_t to_all = (rows - 1) * to_pitch + width, from_all = (rows - 1) * from_pitch + width;
    if (width == to_pitch && width == from_pitch)
        return enqueue(to, from, width * rows, s);
    /* One command, unless a pitch is too long for it, runs backwards over itself, or leaves a registration. */
    if (to_pitch <= INT_MAX && from_pitch <= INT_MAX && to_pitch >= width && from_pitch >= width &&
        gs_host_run(to, to_all) == to_all && gs_host_run(from, from_all) == from_all)
        return GS_CUDA(cudaMemcpy2DAsync, to, to_pitch, from, from_pitch, width, rows, cudaMemcpyDefault, s);
    for (size_t i = 0; i < rows; i++)
        if (enqueue(to + i * to_pitch, from + i * from_pitch, width, s))
            return -1;
    return 0;
}

int gs_copy_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t rows,
                 void *stream, bool wait)
{
    if (!width || !rows)
        return 0;
    if (!gs_direct_use(&to) || !gs_direct_use(&from)) {
        for (size_t i = 0; i < rows; i++)
            if (gs_far_copy((char *)to + i * to_pitch, (const char *)from + i * from_pitch, width, stream))
                return -1;
        return 0;
    }
    if (!stream && !gs_is_device(to) && !gs_is_device(from)) {
        for (size_t i = 0; i < rows; i++)
            memmove((char *)to + i * to_pitch, (const char *)from + i * from_pitch, width);
        return 0;
    }
    gs_enter in;
    gs_lane *l = gs_lane_mine();
    if (enqueue_rows((char *)to, to_pitch, (const char *)from, from_pitch, width, rows,
                     stream ? (cudaStream_t)stream : l->stream))
        return -1;
    return stream ? 0 : finish(l, wait);
}

void gs_fill_bytes(void *addr, int byte, size_t bytes)
{
    gs_enter in;
    gs_lane *l = gs_lane_mine();
    if (bytes && (GS_CUDA(cudaMemsetAsync, addr, byte, bytes, l->stream) || gs_sync(l->stream)))
        gs_mod.core.die("device heap", "%zu bytes could not be cleared: see the message before this one", bytes);
}
