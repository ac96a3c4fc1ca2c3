/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives on device memory. NCCL does what it knows, on a communicator per team; the rest are kernels that load
 * from and store to the peers' memory, between two barriers. In a stream the barriers are kernels on the team's
 * lane 0; a blocking call uses the core's, so that it does not disturb what the program has put into streams.
 */
#include <complex>
#include <string.h>
#include <type_traits>

#include "transport/nccl/kernels.h"
#include "transport/nccl/module.h"
#include "transport/shared/team.h"

/* ---- types ---- */

/* What T is to a machine; GS_K_TYPES for a type that GPUs do not have. */
template <class T>
static constexpr enum gs_k_type machine_type(void)
{
    if (std::is_same<T, float>::value)
        return GS_K_F32;
    if (std::is_same<T, double>::value)
        return GS_K_F64;
    if (std::is_same<T, std::complex<float>>::value)
        return GS_K_C32;
    if (std::is_same<T, std::complex<double>>::value)
        return GS_K_C64;
    if (!std::is_integral<T>::value)
        return GS_K_TYPES;
    switch (sizeof(T)) {
    case 1:
        return std::is_signed<T>::value ? GS_K_S8 : GS_K_U8;
    case 2:
        return std::is_signed<T>::value ? GS_K_S16 : GS_K_U16;
    case 4:
        return std::is_signed<T>::value ? GS_K_S32 : GS_K_U32;
    default:
        return std::is_signed<T>::value ? GS_K_S64 : GS_K_U64;
    }
}

static enum gs_k_type type_of(enum gs_type t)
{
    switch (t) {
#define GS_TYPE_CASE(A, N, T) \
    case GS_TYPE_##N:         \
        return machine_type<T>();
        SHMEMI_SUM_REDUCE_TYPES(GS_TYPE_CASE, )
#undef GS_TYPE_CASE
    case GS_TYPE_half:
        return GS_K_F16;
    case GS_TYPE_bfloat16:
        return GS_K_BF16;
    case GS_TYPE_bytes:
        break;
    }
    return GS_K_TYPES;
}

/* Sums, products and bits are the same for signed and unsigned integers. */
static enum gs_k_type type_for(enum gs_type t, enum gs_reduce_op op)
{
    enum gs_k_type k = type_of(t);
    return op != GS_OP_min && op != GS_OP_max && k >= GS_K_S8 && k <= GS_K_S64 ? (enum gs_k_type)(k - GS_K_S8 + GS_K_U8)
                                                                               : k;
}

/* NCCL's words for a reduction; count: of NCCL's elements in one of ours. */
static bool nccl_words(enum gs_k_type type, enum gs_reduce_op op, ncclDataType_t *t, ncclRedOp_t *o, size_t *count)
{
    *count = 1;
    switch (type) {
    case GS_K_S8:
        *t = ncclInt8;
        break;
    case GS_K_U8:
        *t = ncclUint8;
        break;
    case GS_K_S32:
        *t = ncclInt32;
        break;
    case GS_K_U32:
        *t = ncclUint32;
        break;
    case GS_K_S64:
        *t = ncclInt64;
        break;
    case GS_K_U64:
        *t = ncclUint64;
        break;
    case GS_K_F16:
        *t = ncclFloat16;
        break;
    case GS_K_BF16:
        *t = ncclBfloat16;
        break;
    case GS_K_F32:
    case GS_K_C32:
        *t = ncclFloat32;
        break;
    case GS_K_F64:
    case GS_K_C64:
        *t = ncclFloat64;
        break;
    default:
        return false;
    }
    if (type == GS_K_C32 || type == GS_K_C64) {
        *count = 2;
        if (op != GS_OP_sum)
            return false;
    }
    switch (op) {
    case GS_OP_sum:
        *o = ncclSum;
        return true;
    case GS_OP_prod:
        *o = ncclProd;
        return true;
    case GS_OP_min:
        *o = ncclMin;
        return true;
    case GS_OP_max:
        *o = ncclMax;
        return true;
    default:
        return false;
    }
}

/* ---- teams ---- */

int gs_team_stream(gs_dev_team *t)
{
    int least = 0, greatest = 0;
    if (t->stream)
        return 0;
    if (GS_CUDA(cudaDeviceGetStreamPriorityRange, &least, &greatest))
        return -1;
    return GS_CUDA(cudaStreamCreateWithPriority, &t->stream, cudaStreamNonBlocking, greatest);
}

void gs_team_release(gs_dev_team *t)
{
    if (t->comm)
        (void)GS_NCCL(ncclCommDestroy, t->comm);
    if (t->stream)
        (void)GS_CUDA(cudaStreamDestroy, t->stream);
    t->comm = nullptr;
    t->stream = nullptr;
}

