/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The function families of OpenSHMEM 1.6, each prototype once. A family is a macro over one type; X is called as
 *     X(N, OP, RET, PROTO, ARGS)
 * for the function shmem_N_OP (and, where the family has contexts, shmem_ctx_N_OP with a leading shmem_ctx_t ctx).
 * Declarations, definitions, pshmem names, C11 generics and C++ overloads all expand from these rows.
 */
#ifndef GIN_SHMEM_API_DEF_H
#define GIN_SHMEM_API_DEF_H

/* Put a leading context in front of a parenthesised parameter or argument list. */
#define SHMEMI_CTX_PROTO(...) (shmem_ctx_t ctx, __VA_ARGS__)
#define SHMEMI_CTX_ARGS(...)  (ctx, __VA_ARGS__)

/* ---- with contexts: sections 9.6 to 9.8 ---- */

#define SHMEMI_RMA_OPS(X, N, T)                                                                                        \
    X(N, put, void, (T *dest, const T *source, size_t nelems, int pe), (dest, source, nelems, pe))                     \
    X(N, p, void, (T *dest, T value, int pe), (dest, value, pe))                                                       \
    X(N, iput, void, (T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe),                  \
      (dest, source, dst, sst, nelems, pe))                                                                            \
    X(N, ibput, void,                                                                                                  \
      (T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe),                  \
      (dest, source, dst, sst, bsize, nblocks, pe))                                                                    \
    X(N, get, void, (T *dest, const T *source, size_t nelems, int pe), (dest, source, nelems, pe))                     \
    X(N, iget, void, (T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe),                  \
      (dest, source, dst, sst, nelems, pe))                                                                            \
    X(N, ibget, void,                                                                                                  \
      (T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe),                  \
      (dest, source, dst, sst, bsize, nblocks, pe))                                                                    \
    X(N, put_nbi, void, (T *dest, const T *source, size_t nelems, int pe), (dest, source, nelems, pe))                 \
    X(N, get_nbi, void, (T *dest, const T *source, size_t nelems, int pe), (dest, source, nelems, pe))                 \
    X(N, put_signal, void,                                                                                             \
      (T *dest, const T *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe),              \
      (dest, source, nelems, sig_addr, signal, sig_op, pe))                                                            \
    X(N, put_signal_nbi, void,                                                                                         \
      (T *dest, const T *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe),              \
      (dest, source, nelems, sig_addr, signal, sig_op, pe))

/* g takes a const source: apart, because its generic form selects on a pointer to const as well. */
#define SHMEMI_G_OPS(X, N, T) X(N, g, T, (const T *source, int pe), (source, pe))

