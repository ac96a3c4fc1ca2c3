/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * C11 generic interfaces of OpenSHMEM 1.6. A call selects on its first pointer argument; where the family has contexts,
 * an optional leading shmem_ctx_t comes first. A type that the standard does not list makes the compiler name
 * shmem_unsupported_type.
 */
#ifndef GIN_SHMEM_GENERICS_H
#define GIN_SHMEM_GENERICS_H

void shmem_unsupported_type(void); /* never defined: its name is the message */

#define SHMEMI_ARG0_(a, ...)    a
#define SHMEMI_ARG1_(a, b, ...) b
#define SHMEMI_ARG0(...)        SHMEMI_ARG0_(__VA_ARGS__, 0)
#define SHMEMI_ARG1(...)        SHMEMI_ARG1_(__VA_ARGS__, 0, 0)

/* Association rows: OP is the family, T* (and const T* where the argument is a source) selects the typed function. */
#define SHMEMI_SEL(OP, N, T)        T * : shmem_##N##_##OP,
#define SHMEMI_SEL_C(OP, N, T)      T * : shmem_##N##_##OP, const T * : shmem_##N##_##OP,
#define SHMEMI_SEL_CTX(OP, N, T)    T * : shmem_ctx_##N##_##OP,
#define SHMEMI_SEL_CTX_C(OP, N, T)  T * : shmem_ctx_##N##_##OP, const T * : shmem_ctx_##N##_##OP,

#define SHMEMI_PICK(SEL, TYPES, OP, ARG) _Generic((ARG), TYPES(SEL, OP) default : shmem_unsupported_type)
/* Without contexts; on argument 0. */
#define SHMEMI_G0(TYPES, OP, ...) SHMEMI_PICK(SHMEMI_SEL, TYPES, OP, SHMEMI_ARG0(__VA_ARGS__))(__VA_ARGS__)
/* Collectives: the team comes first, so on argument 1. */
#define SHMEMI_G1(TYPES, OP, ...) SHMEMI_PICK(SHMEMI_SEL, TYPES, OP, SHMEMI_ARG1(__VA_ARGS__))(__VA_ARGS__)
/* With an optional context. */
#define SHMEMI_GX(TYPES, OP, ...)                                                                                      \
    _Generic((SHMEMI_ARG0(__VA_ARGS__)),                                                                               \
        shmem_ctx_t : SHMEMI_PICK(SHMEMI_SEL_CTX, TYPES, OP, SHMEMI_ARG1(__VA_ARGS__)),                                \
        TYPES(SHMEMI_SEL, OP) default : shmem_unsupported_type)(__VA_ARGS__)
#define SHMEMI_GXC(TYPES, OP, ...)                                                                                     \
    _Generic((SHMEMI_ARG0(__VA_ARGS__)),                                                                               \
        shmem_ctx_t : SHMEMI_PICK(SHMEMI_SEL_CTX_C, TYPES, OP, SHMEMI_ARG1(__VA_ARGS__)),                              \
        TYPES(SHMEMI_SEL_C, OP) default : shmem_unsupported_type)(__VA_ARGS__)
/* Functions of one type that have a context form. */
#define SHMEMI_GCTX(PLAIN, CTX, ...)                                                                                   \
    _Generic((SHMEMI_ARG0(__VA_ARGS__)), shmem_ctx_t : CTX, default : PLAIN)(__VA_ARGS__)

