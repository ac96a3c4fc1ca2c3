/* SPDX-License-Identifier: BSD-3-Clause */
/* One-block kernels of the host API: atomics, waits, barriers. */
#include <gin_shmem/coll.h>
#include <gin_shmem/wait.h>

#include "transport/device.h"
#include "transport/nccl/follow.h"
#include "transport/nccl/kernels.h"

using namespace gin_shmem_impl;

/* ---- atomics ---- */

static __device__ unsigned swap(unsigned *p, unsigned v)
{
    return atomicExch_system(p, v);
}
static __device__ unsigned long long swap(unsigned long long *p, unsigned long long v)
{
    return atomicExch_system(p, v);
}

template <class W, class F>
static __device__ W add_float(W *p, W v)
{
    W old = *(volatile W *)p, seen;
    for (;; old = seen) {
        F sum;
        memcpy(&sum, &old, sizeof sum);
        F add;
        memcpy(&add, &v, sizeof add);
        sum = sum + add;
        W now;
        memcpy(&now, &sum, sizeof now);
        seen = atomic_cas(p, old, now);
        if (seen == old)
            return old;
    }
}

template <class W>
static __device__ W apply(const struct gs_k_amo &a)
{
    W *p = (W *)a.addr, v = (W)a.operand[0];
    switch (a.op) {
    case GS_AMO_SET:
    case GS_AMO_SWAP:
        return swap(p, v);
    case GS_AMO_CSWAP:
        return atomicCAS_system(p, (W)a.cond, v);
    case GS_AMO_ADD:
        return atomicAdd_system(p, v);
    case GS_AMO_AND:
        return atomicAnd_system(p, v);
    case GS_AMO_OR:
        return atomicOr_system(p, v);
    case GS_AMO_XOR:
        return atomicXor_system(p, v);
    default:
        return atomicAdd_system(p, (W)0); /* fetch */
    }
}

static __global__ void k_amo(const __grid_constant__ struct gs_k_amo a)
{
    uint64_t old = 0;
    switch (a.size | (a.op < GIN_SHMEM_OP_ADD_FLOAT ? 0 : a.op << 8)) {
    case 2 | GIN_SHMEM_OP_ADD_FLOAT << 8:
        old = add_float<uint16_t, __half>((uint16_t *)a.addr, (uint16_t)a.operand[0]);
        break;
    case 2 | GIN_SHMEM_OP_ADD_BFLOAT16 << 8:
        old = add_float<uint16_t, __nv_bfloat16>((uint16_t *)a.addr, (uint16_t)a.operand[0]);
        break;
    case 4 | GIN_SHMEM_OP_ADD_FLOAT << 8:
        old = add_float<uint32_t, float>((uint32_t *)a.addr, (uint32_t)a.operand[0]);
        break;
    case 8 | GIN_SHMEM_OP_ADD_FLOAT << 8:
        old = add_float<uint64_t, double>((uint64_t *)a.addr, (uint64_t)a.operand[0]);
        break; /* 1, 2 and 16 bytes are set, and nothing else */
    case 1:
        *(volatile uint8_t *)a.addr = (uint8_t)a.operand[0];
        break;
    case 2:
        *(volatile uint16_t *)a.addr = (uint16_t)a.operand[0];
        break;
    case 4:
        old = apply<unsigned>(a);
        break;
    case 8:
        old = apply<unsigned long long>(a);
        break;
    case 16:
        *(volatile uint64_t *)a.addr = a.operand[0];
        ((volatile uint64_t *)a.addr)[1] = a.operand[1];
        break;
    }
    if (a.result)
        *(volatile uint64_t *)a.result = old;
}

cudaError_t gs_k_amo_launch(const struct gs_k_amo *a, cudaStream_t s)
{
    k_amo<<<1, 1, 0, s>>>(*a);
    return cudaGetLastError();
}

