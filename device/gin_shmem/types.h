/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Types of the device API: the lists of types.def.h, less what device code has no counterpart of (long double,
 * complex), plus half and bfloat16; and the handles and constants of the host API.
 */
#ifndef GIN_SHMEM_TYPES_H
#define GIN_SHMEM_TYPES_H

#include "port.h"

#ifdef __CUDACC_RTC__
#include <gin_shmem/constants.h>
#include <gin_shmem/types.def.h>
typedef struct shmemi_team *shmem_team_t;
typedef struct shmemi_ctx *shmem_ctx_t;
#elif !defined(SHMEM_H) /* gin_shmem.h has included it */
#include <shmem.h>
#endif

#define GIN_SHMEM_HALF_TYPES(X, A) X(A, half, __half) X(A, bfloat16, __nv_bfloat16)

/* RMA, broadcast, collect, fcollect, alltoall, min, max, sum, prod: 25. */
#define GIN_SHMEM_RMA_TYPES(X, A)                                                                              \
    X(A, float, float)                                                                                         \
    X(A, double, double)                                                                                       \
    X(A, char, char) SHMEMI_C_SIGNED(X, A) SHMEMI_C_UNSIGNED(X, A) SHMEMI_FIXED_TYPES(X, A) X(A, size, size_t) \
        X(A, ptrdiff, ptrdiff_t) GIN_SHMEM_HALF_TYPES(X, A)
#define GIN_SHMEM_BIT_REDUCE_TYPES(X, A) SHMEMI_BIT_REDUCE_TYPES(X, A)
/* Each C type once, for overloads; int64_t and the like are among them. */
#define GIN_SHMEM_AMO_TYPES_CXX(X, A) SHMEMI_AMO_TYPES_C11(X, A)

/* The three forms of a function: by a thread, a warp (suffix _warp), a block (_block). X(A..., suffix, group). A group
 * form is called by all threads of the group with the same arguments; it synchronises the group before it reads what
 * the call is given, and before it returns. */
#define GIN_SHMEM_SCOPES(X, ...)                   \
    X(__VA_ARGS__, , gin_shmem_impl::thread_group) \
    X(__VA_ARGS__, _warp, gin_shmem_impl::warp_group) X(__VA_ARGS__, _block, gin_shmem_impl::block_group)

/* Typed functions are templates, so that the compiler makes code only of those that a program calls. */
#define GIN_SHMEM_LAZY template <class gin_shmem_lazy = void>

namespace gin_shmem_impl
{

/* The type itself, where it must not be deduced: gin_shmem_p(pointer_to_long, 5, pe). */
template <class T>
struct just {
    typedef T type;
};

template <class T, class U>
struct same {
    static const bool value = false;
};
template <class T>
struct same<T, T> {
    static const bool value = true;
};

template <class T>
GIN_SHMEM_FN void static_assert_plain()
{
    static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8,
                  "gin_shmem: an element of 1, 2, 4 or 8 bytes");
}

} // namespace gin_shmem_impl

#endif
