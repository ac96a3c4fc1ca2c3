/* SPDX-License-Identifier: BSD-3-Clause */
/* What runtime.h calls in libginshmem_cpu. Valid as C11 and C++17. */
#ifndef GIN_SHMEM_CPU_CALLS_H
#define GIN_SHMEM_CPU_CALLS_H

#include "thread.h"

#ifdef __cplusplus
extern "C" {
#endif

struct CUstream_st;
struct CUevent_st;

/* Each gives a cudaError_t, and leaves an error for cudaGetLastError. */
int gin_shmem_cpu_error(int take);
int gin_shmem_cpu_malloc(void **p, size_t bytes, int on_host);
int gin_shmem_cpu_free(void *p);
int gin_shmem_cpu_memory_info(size_t *free_bytes, size_t *total);
int gin_shmem_cpu_memory_kind(const void *p);
int gin_shmem_cpu_copy(void *to, const void *from, size_t bytes, struct CUstream_st *s, int wait);
int gin_shmem_cpu_set(void *to, int byte, size_t bytes, struct CUstream_st *s);
int gin_shmem_cpu_stream_create(struct CUstream_st **s, int blocking);
int gin_shmem_cpu_stream_destroy(struct CUstream_st *s);
int gin_shmem_cpu_stream_wait(struct CUstream_st *s, struct CUevent_st *e);
int gin_shmem_cpu_stream_synchronize(struct CUstream_st *s);
int gin_shmem_cpu_stream_query(struct CUstream_st *s);
int gin_shmem_cpu_stream_call(struct CUstream_st *s, void (*fn)(void *), void *arg);
int gin_shmem_cpu_synchronize(void);
int gin_shmem_cpu_event_create(struct CUevent_st **e);
int gin_shmem_cpu_event_destroy(struct CUevent_st *e);
int gin_shmem_cpu_event_record(struct CUevent_st *e, struct CUstream_st *s);
int gin_shmem_cpu_event_synchronize(struct CUevent_st *e);
int gin_shmem_cpu_event_query(struct CUevent_st *e);
int gin_shmem_cpu_event_elapsed(float *ms, struct CUevent_st *from, struct CUevent_st *to);
int gin_shmem_cpu_stack(size_t bytes);
/* Tells the machine of a kernel; launch does it by itself. */
void gin_shmem_cpu_known(const void *fn, const struct gin_shmem_cpu_kernel *k);
int gin_shmem_cpu_launch(const char *name, const void *fn, const struct gin_shmem_cpu_kernel *k,
                         struct gin_shmem_cpu_dim grid, struct gin_shmem_cpu_dim block, size_t smem,
                         struct CUstream_st *s, int cooperative, void *const *args);
const char *gin_shmem_cpu_error_name(int e);

#ifdef __cplusplus
}
#endif

#endif