/* Not by the device API, whose small puts the kernel would read itself: a source may be memory that it cannot. */
static __global__ void k_far(const __grid_constant__ struct gs_k_far f)
{
    const struct gin_shmem_agent *a = state().agent;
    const uint32_t fn = GIN_SHMEM_FN_put | GS_SCOPE_STREAM;
    const bool wait = f.kind != GIN_SHMEM_AGENT_AMO;
    fence_order();
    const uint64_t ticket = agent_ticket(a, fn);
    agent_post(a, ticket, f.kind, f.op, wait ? (int)GIN_SHMEM_AGENT_ANSWER : 0, f.dest,
               f.kind == GIN_SHMEM_AGENT_AMO ? f.cond : f.source, f.bytes, 0, f.value, f.pe, fn);
    if (wait)
        agent_wait(a, ticket, fn);
}

cudaError_t gs_k_far_launch(const struct gs_k_far *f, cudaStream_t s)
{
    k_far<<<1, 1, 0, s>>>(*f);
    return cudaGetLastError();
}

/* ---- waits ---- */

static __global__ void k_wait(const __grid_constant__ struct gs_k_wait w)
{
    const uint32_t fn = GIN_SHMEM_FN_wait_until | GS_SCOPE_STREAM;
    if (w.size == 2 && w.is_signed)
        wait_word((const int16_t *)w.addr, w.cmp, (int16_t)w.value, fn);
    else if (w.size == 2)
        wait_word((const uint16_t *)w.addr, w.cmp, (uint16_t)w.value, fn);
    else if (w.size == 4 && w.is_signed)
        wait_word((const int32_t *)w.addr, w.cmp, (int32_t)w.value, fn);
    else if (w.size == 4)
        wait_word((const uint32_t *)w.addr, w.cmp, (uint32_t)w.value, fn);
    else if (w.is_signed)
        wait_word((const int64_t *)w.addr, w.cmp, (int64_t)w.value, fn);
    else
        wait_word((const uint64_t *)w.addr, w.cmp, w.value, fn);
}

cudaError_t gs_k_wait_launch(const struct gs_k_wait *w, cudaStream_t s)
{
    k_wait<<<1, 1, 0, s>>>(*w);
    return cudaGetLastError();
}

/* ---- barriers ---- */

/* What the stream did before is complete when the kernel begins; the barrier's fence takes word along. */
static __global__ void k_barrier(shmem_team_t team, uint64_t *word, uint64_t value)
{
    gs_k_follow();
    if (word && threadIdx.x == 0)
        *word = value;
    lane_barrier<block_group>(lane_of(team, GIN_SHMEM_INDEX_HOST, GIN_SHMEM_FN_barrier | GS_SCOPE_STREAM), LANE_ORDER);
}

cudaError_t gs_k_barrier_launch(uint64_t team, int members, uint64_t *word, uint64_t value, cudaStream_t s)
{
    unsigned threads = members < 1024 ? (unsigned)(members + 31) / 32 * 32 : 1024;
    return gs_k_launch_behind(k_barrier, threads, s, (shmem_team_t)team, word, value);
}

static __global__ void k_quiet()
{
    if (has_far())
        remote_quiet(-1, GIN_SHMEM_FN_quiet | GS_SCOPE_STREAM);
}

cudaError_t gs_k_quiet_launch(cudaStream_t s)
{
    k_quiet<<<1, 1, 0, s>>>();
    return cudaGetLastError();
}

/* ---- loading ---- */

cudaError_t gs_k_load(void)
{
    cudaFuncAttributes a;
    const void *const all[] = {(const void *)k_amo, (const void *)k_wait, (const void *)k_barrier,
                               (const void *)k_quiet, (const void *)k_far};
    cudaError_t e;
    for (const void *k : all)
        if ((e = cudaFuncGetAttributes(&a, k)) != cudaSuccess)
            return e;
    e = gs_k_load_coll();
    return e != cudaSuccess ? e : gs_k_load_short();
}
