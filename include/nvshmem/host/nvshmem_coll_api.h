/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GIN_NVSHMEM_HOST_COLL_API_H
#define GIN_NVSHMEM_HOST_COLL_API_H
#include "../gin_nvshmem/api.h"
#endif
