/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GIN_NVSHMEM_BUILD_OPTIONS_H
#define GIN_NVSHMEM_BUILD_OPTIONS_H
#include "../gin_nvshmem/config.h"
#endif
