/* SPDX-License-Identifier: BSD-3-Clause */
/* What the NVSHMEM headers need of libginshmem beyond shmem.h and shmemx.h. For those headers only: names and arguments
 * may change with every version. C11 and C++; needs no CUDA header. */
#ifndef GIN_NVSHMEM_LIBRARY_H
#define GIN_NVSHMEM_LIBRARY_H

#include "../../shmemx.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum gin_nv_type {
#define GIN_NV_TYPE_ROW(A, N, T) GIN_NV_TYPE_##N,
    SHMEMI_RMA_TYPES(GIN_NV_TYPE_ROW, )
#undef GIN_NV_TYPE_ROW
    GIN_NV_TYPE_half,
    GIN_NV_TYPE_bfloat16
};
enum gin_nv_op {
    GIN_NV_OP_and, GIN_NV_OP_or, GIN_NV_OP_xor, GIN_NV_OP_min, GIN_NV_OP_max, GIN_NV_OP_sum, GIN_NV_OP_prod
};

/* flags and attr (an nvshmemx_init_attr_t; of its fields only those that flags name are read) as nvshmemx_init_attr has
 * them, and the versions of the headers. An NVSHMEMX_ status. */
int shmemx_nvshmem_init(unsigned flags, const void *attr, int requested, int *provided, int api_version,
                        const char *header);
void shmemx_nvshmem_finalize(void);
int shmemx_nvshmem_status(void); /* an nvshmemx_init_status_t */

/* Of the device heap where there is one, whatever shmem_malloc takes. NULL for 0 bytes. */
void *shmemx_nvshmem_malloc(size_t size);
void *shmemx_nvshmem_calloc(size_t count, size_t size);
void *shmemx_nvshmem_align(size_t alignment, size_t size);

/* Local buffers need no registration where peers are reached by load and store; the calls keep the books. */
int shmemx_nvshmem_buffer_register(void *addr, size_t length);
int shmemx_nvshmem_buffer_unregister(void *addr);
void shmemx_nvshmem_buffer_unregister_all(void);
/* The program's own device memory as a part of the symmetric heap: collective; the address to use, or NULL. */
void *shmemx_nvshmem_buffer_register_symmetric(void *addr, size_t size, int flags);
int shmemx_nvshmem_buffer_unregister_symmetric(void *addr, size_t size);

/* Reductions and reduce-scatters, of all types that NVSHMEM knows. name: of the caller, for messages. */
int shmemx_nvshmem_reduce(const char *name, shmem_team_t team, void *dest, const void *source, size_t nreduce,
                          enum gin_nv_type type, enum gin_nv_op op, int scatter);
int shmemx_nvshmem_reduce_on_stream(const char *name, shmem_team_t team, void *dest, const void *source, size_t nreduce,
                                    enum gin_nv_type type, enum gin_nv_op op, int scatter, struct CUstream_st *stream);

/* One element into value, complete when this returns, behind what is in the stream. */
void shmemx_nvshmem_g_on_stream(const char *name, void *value, const void *source, size_t size, int pe,
                                struct CUstream_st *stream);
/* Stream waits for nelems words that status does not exclude. values: one for each (vector), or one for all. Both
 * arrays may lie on the device, and are read by the call itself. */
void shmemx_nvshmem_wait_on_stream(const char *name, void *ivars, size_t size, int is_signed, size_t nelems,
                                   const int *status, int cmp, const void *values, int vector,
                                   struct CUstream_st *stream);

int shmemx_nvshmem_culibrary_init(void *library);
int shmemx_nvshmem_culibrary_finalize(void *library);
int shmemx_nvshmem_qp_create(int num_qps, int **qps);
/* Prints that name cannot work, and why; NVSHMEMX_ERROR_NOT_SUPPORTED. */
int shmemx_nvshmem_unsupported(const char *name, const char *why);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
