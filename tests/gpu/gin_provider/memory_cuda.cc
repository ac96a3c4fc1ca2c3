/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The GPU of the calling thread's context. CUDA's driver is found at run time: this library links to nothing of CUDA.
 * Copies are the copy engine's, which moves data while kernels hold all multiprocessors.
 */
#include <cuda.h>
#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#include "memory.h"

namespace gin_provider
{

/* clang-format off */
#define FUNCTIONS(X)                                                                                                   \
    X(cuCtxGetCurrent) X(cuCtxSetCurrent) X(cuCtxGetDevice) X(cuGetErrorString) X(cuStreamCreate) X(cuStreamDestroy)   \
    X(cuStreamSynchronize) X(cuStreamQuery) X(cuEventCreate) X(cuEventDestroy) X(cuEventRecord) X(cuEventQuery)        \
    X(cuEventSynchronize) X(cuMemcpyAsync) X(cuStreamWriteValue64) X(cuMemHostAlloc) X(cuMemFreeHost)                  \
    X(cuMemHostRegister) X(cuMemHostUnregister) X(cuMemAlloc) X(cuMemFree) X(cuMemRetainAllocationHandle)              \
    X(cuMemExportToShareableHandle) X(cuMemImportFromShareableHandle) X(cuMemAddressReserve) X(cuMemAddressFree)       \
    X(cuMemMap) X(cuMemUnmap) X(cuMemSetAccess) X(cuMemRelease)
/* clang-format on */

/* Members have the versioned names that cuda.h maps to, as their uses do. */
static struct {
#define ROW(name) decltype(&::name) name;
    FUNCTIONS(ROW)
#undef ROW
} drv;

#define TEXT(name)  TEXT_(name)
#define TEXT_(name) #name

static bool load_driver()
{
    static void *lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!lib) {
        say("no CUDA driver: %s", dlerror());
        return false;
    }
#define ROW(name)                                                   \
    if (!(drv.name = (decltype(drv.name))dlsym(lib, TEXT(name)))) { \
        say("the CUDA driver has no " TEXT(name));                  \
        return false;                                               \
    }
    FUNCTIONS(ROW)
#undef ROW
    return true;
}

static bool failed(CUresult e, const char *what)
{
    const char *text = nullptr;
    if (e == CUDA_SUCCESS)
        return false;
    drv.cuGetErrorString(e, &text);
    say("%s: %s", what, text ? text : "unknown error");
    return true;
}
#define FAILED(name, ...) failed(drv.name(__VA_ARGS__), #name)

/* NCCL's threads, and ours, may come without a context. */
static bool bind(CUcontext context)
{
    CUcontext now = nullptr;
    return !FAILED(cuCtxGetCurrent, &now) && (now == context || !FAILED(cuCtxSetCurrent, context));
}

class cuda_copies : public copies
{
  public:
    explicit cuda_copies(CUcontext context) : context(context) {}
    ~cuda_copies() override
    {
        if (!bind(context))
            return;
        if (stream) {
            (void)drv.cuStreamSynchronize(stream);
            (void)drv.cuStreamDestroy(stream);
        }
        for (CUevent e : events)
            if (e)
                (void)drv.cuEventDestroy(e);
        if (pinned)
            (void)drv.cuMemFreeHost(pinned);
    }

    bool make()
    {
        CUdeviceptr word;
        uint64_t ticket;
        if (FAILED(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING) ||
            FAILED(cuMemHostAlloc, (void **)&pinned, sizeof *pinned, CU_MEMHOSTALLOC_PORTABLE))
            return false;
        pinned->mark = 0;
        for (CUevent &e : events)
            if (FAILED(cuEventCreate, &e, CU_EVENT_DISABLE_TIMING))
                return false;
        /* What the driver loads with the first copy of a kind is loaded now. */
        if (FAILED(cuMemAlloc, &word, 64))
            return false;
        bool ok = start((void *)word, pinned->value[0], 8, false, &ticket) && add((uint64_t *)word, 1) &&
                  start((void *)(word + 32), (void *)word, 8, false, &ticket) && !FAILED(cuStreamSynchronize, stream);
        return !FAILED(cuMemFree, word) && ok;
    }

    bool start(void *to, const void *from, size_t bytes, bool value, uint64_t *ticket) override
    {
        const uint64_t at = started % EVENTS;
        if (!bind(context))
            return false;
        if (started >= EVENTS && FAILED(cuEventSynchronize, events[at])) /* of an earlier copy */
            return false;
        if (value)
            from = memcpy(pinned->value[at], from, bytes);
        if (FAILED(cuMemcpyAsync, (CUdeviceptr)to, (CUdeviceptr)from, bytes, stream) ||
            FAILED(cuEventRecord, events[at], stream))
            return false;
        *ticket = started++;
        return true;
    }

    int state(uint64_t ticket) override
    {
        if (ticket < done)
            return 1;
        if (ticket + EVENTS < started) /* its event serves a later copy */
            return 1;
        CUresult e = bind(context) ? drv.cuEventQuery(events[ticket % EVENTS]) : CUDA_ERROR_INVALID_CONTEXT;
        if (e == CUDA_ERROR_NOT_READY)
            return 0;
        if (failed(e, "cuEventQuery"))
            return -1;
        done = ticket + 1;
        return 1;
    }

