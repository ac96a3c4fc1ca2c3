/* SPDX-License-Identifier: BSD-3-Clause */
/* The C++ equivalents of the C11 generic interfaces: overloads over the distinct C types. */
#ifndef GIN_SHMEM_OVERLOADS_HPP
#define GIN_SHMEM_OVERLOADS_HPP

#define SHMEMI_OVER(N, OP, RET, PROTO, ARGS)                                                                           \
    static inline RET shmem_##OP PROTO { return shmem_##N##_##OP ARGS; }
#define SHMEMI_OVER_CTX(N, OP, RET, PROTO, ARGS)                                                                       \
    SHMEMI_OVER(N, OP, RET, PROTO, ARGS)                                                                               \
    static inline RET shmem_##OP SHMEMI_CTX_PROTO PROTO { return shmem_ctx_##N##_##OP SHMEMI_CTX_ARGS ARGS; }

SHMEMI_RMA_TYPES_C11(SHMEMI_ROW_RMA, SHMEMI_OVER_CTX)
SHMEMI_AMO_EXT_TYPES_C11(SHMEMI_ROW_AMO_EXT, SHMEMI_OVER_CTX)
SHMEMI_AMO_TYPES_C11(SHMEMI_AMO_OPS, SHMEMI_OVER_CTX)
SHMEMI_AMO_BIT_TYPES_C11(SHMEMI_AMO_BIT_OPS, SHMEMI_OVER_CTX)
SHMEMI_OLD_AMO_EXT_TYPES(SHMEMI_ROW_OLD_AMO_EXT, SHMEMI_OVER)
SHMEMI_OLD_AMO_TYPES(SHMEMI_OLD_AMO_OPS, SHMEMI_OVER)
/* wait_until on long is the C function of that name (deprecated there), so it is left out here. */
#define SHMEMI_WAIT_TYPES_CXX(X, A)                                                                                    \
    X(A, int, int) X(A, longlong, long long) X(A, uint, unsigned int) X(A, ulong, unsigned long)                       \
    X(A, ulonglong, unsigned long long) SHMEMI_SYNC_OLD_TYPES(X, A)
SHMEMI_WAIT_TYPES_CXX(SHMEMI_WAIT_UNTIL_OPS, SHMEMI_OVER)
SHMEMI_AMO_TYPES_C11(SHMEMI_TEST_OPS, SHMEMI_OVER)
SHMEMI_SYNC_OLD_TYPES(SHMEMI_TEST_OPS, SHMEMI_OVER)
SHMEMI_AMO_TYPES_C11(SHMEMI_SYNC_OPS, SHMEMI_OVER)
SHMEMI_RMA_TYPES_C11(SHMEMI_COLL_OPS, SHMEMI_OVER)
SHMEMI_BIT_REDUCE_TYPES_C11(SHMEMI_BIT_REDUCE_OPS, SHMEMI_OVER)
SHMEMI_RMA_TYPES_C11(SHMEMI_MINMAX_REDUCE_OPS, SHMEMI_OVER)
SHMEMI_SUM_REDUCE_TYPES_C11(SHMEMI_SUM_REDUCE_OPS, SHMEMI_OVER)

static inline void shmem_signal_set(shmem_ctx_t ctx, uint64_t *sig_addr, uint64_t signal, int pe)
{
    shmem_ctx_signal_set(ctx, sig_addr, signal, pe);
}
static inline void shmem_signal_add(shmem_ctx_t ctx, uint64_t *sig_addr, uint64_t signal, int pe)
{
    shmem_ctx_signal_add(ctx, sig_addr, signal, pe);
}
static inline int shmem_sync(shmem_team_t team) { return shmem_team_sync(team); }

/* C's own complex types, which GCC and clang have in C++ too; they are laid out as std::complex is. */
#ifdef __GNUC__
__extension__ typedef float _Complex shmemi_complexf;
__extension__ typedef double _Complex shmemi_complexd;
#define SHMEMI_OVER_COMPLEX(N, T, OP)                                                                                  \
    static inline int shmem_##N##_##OP(shmem_team_t team, shmemi_##N *dest, const shmemi_##N *source, size_t nelems)   \
    {                                                                                                                  \
        return shmem_##N##_##OP(team, reinterpret_cast<T *>(dest), reinterpret_cast<const T *>(source), nelems);       \
    }                                                                                                                  \
    static inline int shmem_##OP(shmem_team_t team, shmemi_##N *dest, const shmemi_##N *source, size_t nelems)         \
    {                                                                                                                  \
        return shmem_##N##_##OP(team, dest, source, nelems);                                                           \
    }
#define SHMEMI_OVER_COMPLEX_TO_ALL(N, T, OP)                                                                           \
    static inline void shmem_##N##_##OP(shmemi_##N *dest, const shmemi_##N *source, int nreduce, int PE_start,         \
                                        int logPE_stride, int PE_size, shmemi_##N *pWrk, long *pSync)                  \
    {                                                                                                                  \
        shmem_##N##_##OP(reinterpret_cast<T *>(dest), reinterpret_cast<const T *>(source), nreduce, PE_start,          \
                         logPE_stride, PE_size, reinterpret_cast<T *>(pWrk), pSync);                                   \
    }
#define SHMEMI_OVER_COMPLEX_TYPE(A, N, T)                                                                              \
    SHMEMI_OVER_COMPLEX(N, T, sum_reduce) SHMEMI_OVER_COMPLEX(N, T, prod_reduce)                                       \
    SHMEMI_OVER_COMPLEX(N, T, sum_inscan) SHMEMI_OVER_COMPLEX(N, T, sum_exscan)                                        \
    SHMEMI_OVER_COMPLEX_TO_ALL(N, T, sum_to_all) SHMEMI_OVER_COMPLEX_TO_ALL(N, T, prod_to_all)
SHMEMI_COMPLEX_TYPES(SHMEMI_OVER_COMPLEX_TYPE, )
#undef SHMEMI_OVER_COMPLEX
#undef SHMEMI_OVER_COMPLEX_TO_ALL
#undef SHMEMI_OVER_COMPLEX_TYPE
#endif

#undef SHMEMI_OVER
#undef SHMEMI_OVER_CTX

#endif