/* shmem_putSIZE ...: the row's name is OP##S (##_nbi, ...), elements of S bits. */
#define SHMEMI_SIZED_OPS(X, S)                                                                                         \
    X(S, put##S, put, void, (void *dest, const void *source, size_t nelems, int pe), (dest, source, nelems, pe))       \
    X(S, iput##S, iput, void,                                                                                          \
      (void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe),                           \
      (dest, source, dst, sst, nelems, pe))                                                                            \
    X(S, ibput##S, ibput, void,                                                                                        \
      (void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe),            \
      (dest, source, dst, sst, bsize, nblocks, pe))                                                                    \
    X(S, get##S, get, void, (void *dest, const void *source, size_t nelems, int pe), (dest, source, nelems, pe))       \
    X(S, iget##S, iget, void,                                                                                          \
      (void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe),                           \
      (dest, source, dst, sst, nelems, pe))                                                                            \
    X(S, ibget##S, ibget, void,                                                                                        \
      (void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe),            \
      (dest, source, dst, sst, bsize, nblocks, pe))                                                                    \
    SHMEMI_BULK_OPS(X, S, put##S, get##S)

/* shmem_putmem ...: bytes. */
#define SHMEMI_MEM_OPS(X)                                                                                              \
    X(8, putmem, put, void, (void *dest, const void *source, size_t nelems, int pe), (dest, source, nelems, pe))       \
    X(8, getmem, get, void, (void *dest, const void *source, size_t nelems, int pe), (dest, source, nelems, pe))       \
    SHMEMI_BULK_OPS(X, 8, putmem, getmem)

#define SHMEMI_BULK_OPS(X, S, PUT, GET)                                                                                \
    X(S, PUT##_nbi, put_nbi, void, (void *dest, const void *source, size_t nelems, int pe),                            \
      (dest, source, nelems, pe))                                                                                      \
    X(S, GET##_nbi, get_nbi, void, (void *dest, const void *source, size_t nelems, int pe),                            \
      (dest, source, nelems, pe))                                                                                      \
    X(S, PUT##_signal, put_signal, void,                                                                               \
      (void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe),        \
      (dest, source, nelems, sig_addr, signal, sig_op, pe))                                                            \
    X(S, PUT##_signal_nbi, put_signal_nbi, void,                                                                       \
      (void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe),        \
      (dest, source, nelems, sig_addr, signal, sig_op, pe))

/* Atomics. fetch takes a const source: apart, like g. */
#define SHMEMI_AMO_FETCH_OPS(X, N, T) X(N, atomic_fetch, T, (const T *source, int pe), (source, pe))
#define SHMEMI_AMO_EXT_OPS(X, N, T)                                                                                    \
    X(N, atomic_set, void, (T *dest, T value, int pe), (dest, value, pe))                                              \
    X(N, atomic_swap, T, (T *dest, T value, int pe), (dest, value, pe))                                                \
    X(N, atomic_fetch_nbi, void, (T *fetch, const T *source, int pe), (fetch, source, pe))                             \
    X(N, atomic_swap_nbi, void, (T *fetch, T *dest, T value, int pe), (fetch, dest, value, pe))
#define SHMEMI_AMO_OPS(X, N, T)                                                                                        \
    X(N, atomic_compare_swap, T, (T *dest, T cond, T value, int pe), (dest, cond, value, pe))                          \
    X(N, atomic_fetch_inc, T, (T *dest, int pe), (dest, pe))                                                           \
    X(N, atomic_inc, void, (T *dest, int pe), (dest, pe))                                                              \
    X(N, atomic_fetch_add, T, (T *dest, T value, int pe), (dest, value, pe))                                           \
    X(N, atomic_add, void, (T *dest, T value, int pe), (dest, value, pe))                                              \
    X(N, atomic_compare_swap_nbi, void, (T *fetch, T *dest, T cond, T value, int pe), (fetch, dest, cond, value, pe))  \
    X(N, atomic_fetch_inc_nbi, void, (T *fetch, T *dest, int pe), (fetch, dest, pe))                                   \
    X(N, atomic_fetch_add_nbi, void, (T *fetch, T *dest, T value, int pe), (fetch, dest, value, pe))
#define SHMEMI_AMO_BIT_OPS(X, N, T)                                                                                    \
    X(N, atomic_fetch_and, T, (T *dest, T value, int pe), (dest, value, pe))                                           \
    X(N, atomic_and, void, (T *dest, T value, int pe), (dest, value, pe))                                              \
    X(N, atomic_fetch_or, T, (T *dest, T value, int pe), (dest, value, pe))                                            \
    X(N, atomic_or, void, (T *dest, T value, int pe), (dest, value, pe))                                               \
    X(N, atomic_fetch_xor, T, (T *dest, T value, int pe), (dest, value, pe))                                           \
    X(N, atomic_xor, void, (T *dest, T value, int pe), (dest, value, pe))                                              \
    X(N, atomic_fetch_and_nbi, void, (T *fetch, T *dest, T value, int pe), (fetch, dest, value, pe))                   \
    X(N, atomic_fetch_or_nbi, void, (T *fetch, T *dest, T value, int pe), (fetch, dest, value, pe))                    \
    X(N, atomic_fetch_xor_nbi, void, (T *fetch, T *dest, T value, int pe), (fetch, dest, value, pe))

/* ---- without contexts ---- */

/* Deprecated atomics: never a context. */
#define SHMEMI_OLD_AMO_FETCH_OPS(X, N, T) X(N, fetch, T, (const T *source, int pe), (source, pe))
#define SHMEMI_OLD_AMO_EXT_OPS(X, N, T)                                                                                \
    X(N, set, void, (T *dest, T value, int pe), (dest, value, pe))                                                     \
    X(N, swap, T, (T *dest, T value, int pe), (dest, value, pe))
#define SHMEMI_OLD_AMO_OPS(X, N, T)                                                                                    \
    X(N, add, void, (T *dest, T value, int pe), (dest, value, pe))                                                     \
    X(N, inc, void, (T *dest, int pe), (dest, pe))                                                                     \
    X(N, fadd, T, (T *dest, T value, int pe), (dest, value, pe))                                                       \
    X(N, finc, T, (T *dest, int pe), (dest, pe))                                                                       \
    X(N, cswap, T, (T *dest, T cond, T value, int pe), (dest, cond, value, pe))

/* Point-to-point synchronisation, section 9.10. */
#define SHMEMI_WAIT_UNTIL_OPS(X, N, T) X(N, wait_until, void, (T *ivar, int cmp, T cmp_value), (ivar, cmp, cmp_value))
#define SHMEMI_TEST_OPS(X, N, T)       X(N, test, int, (T *ivar, int cmp, T cmp_value), (ivar, cmp, cmp_value))
#define SHMEMI_SYNC_OPS(X, N, T)                                                                                       \
    X(N, wait_until_all, void, (T *ivars, size_t nelems, const int *status, int cmp, T cmp_value),                     \
      (ivars, nelems, status, cmp, cmp_value))                                                                         \
    X(N, wait_until_any, size_t, (T *ivars, size_t nelems, const int *status, int cmp, T cmp_value),                   \
      (ivars, nelems, status, cmp, cmp_value))                                                                         \
    X(N, wait_until_some, size_t,                                                                                      \
      (T *ivars, size_t nelems, size_t *indices, const int *status, int cmp, T cmp_value),                             \
      (ivars, nelems, indices, status, cmp, cmp_value))                                                                \
    X(N, wait_until_all_vector, void, (T *ivars, size_t nelems, const int *status, int cmp, const T *cmp_values),      \
      (ivars, nelems, status, cmp, cmp_values))                                                                        \
    X(N, wait_until_any_vector, size_t, (T *ivars, size_t nelems, const int *status, int cmp, const T *cmp_values),    \
      (ivars, nelems, status, cmp, cmp_values))                                                                        \
    X(N, wait_until_some_vector, size_t,                                                                               \
      (T *ivars, size_t nelems, size_t *indices, const int *status, int cmp, const T *cmp_values),                     \
      (ivars, nelems, indices, status, cmp, cmp_values))                                                               \
    X(N, test_all, int, (T *ivars, size_t nelems, const int *status, int cmp, T cmp_value),                            \
      (ivars, nelems, status, cmp, cmp_value))                                                                         \
    X(N, test_any, size_t, (T *ivars, size_t nelems, const int *status, int cmp, T cmp_value),                         \
      (ivars, nelems, status, cmp, cmp_value))                                                                         \
    X(N, test_some, size_t,                                                                                            \
      (T *ivars, size_t nelems, size_t *indices, const int *status, int cmp, T cmp_value),                             \
      (ivars, nelems, indices, status, cmp, cmp_value))                                                                \
    X(N, test_all_vector, int, (T *ivars, size_t nelems, const int *status, int cmp, const T *cmp_values),             \
      (ivars, nelems, status, cmp, cmp_values))                                                                        \
    X(N, test_any_vector, size_t, (T *ivars, size_t nelems, const int *status, int cmp, const T *cmp_values),          \
      (ivars, nelems, status, cmp, cmp_values))                                                                        \
    X(N, test_some_vector, size_t,                                                                                     \
      (T *ivars, size_t nelems, size_t *indices, const int *status, int cmp, const T *cmp_values),                     \
      (ivars, nelems, indices, status, cmp, cmp_values))
#define SHMEMI_OLD_WAIT_OPS(X, N, T) X(N, wait, void, (T *ivar, T cmp_value), (ivar, cmp_value))

/* Collectives over teams, section 9.9. */
#define SHMEMI_COLL_OPS(X, N, T)                                                                                       \
    X(N, alltoall, int, (shmem_team_t team, T *dest, const T *source, size_t nelems), (team, dest, source, nelems))    \
    X(N, alltoalls, int,                                                                                               \
      (shmem_team_t team, T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems),                      \
      (team, dest, source, dst, sst, nelems))                                                                          \
    X(N, broadcast, int, (shmem_team_t team, T *dest, const T *source, size_t nelems, int PE_root),                    \
      (team, dest, source, nelems, PE_root))                                                                           \
    X(N, collect, int, (shmem_team_t team, T *dest, const T *source, size_t nelems), (team, dest, source, nelems))     \
    X(N, fcollect, int, (shmem_team_t team, T *dest, const T *source, size_t nelems), (team, dest, source, nelems))
#define SHMEMI_REDUCE_PROTO(X, N, OP, T)                                                                               \
    X(N, OP, int, (shmem_team_t team, T *dest, const T *source, size_t nreduce), (team, dest, source, nreduce))
#define SHMEMI_BIT_REDUCE_OPS(X, N, T)                                                                                 \
    SHMEMI_REDUCE_PROTO(X, N, and_reduce, T) SHMEMI_REDUCE_PROTO(X, N, or_reduce, T)                                   \
    SHMEMI_REDUCE_PROTO(X, N, xor_reduce, T)
#define SHMEMI_MINMAX_REDUCE_OPS(X, N, T)                                                                              \
    SHMEMI_REDUCE_PROTO(X, N, max_reduce, T) SHMEMI_REDUCE_PROTO(X, N, min_reduce, T)
#define SHMEMI_SUM_REDUCE_OPS(X, N, T)                                                                                 \
    SHMEMI_REDUCE_PROTO(X, N, sum_reduce, T) SHMEMI_REDUCE_PROTO(X, N, prod_reduce, T)                                 \
    SHMEMI_REDUCE_PROTO(X, N, sum_inscan, T) SHMEMI_REDUCE_PROTO(X, N, sum_exscan, T)

/* Collectives over active sets, deprecated. */
#define SHMEMI_TO_ALL_PROTO(X, N, OP, T)                                                                               \
    X(N, OP, void,                                                                                            \
      (T *dest, const T *source, int nreduce, int PE_start, int logPE_stride, int PE_size, T *pWrk, long *pSync),      \
      (dest, source, nreduce, PE_start, logPE_stride, PE_size, pWrk, pSync))
#define SHMEMI_BIT_TO_ALL_OPS(X, N, T)                                                                                 \
    SHMEMI_TO_ALL_PROTO(X, N, and_to_all, T) SHMEMI_TO_ALL_PROTO(X, N, or_to_all, T) SHMEMI_TO_ALL_PROTO(X, N, xor_to_all, T)
#define SHMEMI_MINMAX_TO_ALL_OPS(X, N, T) SHMEMI_TO_ALL_PROTO(X, N, max_to_all, T) SHMEMI_TO_ALL_PROTO(X, N, min_to_all, T)
#define SHMEMI_SUM_TO_ALL_OPS(X, N, T)    SHMEMI_TO_ALL_PROTO(X, N, sum_to_all, T) SHMEMI_TO_ALL_PROTO(X, N, prod_to_all, T)
#define SHMEMI_OLD_COLL_OPS(X, S)                                                                                      \
    X(S, broadcast, (void *dest, const void *source, size_t nelems, int PE_root, int PE_start, int logPE_stride,       \
                     int PE_size, long *pSync))                                                                        \
    X(S, collect, (void *dest, const void *source, size_t nelems, int PE_start, int logPE_stride, int PE_size,         \
                   long *pSync))                                                                                       \
    X(S, fcollect, (void *dest, const void *source, size_t nelems, int PE_start, int logPE_stride, int PE_size,        \
                    long *pSync))                                                                                      \
    X(S, alltoall, (void *dest, const void *source, size_t nelems, int PE_start, int logPE_stride, int PE_size,        \
                    long *pSync))                                                                                      \
    X(S, alltoalls, (void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int PE_start,        \
                     int logPE_stride, int PE_size, long *pSync))

/* ---- functions without a type in their name: X(NAME, RET, PROTO) ---- */

#define SHMEMI_PLAIN_FUNCTIONS(X)                                                                                      \
    /* 9.1 set-up, exit, query */                                                                                      \
    X(shmem_init, void, (void))                                                                                        \
    X(shmem_finalize, void, (void))                                                                                    \
    X(shmem_query_initialized, void, (int *initialized))                                                               \
    X(shmem_my_pe, int, (void))                                                                                        \
    X(shmem_n_pes, int, (void))                                                                                        \
    X(shmem_pe_accessible, int, (int pe))                                                                              \
    X(shmem_addr_accessible, int, (const void *addr, int pe))                                                          \
    X(shmem_ptr, void *, (const void *dest, int pe))                                                                   \
    X(shmem_team_ptr, void *, (shmem_team_t team, const void *dest, int pe))                                           \
    X(shmem_info_get_version, void, (int *major, int *minor))                                                          \
    X(shmem_info_get_name, void, (char *name))                                                                         \
    X(start_pes, void, (int npes))                                                                                     \
    X(_my_pe, int, (void))                                                                                             \
    X(_num_pes, int, (void))                                                                                           \
    /* 9.2 threads */                                                                                                  \
    X(shmem_init_thread, int, (int requested, int *provided))                                                          \
    X(shmem_query_thread, void, (int *provided))                                                                       \
    /* 9.3 memory */                                                                                                   \
    X(shmem_malloc, void *, (size_t size))                                                                             \
    X(shmem_free, void, (void *ptr))                                                                                   \
    X(shmem_realloc, void *, (void *ptr, size_t size))                                                                 \
    X(shmem_align, void *, (size_t alignment, size_t size))                                                            \
    X(shmem_malloc_with_hints, void *, (size_t size, long hints))                                                      \
    X(shmem_calloc, void *, (size_t count, size_t size))                                                               \
    X(shmalloc, void *, (size_t size))                                                                                 \
    X(shfree, void, (void *ptr))                                                                                       \
    X(shrealloc, void *, (void *ptr, size_t size))                                                                     \
    X(shmemalign, void *, (size_t alignment, size_t size))                                                             \
    /* 9.4 teams */                                                                                                    \
    X(shmem_team_my_pe, int, (shmem_team_t team))                                                                      \
    X(shmem_team_n_pes, int, (shmem_team_t team))                                                                      \
    X(shmem_team_get_config, int, (shmem_team_t team, long config_mask, shmem_team_config_t *config))                  \
    X(shmem_team_translate_pe, int, (shmem_team_t src_team, int src_pe, shmem_team_t dest_team))                       \
    X(shmem_team_split_strided, int,                                                                                   \
      (shmem_team_t parent_team, int start, int stride, int size, const shmem_team_config_t *config,                   \
       long config_mask, shmem_team_t *new_team))                                                                      \
    X(shmem_team_split_2d, int,                                                                                        \
      (shmem_team_t parent_team, int xrange, const shmem_team_config_t *xaxis_config, long xaxis_mask,                 \
       shmem_team_t *xaxis_team, const shmem_team_config_t *yaxis_config, long yaxis_mask, shmem_team_t *yaxis_team))  \
    X(shmem_team_destroy, void, (shmem_team_t team))                                                                   \
    /* 9.5 contexts, sessions */                                                                                       \
    X(shmem_ctx_create, int, (long options, shmem_ctx_t *ctx))                                                         \
    X(shmem_team_create_ctx, int, (shmem_team_t team, long options, shmem_ctx_t *ctx))                                 \
    X(shmem_ctx_destroy, void, (shmem_ctx_t ctx))                                                                      \
    X(shmem_ctx_get_team, int, (shmem_ctx_t ctx, shmem_team_t *team))                                                  \
    X(shmem_ctx_session_start, void,                                                                                   \
      (shmem_ctx_t ctx, long options, const shmem_ctx_session_config_t *config, long config_mask))                     \
    X(shmem_ctx_session_stop, void, (shmem_ctx_t ctx))                                                                 \
    /* 9.8 signals */                                                                                                  \
    X(shmem_signal_fetch, uint64_t, (const uint64_t *sig_addr))                                                        \
    X(shmem_signal_set, void, (uint64_t *sig_addr, uint64_t signal, int pe))                                           \
    X(shmem_ctx_signal_set, void, (shmem_ctx_t ctx, uint64_t *sig_addr, uint64_t signal, int pe))                      \
    X(shmem_signal_add, void, (uint64_t *sig_addr, uint64_t signal, int pe))                                           \
    X(shmem_ctx_signal_add, void, (shmem_ctx_t ctx, uint64_t *sig_addr, uint64_t signal, int pe))                      \
    X(shmem_signal_wait_until, uint64_t, (uint64_t *sig_addr, int cmp, uint64_t cmp_value))                            \
    /* 9.9 collectives */                                                                                              \
    X(shmem_barrier_all, void, (void))                                                                                 \
    X(shmem_sync_all, void, (void))                                                                                    \
    X(shmem_team_sync, int, (shmem_team_t team))                                                                       \
    X(shmem_alltoallmem, int, (shmem_team_t team, void *dest, const void *source, size_t nelems))                      \
    X(shmem_alltoallsmem, int,                                                                                         \
      (shmem_team_t team, void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems))                \
    X(shmem_broadcastmem, int, (shmem_team_t team, void *dest, const void *source, size_t nelems, int PE_root))        \
    X(shmem_collectmem, int, (shmem_team_t team, void *dest, const void *source, size_t nelems))                       \
    X(shmem_fcollectmem, int, (shmem_team_t team, void *dest, const void *source, size_t nelems))                      \
    X(shmem_barrier, void, (int PE_start, int logPE_stride, int PE_size, long *pSync))                                 \
    X(shmem_sync, void, (int PE_start, int logPE_stride, int PE_size, long *pSync))                                    \
    /* 9.10 point-to-point synchronisation, deprecated forms for long */                                               \
    X(shmem_wait_until, void, (long *ivar, int cmp, long cmp_value))                                                   \
    X(shmem_wait, void, (long *ivar, long cmp_value))                                                                  \
    /* 9.11 ordering */                                                                                                \
    X(shmem_fence, void, (void))                                                                                       \
    X(shmem_ctx_fence, void, (shmem_ctx_t ctx))                                                                        \
    X(shmem_quiet, void, (void))                                                                                       \
    X(shmem_ctx_quiet, void, (shmem_ctx_t ctx))                                                                        \
    X(shmem_pe_quiet, void, (const int *target_pes, size_t npes))                                                      \
    X(shmem_ctx_pe_quiet, void, (shmem_ctx_t ctx, const int *target_pes, size_t npes))                                 \
    /* 9.12 locks */                                                                                                   \
    X(shmem_set_lock, void, (long *lock))                                                                              \
    X(shmem_clear_lock, void, (long *lock))                                                                            \
    X(shmem_test_lock, int, (long *lock))                                                                              \
    /* 10 profiling */                                                                                                 \
    X(shmem_pcontrol, void, (int level, ...))

/* ---- every row of every family ---- */

#define SHMEMI_ROW_RMA(X, N, T)          SHMEMI_RMA_OPS(X, N, T) SHMEMI_G_OPS(X, N, T)
#define SHMEMI_ROW_AMO_EXT(X, N, T)      SHMEMI_AMO_FETCH_OPS(X, N, T) SHMEMI_AMO_EXT_OPS(X, N, T)
#define SHMEMI_ROW_OLD_AMO_EXT(X, N, T)  SHMEMI_OLD_AMO_FETCH_OPS(X, N, T) SHMEMI_OLD_AMO_EXT_OPS(X, N, T)
#define SHMEMI_ROW_SYNC_OLD(X, N, T)     SHMEMI_WAIT_UNTIL_OPS(X, N, T) SHMEMI_TEST_OPS(X, N, T)
#define SHMEMI_ROW_SYNC(X, N, T)         SHMEMI_ROW_SYNC_OLD(X, N, T) SHMEMI_SYNC_OPS(X, N, T)

#define SHMEMI_RMA_FUNCTIONS(X)     SHMEMI_RMA_TYPES(SHMEMI_ROW_RMA, X)
#define SHMEMI_AMO_FUNCTIONS(X)                                                                                        \
    SHMEMI_AMO_EXT_TYPES(SHMEMI_ROW_AMO_EXT, X) SHMEMI_AMO_TYPES(SHMEMI_AMO_OPS, X)                                    \
    SHMEMI_AMO_BIT_TYPES(SHMEMI_AMO_BIT_OPS, X)
#define SHMEMI_OLD_AMO_FUNCTIONS(X)                                                                                    \
    SHMEMI_OLD_AMO_EXT_TYPES(SHMEMI_ROW_OLD_AMO_EXT, X) SHMEMI_OLD_AMO_TYPES(SHMEMI_OLD_AMO_OPS, X)
#define SHMEMI_SYNC_FUNCTIONS(X)                                                                                       \
    SHMEMI_AMO_TYPES(SHMEMI_ROW_SYNC, X) SHMEMI_SYNC_OLD_TYPES(SHMEMI_ROW_SYNC_OLD, X)                                 \
    SHMEMI_OLD_WAIT_TYPES(SHMEMI_OLD_WAIT_OPS, X)
#define SHMEMI_COLL_FUNCTIONS(X)    SHMEMI_RMA_TYPES(SHMEMI_COLL_OPS, X)
#define SHMEMI_REDUCE_FUNCTIONS(X)                                                                                     \
    SHMEMI_BIT_REDUCE_TYPES(SHMEMI_BIT_REDUCE_OPS, X) SHMEMI_RMA_TYPES(SHMEMI_MINMAX_REDUCE_OPS, X)                    \
    SHMEMI_SUM_REDUCE_TYPES(SHMEMI_SUM_REDUCE_OPS, X)
#define SHMEMI_TO_ALL_FUNCTIONS(X)                                                                                     \
    SHMEMI_OLD_BIT_REDUCE_TYPES(SHMEMI_BIT_TO_ALL_OPS, X) SHMEMI_OLD_MINMAX_REDUCE_TYPES(SHMEMI_MINMAX_TO_ALL_OPS, X)  \
    SHMEMI_OLD_SUM_REDUCE_TYPES(SHMEMI_SUM_TO_ALL_OPS, X)
#define SHMEMI_OLD_COLL_FUNCTIONS(X) SHMEMI_OLD_COLL_OPS(X, 32) SHMEMI_OLD_COLL_OPS(X, 64)
/* The sized and mem calls: X(BITS, NAME, KIND, RET, PROTO, ARGS), KIND being the matching row of SHMEMI_RMA_OPS. */
#define SHMEMI_SIZED_FUNCTIONS(X)   SHMEMI_SIZES(SHMEMI_SIZED_OPS, X) SHMEMI_MEM_OPS(X)

#endif