/* 9.6 remote memory access */
#define shmem_put(...)     SHMEMI_GX(SHMEMI_RMA_TYPES_C11, put, __VA_ARGS__)
#define shmem_p(...)       SHMEMI_GX(SHMEMI_RMA_TYPES_C11, p, __VA_ARGS__)
#define shmem_iput(...)    SHMEMI_GX(SHMEMI_RMA_TYPES_C11, iput, __VA_ARGS__)
#define shmem_ibput(...)   SHMEMI_GX(SHMEMI_RMA_TYPES_C11, ibput, __VA_ARGS__)
#define shmem_get(...)     SHMEMI_GX(SHMEMI_RMA_TYPES_C11, get, __VA_ARGS__)
#define shmem_g(...)       SHMEMI_GXC(SHMEMI_RMA_TYPES_C11, g, __VA_ARGS__)
#define shmem_iget(...)    SHMEMI_GX(SHMEMI_RMA_TYPES_C11, iget, __VA_ARGS__)
#define shmem_ibget(...)   SHMEMI_GX(SHMEMI_RMA_TYPES_C11, ibget, __VA_ARGS__)
#define shmem_put_nbi(...) SHMEMI_GX(SHMEMI_RMA_TYPES_C11, put_nbi, __VA_ARGS__)
#define shmem_get_nbi(...) SHMEMI_GX(SHMEMI_RMA_TYPES_C11, get_nbi, __VA_ARGS__)

/* 9.7 atomics */
#define shmem_atomic_fetch(...)            SHMEMI_GXC(SHMEMI_AMO_EXT_TYPES_C11, atomic_fetch, __VA_ARGS__)
#define shmem_atomic_set(...)              SHMEMI_GX(SHMEMI_AMO_EXT_TYPES_C11, atomic_set, __VA_ARGS__)
#define shmem_atomic_swap(...)             SHMEMI_GX(SHMEMI_AMO_EXT_TYPES_C11, atomic_swap, __VA_ARGS__)
#define shmem_atomic_fetch_nbi(...)        SHMEMI_GX(SHMEMI_AMO_EXT_TYPES_C11, atomic_fetch_nbi, __VA_ARGS__)
#define shmem_atomic_swap_nbi(...)         SHMEMI_GX(SHMEMI_AMO_EXT_TYPES_C11, atomic_swap_nbi, __VA_ARGS__)
#define shmem_atomic_compare_swap(...)     SHMEMI_GX(SHMEMI_AMO_TYPES_C11, atomic_compare_swap, __VA_ARGS__)
#define shmem_atomic_compare_swap_nbi(...) SHMEMI_GX(SHMEMI_AMO_TYPES_C11, atomic_compare_swap_nbi, __VA_ARGS__)
#define shmem_atomic_fetch_inc(...)        SHMEMI_GX(SHMEMI_AMO_TYPES_C11, atomic_fetch_inc, __VA_ARGS__)
#define shmem_atomic_fetch_inc_nbi(...)    SHMEMI_GX(SHMEMI_AMO_TYPES_C11, atomic_fetch_inc_nbi, __VA_ARGS__)
#define shmem_atomic_inc(...)              SHMEMI_GX(SHMEMI_AMO_TYPES_C11, atomic_inc, __VA_ARGS__)
#define shmem_atomic_fetch_add(...)        SHMEMI_GX(SHMEMI_AMO_TYPES_C11, atomic_fetch_add, __VA_ARGS__)
#define shmem_atomic_fetch_add_nbi(...)    SHMEMI_GX(SHMEMI_AMO_TYPES_C11, atomic_fetch_add_nbi, __VA_ARGS__)
#define shmem_atomic_add(...)              SHMEMI_GX(SHMEMI_AMO_TYPES_C11, atomic_add, __VA_ARGS__)
#define shmem_atomic_fetch_and(...)        SHMEMI_GX(SHMEMI_AMO_BIT_TYPES_C11, atomic_fetch_and, __VA_ARGS__)
#define shmem_atomic_fetch_and_nbi(...)    SHMEMI_GX(SHMEMI_AMO_BIT_TYPES_C11, atomic_fetch_and_nbi, __VA_ARGS__)
#define shmem_atomic_and(...)              SHMEMI_GX(SHMEMI_AMO_BIT_TYPES_C11, atomic_and, __VA_ARGS__)
#define shmem_atomic_fetch_or(...)         SHMEMI_GX(SHMEMI_AMO_BIT_TYPES_C11, atomic_fetch_or, __VA_ARGS__)
#define shmem_atomic_fetch_or_nbi(...)     SHMEMI_GX(SHMEMI_AMO_BIT_TYPES_C11, atomic_fetch_or_nbi, __VA_ARGS__)
#define shmem_atomic_or(...)               SHMEMI_GX(SHMEMI_AMO_BIT_TYPES_C11, atomic_or, __VA_ARGS__)
#define shmem_atomic_fetch_xor(...)        SHMEMI_GX(SHMEMI_AMO_BIT_TYPES_C11, atomic_fetch_xor, __VA_ARGS__)
#define shmem_atomic_fetch_xor_nbi(...)    SHMEMI_GX(SHMEMI_AMO_BIT_TYPES_C11, atomic_fetch_xor_nbi, __VA_ARGS__)
#define shmem_atomic_xor(...)              SHMEMI_GX(SHMEMI_AMO_BIT_TYPES_C11, atomic_xor, __VA_ARGS__)
/* deprecated */
#define shmem_fetch(...) SHMEMI_PICK(SHMEMI_SEL_C, SHMEMI_OLD_AMO_EXT_TYPES, fetch, SHMEMI_ARG0(__VA_ARGS__))(__VA_ARGS__)
#define shmem_set(...)   SHMEMI_G0(SHMEMI_OLD_AMO_EXT_TYPES, set, __VA_ARGS__)
#define shmem_swap(...)  SHMEMI_G0(SHMEMI_OLD_AMO_EXT_TYPES, swap, __VA_ARGS__)
#define shmem_add(...)   SHMEMI_G0(SHMEMI_OLD_AMO_TYPES, add, __VA_ARGS__)
#define shmem_inc(...)   SHMEMI_G0(SHMEMI_OLD_AMO_TYPES, inc, __VA_ARGS__)
#define shmem_fadd(...)  SHMEMI_G0(SHMEMI_OLD_AMO_TYPES, fadd, __VA_ARGS__)
#define shmem_finc(...)  SHMEMI_G0(SHMEMI_OLD_AMO_TYPES, finc, __VA_ARGS__)
#define shmem_cswap(...) SHMEMI_G0(SHMEMI_OLD_AMO_TYPES, cswap, __VA_ARGS__)

