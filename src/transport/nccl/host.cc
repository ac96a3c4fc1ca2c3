/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The host heap as kernels reach it: ranges of every PE's mapping, registered with CUDA as they are allocated.
 * Registration pins pages, so it does not run ahead of need.
 */
#include <string.h>

#include "transport/nccl/module.h"

enum : size_t { GRANULE = 2 << 20 };

/* Ranges [from, to) of heap offsets, the same in every heap, each registered by one call per heap; in order. */
struct run {
    size_t from, to;
};
static std::vector<run> runs;
static std::mutex runs_lock;

static char *at(int pe, size_t offset)
{
    return gs_mod.core.host_base + (size_t)pe * gs_mod.core.host_stride + offset;
}

/* Is the host heap of pe mapped where its place is? */
static bool mapped(int pe)
{
    return gs_mod.core.near(pe);
}

static int register_run(run r)
{
    for (int pe = 0; pe < gs_mod.core.n; pe++) {
        if (!mapped(pe))
            continue;
        cudaError_t e =
            cudaHostRegister(at(pe, r.from), r.to - r.from, cudaHostRegisterPortable | cudaHostRegisterMapped);
        if (e != cudaSuccess) {
            while (pe-- > 0)
                if (mapped(pe))
                    (void)cudaHostUnregister(at(pe, r.from));
            (void)cudaGetLastError();
            gs_mod_error(
                "%zu bytes of the host heap cannot be registered with CUDA (%s): there may be too little memory to "
                "pin (ulimit -l, container limits), or a driver without it",
                r.to - r.from, cudaGetErrorString(e));
            return -1;
        }
    }
    return 0;
}

/* Kernels use the CPU's addresses, which older systems cannot. */
static int check_addresses(void)
{
    int same = 0;
    if (GS_CUDA(cudaDeviceGetAttribute, &same, cudaDevAttrCanUseHostPointerForRegisteredMem, gs_mod.device))
        return -1;
    if (!same)
        gs_mod_error(
            "GPU %d does not reach registered host memory at the processor's addresses, so kernels cannot use the host "
            "heap on this machine",
            gs_mod.device);
    return same ? 0 : -1;
}

int gs_host_register(size_t offset, size_t bytes)
{
    gs_enter in;
    std::lock_guard<std::mutex> hold(runs_lock);
    size_t end = (offset + bytes + GRANULE - 1) / GRANULE * GRANULE, from = offset / GRANULE * GRANULE;
    if (end > gs_mod.core.host_size)
        end = gs_mod.core.host_size;
    size_t i = 0;
    while (from < end) {
        while (i < runs.size() && runs[i].to <= from)
            i++;
        if (i < runs.size() && runs[i].from <= from) {
            from = runs[i].to;
            continue;
        }
        run r = {from, i < runs.size() && runs[i].from < end ? runs[i].from : end};
        if (register_run(r))
            return -1;
        runs.insert(runs.begin() + (ptrdiff_t)i, r);
        from = r.to;
    }
    struct gin_shmem_reach *h = &gs_mod.state.host;
    if (h->span || runs.empty())
        return 0;
    if (check_addresses())
        return -1;
    h->me = gs_mod.core.me;
    h->n = gs_mod.core.n;
    h->first = 0;
    h->rank = gs_mod.host_ranks;
    h->stride = gs_mod.core.host_stride;
    h->lo = (uint64_t)(uintptr_t)at(gs_mod.core.me, 0);
    h->span = gs_mod.core.host_size;
    return gs_state_fill();
}

void gs_host_stop(void)
{
    for (const run &r : runs)
        for (int pe = 0; pe < gs_mod.core.n; pe++)
            if (mapped(pe))
                (void)GS_CUDA(cudaHostUnregister, at(pe, r.from));
    runs.clear();
}

/* CUDA refuses copies that leave the registration they begin in. */
size_t gs_host_run(const void *addr, size_t bytes)
{
    if (!gs_in_host_heaps(addr))
        return bytes;
    std::lock_guard<std::mutex> hold(runs_lock);
    size_t offset = (size_t)((const char *)addr - gs_mod.core.host_base) % gs_mod.core.host_stride;
    size_t end = gs_mod.core.host_size;
    for (const run &r : runs) {
        if (offset < r.from) {
            end = r.from;
            break;
        }
        if (offset < r.to) {
            end = r.to;
            break;
        }
    }
    return end - offset < bytes ? end - offset : bytes;
}
