/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations in CUDA streams: shmemx_*_on_stream. Arguments are checked at the call, the work is the module's. */
#include <shmemx.h>

#include "api/entry.h"
#include "api/span.h"
#include "api/stream.h"
#include "coll/coll.h"
#include "coll/strided.h"
#include "core/device.h"
#include "core/log.h"
#include "core/team.h"
#include "heap/addr.h"

static void copy(const char *fn, void *to, const void *from, size_t bytes, struct CUstream_st *stream)
{
    if (bytes && gs.dev->copy(to, from, bytes, in(stream), false) != 0)
        failed(fn);
}

static void copy_blocks(const char *fn, void *to, ptrdiff_t dst, const void *from, ptrdiff_t sst, size_t bsize,
                        size_t nblocks, size_t size, struct CUstream_st *stream)
{
    if (bsize && nblocks &&
        gs.dev->copy_rows(to, (size_t)dst * size, from, (size_t)sst * size, bsize * size, nblocks, in(stream), false) != 0)
        failed(fn);
}

static void put(const char *fn, void *dest, const void *source, size_t bytes, int pe, struct CUstream_st *stream)
{
    gs_device_need(fn);
    copy(fn, gs_remote(fn, "dest", dest, bytes, pe), source, bytes, stream);
}

static void get(const char *fn, void *dest, const void *source, size_t bytes, int pe, struct CUstream_st *stream)
{
    gs_device_need(fn);
    copy(fn, dest, gs_remote(fn, "source", source, bytes, pe), bytes, stream);
}

static void put_blocks(const char *fn, void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize,
                       size_t nblocks, size_t size, int pe, struct CUstream_st *stream)
{
    gs_device_need(fn);
    (void)gs_block_span(fn, nblocks, sst, bsize, size);
    char *to = gs_remote(fn, "dest", dest, gs_block_span(fn, nblocks, dst, bsize, size), pe);
    copy_blocks(fn, to, dst, source, sst, bsize, nblocks, size, stream);
}

static void get_blocks(const char *fn, void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize,
                       size_t nblocks, size_t size, int pe, struct CUstream_st *stream)
{
    gs_device_need(fn);
    (void)gs_block_span(fn, nblocks, dst, bsize, size);
    const char *from = gs_remote(fn, "source", source, gs_block_span(fn, nblocks, sst, bsize, size), pe);
    copy_blocks(fn, dest, dst, from, sst, bsize, nblocks, size, stream);
}

static void signal_op(const char *fn, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, struct CUstream_st *stream)
{
    gs_device_need(fn);
    if ((unsigned)sig_op > SHMEM_SIGNAL_ADD)
        gs_die(fn, "sig_op %d is unknown: use SHMEM_SIGNAL_SET or SHMEM_SIGNAL_ADD", sig_op);
    uint64_t *word = gs_remote(fn, "sig_addr", sig_addr, sizeof *sig_addr, pe);
    if (gs.dev->amo(sig_op == SHMEM_SIGNAL_SET ? GS_AMO_SET : GS_AMO_ADD, word, sizeof *word, &signal, NULL, NULL,
                    in(stream), false) != 0)
        failed(fn);
}

static void put_signal(const char *fn, void *dest, const void *source, size_t bytes, uint64_t *sig_addr, uint64_t signal,
                       int sig_op, int pe, struct CUstream_st *stream)
{
    if (bytes)
        put(fn, dest, source, bytes, pe, stream);
    signal_op(fn, sig_addr, signal, sig_op, pe, stream);
}

/* ---- RMA: rows of the standard's families, SIZE being the element's bytes ---- */

