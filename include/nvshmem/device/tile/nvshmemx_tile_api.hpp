/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GIN_NVSHMEM_DEVICE_TILE_HPP
#define GIN_NVSHMEM_DEVICE_TILE_HPP
#include "../../gin_nvshmem/tile.h"
#endif
