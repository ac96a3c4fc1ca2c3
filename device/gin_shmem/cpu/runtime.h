/* SPDX-License-Identifier: BSD-3-Clause */
/* The CUDA runtime's host functions, as far as they are needed: types and names of CUDA, over libginshmem_cpu. */
#ifndef GIN_SHMEM_CPU_RUNTIME_H
#define GIN_SHMEM_CPU_RUNTIME_H

#include "calls.h"

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;

enum cudaError_t {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInvalidDeviceFunction = 98,
    cudaErrorInvalidDevice = 101,
    cudaErrorInvalidResourceHandle = 400,
    cudaErrorNotReady = 600,
    cudaErrorLaunchFailure = 719,
    cudaErrorCooperativeLaunchTooLarge = 720,
};
enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};
enum cudaMemoryType { cudaMemoryTypeUnregistered, cudaMemoryTypeHost, cudaMemoryTypeDevice, cudaMemoryTypeManaged };
enum cudaLimit { cudaLimitStackSize };
enum { cudaStreamDefault = 0, cudaStreamNonBlocking = 1 };
enum { cudaEventDefault = 0, cudaEventDisableTiming = 2 };
enum { cudaHostAllocDefault = 0, cudaHostAllocPortable = 1, cudaHostAllocMapped = 2 };
#define cudaStreamLegacy    ((cudaStream_t)1)
#define cudaStreamPerThread ((cudaStream_t)2)

struct cudaPointerAttributes {
    enum cudaMemoryType type;
    int device;
    void *devicePointer, *hostPointer;
};
struct cudaFuncAttributes {
    size_t sharedSizeBytes;
    int maxThreadsPerBlock, numRegs;
};
struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem;
    int multiProcessorCount, maxThreadsPerBlock, warpSize, major, minor;
};

/* ---- launches ---- */

namespace gin_shmem_cpu
{

template <class... P>
struct kernel_of {
    template <size_t... I>
    static void apply(const void *fn, void *const *args, std::index_sequence<I...>)
    {
        (void)args;
        ((void (*)(P...))fn)(*(typename std::remove_const<P>::type *)args[I]...);
    }
    static void call(const void *fn, void *const *args) { apply(fn, args, std::index_sequence_for<P...>()); }
    static const struct gin_shmem_cpu_kernel *get()
    {
        static const uint32_t bytes[] = {(uint32_t)sizeof(P)..., 0};
        static const struct gin_shmem_cpu_kernel kernel = {call, sizeof...(P), bytes};
        return &kernel;
    }
};

/* launcher_of(name, kernel, ...)(arguments): the arguments are converted to the kernel's as in a call. */
template <class... P>
struct launcher {
    const char *name;
    void (*kernel)(P...);
    uint3 grid, block;
    size_t smem;
    cudaStream_t stream;

    void operator()(P... args) const
    {
        void *const at[] = {(void *)&args..., nullptr};
        gin_shmem_cpu_launch(name, (const void *)kernel, kernel_of<P...>::get(), grid, block, smem, stream, 0, at);
    }
};
template <class... P>
launcher<P...> launcher_of(const char *name, void (*kernel)(P...), dim3 grid, dim3 block, size_t smem, cudaStream_t s)
{
    return {name, kernel, grid, block, smem, s};
}

} // namespace gin_shmem_cpu

template <class... P>
cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(P...), dim3 grid, dim3 block, void **args, size_t smem = 0,
                                        cudaStream_t s = 0)
{
    return (cudaError_t)gin_shmem_cpu_launch(nullptr, (const void *)kernel, gin_shmem_cpu::kernel_of<P...>::get(), grid,
                                             block, smem, s, 1, args);
}

/* cooperative_groups.h has these on a GPU. */
namespace cooperative_groups
{
struct grid_group {
    void sync() const { gin_shmem_cpu_sync_grid(); }
};
struct thread_block {
    void sync() const { gin_shmem_cpu_sync_block("thread_block::sync"); }
};
inline grid_group this_grid()
{
    return {};
}
inline thread_block this_thread_block()
{
    return {};
}
} // namespace cooperative_groups

/* ---- the device ---- */

inline cudaError_t cudaGetDeviceCount(int *n)
{
    *n = 1;
    return cudaSuccess;
}
inline cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}
inline cudaError_t cudaSetDevice(int device)
{
    return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}
inline cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device)
{
    size_t free_bytes;
    *p = {"CPU", 0, 1, 1024, 32, 0, 0};
    gin_shmem_cpu_memory_info(&free_bytes, &p->totalGlobalMem);
    return cudaSetDevice(device);
}
inline cudaError_t cudaDeviceSynchronize()
{
    return (cudaError_t)gin_shmem_cpu_synchronize();
}
/* Stacks of threads of kernels that are launched from here on; at least 64 KiB. */
inline cudaError_t cudaDeviceSetLimit(enum cudaLimit, size_t bytes)
{
    return (cudaError_t)gin_shmem_cpu_stack(bytes);
}
inline cudaError_t cudaGetLastError()
{
    return (cudaError_t)gin_shmem_cpu_error(1);
}
inline cudaError_t cudaPeekAtLastError()
{
    return (cudaError_t)gin_shmem_cpu_error(0);
}
inline const char *cudaGetErrorString(cudaError_t e)
{
    return gin_shmem_cpu_error_name(e);
}
template <class F>
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *a, F *)
{
    *a = {0, 1024, 0};
    return cudaSuccess;
}

