/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How entry points are made. A function is defined under its profiling name, and the plain name is a weak alias, so that
 * a tool may take it over (OpenSHMEM 1.6 section 10). The families of api.def.h are expanded with DEFINE macros; a row's
 * body is IMPL_<op>(fn, ctx, T), which uses the parameter names of the row's prototype.
 */
#ifndef GS_ENTRY_H
#define GS_ENTRY_H

#include <pshmem.h>

#define GS_ALIAS(f) extern __typeof__(p##f) f __attribute__((weak, alias("p" #f)));

/* A variable of each type, never defined: names the type where only the TYPENAME is at hand. */
#define GS_NAME_TYPE(A, N, T) extern T gs_type_##N;
#define GS_NAME_TYPES(LIST)   LIST(GS_NAME_TYPE, )

/* Dies unless p, which is about to be accessed atomically, is a multiple of size. */
void gs_misaligned(const char *fn, const char *arg, const void *p, size_t size) __attribute__((cold, noreturn));
static inline void gs_check_aligned(const char *fn, const char *arg, const void *p, size_t size)
{
    if (__builtin_expect((uintptr_t)p % size != 0, 0))
        gs_misaligned(fn, arg, p, size);
}

/* A row without a context, and one with. */
#define GS_DEFINE(N, OP, RET, PROTO, ARGS)                                                                             \
    RET pshmem_##N##_##OP PROTO { IMPL_##OP("shmem_" #N "_" #OP, SHMEM_CTX_DEFAULT, N) }                               \
    GS_ALIAS(shmem_##N##_##OP)
#define GS_DEFINE_CTX(N, OP, RET, PROTO, ARGS)                                                                         \
    GS_DEFINE(N, OP, RET, PROTO, ARGS)                                                                                 \
    RET pshmem_ctx_##N##_##OP SHMEMI_CTX_PROTO PROTO { IMPL_##OP("shmem_ctx_" #N "_" #OP, ctx, N) }                    \
    GS_ALIAS(shmem_ctx_##N##_##OP)

#endif
