/* SPDX-License-Identifier: BSD-3-Clause */
#include "transport/nccl/driver.h"

#include <dlfcn.h>
#include <stdio.h>

#include "transport/nccl/module.h"

gs_driver gs_drv;

#define GS_STRING_OF(x) #x
#define GS_STRING(x)    GS_STRING_OF(x)

int gs_driver_load(char *why, size_t len)
{
    static void *lib; /* never closed: CUDA cannot be */
    if (!lib && !(lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL))) {
        snprintf(why, len, "no NVIDIA driver (%s)", dlerror());
        return -1;
    }
#define GS_DRIVER_ROW(name)                                                            \
    gs_drv.name = (decltype(&::name))dlsym(lib, GS_STRING(name));                      \
    if (!gs_drv.name) {                                                                \
        snprintf(why, len, "the NVIDIA driver has no %s: update it", GS_STRING(name)); \
        return -1;                                                                     \
    }
    GS_DRIVER_FUNCTIONS(GS_DRIVER_ROW)
#undef GS_DRIVER_ROW
    CUresult e = gs_drv.cuInit(0);
    if (e != CUDA_SUCCESS) {
        const char *text = "unknown error";
        gs_drv.cuGetErrorString(e, &text);
        snprintf(why, len, "the NVIDIA driver does not start: %s", text);
        return -1;
    }
    return 0;
}

/* After a failed kernel every call fails in the same way: once is enough. */
static bool said_already(int e)
{
    static std::atomic<int> said{0};
    return e >= cudaErrorIllegalAddress && e <= cudaErrorLaunchFailure && said.exchange(e) == e;
}

int gs_cuda_failed(cudaError_t e, const char *what)
{
    (void)cudaGetLastError(); /* of our own runtime; do not report it twice */
    gs_watchdog_look();
    if (said_already((int)e))
        return -1;
    gs_mod_error("%s: %s (%s)", what, cudaGetErrorString(e), cudaGetErrorName(e));
    return -1;
}

int gs_driver_failed(CUresult e, const char *what)
{
    const char *text = "unknown error";
    gs_drv.cuGetErrorString(e, &text);
    gs_watchdog_look();
    if (!said_already((int)e)) /* the runtime's numbers are the driver's */
        gs_mod_error("%s: %s (error %d)", what, text, (int)e);
    return -1;
}

gs_enter::gs_enter() : pushed(false), mode(cudaStreamCaptureModeRelaxed)
{
    CUcontext now = nullptr;
    if (gs_drv.cuCtxGetCurrent(&now) != CUDA_SUCCESS || now != gs_mod.context)
        pushed = gs_drv.cuCtxPushCurrent(gs_mod.context) == CUDA_SUCCESS;
    (void)cudaThreadExchangeStreamCaptureMode(&mode);
    if (__builtin_expect(gs_units_pending.load(std::memory_order_relaxed), 0))
        gs_units_retry();
}

gs_enter::~gs_enter()
{
    (void)cudaThreadExchangeStreamCaptureMode(&mode);
    if (pushed) {
        CUcontext ours;
        (void)gs_drv.cuCtxPopCurrent(&ours);
    }
}