/* 9.8 signals */
#define shmem_put_signal(...)     SHMEMI_GX(SHMEMI_RMA_TYPES_C11, put_signal, __VA_ARGS__)
#define shmem_put_signal_nbi(...) SHMEMI_GX(SHMEMI_RMA_TYPES_C11, put_signal_nbi, __VA_ARGS__)
#define shmem_signal_set(...)     SHMEMI_GCTX(shmem_signal_set, shmem_ctx_signal_set, __VA_ARGS__)
#define shmem_signal_add(...)     SHMEMI_GCTX(shmem_signal_add, shmem_ctx_signal_add, __VA_ARGS__)

/* 9.9 collectives */
#define shmem_sync(...)                                                                                                \
    _Generic((SHMEMI_ARG0(__VA_ARGS__)), shmem_team_t : shmem_team_sync, default : shmem_sync)(__VA_ARGS__)
#define shmem_alltoall(...)    SHMEMI_G1(SHMEMI_RMA_TYPES_C11, alltoall, __VA_ARGS__)
#define shmem_alltoalls(...)   SHMEMI_G1(SHMEMI_RMA_TYPES_C11, alltoalls, __VA_ARGS__)
#define shmem_broadcast(...)   SHMEMI_G1(SHMEMI_RMA_TYPES_C11, broadcast, __VA_ARGS__)
#define shmem_collect(...)     SHMEMI_G1(SHMEMI_RMA_TYPES_C11, collect, __VA_ARGS__)
#define shmem_fcollect(...)    SHMEMI_G1(SHMEMI_RMA_TYPES_C11, fcollect, __VA_ARGS__)
#define shmem_and_reduce(...)  SHMEMI_G1(SHMEMI_BIT_REDUCE_TYPES_C11, and_reduce, __VA_ARGS__)
#define shmem_or_reduce(...)   SHMEMI_G1(SHMEMI_BIT_REDUCE_TYPES_C11, or_reduce, __VA_ARGS__)
#define shmem_xor_reduce(...)  SHMEMI_G1(SHMEMI_BIT_REDUCE_TYPES_C11, xor_reduce, __VA_ARGS__)
#define shmem_max_reduce(...)  SHMEMI_G1(SHMEMI_RMA_TYPES_C11, max_reduce, __VA_ARGS__)
#define shmem_min_reduce(...)  SHMEMI_G1(SHMEMI_RMA_TYPES_C11, min_reduce, __VA_ARGS__)
#define shmem_sum_reduce(...)  SHMEMI_G1(SHMEMI_SUM_REDUCE_TYPES_C11, sum_reduce, __VA_ARGS__)
#define shmem_prod_reduce(...) SHMEMI_G1(SHMEMI_SUM_REDUCE_TYPES_C11, prod_reduce, __VA_ARGS__)
#define shmem_sum_inscan(...)  SHMEMI_G1(SHMEMI_SUM_REDUCE_TYPES_C11, sum_inscan, __VA_ARGS__)
#define shmem_sum_exscan(...)  SHMEMI_G1(SHMEMI_SUM_REDUCE_TYPES_C11, sum_exscan, __VA_ARGS__)

