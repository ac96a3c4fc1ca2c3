/* SPDX-License-Identifier: BSD-3-Clause */
/* CUDA's driver, found at run time so that the module loads on a machine without one; and how errors of CUDA are
 * told. */
#ifndef GS_NCCL_DRIVER_H
#define GS_NCCL_DRIVER_H

#include <cuda.h>
#include <cuda_runtime_api.h>

/* clang-format off */
#define GS_DRIVER_FUNCTIONS(X)                                                                                         \
    X(cuInit) X(cuDeviceGet) X(cuDeviceGetUuid) X(cuDeviceGetPCIBusId) X(cuDevicePrimaryCtxGetState)                   \
    X(cuDevicePrimaryCtxRetain) X(cuDevicePrimaryCtxRelease) X(cuCtxGetCurrent) X(cuCtxPushCurrent)                    \
    X(cuCtxPopCurrent) X(cuCtxGetDevice) X(cuPointerGetAttribute) X(cuModuleGetGlobal) X(cuMemcpyHtoDAsync)            \
    X(cuStreamWaitValue32) X(cuStreamWaitValue64) X(cuStreamWriteValue32) X(cuStreamWriteValue64)                      \
    X(cuStreamBatchMemOp)                                                                                              \
    X(cuFuncSetAttribute) X(cuFuncGetAttribute) X(cuOccupancyMaxActiveBlocksPerMultiprocessor)                         \
    X(cuLaunchCooperativeKernel) X(cuGetErrorString) X(cuMemRetainAllocationHandle) X(cuMemRelease)                    \
    X(cuMemExportToShareableHandle) X(cuMemImportFromShareableHandle) X(cuMemAddressReserve) X(cuMemAddressFree)       \
    X(cuMemMap) X(cuMemUnmap) X(cuMemSetAccess) X(cuModuleGetLoadingMode)
/* clang-format on */

/* Members carry the versioned names that cuda.h maps to, as their uses do. */
struct gs_driver {
#define GS_DRIVER_ROW(name) decltype(&::name) name;
    GS_DRIVER_FUNCTIONS(GS_DRIVER_ROW)
#undef GS_DRIVER_ROW
};
extern gs_driver gs_drv;

/* 0, or nonzero with the reason in why. Once is enough. */
int gs_driver_load(char *why, size_t len);

/* 0 for success; otherwise logs, after what a failing kernel may have reported, and gives nonzero. what: the call. */
int gs_cuda_failed(cudaError_t e, const char *what);
int gs_driver_failed(CUresult e, const char *what);
static inline int gs_cuda_check(cudaError_t e, const char *what)
{
    return __builtin_expect(e == cudaSuccess, 1) ? 0 : gs_cuda_failed(e, what);
}
static inline int gs_driver_check(CUresult e, const char *what)
{
    return __builtin_expect(e == CUDA_SUCCESS, 1) ? 0 : gs_driver_failed(e, what);
}
#define GS_CUDA(name, ...) gs_cuda_check(name(__VA_ARGS__), #name)
#define GS_DRV(name, ...)  gs_driver_check(gs_drv.name(__VA_ARGS__), #name)

/*
 * Our context is current, and CUDA calls are legal though some stream of the program is being captured, for as long
 * as one of these lives. The program's own choice of a device comes back afterwards.
 */
class gs_enter
{
  public:
    gs_enter();
    ~gs_enter();
    gs_enter(const gs_enter &) = delete;
    gs_enter &operator=(const gs_enter &) = delete;

  private:
    bool pushed;
    cudaStreamCaptureMode mode;
};

#endif
