/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GIN_NVSHMEM_DEVICE_TILE_CUH
#define GIN_NVSHMEM_DEVICE_TILE_CUH
#include "../../gin_nvshmem/tile.h"
#endif