#define STREAM_put(fn, SIZE)     put(fn, dest, source, gs_bytes(nelems, SIZE), pe, stream);
#define STREAM_get(fn, SIZE)     get(fn, dest, source, gs_bytes(nelems, SIZE), pe, stream);
#define STREAM_put_nbi(fn, SIZE) STREAM_put(fn, SIZE)
#define STREAM_get_nbi(fn, SIZE) STREAM_get(fn, SIZE)
/* The value is gone when this returns, so it travels as the operand of a store. */
#define STREAM_p(fn, SIZE)                                                                                             \
    gs_device_need(fn);                                                                                                \
    void *to = gs_remote(fn, "dest", dest, SIZE, pe);                                                                  \
    if (gs.dev->amo(GS_AMO_SET, to, SIZE, &value, NULL, NULL, in(stream), false) != 0)                                 \
        failed(fn);
#define STREAM_iput(fn, SIZE)  put_blocks(fn, dest, source, dst, sst, 1, nelems, SIZE, pe, stream);
#define STREAM_iget(fn, SIZE)  get_blocks(fn, dest, source, dst, sst, 1, nelems, SIZE, pe, stream);
#define STREAM_ibput(fn, SIZE) put_blocks(fn, dest, source, dst, sst, bsize, nblocks, SIZE, pe, stream);
#define STREAM_ibget(fn, SIZE) get_blocks(fn, dest, source, dst, sst, bsize, nblocks, SIZE, pe, stream);
#define STREAM_put_signal(fn, SIZE)                                                                                    \
    put_signal(fn, dest, source, gs_bytes(nelems, SIZE), sig_addr, signal, sig_op, pe, stream);
#define STREAM_put_signal_nbi(fn, SIZE) STREAM_put_signal(fn, SIZE)

#define DEFINE(N, OP, RET, PROTO, ARGS)                                                                                \
    RET shmemx_##N##_##OP##_on_stream SHMEMI_STREAM_PROTO PROTO                                                        \
    {                                                                                                                  \
        STREAM_##OP("shmemx_" #N "_" #OP "_on_stream", sizeof *dest)                                                   \
    }
#define DEFINE_SIZED(BITS, NAME, KIND, RET, PROTO, ARGS)                                                               \
    RET shmemx_##NAME##_on_stream SHMEMI_STREAM_PROTO PROTO                                                            \
    {                                                                                                                  \
        STREAM_##KIND("shmemx_" #NAME "_on_stream", BITS / 8)                                                          \
    }
SHMEMI_RMA_TYPES(SHMEMI_RMA_OPS, DEFINE)
SHMEMI_SIZED_FUNCTIONS(DEFINE_SIZED)

/* ---- signals and waits ---- */

void shmemx_signal_op_on_stream(uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, struct CUstream_st *stream)
{
    signal_op("shmemx_signal_op_on_stream", sig_addr, signal, sig_op, pe, stream);
}

static void wait_until(const char *fn, const char *arg, const void *addr, size_t size, bool is_signed, int cmp,
                       uint64_t value, struct CUstream_st *stream)
{
    gs_device_need(fn);
    if ((unsigned)cmp > SHMEM_CMP_GE)
        gs_die(fn, "cmp %d is unknown: use SHMEM_CMP_EQ, _NE, _GT, _GE, _LT or _LE", cmp);
    (void)gs_remote(fn, arg, addr, size, gs.me);
    if (gs.dev->wait_until(addr, size, is_signed, cmp, value, in(stream)) != 0)
        failed(fn);
}

void shmemx_signal_wait_until_on_stream(uint64_t *sig_addr, int cmp, uint64_t cmp_value, struct CUstream_st *stream)
{
    wait_until("shmemx_signal_wait_until_on_stream", "sig_addr", sig_addr, sizeof *sig_addr, false, cmp, cmp_value,
               stream);
}

#define DEFINE_WAIT(A, N, T)                                                                                           \
    void shmemx_##N##_wait_until_on_stream(T *ivar, int cmp, T cmp_value, struct CUstream_st *stream)                  \
    {                                                                                                                  \
        wait_until("shmemx_" #N "_wait_until_on_stream", "ivar", ivar, sizeof *ivar, (T)-1 < (T)1, cmp,                \
                   (uint64_t)cmp_value, stream);                                                                       \
    }
