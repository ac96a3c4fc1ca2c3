/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The device heap: NCCL windows, each an allocation of its own. Every window appears in NCCL's flat range, at the
 * same offset in every LSA rank's part, and parts lie one stride apart: so the address that the core gets (this
 * PE's own part) leads to every peer by one multiplication, whichever window it is in. Window 0 holds the system
 * segment, and behind it GIN's staging room.
 */
#include <stdio.h>
#include <string.h>

#include "transport/nccl/module.h"
#include <gin_shmem/gin_state.h>

enum : size_t {
    GRANULE = 2 << 20,        /* what CUDA maps at a time; own parts begin on it, so large alignments work */
    FLAT_ALIGN = 512ul << 20, /* NCCL reserves the flat range so aligned, and fills it from its beginning */
};

static size_t round_up(size_t v, size_t to)
{
    return (v + to - 1) / to * to;
}

/* Did it work on every PE? free_bytes: the least free memory of any GPU. Collective. */
static bool all_agree(bool ok, size_t *free_bytes)
{
    struct vote {
        uint64_t ok, free;
    } mine = {ok, 0};
    std::vector<vote> all((size_t)gs_mod.core.n);
    size_t mem_free = 0, mem_total = 0;
    if (cudaMemGetInfo(&mem_free, &mem_total) == cudaSuccess)
        mine.free = mem_free;
    if (gs_mod.core.allgather(&mine, sizeof mine, all.data()) != 0)
        return false;
    *free_bytes = SIZE_MAX;
    for (const vote &v : all) {
        ok = ok && v.ok;
        if (v.free < *free_bytes)
            *free_bytes = (size_t)v.free;
    }
    return ok;
}

/* NCCL says success and gives nothing, or something else than a window, where it cannot make one. */
static bool is_window(ncclWindow_t w)
{
    cudaPointerAttributes a;
    if (!w)
        return false;
    if (cudaPointerGetAttributes(&a, w) != cudaSuccess) {
        (void)cudaGetLastError();
        return false;
    }
    return a.type == cudaMemoryTypeDevice;
}

static int no_symmetric_memory(void)
{
    gs_mod_error(
        "NCCL makes no symmetric window here, so there can be no device heap. It needs load/store access between all "
        "GPUs of a node (`nvidia-smi topo -p2p r`), no NCCL_CUMEM_ENABLE=0 or NCCL_WIN_ENABLE=0 (nor in nccl.conf), "
        "and in containers one /dev/shm and one network namespace; NCCL_DEBUG=INFO shows what NCCL found. "
        "GIN_SHMEM_HEAP=host runs on host memory");
    return -1;
}

/* Finds the window's own address, and from the first one the geometry of all. */
static int place(gs_window *w, bool first)
{
    uintptr_t base;
    size_t stride;
    if (gs_nccl_flat(w->handle, gs_mod.lsa.nRanks, &base, &stride))
        return -1;
    if (first) {
        size_t mem_free, mem_total;
        if (GS_CUDA(cudaMemGetInfo, &mem_free, &mem_total))
            return -1;
        gs_mod.stride = stride ? stride : round_up(mem_total, 1ul << 32);
        gs_mod.flat = base / FLAT_ALIGN * FLAT_ALIGN;
    } else if (stride && stride != gs_mod.stride) {
        gs_mod_error("NCCL's windows have different strides (%zu and %zu bytes): this version of NCCL is not supported",
                     gs_mod.stride, stride);
        return -1;
    }
    if (base < gs_mod.flat || base + w->bytes > gs_mod.flat + gs_mod.stride) {
        gs_mod_error(
            "NCCL placed a window at %#zx, outside the range from %#zx: where a communicator was handed in, register "
            "fewer windows on it beforehand",
            (size_t)base, (size_t)gs_mod.flat);
        return -1;
    }
    w->flat = (char *)(base + (size_t)gs_mod.lsa.rank * gs_mod.stride);
    return 0;
}

static void unmake(gs_window *w)
{
    if (w->handle)
        gs_direct_window_gone((int)(w - gs_mod.windows));
    if (w->handle)
        (void)GS_NCCL(ncclCommWindowDeregister, gs_mod.window_comm, w->handle);
    if (w->user && !w->adopted)
        (void)GS_NCCL(ncclMemFree, w->user);
    *w = gs_window();
}

/* Makes a window of the memory at w->user. Collective. 0; 1: not on every PE, not logged on all; -1, logged. All PEs come
 * to the same answer but for failures that are logged. */
