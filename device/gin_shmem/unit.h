/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * This translation unit's copy of the device state, and its registration with the host library.
 *
 * Plain nvcc makes every unit a device program of its own, so each has its own copy (nvcc gives the host's shadow of it
 * internal linkage); kernels of the unit read it from constant memory. Under -rdc=true the units are one program, and
 * the variable is inline: a static one could only be filled in one unit. A module compiled by NVRTC, or by nvcc to a
 * cubin or fatbin of its own, has the copy under its plain name, where shmemx_cumodule_init finds it.
 *
 * On the CPU the copy is a plain variable of the unit.
 */
#ifndef GIN_SHMEM_UNIT_H
#define GIN_SHMEM_UNIT_H

#include "state.h"

#if defined(GIN_SHMEM_CPU)
static struct gin_shmem_state gin_shmem_device_state;
#elif defined(__CUDACC_RDC__) && !defined(__CUDACC_RTC__)
#if __cplusplus < 201703L
#error "gin_shmem.h with -rdc=true needs C++17 (compile with -std=c++17, or without -rdc: it is not needed)"
#endif
inline __constant__ struct gin_shmem_state gin_shmem_device_state;
#elif defined(__CUDACC_RTC__)
extern "C" {
__constant__ struct gin_shmem_state gin_shmem_device_state;
}
#else
__constant__ struct gin_shmem_state gin_shmem_device_state;
#endif

#ifndef __CUDACC_RTC__
namespace
{

struct gin_shmem_unit_registration {
    struct shmemx_device_unit unit;

#if defined(GIN_SHMEM_CPU)
    static int fill(const void *state, size_t bytes, void *)
    {
        memcpy(&gin_shmem_device_state, state, bytes);
        return 0;
    }
#else
    static int fill(const void *state, size_t bytes, void *cuda_stream)
    {
        cudaError_t e = cudaMemcpyToSymbolAsync(gin_shmem_device_state, state, bytes, 0, cudaMemcpyHostToDevice,
                                                (cudaStream_t)cuda_stream);
        if (e != cudaSuccess)
            (void)cudaGetLastError(); /* the program's own error state stays as it was */
        return (int)e;
    }
    static int function(const void *symbol, void **cu_function)
    {
        cudaFunction_t f;
        cudaError_t e = cudaGetFuncBySymbol(&f, symbol);
        if (e != cudaSuccess)
            (void)cudaGetLastError();
        else
            *cu_function = (void *)f;
        return (int)e;
    }
#endif
    gin_shmem_unit_registration() : unit()
    {
        unit.abi = GIN_SHMEM_DEVICE_ABI;
        unit.unit_bytes = sizeof unit;
        unit.state_bytes = sizeof(struct gin_shmem_state);
        unit.fill = fill;
#if defined(GIN_SHMEM_CPU)
        unit.flags = GIN_SHMEM_UNIT_CPU;
#else
        unit.function = function;
#if defined(GIN_SHMEM_WITH_GIN) && GIN_SHMEM_WITH_GIN
        unit.flags = GIN_SHMEM_UNIT_GIN;
#endif
#endif
        shmemx_device_register(&unit);
    }
    ~gin_shmem_unit_registration() { shmemx_device_unregister(&unit); }
    gin_shmem_unit_registration(const gin_shmem_unit_registration &) = delete;
    gin_shmem_unit_registration &operator=(const gin_shmem_unit_registration &) = delete;
};

/* Constructed before main, or while dlopen loads the unit's library; destroyed with it. */
gin_shmem_unit_registration gin_shmem_unit_registered;

} // namespace
#endif

#endif
