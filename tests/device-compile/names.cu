/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The device API has every function of the standard's families, for every type and group, with the standard's
 * prototypes, from the same rows that the host API expands from; and the names without a type. Nothing is generated:
 * calls stand in unevaluated operands.
 */
#include <shmemg.h>

template <class T, class U> struct same { static const bool value = false; };
template <class T> struct same<T, T> { static const bool value = true; };

#define IS(RET, CALL) static_assert(same<RET, decltype(CALL)>::value, #CALL)

/* Rows with and without group forms, and the same by overload. */
#define ONE(N, OP, RET, PROTO, ARGS)                                                                                   \
    inline __device__ void one_##N##_##OP PROTO { IS(RET, gin_shmem_##N##_##OP ARGS); IS(RET, gin_shmem_##OP ARGS); }
#define ALL(N, OP, RET, PROTO, ARGS)                                                                                   \
    ONE(N, OP, RET, PROTO, ARGS)                                                                                       \
    inline __device__ void all_##N##_##OP PROTO                                                                 \
    {                                                                                                                  \
        IS(RET, gin_shmem_##N##_##OP##_warp ARGS); IS(RET, gin_shmem_##OP##_warp ARGS);                                \
        IS(RET, gin_shmem_##N##_##OP##_block ARGS); IS(RET, gin_shmem_##OP##_block ARGS);                              \
    }
/* Rows that kernels have no form of. */
#define NONE(N, OP, RET, PROTO, ARGS)

/* Which is which, by operation. */
#define FORM_put ALL
#define FORM_put_nbi ALL
#define FORM_get ALL
#define FORM_get_nbi ALL
#define FORM_iput ALL
#define FORM_iget ALL
#define FORM_ibput ALL
#define FORM_ibget ALL
#define FORM_put_signal ALL
#define FORM_put_signal_nbi ALL
#define FORM_p ONE
#define FORM_g ONE
#define FORM_wait_until ALL
#define FORM_wait_until_all ALL
#define FORM_wait_until_all_vector ALL
#define FORM_wait_until_any ONE
#define FORM_wait_until_some ONE
#define FORM_wait_until_any_vector ONE
#define FORM_wait_until_some_vector ONE
#define FORM_test ONE
#define FORM_test_all ONE
#define FORM_test_any ONE
#define FORM_test_some ONE
#define FORM_test_all_vector ONE
#define FORM_test_any_vector ONE
#define FORM_test_some_vector ONE
#define FORM_alltoall ALL
#define FORM_alltoalls NONE
#define FORM_broadcast ALL
#define FORM_collect ALL
#define FORM_fcollect ALL
#define FORM_sum_inscan NONE
#define FORM_sum_exscan NONE
#define FORM_and_reduce ALL
#define FORM_or_reduce ALL
#define FORM_xor_reduce ALL
#define FORM_min_reduce ALL
#define FORM_max_reduce ALL
#define FORM_sum_reduce ALL
#define FORM_prod_reduce ALL
#define ROW(N, OP, RET, PROTO, ARGS) FORM_##OP(N, OP, RET, PROTO, ARGS)

GIN_SHMEM_RMA_TYPES(SHMEMI_ROW_RMA, ROW)
SHMEMI_AMO_EXT_TYPES(SHMEMI_ROW_AMO_EXT, ONE)
SHMEMI_AMO_TYPES(SHMEMI_AMO_OPS, ONE)
SHMEMI_AMO_BIT_TYPES(SHMEMI_AMO_BIT_OPS, ONE)
SHMEMI_AMO_TYPES(SHMEMI_ROW_SYNC, ROW)
GIN_SHMEM_RMA_TYPES(SHMEMI_COLL_OPS, ROW)
GIN_SHMEM_BIT_REDUCE_TYPES(SHMEMI_BIT_REDUCE_OPS, ROW)
GIN_SHMEM_RMA_TYPES(SHMEMI_MINMAX_REDUCE_OPS, ROW)
GIN_SHMEM_RMA_TYPES(SHMEMI_SUM_REDUCE_OPS, ROW)

/* Add of floating types, which the standard does not have. */
#define FLOAT_ADD(A, N, T)                                                                                             \
    ONE(N, atomic_add, void, (T *dest, T value, int pe), (dest, value, pe))                                            \
    ONE(N, atomic_fetch_add, T, (T *dest, T value, int pe), (dest, value, pe))
FLOAT_ADD(, float, float)
FLOAT_ADD(, double, double)
GIN_SHMEM_HALF_TYPES(FLOAT_ADD, )

/* Reduce-scatter, like the reductions. */
#define SCATTER(OP, N, T)                                                                                              \
    ALL(N, OP##_reducescatter, int, (shmem_team_t team, T *dest, const T *source, size_t n), (team, dest, source, n))
#define SCATTER_BIT(A, N, T) SCATTER(and, N, T) SCATTER(or, N, T) SCATTER(xor, N, T)
#define SCATTER_NUM(A, N, T) SCATTER(min, N, T) SCATTER(max, N, T) SCATTER(sum, N, T) SCATTER(prod, N, T)
GIN_SHMEM_BIT_REDUCE_TYPES(SCATTER_BIT, )
GIN_SHMEM_RMA_TYPES(SCATTER_NUM, )

/* Sized and mem forms. */
#define SIZED(BITS, NAME, KIND, RET, PROTO, ARGS)                                                                      \
    inline __device__ void sized_##NAME PROTO                                                                   \
    {                                                                                                                  \
        IS(RET, gin_shmem_##NAME ARGS); IS(RET, gin_shmem_##NAME##_warp ARGS); IS(RET, gin_shmem_##NAME##_block ARGS); \
    }
SHMEMI_SIZED_FUNCTIONS(SIZED)

/* Without a type, each group: X(suffix) */
#define PLAIN(S)                                                                                                       \
    inline __device__ void plain##S(shmem_team_t team, void *dest, const void *source, uint64_t *sig)           \
    {                                                                                                                  \
        IS(void, gin_shmem_fence##S()); IS(void, gin_shmem_quiet##S()); IS(void, gin_shmem_pe_quiet##S((int *)0, 1));  \
        IS(int, gin_shmem_barrier##S(team)); IS(int, gin_shmem_barrier##S(team, 3));                                   \
        IS(int, gin_shmem_sync##S(team)); IS(int, gin_shmem_team_sync##S(team, 3));                                    \
        IS(void, gin_shmem_barrier_all##S()); IS(void, gin_shmem_barrier_all##S(3));                                   \
        IS(void, gin_shmem_sync_all##S()); IS(void, gin_shmem_sync_all##S(3));                                         \
        IS(int, gin_shmem_broadcastmem##S(team, dest, source, 1, 0, 3));                                               \
        IS(int, gin_shmem_fcollectmem##S(team, dest, source, 1, 3));                                                   \
        IS(int, gin_shmem_collectmem##S(team, dest, source, 1, 3));                                                    \
        IS(int, gin_shmem_alltoallmem##S(team, dest, source, 1, 3));                                                   \
        IS(uint64_t, gin_shmem_signal_wait_until##S(sig, SHMEM_CMP_EQ, 1));                                            \
    }
PLAIN()
PLAIN(_warp)
PLAIN(_block)

inline __device__ void single(shmem_team_t team, void *p, uint64_t *sig, struct gin_shmem_smem lent, size_t n)
{
    IS(int, gin_shmem_my_pe());
    IS(int, gin_shmem_n_pes());
    IS(int, gin_shmem_team_my_pe(team));
    IS(int, gin_shmem_team_n_pes(team));
    IS(int, gin_shmem_team_translate_pe(team, 0, team));
    IS(void *, gin_shmem_ptr(p, 0));
    IS(void *, gin_shmem_team_ptr(team, p, 0));
    IS(void, gin_shmem_signal_op(sig, 1, SHMEM_SIGNAL_ADD, 0));
    IS(void, gin_shmem_signal_set(sig, 1, 0));
    IS(void, gin_shmem_signal_add(sig, 1, 0));
    IS(uint64_t, gin_shmem_signal_fetch(sig));
    IS(struct gin_shmem_smem, gin_shmem_smem_give(p, n));
    IS(struct gin_shmem_smem, gin_shmem_smem_give(p, n, 4));
    IS(void, gin_shmem_smem_take(lent));
    IS(void, gin_shmem_putmem(p, p, n, 0, lent));
    IS(void, gin_shmem_put_signal_block((int *)p, (int *)p, n, sig, 1, SHMEM_SIGNAL_SET, 0, lent));
    IS(const ncclDevComm *, gin_shmem_nccl_dev_comm());
    IS(ncclWindow_vidmem *, gin_shmem_nccl_window(p, &n));
}

/* The draft's names. */
#define DRAFT(N, OP, RET, PROTO, ARGS)                                                                                 \
    inline __device__ void draft_##N##_##OP(shmem_ctx_t ctx, GIN_SHMEM_UNWRAP PROTO)                            \
    {                                                                                                                  \
        IS(RET, shmemg_##N##_##OP ARGS);                                                                               \
        IS(RET, shmemg_ctx_##N##_##OP(ctx, GIN_SHMEM_UNWRAP ARGS));                                                    \
    }
SHMEMI_AMO_EXT_TYPES(SHMEMI_ROW_AMO_EXT, DRAFT)
SHMEMI_AMO_TYPES(SHMEMI_AMO_OPS, DRAFT)
SHMEMI_AMO_TYPES(SHMEMI_AMO_BIT_OPS, DRAFT)
#define DRAFT_WAIT(A, N, T)                                                                                            \
    inline __device__ void draft_wait_##N(T *ivar, int cmp, T value)                                            \
    {                                                                                                                  \
        IS(void, shmemg_##N##_wait_until(ivar, cmp, value));                                                           \
        IS(int, shmemg_##N##_test(ivar, cmp, value));                                                                  \
    }
SHMEMI_AMO_TYPES(DRAFT_WAIT, )
#define DRAFT_GROUP(S)                                                                                                 \
    inline __device__ void draft##S(shmem_ctx_t c, shmem_team_t team, void *d, const void *s, uint64_t *sig)    \
    {                                                                                                                  \
        IS(void, shmemg_putmem##S(d, s, 1, 0)); IS(void, shmemg_ctx_putmem##S(c, d, s, 1, 0));                         \
        IS(void, shmemg_getmem##S(d, s, 1, 0)); IS(void, shmemg_ctx_getmem##S(c, d, s, 1, 0));                         \
        IS(void, shmemg_putmem_nbi##S(d, s, 1, 0)); IS(void, shmemg_ctx_putmem_nbi##S(c, d, s, 1, 0));                 \
        IS(void, shmemg_getmem_nbi##S(d, s, 1, 0)); IS(void, shmemg_ctx_getmem_nbi##S(c, d, s, 1, 0));                 \
        IS(void, shmemg_putmem_signal##S(d, s, 1, sig, 1, 0, 0));                                                      \
        IS(void, shmemg_ctx_putmem_signal##S(c, d, s, 1, sig, 1, 0, 0));                                               \
        IS(void, shmemg_putmem_signal_nbi##S(d, s, 1, sig, 1, 0, 0));                                                  \
        IS(void, shmemg_ctx_putmem_signal_nbi##S(c, d, s, 1, sig, 1, 0, 0));                                           \
        IS(void, shmemg_sync_all##S()); IS(int, shmemg_team_sync##S(team));                                            \
    }
DRAFT_GROUP()
DRAFT_GROUP(_tg)
DRAFT_GROUP(_htg)
inline __device__ void draft_single(shmem_ctx_t ctx, uint64_t *sig)
{
    IS(int, shmemg_my_pe());
    IS(int, shmemg_n_pes());
    IS(uint64_t, shmemg_signal_fetch(sig));
    IS(uint64_t, shmemg_signal_wait_until(sig, SHMEM_CMP_GE, 1));
    IS(void, shmemg_fence());
    IS(void, shmemg_quiet());
    IS(void, shmemg_ctx_fence(ctx));
    IS(void, shmemg_ctx_quiet(ctx));
}

__global__ void nothing() {}