SHMEMI_AMO_TYPES(DEFINE_WAIT, )

/* ---- collectives ---- */

static int coll(const char *fn, shmem_team_t team, size_t dest_bytes, size_t source_bytes, struct gs_device_coll c,
                struct CUstream_st *stream)
{
    gs_device_need(fn);
    (void)gs_symmetric(fn, "source", c.source, source_bytes);
    (void)gs_symmetric(fn, "dest", c.dest, dest_bytes);
    int rc = gs.dev->coll(&gs_team_need(fn, team)->g, &c, in(stream));
    if (rc > 0)
        gs_die(fn, "this operation and type cannot run in a stream: use the call without _on_stream, behind a "
                   "cudaStreamSynchronize");
    if (rc < 0)
        failed(fn);
    return 0;
}

#define TEAM_SIZE(fn) ((size_t)gs_team_need(fn, team)->g.n)
#define BYTES(KIND, SIZE, DEST, SOURCE)                                                                                \
    coll(fn, team, DEST, SOURCE,                                                                                       \
         (struct gs_device_coll){.kind = KIND, .dest = dest, .source = source, .nelems = gs_bytes(nelems, SIZE),       \
                                 .size = 1, .type = GS_TYPE_bytes}, stream)

#define STREAM_broadcast(fn_, SIZE)                                                                                    \
    const char *fn = fn_;                                                                                              \
    if ((unsigned)PE_root >= TEAM_SIZE(fn))                                                                            \
        gs_die(fn, "PE_root %d is out of range: the team has %zu PEs", PE_root, TEAM_SIZE(fn));                        \
    return coll(fn, team, gs_bytes(nelems, SIZE), gs_bytes(nelems, SIZE),                                              \
                (struct gs_device_coll){.kind = GS_COLL_BROADCAST, .dest = dest, .source = source,                     \
                                        .nelems = gs_bytes(nelems, SIZE), .size = 1, .type = GS_TYPE_bytes,            \
                                        .root = PE_root, .write_root = true}, stream);
#define STREAM_fcollect(fn_, SIZE)                                                                                     \
    const char *fn = fn_;                                                                                              \
    return BYTES(GS_COLL_FCOLLECT, SIZE, gs_bytes(gs_bytes(nelems, SIZE), TEAM_SIZE(fn)), gs_bytes(nelems, SIZE));
#define STREAM_collect(fn_, SIZE)                                                                                      \
    const char *fn = fn_;                                                                                              \
    return BYTES(GS_COLL_COLLECT, SIZE, 0, gs_bytes(nelems, SIZE));
#define STREAM_alltoall(fn_, SIZE)                                                                                     \
    const char *fn = fn_;                                                                                              \
    size_t all = gs_bytes(gs_bytes(nelems, SIZE), TEAM_SIZE(fn));                                                      \
    return BYTES(GS_COLL_ALLTOALL, SIZE, all, all);
#define STREAM_alltoalls(fn_, SIZE)                                                                                    \
    const char *fn = fn_;                                                                                              \
    gs_check_strides(fn, dst, sst);                                                                                    \
    size_t count = gs_bytes(nelems, TEAM_SIZE(fn));                                                                    \
    return coll(fn, team, gs_strided_bytes(count, dst, SIZE), gs_strided_bytes(count, sst, SIZE),                      \
                (struct gs_device_coll){.kind = GS_COLL_ALLTOALLS, .dest = dest, .source = source, .nelems = nelems,   \
                                        .size = SIZE, .type = GS_TYPE_bytes, .dst = dst, .sst = sst}, stream);
SHMEMI_COLL_FUNCTIONS(DEFINE)