/* The team's communicator; collective over the team when it is not there yet. NULL, logged, when it cannot be made. */
static ncclComm_t comm_of(struct gs_group *g, gs_dev_team *t)
{
    if (t->world_comm)
        return gs_mod.comm;
    if (t->comm)
        return t->comm;
    ncclUniqueId id;
    memset(&id, 0, sizeof id);
    if (t->shape.me == 0 && GS_NCCL(ncclGetUniqueId, &id))
        return nullptr;
    gs_mod.core.group_broadcast(g, &id, sizeof id, 0);
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 1;
    if (GS_NCCL(ncclCommInitRankConfig, &t->comm, t->shape.n, id, t->shape.me, &config))
        t->comm = nullptr;
    return t->comm;
}

/* ---- the ways ---- */

/* ONE_BLOCK: by one kernel of one block. */
enum { BY_NCCL, BY_KERNELS, BY_COPIES, BY_ONE_BLOCK, BY_NOBODY };

/* In a stream, in bytes: reductions of up to the first go by one block, and of the other kinds those that move no more
 * than the second to all members together. From the third on ncclAllReduce is faster on buffers of which it does not know
 * that they are windows. Measured on two H200s with NCCL 2.28.9, the second on one with 2.32.3. */
enum { ONE_BLOCK_MOST = 16 << 10, ONE_BLOCK_ALL_MOST = 64 << 10, NO_WINDOW_LEAST = 64 << 20 };

static bool is_bytes(const struct gs_device_coll *c)
{
    return c->kind == GS_COLL_BROADCAST || c->kind == GS_COLL_FCOLLECT || c->kind == GS_COLL_ALLTOALL;
}

/* Scans sum. */
static enum gs_reduce_op op_of(const struct gs_device_coll *c)
{
    return c->kind == GS_COLL_INSCAN || c->kind == GS_COLL_EXSCAN ? GS_OP_sum : c->op;
}

/* Few enough bytes for one block, in a stream? */
static bool is_short(const struct gs_device_coll *c, int n)
{
    size_t bytes = c->nelems * c->size;
    if (c->kind == GS_COLL_REDUCE || c->kind == GS_COLL_REDUCESCATTER) {
        if (!gs_k_reduce_knows(type_for(c->type, c->op), c->op))
            return false;
    } else if (!is_bytes(c)) {
        return false;
    }
    return c->kind == GS_COLL_REDUCE ? bytes <= ONE_BLOCK_MOST : bytes <= ONE_BLOCK_ALL_MOST / (size_t)n;
}

static int pe_of(const gs_dev_team *t, const struct gs_group *g, int rank)
{
    return gs_team_pe(&gs_mod.core, &t->shape, g, rank);
}

static bool all_near(const gs_dev_team *t, const struct gs_group *g)
{
    for (int r = 0; r < t->shape.n; r++)
        if (!gs_reaches(pe_of(t, g, r)))
            return false;
    return true;
}

/* The same on every member: it looks at nothing else than the arguments, and whether the members are on one node. */
static int way_of(const struct gs_device_coll *c, const gs_dev_team *t, const struct gs_group *g, bool blocking)
{
    bool windows = gs_in_own_heap(c->dest) && gs_in_own_heap(c->source);
    ncclDataType_t type;
    ncclRedOp_t o;
    size_t count;
    if (!blocking && is_short(c, t->shape.n) && (c->kind == GS_COLL_REDUCE || all_near(t, g)))
        return BY_ONE_BLOCK;
    if (is_bytes(c))
        return windows ? BY_NCCL : blocking ? BY_NOBODY : BY_COPIES;
    if (c->kind == GS_COLL_COLLECT || c->kind == GS_COLL_ALLTOALLS)
        return BY_KERNELS;
    enum gs_reduce_op op = op_of(c);
    enum gs_k_type k = type_for(c->type, op);
    if ((c->kind == GS_COLL_REDUCE || c->kind == GS_COLL_REDUCESCATTER) && windows && nccl_words(k, op, &type, &o, &count))
        return BY_NCCL;
    return k != GS_K_TYPES && gs_k_combine_knows(k, op) ? BY_KERNELS : BY_NOBODY;
}

/* Should NCCL know that the buffers of this reduction are windows? Its kernels for windows are faster up to a size, and
 * wrong (2.28.9: some sums are missing) where a member's part does not begin at a multiple of 16 bytes. The same on
 * every member. */
static bool keeps_window(const struct gs_device_coll *c, size_t bytes)
{
    uintptr_t places = (uintptr_t)c->dest | (uintptr_t)c->source | (c->kind == GS_COLL_REDUCESCATTER ? bytes : 0);
    return bytes < NO_WINDOW_LEAST && places % 16 == 0;
}