    bool add(uint64_t *word, uint64_t value) override
    {
        return bind(context) && !FAILED(cuMemcpyAsync, (CUdeviceptr)&pinned->word, (CUdeviceptr)word, 8, stream) &&
               reach() && write(word, pinned->word + value) && reach();
    }

  private:
    enum { EVENTS = 512 };

    bool write(uint64_t *at, uint64_t value)
    {
        return !FAILED(cuStreamWriteValue64, stream, (CUdeviceptr)at, value, CU_STREAM_WRITE_VALUE_DEFAULT);
    }
    /* Waits for the stream by a word that it writes: quicker than asking the driver. */
    bool reach()
    {
        if (!write(&pinned->mark, ++mark))
            return false;
        for (unsigned look = 1; __atomic_load_n(&pinned->mark, __ATOMIC_ACQUIRE) != mark; look++)
            if (look % 65536 == 0) { /* a broken GPU does not write */
                CUresult e = drv.cuStreamQuery(stream);
                if (e != CUDA_ERROR_NOT_READY && failed(e, "cuStreamQuery"))
                    return false;
            }
        return true;
    }

    CUcontext context;
    CUstream stream = nullptr;
    CUevent events[EVENTS] = {};
    struct {
        uint64_t word, mark;
        char value[EVENTS][VALUE_MAX];
    } *pinned = nullptr;
    uint64_t started = 0, done = 0, mark = 0;
};

class cuda_memory : public memory
{
  public:
    bool make()
    {
        if (!load_driver() || FAILED(cuCtxGetCurrent, &context))
            return false;
        if (!context) {
            say("NCCL connects in a thread without a CUDA context");
            return false;
        }
        return !FAILED(cuCtxGetDevice, &device);
    }

    std::unique_ptr<copies> make_copies() override
    {
        std::unique_ptr<cuda_copies> c(new cuda_copies(context));
        return bind(context) && c->make() ? std::move(c) : nullptr;
    }

    bool pin(void *p, size_t bytes) override
    {
        return bind(context) && !FAILED(cuMemHostRegister, p, bytes, CU_MEMHOSTREGISTER_PORTABLE);
    }
    void unpin(void *p) override
    {
        if (bind(context))
            (void)FAILED(cuMemHostUnregister, p);
    }

    /* Only what is one whole allocation, which is what NCCL registers: then it can be mapped from its beginning. */
    descriptor share(void *p, size_t bytes, struct shared_range *r) override
    {
        CUmemGenericAllocationHandle h;
        int fd = -1;
        if (!bind(context) || (uintptr_t)p % GRANULE || drv.cuMemRetainAllocationHandle(&h, p) != CUDA_SUCCESS)
            return descriptor();
        if (!belongs((char *)p - GRANULE, h) && belongs((char *)p + bytes - 1, h) &&
            drv.cuMemExportToShareableHandle(&fd, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0) != CUDA_SUCCESS)
            fd = -1;
        (void)drv.cuMemRelease(h);
        *r = {(bytes + GRANULE - 1) / GRANULE * GRANULE, 0};
        return descriptor(fd);
    }

    void *map(int fd, const struct shared_range &r) override
    {
        CUmemGenericAllocationHandle h;
        CUmemAccessDesc access = {};
        CUdeviceptr at = 0;
        bool ok = false;
        access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
        access.location.id = device;
        access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        if (!bind(context) || drv.cuMemImportFromShareableHandle(
                                  &h, (void *)(intptr_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) != CUDA_SUCCESS)
            return nullptr;
        if (drv.cuMemAddressReserve(&at, r.bytes, GRANULE, 0, 0) == CUDA_SUCCESS) {
            if (drv.cuMemMap(at, r.bytes, 0, h, 0) == CUDA_SUCCESS) {
                ok = drv.cuMemSetAccess(at, r.bytes, &access, 1) == CUDA_SUCCESS;
                if (!ok)
                    (void)drv.cuMemUnmap(at, r.bytes);
            }
            if (!ok)
                (void)drv.cuMemAddressFree(at, r.bytes);
        }
        (void)drv.cuMemRelease(h);
        return ok ? (void *)at : nullptr;
    }

    void unmap(void *base, const struct shared_range &r) override
    {
        if (bind(context) && !FAILED(cuMemUnmap, (CUdeviceptr)base, r.bytes))
            (void)FAILED(cuMemAddressFree, (CUdeviceptr)base, r.bytes);
    }

  private:
    enum : size_t { GRANULE = 2 << 20 }; /* what CUDA maps at a time */

    /* Is p mapped, and backed by allocation h? Asking gives the handle itself, counted once more. */
    static bool belongs(void *p, CUmemGenericAllocationHandle h)
    {
        CUmemGenericAllocationHandle of_p;
        if (drv.cuMemRetainAllocationHandle(&of_p, p) != CUDA_SUCCESS)
            return false;
        (void)drv.cuMemRelease(of_p);
        return of_p == h;
    }

    CUcontext context = nullptr;
    CUdevice device = 0;
};

std::unique_ptr<memory> open_memory()
{
    std::unique_ptr<cuda_memory> m(new cuda_memory);
    return m->make() ? std::move(m) : nullptr;
}

} // namespace gin_provider
