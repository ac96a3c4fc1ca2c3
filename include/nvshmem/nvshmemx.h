/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GIN_NVSHMEM_NVSHMEMX_H
#define GIN_NVSHMEM_NVSHMEMX_H
#include "gin_nvshmem/api.h"
#endif
