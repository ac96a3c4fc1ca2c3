/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GIN_NVSHMEM_VERSION_H
#define GIN_NVSHMEM_VERSION_H

/* The level of NVSHMEM's API that these headers give, as its own headers tell it. */
#define NVSHMEM_VENDOR_MAJOR_VERSION   3
#define NVSHMEM_VENDOR_MINOR_VERSION   5
#define NVSHMEM_VENDOR_PATCH_VERSION   0
#define NVSHMEM_VENDOR_PACKAGE_VERSION 0
#define NVSHMEM_VENDOR_VERSION                                                                                         \
    (NVSHMEM_VENDOR_MAJOR_VERSION * 10000 + NVSHMEM_VENDOR_MINOR_VERSION * 100 + NVSHMEM_VENDOR_PATCH_VERSION)
#define NVSHMEM_VENDOR_STRING SHMEM_VENDOR_STRING " (NVSHMEM API 3.5.0)"
/* Of the OpenSHMEM specification that NVSHMEM follows. */
#define NVSHMEM_MAJOR_VERSION 1
#define NVSHMEM_MINOR_VERSION 3
#define NVSHMEM_MAX_NAME_LEN  256

#endif
