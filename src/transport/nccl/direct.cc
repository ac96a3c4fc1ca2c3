/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows of far PEs on this host. NCCL maps windows among the PEs of a node only; the memory behind them can be exported
 * as a file descriptor, which the others take out of the process (pidfd_getfd) and map. Each far PE has a range of
 * addresses, in which windows lie as in the PE's own.
 */
#include <gin_shmem/agent.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/agent.h"
#include "transport/nccl/kernels.h"
#include "transport/nccl/module.h"

/* Addresses that stand for objects of far PEs' device heaps: no processor has such. PE in bits 40 to 55. */
enum : uint64_t { FAR_TAG = (uint64_t)0x47 << 56, FAR_SHIFT = 40 };

struct far_pe {
    int process = -1;     /* on this host, and far: its memory can be mapped here, all of it */
    CUdeviceptr base = 0; /* of its windows, stride bytes */
    uint64_t mapped = 0;  /* windows, a bit each */
    char *host = nullptr; /* its host heap */
};
static std::vector<far_pe> far_pes;
static std::vector<int> of_host; /* those of far_pes that are on this host: few, however large the job */
static std::mutex host_lock;

static_assert(GIN_SHMEM_WINDOWS_MAX <= 64, "a bit for each window");

static bool is_far(int pe)
{
    return gs_mod.lsa_rank[(size_t)pe] < 0;
}

/* ---- one window ---- */

/* What a PE tells of a window's memory. */
struct offer {
    int process, fd;
};

static size_t offset_of(const gs_window *w)
{
    return (size_t)((uint64_t)(uintptr_t)w->flat - gs_mod.state.dev.lo);
}

/* A descriptor of the window's memory, or -1: it cannot be exported. */
static int export_memory(const gs_window *w)
{
    CUmemGenericAllocationHandle h;
    int fd = -1;
    if (gs_drv.cuMemRetainAllocationHandle(&h, w->user) != CUDA_SUCCESS)
        return -1;
    if (gs_drv.cuMemExportToShareableHandle(&fd, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0) != CUDA_SUCCESS)
        fd = -1;
    (void)gs_drv.cuMemRelease(h);
    return fd;
}

static int take_descriptor(const offer &o)
{
    int process = (int)syscall(SYS_pidfd_open, o.process, 0);
    if (process < 0)
        return -1;
    int fd = (int)syscall(SYS_pidfd_getfd, process, o.fd, 0);
    close(process);
    return fd;
}

static bool map_memory(far_pe *p, const gs_window *w, int fd)
{
    CUmemGenericAllocationHandle h;
    CUdeviceptr at = p->base + offset_of(w);
    CUmemAccessDesc access = {};
    access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    access.location.id = gs_mod.device;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    if (gs_drv.cuMemImportFromShareableHandle(&h, (void *)(uintptr_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) !=
        CUDA_SUCCESS)
        return false;
    bool ok = gs_drv.cuMemMap(at, w->bytes, 0, h, 0) == CUDA_SUCCESS;
    (void)gs_drv.cuMemRelease(h); /* the mapping keeps it */
    if (ok && gs_drv.cuMemSetAccess(at, w->bytes, &access, 1) != CUDA_SUCCESS) {
        (void)gs_drv.cuMemUnmap(at, w->bytes);
        ok = false;
    }
    return ok;
}

int gs_direct_window_added(int index)
{
    const gs_window *w = &gs_mod.windows[index];
    std::vector<offer> all((size_t)gs_mod.core.n);
    if (far_pes.empty())
        return 0;
    /* GIN_SHMEM_AGENT_DIRECT need not be the same on all PEs. */
    offer mine = {(int)getpid(), gs_mod.core.agent_direct ? export_memory(w) : -1};
    (void)prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0); /* whoever may trace us may take it, until all have */
    int rc = gs_mod.core.allgather(&mine, sizeof mine, all.data());
    for (int pe = 0; rc == 0 && pe < gs_mod.core.n; pe++) {
        far_pe *p = &far_pes[(size_t)pe];
        if (p->process < 0)
            continue;
        int fd = all[(size_t)pe].fd < 0 ? -1 : take_descriptor(all[(size_t)pe]);
        if (fd >= 0 && map_memory(p, w, fd)) {
            p->mapped |= (uint64_t)1 << index;
        } else { /* all of a PE goes one way, or it would not stay in order */
            __atomic_store_n(&p->process, -1, __ATOMIC_RELEASE);
            gs_mod_log(GS_INFO, "window %d of PE %d, on this host, cannot be mapped here: its agent gets messages",
                       index, pe);
        }
        if (fd >= 0)
            close(fd);
    }
    rc = gs_mod.core.allgather(&mine, sizeof mine, all.data()) || rc; /* nobody needs the descriptor any more */
    (void)prctl(PR_SET_PTRACER, 0, 0, 0, 0);
    if (mine.fd >= 0)
        close(mine.fd);
    if (rc)
        gs_mod_error("the PEs could not exchange their windows");
    return rc ? -1 : 0;
}

