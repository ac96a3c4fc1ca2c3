/* SPDX-License-Identifier: BSD-3-Clause */
/* Constants, handles and structs of NVSHMEM's API, with its values and sizes, and what they are here. */
#ifndef GIN_NVSHMEM_TYPES_H
#define GIN_NVSHMEM_TYPES_H

#include "config.h"
#include "version.h"

typedef enum nvshmemi_cmp_type {
    NVSHMEM_CMP_EQ = SHMEM_CMP_EQ,
    NVSHMEM_CMP_NE = SHMEM_CMP_NE,
    NVSHMEM_CMP_GT = SHMEM_CMP_GT,
    NVSHMEM_CMP_LE = SHMEM_CMP_LE,
    NVSHMEM_CMP_LT = SHMEM_CMP_LT,
    NVSHMEM_CMP_GE = SHMEM_CMP_GE,
    NVSHMEM_CMP_SENTINEL = 0x7fffffff
} nvshmemx_cmp_type_t;

typedef enum nvshmemi_thread_support {
    NVSHMEM_THREAD_SINGLE = SHMEM_THREAD_SINGLE,
    NVSHMEM_THREAD_FUNNELED = SHMEM_THREAD_FUNNELED,
    NVSHMEM_THREAD_SERIALIZED = SHMEM_THREAD_SERIALIZED,
    NVSHMEM_THREAD_MULTIPLE = SHMEM_THREAD_MULTIPLE,
    NVSHMEM_THREAD_TYPE_SENTINEL = 0x7fffffff
} nvshmemx_thread_support_t;

typedef enum { NVSHMEM_SIGNAL_SET = 9, NVSHMEM_SIGNAL_ADD = 10 } nvshmemx_signal_op_t;

typedef enum {
    NVSHMEM_STATUS_NOT_INITIALIZED = 0,
    NVSHMEM_STATUS_IS_BOOTSTRAPPED,
    NVSHMEM_STATUS_IS_INITIALIZED,
    NVSHMEM_STATUS_LIMITED_MPG,
    NVSHMEM_STATUS_FULL_MPG,
    NVSHMEM_STATUS_INVALID = 0x7fffffff
} nvshmemx_init_status_t;

typedef enum {
    NVSHMEMX_QP_HOST = 0,
    NVSHMEMX_QP_DEFAULT = 1,
    NVSHMEMX_QP_ANY = 0x7fffffff,
    NVSHMEMX_QP_ALL = 0x7fffffff
} nvshmemx_qp_handle_index_t;
typedef int nvshmemx_qp_handle_t;

typedef enum { NVSHMEM_PE_INVALID = -1, NVSHMEMX_PE_ANY = 1 << 15, NVSHMEMX_PE_ALL = 1 << 15 } nvshmem_pe_index_t;

enum nvshmemx_status {
    NVSHMEMX_SUCCESS = 0,
    NVSHMEMX_ERROR_INVALID_VALUE,
    NVSHMEMX_ERROR_OUT_OF_MEMORY,
    NVSHMEMX_ERROR_NOT_SUPPORTED,
    NVSHMEMX_ERROR_SYMMETRY,
    NVSHMEMX_ERROR_GPU_NOT_SELECTED,
    NVSHMEMX_ERROR_COLLECTIVE_LAUNCH_FAILED,
    NVSHMEMX_ERROR_INTERNAL,
    NVSHMEMX_ERROR_SENTINEL = 0x7fffffff
};

enum flags {
    NVSHMEMX_INIT_THREAD_PES = 1,
    NVSHMEMX_INIT_WITH_MPI_COMM = 1 << 1,
    NVSHMEMX_INIT_WITH_SHMEM = 1 << 2,
    NVSHMEMX_INIT_WITH_UNIQUEID = 1 << 3,
    NVSHMEMX_INIT_MAX = -0x7fffffff - 1
};

#if GIN_NV_HOST
/* No part of the API, but programs written beside NVSHMEM's sources use it. */
#define NVSHMEMI_ERROR_PRINT(...)                                                                                      \
    do {                                                                                                               \
        fprintf(stderr, "%s:%s:%d: ", __FILE__, __func__, __LINE__);                                                   \
        fprintf(stderr, __VA_ARGS__);                                                                                  \
    } while (0)
#endif

/* ---- teams ---- */

typedef int32_t nvshmem_team_t;
typedef nvshmem_team_t nvshmemx_team_t;
typedef uint64_t nvshmemx_team_uniqueid_t;