static int by_nccl(struct gs_group *g, gs_dev_team *t, const struct gs_device_coll *c, cudaStream_t s)
{
    ncclComm_t comm = comm_of(g, t);
    if (!comm)
        return -1;
    size_t bytes = c->nelems * c->size, count;
    bool as_window = is_bytes(c) || keeps_window(c, bytes);
    void *dest = as_window ? gs_window_user(c->dest) : c->dest;
    const void *source = as_window ? gs_window_user(c->source) : c->source;
    ncclDataType_t type;
    ncclRedOp_t op;
    switch (c->kind) {
    case GS_COLL_REDUCE:
    case GS_COLL_REDUCESCATTER:
        if (!nccl_words(type_for(c->type, c->op), c->op, &type, &op, &count))
            return -1;
        return c->kind == GS_COLL_REDUCE
                   ? GS_NCCL(ncclAllReduce, source, dest, c->nelems * count, type, op, comm, s)
                   : GS_NCCL(ncclReduceScatter, source, dest, c->nelems * count, type, op, comm, s);
    case GS_COLL_BROADCAST:
        return GS_NCCL(ncclBroadcast, source, t->shape.me == c->root && !c->write_root ? (void *)source : dest, bytes,
                       ncclInt8, c->root, comm, s);
    case GS_COLL_FCOLLECT:
        return GS_NCCL(ncclAllGather, source, dest, bytes, ncclInt8, comm, s);
    case GS_COLL_ALLTOALL:
        return GS_NCCL(ncclAlltoAll, source, dest, bytes, ncclInt8, comm, s);
    default:
        return -1;
    }
}

/* The peer's copy of own address p, in either heap. */
static const char *peer_of(const void *p, int pe)
{
    return (const char *)p +
           (gs_in_own_heap(p) ? gs_delta(pe) : (intptr_t)(pe - gs_mod.core.me) * (intptr_t)gs_mod.core.host_stride);
}

static int copy_pieces(const gs_dev_team *t, const struct gs_group *g, const struct gs_device_coll *c, cudaStream_t s)
{
    size_t bytes = c->nelems * c->size, mine = bytes * (size_t)t->shape.me;
    int n = t->shape.n;
    if (c->kind == GS_COLL_BROADCAST) {
        if (t->shape.me == c->root && !c->write_root)
            return 0;
        return gs_copy_bytes(c->dest, peer_of(c->source, pe_of(t, g, c->root)), bytes, s, false);
    }
    for (int i = 0; i < n; i++) {
        int r = (t->shape.me + 1 + i) % n; /* not all from one at a time */
        const char *from = peer_of(c->source, pe_of(t, g, r)) + (c->kind == GS_COLL_ALLTOALL ? mine : 0);
        if (gs_copy_bytes((char *)c->dest + bytes * (size_t)r, from, bytes, s, false))
            return -1;
    }
    return 0;
}

static const struct gin_shmem_reach *reach_of(const void *p)
{
    const struct gin_shmem_state *st = &gs_mod.state;
    if (gs_in_own_heap(p))
        return &st->dev;
    return (uint64_t)(uintptr_t)p - st->host.lo < st->host.span ? &st->host : nullptr;
}

static int run_kernels(const gs_dev_team *t, const struct gs_device_coll *c, uint64_t word, cudaStream_t s)
{
    struct gs_k_coll k = {*reach_of(c->dest),
                          *reach_of(c->source),
                          t->shape,
                          (uint64_t)(uintptr_t)c->dest,
                          (uint64_t)(uintptr_t)c->source,
                          c->nelems,
                          0,
                          false};
    enum gs_reduce_op op = op_of(c);
    cudaError_t e;
    if (c->kind == GS_COLL_COLLECT) {
        e = gs_k_collect_launch(&k, &gs_mod.state.dev, word, c->size, gs_mod.sms, s);
    } else if (c->kind == GS_COLL_ALLTOALLS) {
        e = gs_k_alltoalls_launch(&k, c->size, c->dst, c->sst, gs_mod.sms, s);
    } else {
        k.scan = c->kind == GS_COLL_INSCAN ? 1 : c->kind == GS_COLL_EXSCAN ? 2 : 0;
        k.scatter = c->kind == GS_COLL_REDUCESCATTER;
        e = gs_k_combine_launch(&k, type_for(c->type, op), op, gs_mod.sms, s);
    }
    return gs_cuda_check(e, "collective kernel");
}

