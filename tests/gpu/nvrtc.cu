/* SPDX-License-Identifier: BSD-3-Clause */
/* A kernel compiled at run time by NVRTC and loaded through the driver API: shmemx_cumodule_init makes it work. A module
 * without device state is refused.
 * link: CUDA::nvrtc CUDA::cuda_driver
 * run: gpu-only NVRTC and the driver API */
#include "check.h"

#include <cuda.h>
#include <nvrtc.h>
#include <string>

#define DRV(call)                                                                                                      \
    do {                                                                                                               \
        CUresult drv_result = (call);                                                                                  \
        const char *drv_text = "";                                                                                     \
        if (drv_result != CUDA_SUCCESS)                                                                                \
            cuGetErrorString(drv_result, &drv_text);                                                                   \
        CHECK(drv_result == CUDA_SUCCESS, "%s", drv_text);                                                             \
    } while (0)

static const char source[] = "#include <gin_shmem.h>\n"
                             "extern \"C\" __global__ void kernel(int *p, int *seen, int next)\n"
                             "{\n"
                             "    gin_shmem_int_p(p, 40 + gin_shmem_my_pe(), next);\n"
                             "    gin_shmem_barrier_all();\n"
                             "    *seen = gin_shmem_int_g(p, gin_shmem_my_pe());\n"
                             "}\n";

static std::string compile(const char *text)
{
    nvrtcProgram program;
    size_t size = 0;
    cudaDeviceProp prop;
    int device;
    CU(cudaGetDevice(&device));
    CU(cudaGetDeviceProperties(&prop, device));
    std::string arch = "-arch=sm_" + std::to_string(prop.major) + std::to_string(prop.minor);
    const char *options[] = {arch.c_str(), "-std=c++17", "-I" GS_INCLUDE, "-I" GS_DEVICE, "-I" GS_CUDA_INCLUDE};
    CHECK(nvrtcCreateProgram(&program, text, "kernel.cu", 0, NULL, NULL) == NVRTC_SUCCESS, "nvrtcCreateProgram");
    nvrtcResult result = nvrtcCompileProgram(program, sizeof options / sizeof *options, options);
    if (result != NVRTC_SUCCESS) {
        nvrtcGetProgramLogSize(program, &size);
        std::string log(size, 0);
        nvrtcGetProgramLog(program, &log[0]);
        fprintf(stderr, "%.3000s\n", log.c_str());
    }
    CHECK(result == NVRTC_SUCCESS, "NVRTC: %s", nvrtcGetErrorString(result));
    CHECK(nvrtcGetCUBINSize(program, &size) == NVRTC_SUCCESS && size, "no cubin");
    std::string cubin(size, 0);
    nvrtcGetCUBIN(program, &cubin[0]);
    nvrtcDestroyProgram(&program);
    return cubin;
}

__global__ void nothing(void) { gin_shmem_quiet(); }

int main()
{
    start();
    GIN_SHMEM_LAUNCH(nothing, 1, 1, 0);
    int *p = symmetric<int>(1), *seen = symmetric<int>(1);
    CUmodule module, plain;
    CUfunction kernel;
    std::string cubin = compile(source), other = compile("extern \"C\" __global__ void nothing() {}\n");
    DRV(cuModuleLoadData(&module, cubin.data()));
    CHECK(shmemx_cumodule_init(module) == 0, "shmemx_cumodule_init");
    DRV(cuModuleGetFunction(&kernel, module, "kernel"));
    void *args[] = {&p, &seen, &next_pe};
    DRV(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
    KERNELS_DONE("kernel");
    CHECK(device_value(seen) == 40 + previous_pe, "the kernel saw %d", device_value(seen));
    DRV(cuModuleLoadData(&plain, other.data()));
    CHECK(shmemx_cumodule_init(plain) != 0, "a module without device state was accepted");
    shmem_barrier_all();
    DRV(cuModuleUnload(plain));
    DRV(cuModuleUnload(module));
    return done();
}
