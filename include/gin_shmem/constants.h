/* SPDX-License-Identifier: BSD-3-Clause */
/* Constants of OpenSHMEM 1.6, section 6. All are integer constant expressions, but for the handles and the string. */
#ifndef GIN_SHMEM_CONSTANTS_H
#define GIN_SHMEM_CONSTANTS_H

#define SHMEM_MAJOR_VERSION 1
#define SHMEM_MINOR_VERSION 6
#define SHMEM_MAX_NAME_LEN  256
#define SHMEM_VENDOR_STRING "gin_shmem 0.1.0"

#define SHMEM_THREAD_SINGLE     0
#define SHMEM_THREAD_FUNNELED   1
#define SHMEM_THREAD_SERIALIZED 2
#define SHMEM_THREAD_MULTIPLE   3

/* Handles. Small numbers stand for the predefined objects: usable in initialisers, and the same in every library. */
#define SHMEM_TEAM_INVALID ((shmem_team_t)0)
#define SHMEM_TEAM_WORLD   ((shmem_team_t)1)
#define SHMEM_TEAM_SHARED  ((shmem_team_t)2)
#define SHMEM_CTX_INVALID  ((shmem_ctx_t)0)
#define SHMEM_CTX_DEFAULT  ((shmem_ctx_t)1)

#define SHMEM_TEAM_NUM_CONTEXTS (1L << 0)

#define SHMEM_CTX_SERIALIZED (1L << 0)
#define SHMEM_CTX_PRIVATE    (1L << 1)
#define SHMEM_CTX_NOSTORE    (1L << 2)

#define SHMEM_CTX_SESSION_BATCH     (1L << 0)
#define SHMEM_CTX_SESSION_TOTAL_OPS (1L << 0)

#define SHMEM_SIGNAL_SET 0
#define SHMEM_SIGNAL_ADD 1

#define SHMEM_MALLOC_ATOMICS_REMOTE (1L << 0)
#define SHMEM_MALLOC_SIGNAL_REMOTE  (1L << 1)

#define SHMEM_CMP_EQ 0
#define SHMEM_CMP_NE 1
#define SHMEM_CMP_GT 2
#define SHMEM_CMP_LE 3
#define SHMEM_CMP_LT 4
#define SHMEM_CMP_GE 5

/* Draft GPU specification 0.1 (shmemg.h). The first two are or-ed to the thread level asked of shmem_init_thread: both
 * heaps are then there, shmem_malloc takes host memory and shmemg_malloc the GPU's. */
#define SHMEM_DEVICE_HOST_INIT          0x100
#define SHMEM_DEVICE_KERNEL_INIT        0x200
#define SHMEM_DEVICE_CTX                (1L << 8)  /* option of shmem_ctx_create */
#define SHMEM_DEVICE_MALLOC_HOST_INIT   (1L << 18) /* hints of shmem_malloc_with_hints: the device heap */
#define SHMEM_DEVICE_MALLOC_KERNEL_INIT (1L << 19)
#define SHMEM_DEVICE_TEAM_WORLD         ((shmem_team_t)3)
#define SHMEM_DEVICE_TEAM_SHARED        ((shmem_team_t)4)
/* A device context is a number: bit 62, and in the low 16 bits its team's slot plus 1. */
#define SHMEM_DEVICE_CTX_DEFAULT        ((shmem_ctx_t)(((uintptr_t)1 << 62) | 3))

/* Work arrays of the deprecated active-set collectives, in elements. A long of pSync each for: arrivals, release,
 * and one word of exchange; a whole cache line, so that neighbours in an array of work arrays do not disturb. */
#define SHMEM_SYNC_VALUE              0L
#define SHMEM_SYNC_SIZE               8
#define SHMEM_BARRIER_SYNC_SIZE       SHMEM_SYNC_SIZE
#define SHMEM_BCAST_SYNC_SIZE         SHMEM_SYNC_SIZE
#define SHMEM_REDUCE_SYNC_SIZE        SHMEM_SYNC_SIZE
#define SHMEM_COLLECT_SYNC_SIZE       SHMEM_SYNC_SIZE
#define SHMEM_ALLTOALL_SYNC_SIZE      SHMEM_SYNC_SIZE
#define SHMEM_ALLTOALLS_SYNC_SIZE     SHMEM_SYNC_SIZE
#define SHMEM_REDUCE_MIN_WRKDATA_SIZE 1

/* Deprecated names with a leading underscore. */
#define _SHMEM_MAJOR_VERSION           SHMEM_MAJOR_VERSION
#define _SHMEM_MINOR_VERSION           SHMEM_MINOR_VERSION
#define _SHMEM_MAX_NAME_LEN            SHMEM_MAX_NAME_LEN
#define _SHMEM_VENDOR_STRING           SHMEM_VENDOR_STRING
#define _SHMEM_CMP_EQ                  SHMEM_CMP_EQ
#define _SHMEM_CMP_NE                  SHMEM_CMP_NE
#define _SHMEM_CMP_GT                  SHMEM_CMP_GT
#define _SHMEM_CMP_LE                  SHMEM_CMP_LE
#define _SHMEM_CMP_LT                  SHMEM_CMP_LT
#define _SHMEM_CMP_GE                  SHMEM_CMP_GE
#define _SHMEM_SYNC_VALUE              SHMEM_SYNC_VALUE
#define _SHMEM_BARRIER_SYNC_SIZE       SHMEM_BARRIER_SYNC_SIZE
#define _SHMEM_BCAST_SYNC_SIZE         SHMEM_BCAST_SYNC_SIZE
#define _SHMEM_REDUCE_SYNC_SIZE        SHMEM_REDUCE_SYNC_SIZE
#define _SHMEM_COLLECT_SYNC_SIZE       SHMEM_COLLECT_SYNC_SIZE
#define _SHMEM_REDUCE_MIN_WRKDATA_SIZE SHMEM_REDUCE_MIN_WRKDATA_SIZE

#endif
