/* SPDX-License-Identifier: BSD-3-Clause */
/* Host memory in the place of a GPU's. Copies are late on purpose: a copy happens when it has been asked for a few times. */
#ifndef GIN_PROVIDER_MEMORY_HOST_H
#define GIN_PROVIDER_MEMORY_HOST_H

#include "memory.h"

/* "Device" memory that other processes can map; all other memory is such that none can. Zeroed, and never freed. */
void *shareable(size_t bytes);

#endif