void gs_direct_window_gone(int index)
{
    const gs_window *w = &gs_mod.windows[index];
    for (far_pe &p : far_pes)
        if (p.mapped >> index & 1) {
            (void)GS_DRV(cuMemUnmap, p.base + offset_of(w), w->bytes);
            p.mapped &= ~((uint64_t)1 << index);
        }
}

/* ---- all of them ---- */

int gs_direct_start(void)
{
    bool any = false;
    for (int pe = 0; pe < gs_mod.core.n; pe++)
        any = any || is_far(pe);
    if (!any)
        return 0;
    far_pes.resize((size_t)gs_mod.core.n);
    for (int pe = 0; pe < gs_mod.core.n && gs_mod.core.agent_direct; pe++) {
        far_pe *p = &far_pes[(size_t)pe];
        p->process = is_far(pe) ? gs_mod.core.process(pe) : -1;
        if (p->process < 0)
            continue;
        of_host.push_back(pe);
        if (GS_DRV(cuMemAddressReserve, &p->base, gs_mod.stride, 0, 0, 0))
            return -1;
    }
    return gs_direct_window_added(0);
}

void gs_direct_stop(void)
{
    for (far_pe &p : far_pes) {
        if (p.base)
            (void)GS_DRV(cuMemAddressFree, p.base, gs_mod.stride);
        if (p.host)
            (void)munmap(p.host, gs_mod.core.host_size);
    }
    far_pes.clear();
    of_host.clear();
}

/* ---- addresses ---- */

