/* SPDX-License-Identifier: BSD-3-Clause */
/* The device half of shmemg.h: the draft GPU specification's calls, under its names. */
#ifndef GIN_SHMEM_SHMEMG_DEVICE_H
#define GIN_SHMEM_SHMEMG_DEVICE_H

#include "amo.h"
#include "coll.h"
#include "order.h"
#include "signal.h"
#include "team.h"
#include "wait.h"

namespace gin_shmem_impl
{

/* World PE of PE pe of the context's team. A context is a number with the slot of its team (state.h). */
GIN_SHMEM_FN int ctx_pe(shmem_ctx_t ctx, int pe, uint32_t fn)
{
    if (ctx == SHMEM_DEVICE_CTX_DEFAULT)
        return pe;
    struct team_view t;
    uint64_t c = (uint64_t)ctx, handle;
    if (!(c & GIN_SHMEM_DEVICE_CTX_BIT) || !team_in_slot((uint32_t)(c & 0xffff) - 1, &t, &handle))
        fail(GIN_SHMEM_REPORT_TEAM, fn, pe, -1, nullptr, 0, c, 0);
    if ((uint32_t)pe >= (uint32_t)t.n)
        fail(GIN_SHMEM_REPORT_PE, fn, pe, -1, nullptr, 0, 0, 0);
    return team_pe(t, pe);
}

} // namespace gin_shmem_impl

GIN_SHMEM_FN int shmemg_my_pe()
{
    return gin_shmem_my_pe();
}
GIN_SHMEM_FN int shmemg_n_pes()
{
    return gin_shmem_n_pes();
}

/* X(A.., draft's suffix, ours) */
#define GIN_SHMEM_DRAFT_SCOPES(X, ...) X(__VA_ARGS__, , ) X(__VA_ARGS__, _tg, _block) X(__VA_ARGS__, _htg, _warp)

#define GIN_SHMEM_DRAFT_RMA(OP, FN, S, OURS)                                                               \
    GIN_SHMEM_LAZY GIN_SHMEM_FN void shmemg_##OP##S(void *dest, const void *source, size_t nelems, int pe) \
    {                                                                                                      \
        gin_shmem_##OP##OURS(dest, source, nelems, pe);                                                    \
    }                                                                                                      \
    GIN_SHMEM_LAZY GIN_SHMEM_FN void shmemg_ctx_##OP##S(shmem_ctx_t ctx, void *dest, const void *source,   \
                                                        size_t nelems, int pe)                             \
    {                                                                                                      \
        gin_shmem_##OP##OURS(dest, source, nelems, gin_shmem_impl::ctx_pe(ctx, pe, GIN_SHMEM_FN_##FN));    \
    }
GIN_SHMEM_DRAFT_SCOPES(GIN_SHMEM_DRAFT_RMA, putmem, put)
GIN_SHMEM_DRAFT_SCOPES(GIN_SHMEM_DRAFT_RMA, putmem_nbi, put_nbi)
GIN_SHMEM_DRAFT_SCOPES(GIN_SHMEM_DRAFT_RMA, getmem, get)
GIN_SHMEM_DRAFT_SCOPES(GIN_SHMEM_DRAFT_RMA, getmem_nbi, get_nbi)

