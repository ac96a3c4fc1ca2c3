/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The simulated side of fabric.h: kernels on the CPU, between nodes that oshrun --fake-nodes made. The functions are in
 * libginshmem_cpu (src/cpu/sim.cc), which hands operations to a delivery thread; it performs them as late, and in as
 * bad an order, as the contract in fabric.h allows. dest, source and sig are as there.
 */
#ifndef GIN_SHMEM_FABRIC_SIM_H
#define GIN_SHMEM_FABRIC_SIM_H

#include "port.h"

extern "C" {
void gin_shmem_sim_put(void *dest, const void *source, uint64_t bytes, int pe, int wait, uint32_t fn);
void gin_shmem_sim_get(void *dest, const void *source, uint64_t bytes, int pe, int wait, uint32_t fn);
void gin_shmem_sim_p(void *dest, uint64_t value, uint32_t bytes, int pe, uint32_t fn);
uint64_t gin_shmem_sim_amo(int op, void *dest, uint32_t bytes, uint64_t value, uint64_t cond, int pe, int fetch,
                           uint32_t fn);
void gin_shmem_sim_put_signal(void *dest, const void *source, uint64_t bytes, uint64_t *sig, uint64_t value, int add,
                              int pe, int wait, uint32_t fn);
void gin_shmem_sim_flush(int pe, uint32_t fn);
void gin_shmem_sim_quiet(int pe, uint32_t fn);
}

#endif
