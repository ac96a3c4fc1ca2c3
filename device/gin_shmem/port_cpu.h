/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The CPU side of port.h: g++ and clang, C++17, -DGIN_SHMEM_CPU, and libginshmem_cpu (cpu/thread.h says how kernels
 * run). Orders are those of C++, so ThreadSanitizer follows them within a process; what other processes wrote becomes
 * visible by system-scope acquires, which it is told come after every system-scope release of this process.
 */
#ifndef GIN_SHMEM_PORT_CPU_H
#define GIN_SHMEM_PORT_CPU_H

#include "cpu/cuda.h"
#include "cpu/thread.h"

#include "unit.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define GIN_SHMEM_FN     static inline __attribute__((unused))
#define GIN_SHMEM_METHOD inline
#define GIN_SHMEM_COLD   static inline __attribute__((unused, noinline))
#define GIN_SHMEM_NEVER  static inline __attribute__((unused, noinline, noreturn))

namespace gin_shmem_impl
{

struct alignas(16) unit16 {
    uint64_t a, b;
};

GIN_SHMEM_FN const struct gin_shmem_state &state()
{
    return gin_shmem_device_state;
}

/*
 * The simulator's hooks (cpu/sim.h): a store that it takes is not made now; a load or an atomic operation first makes
 * what this thread stored there; fences make everything. They cost a test where there is no simulator.
 */
GIN_SHMEM_FN bool sim_store(void *p, const void *value, unsigned bytes);
GIN_SHMEM_FN void sim_load(const void *p, unsigned bytes);
GIN_SHMEM_FN void sim_fence();

} // namespace gin_shmem_impl

#endif