typedef enum {
    NVSHMEM_TEAM_INVALID = -1,
    NVSHMEM_TEAM_WORLD = 0,
    NVSHMEM_TEAM_WORLD_INDEX = 0,
    NVSHMEM_TEAM_SHARED = 1,
    NVSHMEM_TEAM_SHARED_INDEX = 1,
    NVSHMEMX_TEAM_NODE = 2,
    NVSHMEM_TEAM_NODE_INDEX = 2,
    NVSHMEMX_TEAM_SAME_MYPE_NODE = 3,
    NVSHMEM_TEAM_SAME_MYPE_NODE_INDEX = 3,
    NVSHMEM_TEAMS_MIN = 6,
    NVSHMEM_TEAM_INDEX_MAX = 0x7fffffff
} nvshmem_team_id_t;

/*
 * Team t is our handle t + 1, but for two: ours have the device teams of the draft GPU specification where NVSHMEM has
 * the node's. NODE is ours of PEs that share memory (2), SAME_MYPE_NODE the one of equal ranks in it (5).
 */
GIN_NV_INLINE shmem_team_t gin_nv_team(nvshmem_team_t t)
{
    return (shmem_team_t)(uintptr_t)((uint32_t)t + 1u - (t == NVSHMEMX_TEAM_NODE) + (t == NVSHMEMX_TEAM_SAME_MYPE_NODE));
}
/* Of a handle that a split gave, or SHMEM_TEAM_INVALID. */
GIN_NV_INLINE nvshmem_team_t gin_nv_team_of(shmem_team_t handle)
{
    return (nvshmem_team_t)((uint32_t)(uintptr_t)handle - 1u);
}
GIN_NV_INLINE int gin_nv_sig_op(int sig_op)
{
    return sig_op - (NVSHMEM_SIGNAL_SET - SHMEM_SIGNAL_SET);
}

typedef struct {
    int version;
    int num_contexts;
    nvshmemx_team_uniqueid_t uniqueid;
    char padding[48];
} nvshmem_team_config_v2;
typedef nvshmem_team_config_v2 nvshmem_team_config_t;
#define NVSHMEM_TEAM_CONFIG_INITIALIZER { (2 << 16) + (int)sizeof(nvshmem_team_config_t), -1, ~(uint64_t)0, {0} }
#define NVSHMEM_TEAM_CONFIG_MASK_NUM_CONTEXTS 1
#define NVSHMEM_TEAM_CONFIG_MASK_UNIQUEID     2
#define NVSHMEM_TEAM_UNIQUID_INITIALIZER      (~(uint64_t)0)

/* ---- initialisation ---- */

typedef struct {
    int version;
    char internal[124];
} nvshmemx_uniqueid_v1;
typedef nvshmemx_uniqueid_v1 nvshmemx_uniqueid_t;

typedef struct {
    int version;
    nvshmemx_uniqueid_v1 *id;
    int myrank;
    int nranks;
} nvshmemx_uniqueid_args_v1;
typedef nvshmemx_uniqueid_args_v1 nvshmemx_uniqueid_args_t;

typedef struct {
    int version;
    nvshmemx_uniqueid_args_t uid_args;
    int cuda_device_id;
    char content[92];
} nvshmemx_init_args_v2;
typedef nvshmemx_init_args_v2 nvshmemx_init_args_t;

typedef struct {
    int version;
    void *mpi_comm; /* an MPI_Comm's address */
    nvshmemx_init_args_t args;
} nvshmemx_init_attr_v2;
typedef nvshmemx_init_attr_v2 nvshmemx_init_attr_t;

#ifdef __cplusplus
static_assert(sizeof(nvshmemx_uniqueid_t) == 128 && sizeof(nvshmemx_uniqueid_args_t) == 24 &&
                  sizeof(nvshmemx_init_args_t) == 128 && sizeof(nvshmemx_init_attr_t) == 144 &&
                  sizeof(nvshmem_team_config_t) == 64,
              "sizes of NVSHMEM");
#endif

#define NVSHMEMX_UNIQUEID_INITIALIZER { (1 << 16) + (int)sizeof(nvshmemx_uniqueid_t), {0} }
#define NVSHMEMX_UNIQUEID_ARGS_INITIALIZER { (1 << 16) + (int)sizeof(nvshmemx_uniqueid_args_t), NULL, -1, -1 }
#define NVSHMEMX_INIT_ARGS_INITIALIZER                                                                                 \
    { (2 << 16) + (int)sizeof(nvshmemx_init_args_t), NVSHMEMX_UNIQUEID_ARGS_INITIALIZER, -1, {0} }
#define NVSHMEMX_INIT_ATTR_INITIALIZER                                                                                 \
    { (2 << 16) + (int)sizeof(nvshmemx_init_attr_t), NULL, NVSHMEMX_INIT_ARGS_INITIALIZER }

#endif