/* Between two barriers. */
static int by_ourselves(struct gs_group *g, gs_dev_team *t, int slot, const struct gs_device_coll *c, bool kernels,
                        cudaStream_t s, bool blocking)
{
    struct gin_shmem_lane *lane =
        (struct gin_shmem_lane *)(gs_mod.state.sys + gin_shmem_sys_record_at(&gs_mod.state.layout, (uint32_t)slot, 0));
    uint64_t *word = c->kind == GS_COLL_COLLECT ? &lane->length[blocking] : nullptr;
    if (blocking) {
        if (word &&
            (GS_DRV(cuStreamWriteValue64, (CUstream)s, (CUdeviceptr)word, c->nelems, CU_STREAM_WRITE_VALUE_DEFAULT) ||
             gs_sync(s)))
            return -1;
        gs_mod.core.group_sync(g);
    } else if (gs_cuda_check(gs_k_barrier_launch(t->shape.handle, t->shape.n, word, c->nelems, s), "barrier kernel")) {
        return -1;
    }
    if (kernels ? run_kernels(t, c, (uint64_t)(uintptr_t)word, s) : copy_pieces(t, g, c, s))
        return -1;
    if (blocking) {
        if (gs_sync(s))
            return -1;
        gs_mod.core.group_sync(g);
        return 0;
    }
    return gs_cuda_check(gs_k_barrier_launch(t->shape.handle, t->shape.n, nullptr, 0, s), "barrier kernel");
}

static cudaError_t by_one_block(const gs_dev_team *t, const struct gs_device_coll *c, cudaStream_t s)
{
    const uint64_t team = t->shape.handle;
    const bool scatter = c->kind == GS_COLL_REDUCESCATTER;
    size_t bytes = c->nelems * c->size;
    if (c->kind == GS_COLL_BROADCAST) {
        bool keep = t->shape.me == c->root && !c->write_root;
        return gs_k_broadcast_launch(team, keep ? (void *)c->source : c->dest, c->source, bytes, c->root, s);
    }
    if (is_bytes(c))
        return gs_k_alltoall_launch(team, c->dest, c->source, bytes, c->kind == GS_COLL_FCOLLECT, s);
    return gs_k_reduce_launch(team, c->dest, c->source, c->nelems, type_for(c->type, c->op), c->op, scatter, s);
}

/* A team of this PE alone. */
static int alone(const struct gs_device_coll *c, cudaStream_t s)
{
    size_t bytes = c->nelems * c->size;
    if (c->kind == GS_COLL_EXSCAN)
        return bytes ? GS_CUDA(cudaMemsetAsync, c->dest, 0, bytes, s) : 0;
    if (c->kind == GS_COLL_BROADCAST && !c->write_root)
        return 0;
    if (c->kind == GS_COLL_ALLTOALLS)
        return gs_copy_rows(c->dest, (size_t)c->dst * c->size, c->source, (size_t)c->sst * c->size, c->size, c->nelems,
                            s, false);
    return gs_copy_bytes(c->dest, c->source, bytes, s, false);
}

int gs_coll(struct gs_group *g, const struct gs_device_coll *c, void *stream)
{
    int n, me, slot;
    gs_enter in;
    gs_mod.core.group_info(g, &n, &me, &slot);
    gs_dev_team *t = &gs_mod.teams[(size_t)slot];
    if (!reach_of(c->dest) || !reach_of(c->source))
        return 1;
    int way = way_of(c, t, g, !stream);
    if (way == BY_NOBODY && n > 1)
        return 1;
    if (c->nelems == 0 && c->kind != GS_COLL_COLLECT)
        return 0;
    std::lock_guard<std::mutex> hold(t->lock);
    if (!stream && gs_team_stream(t))
        return -1;
    cudaStream_t s = stream ? (cudaStream_t)stream : t->stream;
    if (n == 1)
        return alone(c, s) || (!stream && gs_sync(s)) ? -1 : 0;
    if (way == BY_NCCL)
        return by_nccl(g, t, c, s) || (!stream && gs_sync(s)) ? -1 : 0;
    if (way == BY_ONE_BLOCK)
        return gs_cuda_check(by_one_block(t, c, s), "collective kernel");
    if (way == BY_KERNELS && !all_near(t, g))
        return 1; /* those kernels load from the members */
    return by_ourselves(g, t, slot, c, way == BY_KERNELS, s, !stream);
}

int gs_barrier_on_stream(struct gs_group *g, bool quiet, void *stream)
{
    int n, me, slot;
    gs_enter in;
    gs_mod.core.group_info(g, &n, &me, &slot);
    gs_dev_team *t = &gs_mod.teams[(size_t)slot];
    std::lock_guard<std::mutex> hold(t->lock);
    if (!stream && gs_team_stream(t))
        return -1;
    cudaStream_t s = stream ? (cudaStream_t)stream : t->stream;
    if (quiet && gs_quiet_on_stream(s))
        return -1;
    if (n > 1 && gs_cuda_check(gs_k_barrier_launch(t->shape.handle, t->shape.n, nullptr, 0, s), "barrier kernel"))
        return -1;
    return stream ? 0 : gs_sync(s);
}
