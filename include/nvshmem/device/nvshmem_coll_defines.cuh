/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GIN_NVSHMEM_DEVICE_COLL_DEFINES_CUH
#define GIN_NVSHMEM_DEVICE_COLL_DEFINES_CUH
#include "../gin_nvshmem/api.h"
#endif