static int register_window(gs_window *w, bool first, size_t *free_bytes)
{
    ncclResult_t r =
        gs_lib.ncclCommWindowRegister(gs_mod.window_comm, w->user, w->bytes, &w->handle, NCCL_WIN_COLL_SYMMETRIC);
    if (r != ncclSuccess) {
        const char *last = gs_lib.ncclGetLastError(NULL);
        gs_mod_log(first || w->adopted ? GS_ERROR : GS_INFO, "ncclCommWindowRegister of %zu bytes: %s: %s", w->bytes,
                   gs_lib.ncclGetErrorString(r), last ? last : "");
        w->handle = nullptr;
    } else if (!is_window(w->handle)) {
        w->handle = nullptr;
        if (!w->adopted)
            return no_symmetric_memory();
    } else if (place(w, first)) {
        return -1;
    }
    if (!all_agree(w->handle != nullptr, free_bytes)) {
        unmake(w);
        return 1;
    }
    return 0;
}

/* Collective. 0; 1: no room on some PE, not logged; -1, logged. */
static int make(gs_window *w, size_t bytes, bool first, size_t *free_bytes)
{
    *w = gs_window();
    w->bytes = round_up(bytes, GRANULE);
    bool ok = gs_lib.ncclMemAlloc((void **)&w->user, w->bytes) == ncclSuccess;
    if (!ok) {
        w->user = nullptr;
        (void)cudaGetLastError();
    }
    if (!all_agree(ok, free_bytes)) {
        unmake(w);
        return 1;
    }
    cudaStream_t s = gs_lane_mine()->stream;
    if (GS_CUDA(cudaMemsetAsync, w->user, 0, w->bytes, s) || gs_sync(s))
        return -1;
    return register_window(w, first, free_bytes);
}

static int find_reach(void)
{
    ncclTeam_t lsa = gs_mod.lsa;
    bool plain = true;
    int first = -1, n = gs_mod.core.n,
        rank0 = gs_mod.window_rank[(size_t)gs_mod.core.me] - lsa.rank; /* of LSA rank 0 */
    gs_mod.lsa_rank.assign((size_t)n, -1);
    for (int pe = 0; pe < n; pe++) {
        int r = gs_mod.window_rank[(size_t)pe] - rank0;
        if (gs_mod.window_rank[(size_t)pe] >= 0 && r >= 0 && r < lsa.nRanks) {
            gs_mod.lsa_rank[(size_t)pe] = r;
            if (r == 0)
                first = pe;
        }
    }
    for (int pe = 0; pe < n; pe++) {
        int r = pe - first;
        plain = plain && gs_mod.lsa_rank[(size_t)pe] == (r >= 0 && r < lsa.nRanks ? r : -1);
    }
    struct gin_shmem_reach *d = &gs_mod.state.dev;
    d->stride = gs_mod.stride;
    d->me = lsa.rank;
    d->n = lsa.nRanks;
    d->first = plain ? first : -1; /* otherwise the rank table says it, see state.cc */
    d->in_order = plain ? lsa.nRanks : 0;
    gs_mod.lsa_plain = plain;
    d->lo = gs_mod.flat + (size_t)lsa.rank * gs_mod.stride;
    d->span = gs_mod.stride;
    return 0;
}

int gs_window_start(void)
{
    size_t free_bytes, bytes = gin_shmem_sys_bytes((uint32_t)gs_mod.core.n, (uint32_t)gs_mod.core.max_teams) +
                               gin_shmem_gin_room_bytes(gs_mod.gin_contexts);
    gs_mod.lsa = gs_nccl_lsa(gs_mod.window_comm);
    if (gs_mod.lsa.nRanks < 1)
        return no_symmetric_memory();
    int rc = make(&gs_mod.windows[0], bytes, true, &free_bytes);
    if (rc > 0)
        gs_mod_error(
            "no room for the runtime's own %zu bytes on every GPU (the fullest has %zu bytes free): free some, or set "
            "GIN_SHMEM_HEAP=host",
            bytes, free_bytes);
    if (rc != 0)
        return -1;
    gs_mod.window_count = 1;
    if (find_reach())
        return -1;
    gs_mod.state.sys = (unsigned char *)gs_mod.windows[0].flat;
    return 0;
}

void gs_window_stop(void)
{
    while (gs_mod.window_count > 0)
        unmake(&gs_mod.windows[--gs_mod.window_count]);
}

int gs_window_add(size_t *bytes, void **base, size_t *free_bytes)
{
    gs_enter in;
    if (gs_mod.window_count == GIN_SHMEM_WINDOWS_MAX) {
        gs_mod_error(
            "the device heap has grown %d times, which is the limit: raise SHMEM_SYMMETRIC_SIZE, so that it grows by "
            "larger pieces",
            GIN_SHMEM_WINDOWS_MAX - 1);
        (void)all_agree(false, free_bytes);
        return 1;
    }
    gs_window *w = &gs_mod.windows[gs_mod.window_count];
    int rc = make(w, *bytes, false, free_bytes);
    if (rc != 0)
        return rc;
    gs_mod.window_count++;
    if (gs_direct_window_added(gs_mod.window_count - 1) || gs_state_window_added(gs_mod.window_count - 1))
        return -1;
    *bytes = w->bytes;
    *base = w->flat;
    return 0;
}

