/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GIN_NVSHMEM_DHT_CONSTANTS_H
#define GIN_NVSHMEM_DHT_CONSTANTS_H
#include "../gin_nvshmem/types.h"
#endif