/* ---- memory ---- */

template <class T>
cudaError_t cudaMalloc(T **p, size_t bytes)
{
    return (cudaError_t)gin_shmem_cpu_malloc((void **)p, bytes, 0);
}
inline cudaError_t cudaFree(void *p)
{
    return (cudaError_t)gin_shmem_cpu_free(p);
}
template <class T>
cudaError_t cudaHostAlloc(T **p, size_t bytes, unsigned)
{
    return (cudaError_t)gin_shmem_cpu_malloc((void **)p, bytes, 1);
}
template <class T>
cudaError_t cudaMallocHost(T **p, size_t bytes)
{
    return (cudaError_t)gin_shmem_cpu_malloc((void **)p, bytes, 1);
}
inline cudaError_t cudaFreeHost(void *p)
{
    return (cudaError_t)gin_shmem_cpu_free(p);
}
template <class T>
cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned)
{
    *device = (T *)host;
    return cudaSuccess;
}
inline cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total)
{
    return (cudaError_t)gin_shmem_cpu_memory_info(free_bytes, total);
}
inline cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *a, const void *p)
{
    const enum cudaMemoryType type = (enum cudaMemoryType)gin_shmem_cpu_memory_kind(p);
    *a = {type, type == cudaMemoryTypeUnregistered ? -1 : 0, (void *)p, (void *)p};
    return cudaSuccess;
}
inline cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind)
{
    return (cudaError_t)gin_shmem_cpu_copy(to, from, bytes, 0, 1);
}
inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind, cudaStream_t s = 0)
{
    return (cudaError_t)gin_shmem_cpu_copy(to, from, bytes, s, 0);
}
inline cudaError_t cudaMemset(void *to, int byte, size_t bytes)
{
    return (cudaError_t)gin_shmem_cpu_set(to, byte, bytes, 0);
}
inline cudaError_t cudaMemsetAsync(void *to, int byte, size_t bytes, cudaStream_t s = 0)
{
    return (cudaError_t)gin_shmem_cpu_set(to, byte, bytes, s);
}
template <class T>
cudaError_t cudaMemcpyToSymbol(T &symbol, const void *from, size_t bytes, size_t offset = 0,
                               enum cudaMemcpyKind = cudaMemcpyHostToDevice)
{
    return (cudaError_t)gin_shmem_cpu_copy((char *)&symbol + offset, from, bytes, 0, 1);
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                 enum cudaMemcpyKind = cudaMemcpyDeviceToHost)
{
    return (cudaError_t)gin_shmem_cpu_copy(to, (const char *)&symbol + offset, bytes, 0, 1);
}

/* ---- streams and events ---- */

inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned flags)
{
    return (cudaError_t)gin_shmem_cpu_stream_create(s, !(flags & cudaStreamNonBlocking));
}
inline cudaError_t cudaStreamCreate(cudaStream_t *s)
{
    return cudaStreamCreateWithFlags(s, cudaStreamDefault);
}
inline cudaError_t cudaStreamDestroy(cudaStream_t s)
{
    return (cudaError_t)gin_shmem_cpu_stream_destroy(s);
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t s)
{
    return (cudaError_t)gin_shmem_cpu_stream_synchronize(s);
}
inline cudaError_t cudaStreamQuery(cudaStream_t s)
{
    return (cudaError_t)gin_shmem_cpu_stream_query(s);
}
inline cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned = 0)
{
    return (cudaError_t)gin_shmem_cpu_stream_wait(s, e);
}
inline cudaError_t cudaLaunchHostFunc(cudaStream_t s, void (*fn)(void *), void *arg)
{
    return (cudaError_t)gin_shmem_cpu_stream_call(s, fn, arg);
}
inline cudaError_t cudaEventCreate(cudaEvent_t *e)
{
    return (cudaError_t)gin_shmem_cpu_event_create(e);
}
inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t *e, unsigned)
{
    return (cudaError_t)gin_shmem_cpu_event_create(e);
}
inline cudaError_t cudaEventDestroy(cudaEvent_t e)
{
    return (cudaError_t)gin_shmem_cpu_event_destroy(e);
}
inline cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s = 0)
{
    return (cudaError_t)gin_shmem_cpu_event_record(e, s);
}
inline cudaError_t cudaEventSynchronize(cudaEvent_t e)
{
    return (cudaError_t)gin_shmem_cpu_event_synchronize(e);
}
inline cudaError_t cudaEventQuery(cudaEvent_t e)
{
    return (cudaError_t)gin_shmem_cpu_event_query(e);
}
inline cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to)
{
    return (cudaError_t)gin_shmem_cpu_event_elapsed(ms, from, to);
}

#endif
