/* SPDX-License-Identifier: BSD-3-Clause */
/* One-block kernels of the host API: atomics, waits, barriers. */
#include "transport/nccl/kernels.h"

#include "transport/device.h"

/* ---- system-scope accesses ---- */

static __device__ void store_release(uint64_t *p, uint64_t v)
{
    asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(p)), "l"(v) : "memory");
}
static __device__ uint64_t load_acquire(const uint64_t *p)
{
    uint64_t v;
    asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(v) : "l"(__cvta_generic_to_global(p)) : "memory");
    return v;
}
static __device__ uint32_t load_acquire(const uint32_t *p)
{
    uint32_t v;
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(v) : "l"(__cvta_generic_to_global(p)) : "memory");
    return v;
}
static __device__ uint16_t load_acquire(const uint16_t *p)
{
    uint16_t v;
    asm volatile("ld.acquire.sys.global.u16 %0, [%1];" : "=h"(v) : "l"(__cvta_generic_to_global(p)) : "memory");
    return v;
}
static __device__ uint64_t now_ns(void)
{
    uint64_t t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

/* The first to fail on this PE writes; a trap ends the kernel. */
static __device__ __noinline__ void timed_out(const struct gin_shmem_state &st, uint32_t fn, const void *addr,
                                              uint64_t bytes, int cmp, uint64_t wanted, uint64_t seen)
{
    struct gin_shmem_sys_head *head = (struct gin_shmem_sys_head *)st.sys;
    if (atomicCAS_system(&head->claim, 0u, 1u) == 0) {
        struct gin_shmem_report *r = st.report;
        uint64_t a = (uint64_t)addr;
        r->kind = GIN_SHMEM_REPORT_TIMEOUT;
        r->fn = fn;
        r->pe = st.me;
        r->target = -1;
        r->block[0] = blockIdx.x, r->block[1] = r->block[2] = 0;
        r->thread[0] = threadIdx.x, r->thread[1] = r->thread[2] = 0;
        r->cmp = cmp;
        r->address = a;
        r->bytes = bytes;
        r->wanted = wanted;
        r->seen = seen;
        if (a - (uint64_t)st.sys < gin_shmem_sys_slot_at(&st.layout, (uint32_t)st.max_teams))
            r->heap = 3, r->offset = a - (uint64_t)st.sys;
        else if (a - st.dev.lo < st.dev.span)
            r->heap = 1, r->offset = a - st.dev.lo;
        else
            r->heap = 2, r->offset = a - st.host.lo;
        __threadfence_system();
        *(volatile uint32_t *)&r->ready = GIN_SHMEM_REPORT_READY;
        __threadfence_system();
    }
    __trap();
}

/* The clock is looked at now and then only. */
struct patience {
    uint32_t polls = 0;
    uint64_t since = 0;
    __device__ bool over(uint64_t limit)
    {
        if (++polls % 256 || !limit)
            return false;
        uint64_t t = now_ns();
        if (!since)
            since = t;
        return t - since > limit;
    }
};

/* ---- atomics ---- */

static __device__ unsigned swap(unsigned *p, unsigned v)
{
    return atomicExch_system(p, v);
}
static __device__ unsigned long long swap(unsigned long long *p, unsigned long long v)
{
    return atomicExch_system(p, v);
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
    switch (a.size) { /* 1, 2 and 16 bytes are set, and nothing else */
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

/* ---- waits ---- */

template <class T>
static __device__ bool holds(T now, int cmp, T than)
{
    switch (cmp) {
    case SHMEM_CMP_EQ:
        return now == than;
    case SHMEM_CMP_NE:
        return now != than;
    case SHMEM_CMP_GT:
        return now > than;
    case SHMEM_CMP_LE:
        return now <= than;
    case SHMEM_CMP_LT:
        return now < than;
    default:
        return now >= than;
    }
}

/* U: the unsigned type of the word's size; S: what is compared. */
template <class U, class S>
static __device__ void wait_for(const struct gin_shmem_state &st, const struct gs_k_wait &w)
{
    struct patience p;
    for (;;) {
        U now = load_acquire((const U *)w.addr);
        if (holds<S>((S)now, w.cmp, (S)w.value))
            return;
        if (p.over(st.timeout_ns))
            timed_out(st, GIN_SHMEM_FN_wait_until | GS_SCOPE_STREAM, w.addr, (uint64_t)w.size, w.cmp, w.value, now);
        __nanosleep(64);
    }
}

static __global__ void k_wait(const __grid_constant__ struct gin_shmem_state st,
                              const __grid_constant__ struct gs_k_wait w)
{
    if (w.size == 2)
        w.is_signed ? wait_for<uint16_t, int16_t>(st, w) : wait_for<uint16_t, uint16_t>(st, w);
    else if (w.size == 4)
        w.is_signed ? wait_for<uint32_t, int32_t>(st, w) : wait_for<uint32_t, uint32_t>(st, w);
    else
        w.is_signed ? wait_for<uint64_t, int64_t>(st, w) : wait_for<uint64_t, uint64_t>(st, w);
}

cudaError_t gs_k_wait_launch(const struct gin_shmem_state *st, const struct gs_k_wait *w, cudaStream_t s)
{
    k_wait<<<1, 1, 0, s>>>(*st, *w);
    return cudaGetLastError();
}

/* ---- barriers ---- */

/* Each member writes its epoch to all others and waits until theirs have come: one step, a thread per member. What
 * the stream did before is complete when the kernel begins, and the release takes word along; no further fence is
 * needed. */
static __global__ void k_barrier(const __grid_constant__ struct gin_shmem_state st,
                                 const __grid_constant__ struct gin_shmem_team t, int slot, uint64_t *word,
                                 uint64_t value)
{
    __shared__ uint64_t epoch;
    struct gin_shmem_lane *lane =
        (struct gin_shmem_lane *)(st.sys + gin_shmem_sys_record_at(&st.layout, (uint32_t)slot, 0));
    uint64_t *flags = (uint64_t *)(lane + 1);
    if (threadIdx.x == 0) {
        if (word)
            *(volatile uint64_t *)word = value;
        epoch = ++lane->barriers;
    }
    __syncthreads();
    for (int r = (int)threadIdx.x; r < t.n; r += (int)blockDim.x)
        if (r != t.me) {
            int pe = t.pes ? t.pes[r] : t.start + r * t.stride;
            store_release((uint64_t *)gs_k_peer(&st.dev, (uint64_t)&flags[t.me], pe), epoch);
        }
    for (int r = (int)threadIdx.x; r < t.n; r += (int)blockDim.x) {
        struct patience p;
        uint64_t now;
        while (r != t.me && (now = load_acquire(&flags[r])) < epoch)
            if (p.over(st.timeout_ns))
                timed_out(st, GIN_SHMEM_FN_barrier | GS_SCOPE_STREAM, &flags[r], 8, SHMEM_CMP_GE, epoch, now);
    }
}

cudaError_t gs_k_barrier_launch(const struct gin_shmem_state *st, const struct gin_shmem_team *t, int slot,
                                uint64_t *word, uint64_t value, cudaStream_t s)
{
    int threads = t->n < 1024 ? (t->n + 31) / 32 * 32 : 1024;
    k_barrier<<<1, threads, 0, s>>>(*st, *t, slot, word, value);
    return cudaGetLastError();
}

/* ---- loading ---- */

cudaError_t gs_k_load(void)
{
    cudaFuncAttributes a;
    const void *const all[] = {(const void *)k_amo, (const void *)k_wait, (const void *)k_barrier};
    for (const void *k : all) {
        cudaError_t e = cudaFuncGetAttributes(&a, k);
        if (e != cudaSuccess)
            return e;
    }
    return gs_k_load_coll();
}
