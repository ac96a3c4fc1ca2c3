/* SPDX-License-Identifier: BSD-3-Clause */
/* Compiles the device headers with NVRTC, which has no host headers, for the GPU named on the command line:
 *     nvrtc sm_90 -I... */
#include <nvrtc.h>
#include <stdio.h>

#include <vector>

static const char source[] = R"(
#include <shmemg.h>
extern "C" __global__ void kernel(int *dest, const int *source, size_t n, unsigned long long *signal)
{
    int next = (gin_shmem_my_pe() + 1) % gin_shmem_n_pes();
    gin_shmem_put_signal_block(dest, source, n, (uint64_t *)signal, 1, SHMEM_SIGNAL_ADD, next);
    gin_shmem_signal_wait_until_block((uint64_t *)signal, SHMEM_CMP_GE, 1);
    gin_shmem_int_sum_reduce_block(SHMEM_TEAM_WORLD, dest, source, n);
    gin_shmem_half_atomic_add((__half *)dest, __float2half(1.0f), next);
    shmemg_sync_all_tg();
}
)";

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    std::vector<const char *> options;
    char arch[64];
    snprintf(arch, sizeof arch, "--gpu-architecture=%s", argv[1]);
    options.push_back(arch);
    for (int i = 2; i < argc; i++)
        options.push_back(argv[i]);
    nvrtcProgram program;
    if (nvrtcCreateProgram(&program, source, "kernel.cu", 0, nullptr, nullptr) != NVRTC_SUCCESS)
        return 1;
    nvrtcResult result = nvrtcCompileProgram(program, (int)options.size(), options.data());
    size_t size = 0;
    nvrtcGetProgramLogSize(program, &size);
    std::vector<char> log(size + 1);
    nvrtcGetProgramLog(program, log.data());
    size_t code = 0;
    if (result == NVRTC_SUCCESS)
        nvrtcGetCUBINSize(program, &code);
    printf("%s%s: %s, %zu bytes of code\n", log.data(), argv[1], nvrtcGetErrorString(result), code);
    nvrtcDestroyProgram(&program);
    return result == NVRTC_SUCCESS && code > 0 ? 0 : 1;
}
