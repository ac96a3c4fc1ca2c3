/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Atomics: OpenSHMEM 1.6 section 9.7. Processor atomics on the peer's memory, so they exclude each other and the
 * target's own waits and tests, whatever the team or context.
 */
#include "api/entry.h"
#include "core/far.h"
#include "core/log.h"
#include "core/team.h"
#include "core/wait.h"
#include "heap/addr.h"

void gs_misaligned(const char *fn, const char *arg, const void *addr, size_t size)
{
    gs_die(fn, "%s %p is not a multiple of %zu bytes: atomics need naturally aligned objects", arg, addr, size);
}

static inline __attribute__((always_inline)) void *word(const char *fn, shmem_ctx_t ctx, const char *arg,
                                                        const void *addr, size_t size, int pe)
{
    void *p = gs_remote(fn, arg, addr, size, gs_ctx_pe(fn, ctx, pe));
    gs_check_aligned(fn, arg, addr, size);
    return p;
}
#define DEST(fn, ctx)   ((__typeof__(dest))word(fn, ctx, "dest", dest, sizeof *dest, pe))
#define SOURCE(fn, ctx) ((__typeof__(source))word(fn, ctx, "source", source, sizeof *source, pe))

/* On the word at AT: HOST on memory in reach, CODE where it lies on a device or another node. The operand is `value` (and
 * `cond`), the old value goes to OLD. The builtins' generic forms, which HOST uses, take floating types as well. */
#define APPLY(fn, AT, CODE, VALUE, COND, OLD, HOST)                                                                    \
    {                                                                                                                  \
        __typeof__(AT) at = AT;                                                                                        \
        if (gs_direct() || !gs_amo_elsewhere(fn, CODE, (void *)(uintptr_t)at, sizeof *at, VALUE, COND, OLD))           \
            HOST;                                                                                                      \
    }

#define DO_FETCH(fn, ctx, OLD) APPLY(fn, SOURCE(fn, ctx), GS_AMO_FETCH, NULL, NULL, OLD, __atomic_load(at, OLD, __ATOMIC_ACQUIRE))
#define DO_SET(fn, ctx)        APPLY(fn, DEST(fn, ctx), GS_AMO_SET, &value, NULL, NULL, __atomic_store(at, &value, __ATOMIC_RELEASE))
#define DO_SWAP(fn, ctx, OLD)                                                                                          \
    APPLY(fn, DEST(fn, ctx), GS_AMO_SWAP, &value, NULL, OLD, __atomic_exchange(at, &value, OLD, __ATOMIC_ACQ_REL))
