/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GIN_NVSHMEM_DEVICE_X_DEFINES_H
#define GIN_NVSHMEM_DEVICE_X_DEFINES_H
#include "../gin_nvshmem/api.h"
#endif
