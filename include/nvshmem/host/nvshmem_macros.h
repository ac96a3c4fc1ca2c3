/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GIN_NVSHMEM_HOST_MACROS_H
#define GIN_NVSHMEM_HOST_MACROS_H
#include "../gin_nvshmem/config.h"
#endif
