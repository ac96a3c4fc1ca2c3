/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Device memory of this PE, as a GPU would have it: cudaMalloc and the heap's windows take from one amount, which
 * cudaMemGetInfo tells. It is a limit only; pages are taken when touched. Any thread may call.
 */
#ifndef GS_CPU_BUDGET_H
#define GS_CPU_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

/* Set by the module when it starts (GIN_SHMEM_CPU_MEMORY). Before, it is that variable's default. */
void gs_budget_limit(size_t total);
/* False, and nothing taken, when there is not so much. */
bool gs_budget_take(size_t bytes);
void gs_budget_give(size_t bytes);
void gs_budget_tell(size_t *free_bytes, size_t *total);

#endif
