/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The simulated side of fabric.h: kernels on the CPU, between nodes that oshrun --fake-nodes made. The operations are in
 * libginshmem_cpu (src/cpu/sim.c), which hands them to a delivery thread; it performs them as late, and in as bad an
 * order, as the contract allows.
 */
#ifndef GIN_SHMEM_FABRIC_SIM_H
#define GIN_SHMEM_FABRIC_SIM_H

#include "cpu/sim.h"
#include "port.h"

#endif
