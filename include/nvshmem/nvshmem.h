/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GIN_NVSHMEM_NVSHMEM_H
#define GIN_NVSHMEM_NVSHMEM_H
#include "gin_nvshmem/api.h"
#endif
