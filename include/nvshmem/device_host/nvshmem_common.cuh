/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GIN_NVSHMEM_DH_COMMON_CUH
#define GIN_NVSHMEM_DH_COMMON_CUH
#include "../gin_nvshmem/api.h"
#endif
