/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Atomics: OpenSHMEM 1.6 section 9.7. Processor atomics on the peer's memory, so they exclude each other and the
 * target's own waits and tests, whatever the team or context.
 */
#include "api/entry.h"
#include "core/log.h"
#include "core/team.h"
#include "core/wait.h"
#include "heap/addr.h"

static void misaligned(const char *fn, const char *arg, const void *addr, size_t size) __attribute__((cold, noreturn));
static void misaligned(const char *fn, const char *arg, const void *addr, size_t size)
{
    gs_die(fn, "%s %p is not a multiple of %zu bytes: atomics need naturally aligned objects", arg, addr, size);
}

static inline void *word(const char *fn, shmem_ctx_t ctx, const char *arg, const void *addr, size_t size, int pe)
{
    void *p = gs_remote(fn, arg, addr, size, gs_ctx_pe(fn, ctx, pe));
    if (gs_unlikely((uintptr_t)p % size))
        misaligned(fn, arg, addr, size);
    return p;
}
#define DEST(fn, ctx)   ((__typeof__(dest))word(fn, ctx, "dest", dest, sizeof *dest, pe))
#define SOURCE(fn, ctx) ((__typeof__(source))word(fn, ctx, "source", source, sizeof *source, pe))

/* The generic forms of the builtins take floating types as well. */
#define IMPL_atomic_fetch(fn, ctx, N)                                                                                  \
    __typeof__(gs_type_##N) value;                                                                                     \
    gs_polled();                                                                                                       \
    __atomic_load(SOURCE(fn, ctx), &value, __ATOMIC_ACQUIRE);                                                          \
    return value;
#define IMPL_atomic_set(fn, ctx, N) __atomic_store(DEST(fn, ctx), &value, __ATOMIC_RELEASE);
#define IMPL_atomic_swap(fn, ctx, N)                                                                                   \
    gs_polled();                                                                                                       \
    __atomic_exchange(DEST(fn, ctx), &value, &value, __ATOMIC_ACQ_REL);                                                \
    return value;
#define IMPL_atomic_compare_swap(fn, ctx, N)                                                                           \
    gs_polled();                                                                                                       \
    __atomic_compare_exchange(DEST(fn, ctx), &cond, &value, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);                    \
    return cond;
#define IMPL_atomic_fetch_add(fn, ctx, N) return __atomic_fetch_add(DEST(fn, ctx), value, __ATOMIC_ACQ_REL);
#define IMPL_atomic_add(fn, ctx, N)       __atomic_fetch_add(DEST(fn, ctx), value, __ATOMIC_RELEASE);
#define IMPL_atomic_fetch_inc(fn, ctx, N) return __atomic_fetch_add(DEST(fn, ctx), 1, __ATOMIC_ACQ_REL);
#define IMPL_atomic_inc(fn, ctx, N)       __atomic_fetch_add(DEST(fn, ctx), 1, __ATOMIC_RELEASE);
#define IMPL_atomic_fetch_and(fn, ctx, N) return __atomic_fetch_and(DEST(fn, ctx), value, __ATOMIC_ACQ_REL);
#define IMPL_atomic_and(fn, ctx, N)       __atomic_fetch_and(DEST(fn, ctx), value, __ATOMIC_RELEASE);
#define IMPL_atomic_fetch_or(fn, ctx, N)  return __atomic_fetch_or(DEST(fn, ctx), value, __ATOMIC_ACQ_REL);
#define IMPL_atomic_or(fn, ctx, N)        __atomic_fetch_or(DEST(fn, ctx), value, __ATOMIC_RELEASE);
#define IMPL_atomic_fetch_xor(fn, ctx, N) return __atomic_fetch_xor(DEST(fn, ctx), value, __ATOMIC_ACQ_REL);
#define IMPL_atomic_xor(fn, ctx, N)       __atomic_fetch_xor(DEST(fn, ctx), value, __ATOMIC_RELEASE);

/* Nonblocking: the result is there at once, which is earlier than quiet. */
#define IMPL_atomic_fetch_nbi(fn, ctx, N) __atomic_load(SOURCE(fn, ctx), fetch, __ATOMIC_ACQUIRE);
#define IMPL_atomic_swap_nbi(fn, ctx, N)  __atomic_exchange(DEST(fn, ctx), &value, fetch, __ATOMIC_ACQ_REL);
#define IMPL_atomic_compare_swap_nbi(fn, ctx, N)                                                                       \
    __atomic_compare_exchange(DEST(fn, ctx), &cond, &value, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);                    \
    *fetch = cond;
#define IMPL_atomic_fetch_add_nbi(fn, ctx, N) *fetch = __atomic_fetch_add(DEST(fn, ctx), value, __ATOMIC_ACQ_REL);
#define IMPL_atomic_fetch_inc_nbi(fn, ctx, N) *fetch = __atomic_fetch_add(DEST(fn, ctx), 1, __ATOMIC_ACQ_REL);
#define IMPL_atomic_fetch_and_nbi(fn, ctx, N) *fetch = __atomic_fetch_and(DEST(fn, ctx), value, __ATOMIC_ACQ_REL);
#define IMPL_atomic_fetch_or_nbi(fn, ctx, N)  *fetch = __atomic_fetch_or(DEST(fn, ctx), value, __ATOMIC_ACQ_REL);
#define IMPL_atomic_fetch_xor_nbi(fn, ctx, N) *fetch = __atomic_fetch_xor(DEST(fn, ctx), value, __ATOMIC_ACQ_REL);

/* Deprecated names of the same. */
#define IMPL_fetch(fn, ctx, N) IMPL_atomic_fetch(fn, ctx, N)
#define IMPL_set(fn, ctx, N)   IMPL_atomic_set(fn, ctx, N)
#define IMPL_swap(fn, ctx, N)  IMPL_atomic_swap(fn, ctx, N)
#define IMPL_cswap(fn, ctx, N) IMPL_atomic_compare_swap(fn, ctx, N)
#define IMPL_fadd(fn, ctx, N)  IMPL_atomic_fetch_add(fn, ctx, N)
#define IMPL_add(fn, ctx, N)   IMPL_atomic_add(fn, ctx, N)
#define IMPL_finc(fn, ctx, N)  IMPL_atomic_fetch_inc(fn, ctx, N)
#define IMPL_inc(fn, ctx, N)   IMPL_atomic_inc(fn, ctx, N)

/* A variable of each type, never defined: names the type where only the TYPENAME is at hand. */
#define TYPE_OF(A, N, T) extern T gs_type_##N;
SHMEMI_AMO_EXT_TYPES(TYPE_OF, )

SHMEMI_AMO_FUNCTIONS(GS_DEFINE_CTX)
SHMEMI_OLD_AMO_FUNCTIONS(GS_DEFINE)