static char *host_heap(far_pe *p, int pe)
{
    std::lock_guard<std::mutex> hold(host_lock);
    if (!p->host) {
        int fd = gs_mod.core.host_open(pe);
        void *at =
            fd < 0 ? MAP_FAILED
                   : mmap(nullptr, gs_mod.core.host_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
        if (fd >= 0)
            close(fd);
        if (at == MAP_FAILED)
            return nullptr;
        __atomic_store_n(&p->host, (char *)at, __ATOMIC_RELEASE);
    }
    return p->host;
}

void *gs_direct_peer(int pe, const void *own)
{
    far_pe *p = far_pes.empty() ? nullptr : &far_pes[(size_t)pe];
    if (!p || __atomic_load_n(&p->process, __ATOMIC_ACQUIRE) < 0)
        return nullptr;
    if (gs_in_own_heap(own)) {
        const gs_window *w = gs_window_of(own);
        if (!w || !(p->mapped >> (w - gs_mod.windows) & 1))
            return nullptr;
        return (void *)(uintptr_t)(p->base + ((uint64_t)(uintptr_t)own - gs_mod.state.dev.lo));
    }
    size_t offset =
        (size_t)((const char *)own - gs_mod.core.host_base) - (size_t)gs_mod.core.me * gs_mod.core.host_stride;
    if (offset >= gs_mod.core.host_size)
        return nullptr;
    char *heap = host_heap(p, pe);
    return heap ? heap + offset : nullptr;
}

bool gs_direct_mapped(const void *p, bool *device)
{
    for (int pe : of_host) {
        const far_pe &f = far_pes[(size_t)pe];
        const char *host = __atomic_load_n(&f.host, __ATOMIC_ACQUIRE);
        *device = f.base && (CUdeviceptr)(uintptr_t)p - f.base < gs_mod.stride;
        if (*device || (host && (uintptr_t)p - (uintptr_t)host < gs_mod.core.host_size))
            return true;
    }
    return false;
}

bool gs_direct_use(const void **p)
{
    int pe;
    void *own, *at;
    if (!gs_far_own(*p, &pe, &own))
        return true;
    at = gs_direct_peer(pe, own);
    if (at)
        *p = at;
    return at != nullptr;
}

static int in_stream(int kind, int op, int pe, const void *dest, const void *source, size_t bytes, uint64_t value,
                     uint64_t cond, void *stream)
{
    struct gs_k_far f = {kind, op, pe, (uint64_t)(uintptr_t)dest, (uint64_t)(uintptr_t)source, bytes, value, cond};
    return gs_cuda_check(gs_k_far_launch(&f, (cudaStream_t)stream), "kernel that asks the agent");
}

int gs_far_copy(void *to, const void *from, size_t bytes, void *stream)
{
    int pe;
    void *own;
    bool out = gs_far_own(to, &pe, &own);
    if (!out && !gs_far_own(from, &pe, &own))
        return -1;
    if (stream)
        return in_stream(out ? GIN_SHMEM_AGENT_PUT : GIN_SHMEM_AGENT_GET, 0, pe, out ? own : to, out ? from : own,
                         bytes, 0, 0, stream);
    if (out)
        gs_agent_put(pe, own, from, bytes);
    else
        gs_agent_get(pe, to, own, bytes);
    return 0;
}

int gs_far_amo(enum gs_amo_op op, void *addr, size_t size, const void *operand, const void *cond, void *result,
               void *stream, bool wait)
{
    int pe;
    void *own;
    uint64_t value = 0, than = 0, old = 0;
    if (!gs_far_own(addr, &pe, &own))
        return -1;
    if (stream && (op == GS_AMO_FETCH || (size != 4 && size != 8))) {
        gs_mod_error(
            "a word of %zu bytes of PE %d, on another node, in a stream: only words of 4 and 8 bytes can be changed so",
            size, pe);
        return -1;
    }
    if (operand && size <= sizeof value)
        memcpy(&value, operand, size);
    if (cond)
        memcpy(&than, cond, size);
    if (stream)
        return in_stream(GIN_SHMEM_AGENT_AMO, op, pe, own, nullptr, size, value, than, stream);
    if (size != 4 && size != 8) { /* these are only set and fetched */
        if (op == GS_AMO_FETCH)
            gs_agent_get(pe, result, own, size);
        else
            gs_agent_put(pe, own, operand, size);
        return 0;
    }
    gs_agent_amo(pe, op, own, (uint32_t)size, value, than, result ? &old : nullptr, wait);
    if (result)
        memcpy(result, &old, size);
    return 0;
}

intptr_t gs_far_delta(int pe)
{
    return (intptr_t)(FAR_TAG + ((uint64_t)pe << FAR_SHIFT) - gs_mod.state.dev.lo);
}

bool gs_far_own(const void *p, int *pe, void **own)
{
    uint64_t a = (uint64_t)(uintptr_t)p;
    if (a >> 56 != FAR_TAG >> 56)
        return false;
    *pe = (int)(a >> FAR_SHIFT & 0xffff);
    *own = (void *)(uintptr_t)((a & (((uint64_t)1 << FAR_SHIFT) - 1)) + gs_mod.state.dev.lo);
    return true;
}
