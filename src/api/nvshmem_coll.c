/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions of all of NVSHMEM's types, and its stream calls that shmemx.h has no counterpart of. */
#include <nvshmem/gin_nvshmem/library.h>
#include <string.h>

#include "api/stream.h"
#include "coll/kernels.h"
#include "coll/scatter.h"
#include "core/device.h"
#include "core/log.h"
#include "core/team.h"
#include "heap/addr.h"

/* ---- reductions ---- */

/* Bits of all integers but the signed C types, which NVSHMEM leaves out as OpenSHMEM does. */
static struct gs_combine combine(const char *name, enum gin_nv_type type, enum gin_nv_op op)
{
#define ROW(N, OP, T)                                    \
    if (type == GIN_NV_TYPE_##N && op == GIN_NV_OP_##OP) \
        return GS_COMBINE(N, OP, T);
#define BITS(A, N, T)   ROW(N, and, T) ROW(N, or, T) ROW(N, xor, T)
#define NUMBER(A, N, T) ROW(N, min, T) ROW(N, max, T) ROW(N, sum, T) ROW(N, prod, T)
    SHMEMI_BIT_REDUCE_TYPES(BITS, )
    SHMEMI_RMA_TYPES(NUMBER, )
    GS_HALF_TYPES(NUMBER, )
    gs_die(name, "internal: type %d has no operation %d", (int)type, (int)op);
}

int shmemx_nvshmem_reduce(const char *name, shmem_team_t team, void *dest, const void *source, size_t nreduce,
                          enum gin_nv_type type, enum gin_nv_op op, int scatter)
{
    struct gs_group *g = &gs_team_need(name, team)->g;
    struct gs_combine how = combine(name, type, op);
    if (scatter)
        gs_coll_reducescatter(name, g, dest, source, nreduce, how);
    else
        gs_coll_reduce(name, g, dest, source, nreduce, how);
    return 0;
}

/* ---- streams ---- */

int shmemx_nvshmem_reduce_on_stream(const char *name, shmem_team_t team, void *dest, const void *source, size_t nreduce,
                                    enum gin_nv_type type, enum gin_nv_op op, int scatter, struct CUstream_st *stream)
{
    gs_device_need(name);
    struct gs_group *g = &gs_team_need(name, team)->g;
    struct gs_combine how = combine(name, type, op);
    size_t bytes = gs_bytes(nreduce, how.size);
    (void)gs_symmetric(name, "source", source, scatter ? gs_bytes(bytes, (size_t)g->n) : bytes);
    (void)gs_symmetric(name, "dest", dest, bytes);
    struct gs_device_coll c = {.kind = scatter ? GS_COLL_REDUCESCATTER : GS_COLL_REDUCE,
                               .dest = dest,
                               .source = source,
                               .nelems = nreduce,
                               .size = how.size,
                               .type = how.type,
                               .op = how.op};
    int rc = gs.dev->coll(g, &c, in(stream));
    if (rc > 0)
        gs_die(name, "this operation and type cannot run in a stream on this memory: use the call without _on_stream, "
                     "behind a cudaStreamSynchronize");
    if (rc < 0)
        failed(name);
    return 0;
}

void shmemx_nvshmem_g_on_stream(const char *name, void *value, const void *source, size_t size, int pe,
                                struct CUstream_st *stream)
{
    gs_device_need(name);
    if (gs.dev->copy(value, gs_remote(name, "source", source, size, pe), size, in(stream), true) != 0)
        failed(name);
}

void shmemx_nvshmem_wait_on_stream(const char *name, void *ivars, size_t size, int is_signed, size_t nelems,
                                   const int *status, int cmp, const void *values, int vector,
                                   struct CUstream_st *stream)
{
    gs_device_need(name);
    if ((unsigned)cmp > SHMEM_CMP_GE)
        gs_die(name, "cmp %d is unknown: use NVSHMEM_CMP_EQ, _NE, _GT, _GE, _LT or _LE", cmp);
    if (size < 4)
        gs_die(name, "a stream cannot wait for words of %zu bytes: use int or a longer type", size);
    (void)gs_symmetric(name, "ivars", ivars, gs_bytes(nelems, size));
    for (size_t i = 0; i < nelems; i++) {
        union {
            uint32_t u32;
            uint64_t u64;
        } value = {.u64 = 0};
        int excluded = 0;
        if (status)
            gs_load(name, &excluded, &status[i], sizeof excluded);
        if (excluded)
            continue;
        gs_load(name, &value, (const char *)values + (vector ? i * size : 0), size);
        uint64_t v = size == 8 ? value.u64 : is_signed ? (uint64_t)(int64_t)(int32_t)value.u32 : value.u32;
        if (gs.dev->wait_until((char *)ivars + i * size, size, is_signed, cmp, v, in(stream)) != 0)
            failed(name);
    }
}
