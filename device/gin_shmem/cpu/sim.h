/* SPDX-License-Identifier: BSD-3-Clause */
/* The simulated network's operations, in libginshmem_cpu; fabric.h has their contract. Valid as C11 and C++17. */
#ifndef GIN_SHMEM_CPU_SIM_H
#define GIN_SHMEM_CPU_SIM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
void gin_shmem_sim_get(void *dest, const void *source, uint64_t bytes, int pe, int wait, uint32_t fn);
void gin_shmem_sim_p(void *dest, uint64_t value, uint32_t bytes, int pe, uint32_t fn);
uint64_t gin_shmem_sim_amo(int op, void *dest, uint32_t bytes, uint64_t value, uint64_t cond, int pe, int fetch,
                           uint32_t fn);
/* sig NULL: a put. */
void gin_shmem_sim_put_signal(void *dest, const void *source, uint64_t bytes, uint64_t *sig, uint64_t value, int add,
                              int pe, int wait, uint32_t fn);
void gin_shmem_sim_flush(int pe, uint32_t fn);
void gin_shmem_sim_quiet(int pe, uint32_t fn);
/* No network known to us does it for less than a quiet. */
#define gin_shmem_sim_fence gin_shmem_sim_quiet
#ifdef __cplusplus
}
#endif

#endif