#define STREAM_REDUCE(fn, N, KIND, OP)                                                                                 \
    return coll(fn, team, gs_bytes(nreduce, sizeof *dest), gs_bytes(nreduce, sizeof *dest),                            \
                (struct gs_device_coll){.kind = KIND, .dest = dest, .source = source, .nelems = nreduce,               \
                                        .size = sizeof *dest, .type = GS_TYPE_##N, .op = GS_OP_##OP}, stream);
#define REDUCE_and_reduce(fn, N)  STREAM_REDUCE(fn, N, GS_COLL_REDUCE, and)
#define REDUCE_or_reduce(fn, N)   STREAM_REDUCE(fn, N, GS_COLL_REDUCE, or)
#define REDUCE_xor_reduce(fn, N)  STREAM_REDUCE(fn, N, GS_COLL_REDUCE, xor)
#define REDUCE_max_reduce(fn, N)  STREAM_REDUCE(fn, N, GS_COLL_REDUCE, max)
#define REDUCE_min_reduce(fn, N)  STREAM_REDUCE(fn, N, GS_COLL_REDUCE, min)
#define REDUCE_sum_reduce(fn, N)  STREAM_REDUCE(fn, N, GS_COLL_REDUCE, sum)
#define REDUCE_prod_reduce(fn, N) STREAM_REDUCE(fn, N, GS_COLL_REDUCE, prod)
#define REDUCE_sum_inscan(fn, N)  STREAM_REDUCE(fn, N, GS_COLL_INSCAN, sum)
#define REDUCE_sum_exscan(fn, N)  STREAM_REDUCE(fn, N, GS_COLL_EXSCAN, sum)
#define DEFINE_REDUCE(N, OP, RET, PROTO, ARGS)                                                                         \
    RET shmemx_##N##_##OP##_on_stream SHMEMI_STREAM_PROTO PROTO { REDUCE_##OP("shmemx_" #N "_" #OP "_on_stream", N) }
SHMEMI_REDUCE_FUNCTIONS(DEFINE_REDUCE)

int shmemx_broadcastmem_on_stream(shmem_team_t team, void *dest, const void *source, size_t nelems, int PE_root,
                                  struct CUstream_st *stream)
{
    STREAM_broadcast("shmemx_broadcastmem_on_stream", 1)
}

#define DEFINE_MEM(OP)                                                                                                 \
    int shmemx_##OP##mem_on_stream(shmem_team_t team, void *dest, const void *source, size_t nelems,                   \
                                   struct CUstream_st *stream)                                                         \
    {                                                                                                                  \
        STREAM_##OP("shmemx_" #OP "mem_on_stream", 1)                                                                  \
    }
DEFINE_MEM(fcollect)
DEFINE_MEM(collect)
DEFINE_MEM(alltoall)

/* ---- barriers, quiet ---- */

static int barrier(const char *fn, shmem_team_t team, bool quiet, struct CUstream_st *stream)
{
    gs_device_need(fn);
    if (gs.dev->barrier_on_stream(&gs_team_need(fn, team)->g, quiet, in(stream)) != 0)
        failed(fn);
    return 0;
}

void shmemx_barrier_all_on_stream(struct CUstream_st *stream)
{
    barrier("shmemx_barrier_all_on_stream", SHMEM_TEAM_WORLD, true, stream);
}

void shmemx_sync_all_on_stream(struct CUstream_st *stream)
{
    barrier("shmemx_sync_all_on_stream", SHMEM_TEAM_WORLD, false, stream);
}

int shmemx_barrier_on_stream(shmem_team_t team, struct CUstream_st *stream)
{
    return barrier("shmemx_barrier_on_stream", team, true, stream);
}

int shmemx_team_sync_on_stream(shmem_team_t team, struct CUstream_st *stream)
{
    return barrier("shmemx_team_sync_on_stream", team, false, stream);
}

void shmemx_quiet_on_stream(struct CUstream_st *stream)
{
    gs_device_need("shmemx_quiet_on_stream");
    if (gs.dev->quiet_on_stream(in(stream)) != 0)
        failed("shmemx_quiet_on_stream");
}