/* 9.10 point-to-point synchronisation; the plain forms also take short types (deprecated) */
#define SHMEMI_WAIT_TYPES_C11(X, A) SHMEMI_AMO_TYPES_C11(X, A) SHMEMI_SYNC_OLD_TYPES(X, A)
#define shmem_wait_until(...)             SHMEMI_G0(SHMEMI_WAIT_TYPES_C11, wait_until, __VA_ARGS__)
#define shmem_wait_until_all(...)         SHMEMI_G0(SHMEMI_AMO_TYPES_C11, wait_until_all, __VA_ARGS__)
#define shmem_wait_until_any(...)         SHMEMI_G0(SHMEMI_AMO_TYPES_C11, wait_until_any, __VA_ARGS__)
#define shmem_wait_until_some(...)        SHMEMI_G0(SHMEMI_AMO_TYPES_C11, wait_until_some, __VA_ARGS__)
#define shmem_wait_until_all_vector(...)  SHMEMI_G0(SHMEMI_AMO_TYPES_C11, wait_until_all_vector, __VA_ARGS__)
#define shmem_wait_until_any_vector(...)  SHMEMI_G0(SHMEMI_AMO_TYPES_C11, wait_until_any_vector, __VA_ARGS__)
#define shmem_wait_until_some_vector(...) SHMEMI_G0(SHMEMI_AMO_TYPES_C11, wait_until_some_vector, __VA_ARGS__)
#define shmem_test(...)                   SHMEMI_G0(SHMEMI_WAIT_TYPES_C11, test, __VA_ARGS__)
#define shmem_test_all(...)               SHMEMI_G0(SHMEMI_AMO_TYPES_C11, test_all, __VA_ARGS__)
#define shmem_test_any(...)               SHMEMI_G0(SHMEMI_AMO_TYPES_C11, test_any, __VA_ARGS__)
#define shmem_test_some(...)              SHMEMI_G0(SHMEMI_AMO_TYPES_C11, test_some, __VA_ARGS__)
#define shmem_test_all_vector(...)        SHMEMI_G0(SHMEMI_AMO_TYPES_C11, test_all_vector, __VA_ARGS__)
#define shmem_test_any_vector(...)        SHMEMI_G0(SHMEMI_AMO_TYPES_C11, test_any_vector, __VA_ARGS__)
#define shmem_test_some_vector(...)       SHMEMI_G0(SHMEMI_AMO_TYPES_C11, test_some_vector, __VA_ARGS__)

#endif
