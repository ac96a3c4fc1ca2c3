/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GIN_NVSHMEM_NON_ABI_VERSION_H
#define GIN_NVSHMEM_NON_ABI_VERSION_H
#include "../gin_nvshmem/version.h"
#endif
