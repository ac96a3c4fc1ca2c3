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

/* ---- GPUs ----
 * The calls below need a device heap (GIN_SHMEM_HEAP in gin_shmem_info says when there is one) and end the job with a
 * message without it. stream is a cudaStream_t; 0 is the default stream, as the CUDA runtime has it. */
struct CUstream_st;
struct CUmod_st;
struct ncclComm;
typedef struct {
    unsigned x, y, z;
} shmemx_dim3_t;

/*
 * Operations in a CUDA stream: each call of OpenSHMEM named below, with _on_stream behind its name, shmemx_ in front and
 * the stream as last argument. They start when what is in the stream before them is done, and return at once; a source
 * may be reused, and a destination of a get read, behind them in the stream. They can be captured in a graph; the
 * collectives of a team are captured by all its members. PE numbers are world numbers, dest and source as in the host
 * call, on the device or the host heap.
 *  - put, get, p, iput, iget, ibput, ibget, put_nbi, get_nbi, put_signal, put_signal_nbi; typed, sized and mem
 *  - broadcast, fcollect, collect, alltoall, alltoalls, the reductions and the scans; typed and mem
 */
#define SHMEMI_STREAM_PROTO(...) (__VA_ARGS__, struct CUstream_st *stream)
#define SHMEMI_STREAM_DECL(N, OP, RET, PROTO, ARGS)                                                                    \
    RET shmemx_##N##_##OP##_on_stream SHMEMI_STREAM_PROTO PROTO;
#define SHMEMI_STREAM_SIZED(BITS, NAME, KIND, RET, PROTO, ARGS)                                                        \
    RET shmemx_##NAME##_on_stream SHMEMI_STREAM_PROTO PROTO;
SHMEMI_RMA_TYPES(SHMEMI_RMA_OPS, SHMEMI_STREAM_DECL)
SHMEMI_SIZED_FUNCTIONS(SHMEMI_STREAM_SIZED)
SHMEMI_COLL_FUNCTIONS(SHMEMI_STREAM_DECL)
SHMEMI_REDUCE_FUNCTIONS(SHMEMI_STREAM_DECL)
#undef SHMEMI_STREAM_DECL
#undef SHMEMI_STREAM_SIZED
int shmemx_broadcastmem_on_stream(shmem_team_t team, void *dest, const void *source, size_t nelems, int PE_root,
                                  struct CUstream_st *stream);
int shmemx_fcollectmem_on_stream(shmem_team_t team, void *dest, const void *source, size_t nelems,
                                 struct CUstream_st *stream);
int shmemx_collectmem_on_stream(shmem_team_t team, void *dest, const void *source, size_t nelems,
                                struct CUstream_st *stream);
int shmemx_alltoallmem_on_stream(shmem_team_t team, void *dest, const void *source, size_t nelems,
                                 struct CUstream_st *stream);

/* sig_op: SHMEM_SIGNAL_SET or _ADD. The wait holds up the stream until the word compares so. */
void shmemx_signal_op_on_stream(uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, struct CUstream_st *stream);
void shmemx_signal_wait_until_on_stream(uint64_t *sig_addr, int cmp, uint64_t cmp_value, struct CUstream_st *stream);
/* The same for words of the synchronisation types: shmemx_TYPENAME_wait_until_on_stream. */
#define SHMEMI_STREAM_WAIT(A, N, T)                                                                                    \
    void shmemx_##N##_wait_until_on_stream(T *ivar, int cmp, T cmp_value, struct CUstream_st *stream);
SHMEMI_AMO_TYPES(SHMEMI_STREAM_WAIT, )
#undef SHMEMI_STREAM_WAIT

/* A barrier completes what is in the stream before it, a sync only orders arrival. */
void shmemx_barrier_all_on_stream(struct CUstream_st *stream);
void shmemx_sync_all_on_stream(struct CUstream_st *stream);
int shmemx_barrier_on_stream(shmem_team_t team, struct CUstream_st *stream);
int shmemx_team_sync_on_stream(shmem_team_t team, struct CUstream_st *stream);
void shmemx_quiet_on_stream(struct CUstream_st *stream);

/* Launches func on all PEs, every block resident at one time, so that kernels may wait for each other: collective. grid
 * {0, 0, 0} takes as many blocks as can be resident. smem: bytes of dynamic shared memory. 0; nonzero, and a line on
 * stderr that says the limit, when the grid cannot be resident. */
int shmemx_collective_launch(const void *func, shmemx_dim3_t grid, shmemx_dim3_t block, void **args, size_t smem,
                             struct CUstream_st *stream);
/* The number of blocks that can be resident at one time. */
int shmemx_collective_launch_query_gridsize(const void *func, shmemx_dim3_t block, size_t smem, int *gridsize);

/* For modules that were loaded through the driver API (NVRTC, Triton): makes their gin_shmem_* calls work. module is a
 * CUmodule. 0; nonzero, and a line on stderr, when it has no device state. Once per module, after initialisation. */
int shmemx_cumodule_init(struct CUmod_st *module);
/* Before such a module is unloaded. 0; nonzero, and a line on stderr, when shmemx_cumodule_init has not seen it. */
int shmemx_cumodule_finalize(struct CUmod_st *module);

/* Starts the device heap now, rather than at the first allocation, barrier or launch. Collective. */
void shmemx_device_init(void);

/* NCCL underneath: the communicator of all PEs, and the window (an ncclWindow_t) and offset of an address of the device
 * heap; 0, or nonzero for another address. Kernels reach the ncclDevComm through gin_shmem_nccl_dev_comm(). */
struct ncclComm *shmemx_nccl_comm(void);
int shmemx_nccl_window(const void *addr, void **window, size_t *offset);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#ifdef __CUDACC__
static inline int shmemx_collective_launch(const void *func, dim3 grid, dim3 block, void **args, size_t smem,
                                           struct CUstream_st *stream)
{
    shmemx_dim3_t g = {grid.x, grid.y, grid.z}, b = {block.x, block.y, block.z};
    return shmemx_collective_launch(func, g, b, args, smem, stream);
}
static inline int shmemx_collective_launch_query_gridsize(const void *func, dim3 block, size_t smem, int *gridsize)
{
    shmemx_dim3_t b = {block.x, block.y, block.z};
    return shmemx_collective_launch_query_gridsize(func, b, smem, gridsize);
}
#endif

#endif
