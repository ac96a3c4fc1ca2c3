/* SPDX-License-Identifier: BSD-3-Clause */
/* The module's kernels: small, loaded at the start so that none is loaded while others spin. */
#ifndef GS_NCCL_KERNELS_H
#define GS_NCCL_KERNELS_H

#include <cuda_runtime_api.h>
#include <gin_shmem/state.h>
#include <stdint.h>

#include "transport/shared/watchdog.h"

/* Types and operations that kernels know. Sums, products and bits of integers do not ask for the sign. */
enum gs_k_type {
    GS_K_U8,
    GS_K_U16,
    GS_K_U32,
    GS_K_U64,
    GS_K_S8,
    GS_K_S16,
    GS_K_S32,
    GS_K_S64,
    GS_K_F32,
    GS_K_F64,
    GS_K_C32,
    GS_K_C64,
    GS_K_F16, /* for NCCL and for short sums: the kernels below do not know these two */
    GS_K_BF16,
    GS_K_TYPES
};

/* ---- kernels.cu ---- */

struct gs_k_amo {
    int op;   /* enum gs_amo_op, or GIN_SHMEM_OP_ADD_FLOAT, _ADD_BFLOAT16 (whose numbers follow) */
    int size; /* of the word: 1, 2, 4, 8, 16 */
    void *addr;
    uint64_t operand[2], cond;
    uint64_t *result; /* what was there before; pinned, or NULL */
};
cudaError_t gs_k_amo_launch(const struct gs_k_amo *a, cudaStream_t s);

/* What only the agent can do, as an operation in a stream. */
struct gs_k_far {
    int kind, op; /* enum gin_shmem_agent_kind; gin_shmem_remote_op */
    int pe;
    uint64_t dest, source, bytes, value, cond; /* as in gin_shmem_agent_request */
};
cudaError_t gs_k_far_launch(const struct gs_k_far *f, cudaStream_t s);

struct gs_k_wait {
    const void *addr;
    int size, is_signed, cmp;
    uint64_t value;
};
cudaError_t gs_k_wait_launch(const struct gs_k_wait *w, cudaStream_t s);

/* A barrier of the team with this handle, on the host's lane; by stream order nobody else is there. Before it, value
 * goes to own address word, if that is not NULL; members may read it behind the barrier. */
cudaError_t gs_k_barrier_launch(uint64_t team, int members, uint64_t *word, uint64_t value, cudaStream_t s);

/* What kernels before it have begun on PEs out of load/store reach is performed when it ends. */
cudaError_t gs_k_quiet_launch(cudaStream_t s);

/* ---- short_kernels.cu: by one block, over the host's lane of the team with this handle; for few bytes ---- */

/* A reduction, or (scatter) one of nelems for each member, which gets its own. op: enum gs_reduce_op. False: not this type
 * and operation. */
bool gs_k_reduce_knows(enum gs_k_type type, int op);
cudaError_t gs_k_reduce_launch(uint64_t team, void *dest, const void *source, uint64_t nelems, enum gs_k_type type,
                               int op, bool scatter, cudaStream_t s);
cudaError_t gs_k_broadcast_launch(uint64_t team, void *dest, const void *source, uint64_t bytes, int root,
                                  cudaStream_t s);
/* bytes for each member; same: of all the same (fcollect). */
cudaError_t gs_k_alltoall_launch(uint64_t team, void *dest, const void *source, uint64_t bytes, bool same,
                                 cudaStream_t s);

/* The address of the peer's copy of p; for p in reach r. */
GIN_SHMEM_HD uint64_t gs_k_peer(const struct gin_shmem_reach *r, uint64_t p, int pe)
{
    int rank = r->rank ? r->rank[pe] : pe - r->first;
    return p + (uint64_t)((int64_t)(rank - r->me) * (int64_t)r->stride);
}

/* ---- coll_kernels.cu ---- */

struct gs_k_coll {
    struct gin_shmem_reach to, from; /* where dest and source lie */
    struct gin_shmem_team team;
    uint64_t dest, source; /* own addresses */
    uint64_t nelems;
    int scan;     /* 0: reduce; 1: inclusive; 2: exclusive */
    bool scatter; /* reduce: nelems for each member, which keeps its own */
};
/* Combines this PE's share of the elements over all members, and stores to all members (or here). op: enum gs_reduce_op.
 * False: not this type and operation. */
bool gs_k_combine_knows(enum gs_k_type type, int op);
cudaError_t gs_k_combine_launch(const struct gs_k_coll *c, enum gs_k_type type, int op, int sms, cudaStream_t s);

/* dest gets every member's bytes, one after the other. words: own address of each member's length (64 bits), in reach
 * words_in. */
cudaError_t gs_k_collect_launch(const struct gs_k_coll *c, const struct gin_shmem_reach *words_in, uint64_t word,
                                size_t size, int sms, cudaStream_t s);
/* nelems elements of size bytes from and to each member, strides in elements. */
cudaError_t gs_k_alltoalls_launch(const struct gs_k_coll *c, size_t size, int64_t dst, int64_t sst, int sms,
                                  cudaStream_t s);

/* Loads every kernel onto the current device; tells too when this build has no code for it. */
cudaError_t gs_k_load(void);
cudaError_t gs_k_load_coll(void);
cudaError_t gs_k_load_short(void);

#endif
