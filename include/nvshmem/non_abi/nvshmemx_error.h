/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GIN_NVSHMEM_ERROR_H
#define GIN_NVSHMEM_ERROR_H
#include "../gin_nvshmem/types.h"
#endif
