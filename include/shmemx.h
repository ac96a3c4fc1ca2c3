/* SPDX-License-Identifier: BSD-3-Clause */
/* Extensions of gin_shmem to the host API. Nothing here is part of OpenSHMEM. */
#ifndef SHMEMX_H
#define SHMEMX_H

#include "shmem.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Names one job: made by one process, handed to all PEs by whatever means the program has (a file, MPI, a socket). */
typedef struct {
    unsigned char bytes[128];
} shmemx_uniqueid_t;

/* Hints of shmem_malloc_with_hints: memory of the host, which kernels reach too, or of the GPU, whatever shmem_malloc
 * would take. Without a device heap the second ends the job with a message. */
#define SHMEMX_MALLOC_HOST   (1L << 16)
#define SHMEMX_MALLOC_DEVICE (1L << 17)

/* How to initialise where no launcher tells. Start from SHMEMX_INIT_ATTR_DEFAULT. */
typedef struct {
    size_t size;                  /* sizeof(shmemx_init_attr_t) */
    int pe, n_pes;                /* this PE, 0 .. n_pes-1, and their number; read when uid is set */
    const shmemx_uniqueid_t *uid; /* the job, or NULL: find the other PEs as shmem_init does */
    int thread_requested;         /* SHMEM_THREAD_* */
    int thread_provided;          /* set by shmemx_init_attr */
    void *nccl_comm;              /* an ncclComm_t of all PEs, in any order, to use for the device heap; or NULL */
} shmemx_init_attr_t;

#define SHMEMX_INIT_ATTR_DEFAULT                                                                                       \
    {                                                                                                                  \
        sizeof(shmemx_init_attr_t), 0, 1, NULL, SHMEM_THREAD_SINGLE, SHMEM_THREAD_SINGLE, NULL                         \
    }

/* Makes a unique id and serves it from a thread of this process until every PE of the job has left.
 * Callable before initialisation, by any one process of the job. 0; nonzero when no listener could be opened (a line on
 * stderr says why). */
int shmemx_get_uniqueid(shmemx_uniqueid_t *id);

/* shmem_init_thread with attributes; collective over the PEs. 0; nonzero, and a line on stderr, when attr is not usable,
 * another init with a different world is in force, or the PEs could not find each other in
 * GIN_SHMEM_CONNECT_TIMEOUT seconds. */
int shmemx_init_attr(shmemx_init_attr_t *attr);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