/* cond becomes the old value in either case. */
#define DO_CSWAP(fn, ctx)                                                                                              \
    APPLY(fn, DEST(fn, ctx), GS_AMO_CSWAP, &value, &cond, &cond,                                                       \
          __atomic_compare_exchange(at, &cond, &value, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
#define DO_FETCH_OP(fn, ctx, CODE, BUILTIN, VALUE, OLD)                                                                \
    APPLY(fn, DEST(fn, ctx), CODE, &VALUE, NULL, OLD, *(OLD) = BUILTIN(at, VALUE, __ATOMIC_ACQ_REL))
#define DO_OP(fn, ctx, CODE, BUILTIN, VALUE)                                                                           \
    APPLY(fn, DEST(fn, ctx), CODE, &VALUE, NULL, NULL, BUILTIN(at, VALUE, __ATOMIC_RELEASE))

#define RESULT(N, DO)                                                                                                  \
    __typeof__(gs_type_##N) old;                                                                                       \
    DO                                                                                                                 \
    return old;
#define ONE(N) const __typeof__(gs_type_##N) one = 1;

#define IMPL_atomic_fetch(fn, ctx, N)                                                                                  \
    gs_polled();                                                                                                       \
    RESULT(N, DO_FETCH(fn, ctx, &old))
#define IMPL_atomic_set(fn, ctx, N) DO_SET(fn, ctx)
#define IMPL_atomic_swap(fn, ctx, N)                                                                                   \
    gs_polled();                                                                                                       \
    RESULT(N, DO_SWAP(fn, ctx, &old))
#define IMPL_atomic_compare_swap(fn, ctx, N)                                                                           \
    gs_polled();                                                                                                       \
    DO_CSWAP(fn, ctx)                                                                                                  \
    return cond;
#define IMPL_atomic_fetch_add(fn, ctx, N) RESULT(N, DO_FETCH_OP(fn, ctx, GS_AMO_ADD, __atomic_fetch_add, value, &old))
#define IMPL_atomic_fetch_inc(fn, ctx, N) ONE(N) RESULT(N, DO_FETCH_OP(fn, ctx, GS_AMO_ADD, __atomic_fetch_add, one, &old))
#define IMPL_atomic_fetch_and(fn, ctx, N) RESULT(N, DO_FETCH_OP(fn, ctx, GS_AMO_AND, __atomic_fetch_and, value, &old))
#define IMPL_atomic_fetch_or(fn, ctx, N)  RESULT(N, DO_FETCH_OP(fn, ctx, GS_AMO_OR, __atomic_fetch_or, value, &old))
#define IMPL_atomic_fetch_xor(fn, ctx, N) RESULT(N, DO_FETCH_OP(fn, ctx, GS_AMO_XOR, __atomic_fetch_xor, value, &old))
#define IMPL_atomic_add(fn, ctx, N)       DO_OP(fn, ctx, GS_AMO_ADD, __atomic_fetch_add, value)
#define IMPL_atomic_inc(fn, ctx, N)       ONE(N) DO_OP(fn, ctx, GS_AMO_ADD, __atomic_fetch_add, one)
#define IMPL_atomic_and(fn, ctx, N)       DO_OP(fn, ctx, GS_AMO_AND, __atomic_fetch_and, value)
#define IMPL_atomic_or(fn, ctx, N)        DO_OP(fn, ctx, GS_AMO_OR, __atomic_fetch_or, value)
#define IMPL_atomic_xor(fn, ctx, N)       DO_OP(fn, ctx, GS_AMO_XOR, __atomic_fetch_xor, value)

/* Nonblocking: the result is there at once, which is earlier than quiet. */
#define IMPL_atomic_fetch_nbi(fn, ctx, N) DO_FETCH(fn, ctx, fetch)
#define IMPL_atomic_swap_nbi(fn, ctx, N)  DO_SWAP(fn, ctx, fetch)
#define IMPL_atomic_compare_swap_nbi(fn, ctx, N)                                                                       \
    DO_CSWAP(fn, ctx)                                                                                                  \
    *fetch = cond;
#define IMPL_atomic_fetch_add_nbi(fn, ctx, N) DO_FETCH_OP(fn, ctx, GS_AMO_ADD, __atomic_fetch_add, value, fetch)
#define IMPL_atomic_fetch_inc_nbi(fn, ctx, N) ONE(N) DO_FETCH_OP(fn, ctx, GS_AMO_ADD, __atomic_fetch_add, one, fetch)
#define IMPL_atomic_fetch_and_nbi(fn, ctx, N) DO_FETCH_OP(fn, ctx, GS_AMO_AND, __atomic_fetch_and, value, fetch)
#define IMPL_atomic_fetch_or_nbi(fn, ctx, N)  DO_FETCH_OP(fn, ctx, GS_AMO_OR, __atomic_fetch_or, value, fetch)
#define IMPL_atomic_fetch_xor_nbi(fn, ctx, N) DO_FETCH_OP(fn, ctx, GS_AMO_XOR, __atomic_fetch_xor, value, fetch)

/* Deprecated names of the same. */
#define IMPL_fetch(fn, ctx, N) IMPL_atomic_fetch(fn, ctx, N)
#define IMPL_set(fn, ctx, N)   IMPL_atomic_set(fn, ctx, N)
#define IMPL_swap(fn, ctx, N)  IMPL_atomic_swap(fn, ctx, N)
#define IMPL_cswap(fn, ctx, N) IMPL_atomic_compare_swap(fn, ctx, N)
#define IMPL_fadd(fn, ctx, N)  IMPL_atomic_fetch_add(fn, ctx, N)
#define IMPL_add(fn, ctx, N)   IMPL_atomic_add(fn, ctx, N)
#define IMPL_finc(fn, ctx, N)  IMPL_atomic_fetch_inc(fn, ctx, N)
#define IMPL_inc(fn, ctx, N)   IMPL_atomic_inc(fn, ctx, N)

GS_NAME_TYPES(SHMEMI_AMO_EXT_TYPES)
SHMEMI_AMO_FUNCTIONS(GS_DEFINE_CTX)
SHMEMI_OLD_AMO_FUNCTIONS(GS_DEFINE)