/* The last one only: the core takes back what it could not use. */
void gs_window_remove(void *base)
{
    gs_enter in;
    gs_window *last = &gs_mod.windows[gs_mod.window_count - 1];
    if (gs_mod.window_count < 2 || last->flat != base)
        gs_mod.core.die("device heap", "internal: window at %p is not the last one", base);
    gs_mod.core.barrier(); /* deregistration waits for nobody */
    gs_mod.window_count--;
    gs_state_window_gone();
    unmake(last);
}

int gs_window_adopt(void *user, size_t bytes, void **base)
{
    gs_enter in;
    size_t free_bytes;
    if (gs_mod.window_count == GIN_SHMEM_WINDOWS_MAX) {
        gs_mod_error("there are %d windows, which is the limit: register fewer buffers", GIN_SHMEM_WINDOWS_MAX);
        return -1;
    }
    gs_window *w = &gs_mod.windows[gs_mod.window_count];
    *w = gs_window();
    w->user = (char *)user;
    w->bytes = bytes;
    w->adopted = true;
    int rc = register_window(w, false, &free_bytes);
    if (rc > 0)
        gs_mod_error(
            "%zu bytes at %p cannot be a window on every PE: pass memory of cuMemCreate (with a handle that other "
            "processes can import) from its beginning on, the same size on every PE",
            bytes, user);
    if (rc != 0)
        return -1;
    gs_mod.window_count++;
    if (gs_direct_window_added(gs_mod.window_count - 1) || gs_state_window_added(gs_mod.window_count - 1))
        return -1;
    *base = w->flat;
    return 0;
}

/* Its place in the table stays, with no bytes: those behind it keep theirs. */
void gs_window_release(void *base)
{
    gs_enter in;
    int i = 0;
    while (i < gs_mod.window_count && !(gs_mod.windows[i].adopted && gs_mod.windows[i].flat == base))
        i++;
    if (i == gs_mod.window_count)
        gs_mod.core.die("device heap", "internal: no window was adopted at %p", base);
    gs_mod.core.barrier(); /* deregistration waits for nobody */
    unmake(&gs_mod.windows[i]);
    (void)gs_state_window_added(i); /* what is there now: nothing */
}

const gs_window *gs_window_of(const void *addr)
{
    for (int i = 0; i < gs_mod.window_count; i++)
        if ((uintptr_t)addr - (uintptr_t)gs_mod.windows[i].flat < gs_mod.windows[i].bytes)
            return &gs_mod.windows[i];
    return nullptr;
}

void *gs_window_user(const void *addr)
{
    const gs_window *w = gs_window_of(addr);
    return w ? w->user + ((const char *)addr - w->flat) : nullptr;
}

int gs_window_lookup(const void *addr, void **window, size_t *offset)
{
    const gs_window *w = gs_window_of(addr);
    if (!w || w == &gs_mod.windows[0])
        return -1;
    *window = w->handle;
    *offset = (size_t)((const char *)addr - w->flat);
    return 0;
}

void gs_range(uintptr_t *base, size_t *span)
{
    *base = gs_mod.state.dev.lo;
    *span = gs_mod.state.dev.span;
}

bool gs_reaches(int pe)
{
    return gs_mod.lsa_rank[(size_t)pe] >= 0;
}

/* The agent serves the others. */
bool gs_serves(int pe)
{
    return (unsigned)pe < (unsigned)gs_mod.core.n;
}

intptr_t gs_delta(int pe)
{
    if (!gs_reaches(pe))
        return gs_far_delta(pe);
    return (intptr_t)(gs_mod.lsa_rank[(size_t)pe] - gs_mod.lsa.rank) * (intptr_t)gs_mod.stride;
}

bool gs_is_device(const void *addr)
{
    int pe;
    void *own;
    if (gs_far_own(addr, &pe, &own))
        return true;
    if ((uintptr_t)addr - gs_mod.flat < (size_t)gs_mod.lsa.nRanks * gs_mod.stride)
        return true;
    if (gs_in_host_heaps(addr))
        return false;
    bool device;
    if (gs_direct_mapped(addr, &device))
        return device;
    CUmemorytype type;
    CUresult e = gs_drv.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)addr);
    if (e == CUDA_ERROR_INVALID_CONTEXT) { /* a thread that has not used CUDA yet */
        gs_enter in;
        e = gs_drv.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)addr);
    }
    return e == CUDA_SUCCESS && type == CU_MEMORYTYPE_DEVICE; /* an error: memory that CUDA does not know */
}