#define GIN_SHMEM_DRAFT_PUT_SIGNAL(OP, FN, S, OURS)                                                                    \
    GIN_SHMEM_LAZY GIN_SHMEM_FN void shmemg_##OP##S(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, \
                                                    uint64_t signal, int sig_op, int pe)                               \
    {                                                                                                                  \
        gin_shmem_##OP##OURS(dest, source, nelems, sig_addr, signal, sig_op, pe);                                      \
    }                                                                                                                  \
    GIN_SHMEM_LAZY GIN_SHMEM_FN void shmemg_ctx_##OP##S(shmem_ctx_t ctx, void *dest, const void *source,               \
                                                        size_t nelems, uint64_t *sig_addr, uint64_t signal,            \
                                                        int sig_op, int pe)                                            \
    {                                                                                                                  \
        gin_shmem_##OP##OURS(dest, source, nelems, sig_addr, signal, sig_op,                                           \
                             gin_shmem_impl::ctx_pe(ctx, pe, GIN_SHMEM_FN_##FN));                                      \
    }
GIN_SHMEM_DRAFT_SCOPES(GIN_SHMEM_DRAFT_PUT_SIGNAL, putmem_signal, put_signal)
GIN_SHMEM_DRAFT_SCOPES(GIN_SHMEM_DRAFT_PUT_SIGNAL, putmem_signal_nbi, put_signal_nbi)

/* Atomics, for the 12 standard types; float and double too where OpenSHMEM has them. */
#define GIN_SHMEM_DRAFT_AMO(N, T, OP, RET, PARAMS, ARGS)                                                           \
    GIN_SHMEM_LAZY GIN_SHMEM_FN RET shmemg_##N##_atomic_##OP(GIN_SHMEM_UNWRAP PARAMS, int pe)                      \
    {                                                                                                              \
        return gin_shmem_impl::amo_##OP<T>(GIN_SHMEM_UNWRAP ARGS, pe);                                             \
    }                                                                                                              \
    GIN_SHMEM_LAZY GIN_SHMEM_FN RET shmemg_ctx_##N##_atomic_##OP(shmem_ctx_t ctx, GIN_SHMEM_UNWRAP PARAMS, int pe) \
    {                                                                                                              \
        pe = gin_shmem_impl::ctx_pe(ctx, pe, GIN_SHMEM_FN_atomic_##OP);                                            \
        return gin_shmem_impl::amo_##OP<T>(GIN_SHMEM_UNWRAP ARGS, pe);                                             \
    }
#define GIN_SHMEM_DRAFT_FETCHING(N, T, OP, PARAMS, ARGS)                                                       \
    GIN_SHMEM_DRAFT_AMO(N, T, OP, T, PARAMS, ARGS)                                                             \
    GIN_SHMEM_LAZY GIN_SHMEM_FN void shmemg_##N##_atomic_##OP##_nbi(T *fetch, GIN_SHMEM_UNWRAP PARAMS, int pe) \
    {                                                                                                          \
        *fetch = gin_shmem_impl::amo_##OP<T>(GIN_SHMEM_UNWRAP ARGS, pe);                                       \
    }                                                                                                          \
    GIN_SHMEM_LAZY GIN_SHMEM_FN void shmemg_ctx_##N##_atomic_##OP##_nbi(shmem_ctx_t ctx, T *fetch,             \
                                                                        GIN_SHMEM_UNWRAP PARAMS, int pe)       \
    {                                                                                                          \
        pe = gin_shmem_impl::ctx_pe(ctx, pe, GIN_SHMEM_FN_atomic_##OP);                                        \
        *fetch = gin_shmem_impl::amo_##OP<T>(GIN_SHMEM_UNWRAP ARGS, pe);                                       \
    }
#define GIN_SHMEM_DRAFT_AMO_EXT(A, N, T)                                     \
    GIN_SHMEM_DRAFT_FETCHING(N, T, fetch, (const T *source), (source))       \
    GIN_SHMEM_DRAFT_FETCHING(N, T, swap, (T * dest, T value), (dest, value)) \
    GIN_SHMEM_DRAFT_AMO(N, T, set, void, (T * dest, T value), (dest, value))
#define GIN_SHMEM_DRAFT_AMO_STD(A, N, T)                                                           \
    GIN_SHMEM_DRAFT_FETCHING(N, T, compare_swap, (T * dest, T cond, T value), (dest, cond, value)) \
    GIN_SHMEM_DRAFT_FETCHING(N, T, fetch_add, (T * dest, T value), (dest, value))                  \
    GIN_SHMEM_DRAFT_FETCHING(N, T, fetch_inc, (T * dest), (dest))                                  \
    GIN_SHMEM_DRAFT_FETCHING(N, T, fetch_and, (T * dest, T value), (dest, value))                  \
    GIN_SHMEM_DRAFT_FETCHING(N, T, fetch_or, (T * dest, T value), (dest, value))                   \
    GIN_SHMEM_DRAFT_FETCHING(N, T, fetch_xor, (T * dest, T value), (dest, value))                  \
    GIN_SHMEM_DRAFT_AMO(N, T, add, void, (T * dest, T value), (dest, value))                       \
    GIN_SHMEM_DRAFT_AMO(N, T, inc, void, (T * dest), (dest))                                       \
    GIN_SHMEM_DRAFT_AMO(N, T, and, void, (T * dest, T value), (dest, value))                       \
    GIN_SHMEM_DRAFT_AMO(N, T, or, void, (T * dest, T value), (dest, value))                        \
    GIN_SHMEM_DRAFT_AMO(N, T, xor, void, (T * dest, T value), (dest, value))
SHMEMI_AMO_EXT_TYPES(GIN_SHMEM_DRAFT_AMO_EXT, )
SHMEMI_AMO_TYPES(GIN_SHMEM_DRAFT_AMO_STD, )

GIN_SHMEM_FN uint64_t shmemg_signal_fetch(const uint64_t *sig_addr)
{
    return gin_shmem_signal_fetch(sig_addr);
}
GIN_SHMEM_FN uint64_t shmemg_signal_wait_until(uint64_t *sig_addr, int cmp, uint64_t cmp_value)
{
    return gin_shmem_signal_wait_until(sig_addr, cmp, cmp_value);
}
#define GIN_SHMEM_DRAFT_WAIT(A, N, T)                                                       \
    GIN_SHMEM_LAZY GIN_SHMEM_FN void shmemg_##N##_wait_until(T *ivar, int cmp, T cmp_value) \
    {                                                                                       \
        gin_shmem_##N##_wait_until(ivar, cmp, cmp_value);                                   \
    }                                                                                       \
    GIN_SHMEM_LAZY GIN_SHMEM_FN int shmemg_##N##_test(T *ivar, int cmp, T cmp_value)        \
    {                                                                                       \
        return gin_shmem_##N##_test(ivar, cmp, cmp_value);                                  \
    }
SHMEMI_AMO_TYPES(GIN_SHMEM_DRAFT_WAIT, )

GIN_SHMEM_FN void shmemg_fence()
{
    gin_shmem_fence();
}
GIN_SHMEM_FN void shmemg_quiet()
{
    gin_shmem_quiet();
}
/* Nothing for SHMEM_CTX_INVALID. */
GIN_SHMEM_FN void shmemg_ctx_fence(shmem_ctx_t ctx)
{
    if (ctx != SHMEM_CTX_INVALID)
        gin_shmem_fence();
}
GIN_SHMEM_FN void shmemg_ctx_quiet(shmem_ctx_t ctx)
{
    if (ctx != SHMEM_CTX_INVALID)
        gin_shmem_quiet();
}

#define GIN_SHMEM_DRAFT_SYNC(A, S, OURS)                                   \
    GIN_SHMEM_LAZY GIN_SHMEM_FN void shmemg_sync_all##S()                  \
    {                                                                      \
        (void)gin_shmem_team_sync##OURS(SHMEM_DEVICE_TEAM_WORLD);          \
    }                                                                      \
    GIN_SHMEM_LAZY GIN_SHMEM_FN int shmemg_team_sync##S(shmem_team_t team) \
    {                                                                      \
        return gin_shmem_team_sync##OURS(team);                            \
    }
GIN_SHMEM_DRAFT_SCOPES(GIN_SHMEM_DRAFT_SYNC, )

#endif
