/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Atomic memory operations, OpenSHMEM 1.6 section 9.7, and add for float, double, half and bfloat16.
 *
 * dest (source of a fetch) is symmetric and naturally aligned. Relaxed: an AMO orders nothing but itself;
 * gin_shmem_fence and gin_shmem_quiet do. A fetching one returns the old value; the others are complete at
 * gin_shmem_quiet. Atomic with respect to all AMOs, signals, p, g and waits on the same word, of kernels on all PEs; on
 * host memory, of kernels only where the platform has atomics over its bus. An AMO is one thread's: there are no group
 * forms.
 */
#ifndef GIN_SHMEM_AMO_H
#define GIN_SHMEM_AMO_H

#include "addr.h"
#include "types.h"

namespace gin_shmem_impl
{

/* Integers by their bits. op: of fabric.h, for far PEs. */
template <class T>
struct adder {
    typedef typename bits_of<sizeof(T)>::type U;
    static const int op = GIN_SHMEM_OP_ADD;
    static GIN_SHMEM_METHOD T fetch(T *p, T v) { return (T)atomic_add((U *)p, (U)v); }
    static GIN_SHMEM_METHOD void apply(T *p, T v) { reduce_add((U *)p, (U)v); }
};
#define GIN_SHMEM_ADDER(T, OP)                                                  \
    template <>                                                                 \
    struct adder<T> {                                                           \
        static const int op = OP;                                               \
        static GIN_SHMEM_METHOD T fetch(T *p, T v) { return atomic_add(p, v); } \
        static GIN_SHMEM_METHOD void apply(T *p, T v) { reduce_add(p, v); }     \
    };
GIN_SHMEM_ADDER(float, GIN_SHMEM_OP_ADD_FLOAT)
GIN_SHMEM_ADDER(double, GIN_SHMEM_OP_ADD_FLOAT)
GIN_SHMEM_ADDER(__half, GIN_SHMEM_OP_ADD_FLOAT)
GIN_SHMEM_ADDER(__nv_bfloat16, GIN_SHMEM_OP_ADD_BFLOAT16)
#undef GIN_SHMEM_ADDER

/* at, the peer's word; or the operation OP is done by the side, and what follows is not reached. */
#define GIN_SHMEM_AMO_TARGET(ptr, NAME, OP, VALUE, COND, FETCH, BACK)                                              \
    typedef typename bits_of<sizeof(T)>::type U;                                                                   \
    U *at = (U *)remote(ptr, sizeof(T), pe, GIN_SHMEM_FN_atomic_##NAME);                                           \
    if (is_far(at)) {                                                                                              \
        U old = (U)remote_amo(OP, ptr, sizeof(T), (uint64_t)cast_bits<U>(VALUE), (uint64_t)cast_bits<U>(COND), pe, \
                              FETCH, GIN_SHMEM_FN_atomic_##NAME);                                                  \
        (void)old;                                                                                                 \
        return BACK;                                                                                               \
    }
#define GIN_SHMEM_AMO_FETCHING(ptr, NAME, OP, VALUE, COND) \
    GIN_SHMEM_AMO_TARGET(ptr, NAME, OP, VALUE, COND, true, cast_bits<T>(old))
#define GIN_SHMEM_AMO_QUIETLY(ptr, NAME, OP, VALUE) GIN_SHMEM_AMO_TARGET(ptr, NAME, OP, VALUE, (U)0, false, (void)0)

template <class T>
GIN_SHMEM_FN T amo_fetch(const T *source, int pe)
{
    GIN_SHMEM_AMO_FETCHING(const_cast<T *>(source), fetch, GIN_SHMEM_OP_FETCH, (U)0, (U)0)
    return cast_bits<T>(load_relaxed(at));
}
template <class T>
GIN_SHMEM_FN void amo_set(T *dest, T value, int pe)
{
    GIN_SHMEM_AMO_QUIETLY(dest, set, GIN_SHMEM_OP_SET, value)
    store_relaxed(at, cast_bits<U>(value));
}
template <class T>
GIN_SHMEM_FN T amo_swap(T *dest, T value, int pe)
{
    GIN_SHMEM_AMO_FETCHING(dest, swap, GIN_SHMEM_OP_SWAP, value, (U)0)
    return cast_bits<T>(atomic_swap(at, cast_bits<U>(value)));
}
template <class T>
GIN_SHMEM_FN T amo_compare_swap(T *dest, T cond, T value, int pe)
{
    GIN_SHMEM_AMO_FETCHING(dest, compare_swap, GIN_SHMEM_OP_CSWAP, value, cond)
    return cast_bits<T>(atomic_cas(at, cast_bits<U>(cond), cast_bits<U>(value)));
}
template <class T>
GIN_SHMEM_FN T amo_fetch_add(T *dest, T value, int pe)
{
    GIN_SHMEM_AMO_FETCHING(dest, fetch_add, adder<T>::op, value, (U)0)
    return adder<T>::fetch((T *)at, value);
}
template <class T>
GIN_SHMEM_FN void amo_add(T *dest, T value, int pe)
{
    GIN_SHMEM_AMO_QUIETLY(dest, add, adder<T>::op, value)
    adder<T>::apply((T *)at, value);
}
template <class T>
GIN_SHMEM_FN T amo_fetch_inc(T *dest, int pe)
{
    GIN_SHMEM_AMO_FETCHING(dest, fetch_inc, GIN_SHMEM_OP_ADD, (U)1, (U)0)
    return (T)atomic_add(at, (U)1);
}
template <class T>
GIN_SHMEM_FN void amo_inc(T *dest, int pe)
{
    GIN_SHMEM_AMO_QUIETLY(dest, inc, GIN_SHMEM_OP_ADD, (U)1)
    reduce_add(at, (U)1);
}
#define GIN_SHMEM_AMO_BIT(OP, REMOTE)                                 \
    template <class T>                                                \
    GIN_SHMEM_FN T amo_fetch_##OP(T *dest, T value, int pe)           \
    {                                                                 \
        GIN_SHMEM_AMO_FETCHING(dest, fetch_##OP, REMOTE, value, (U)0) \
        return (T)atomic_##OP(at, (U)value);                          \
    }                                                                 \
    template <class T>                                                \
    GIN_SHMEM_FN void amo_##OP(T *dest, T value, int pe)              \
    {                                                                 \
        GIN_SHMEM_AMO_QUIETLY(dest, OP, REMOTE, value)                \
        reduce_##OP(at, (U)value);                                    \
    }
GIN_SHMEM_AMO_BIT(and, GIN_SHMEM_OP_AND)
GIN_SHMEM_AMO_BIT(or, GIN_SHMEM_OP_OR)
GIN_SHMEM_AMO_BIT(xor, GIN_SHMEM_OP_XOR)
#undef GIN_SHMEM_AMO_BIT
#undef GIN_SHMEM_AMO_QUIETLY
#undef GIN_SHMEM_AMO_FETCHING
#undef GIN_SHMEM_AMO_TARGET

} // namespace gin_shmem_impl

/*
 * One row an operation: X(A.., PRE, T, OP, RET, PROTO, ARGS) for RET PRE##atomic_##OP PROTO; V is the type of values.
 * The _nbi forms of the fetching ones take the address for the old value first, which holds it after gin_shmem_quiet.
 */
#define GIN_SHMEM_AMO_FN(HEAD, PRE, T, OP, RET, PROTO, ARGS) \
    HEAD GIN_SHMEM_FN RET PRE##atomic_##OP PROTO             \
    {                                                        \
        return gin_shmem_impl::amo_##OP<T> ARGS;             \
    }
#define GIN_SHMEM_AMO_FETCHING_FN(HEAD, PRE, T, OP, PROTO, ARGS)                \
    HEAD GIN_SHMEM_FN T PRE##atomic_##OP PROTO                                  \
    {                                                                           \
        return gin_shmem_impl::amo_##OP<T> ARGS;                                \
    }                                                                           \
    HEAD GIN_SHMEM_FN void PRE##atomic_##OP##_nbi GIN_SHMEM_NBI_PROTO(T, PROTO) \
    {                                                                           \
        *fetch = gin_shmem_impl::amo_##OP<T> ARGS;                              \
    }
#define GIN_SHMEM_UNWRAP(...)         __VA_ARGS__
#define GIN_SHMEM_NBI_PROTO(T, PROTO) (T * fetch, GIN_SHMEM_UNWRAP PROTO)

#define GIN_SHMEM_AMO_EXT(HEAD, PRE, T, V)                                                    \
    GIN_SHMEM_AMO_FETCHING_FN(HEAD, PRE, T, fetch, (const T *source, int pe), (source, pe))   \
    GIN_SHMEM_AMO_FN(HEAD, PRE, T, set, void, (T * dest, V value, int pe), (dest, value, pe)) \
    GIN_SHMEM_AMO_FETCHING_FN(HEAD, PRE, T, swap, (T * dest, V value, int pe), (dest, value, pe))
#define GIN_SHMEM_AMO_STD(HEAD, PRE, T, V)                                                     \
    GIN_SHMEM_AMO_FETCHING_FN(HEAD, PRE, T, compare_swap, (T * dest, V cond, V value, int pe), \
                              (dest, cond, value, pe))                                         \
    GIN_SHMEM_AMO_FETCHING_FN(HEAD, PRE, T, fetch_inc, (T * dest, int pe), (dest, pe))         \
    GIN_SHMEM_AMO_FN(HEAD, PRE, T, inc, void, (T * dest, int pe), (dest, pe))
#define GIN_SHMEM_AMO_ADD(HEAD, PRE, T, V)                                                             \
    GIN_SHMEM_AMO_FETCHING_FN(HEAD, PRE, T, fetch_add, (T * dest, V value, int pe), (dest, value, pe)) \
    GIN_SHMEM_AMO_FN(HEAD, PRE, T, add, void, (T * dest, V value, int pe), (dest, value, pe))
#define GIN_SHMEM_AMO_BITWISE(HEAD, PRE, T, V)                                                         \
    GIN_SHMEM_AMO_FETCHING_FN(HEAD, PRE, T, fetch_and, (T * dest, V value, int pe), (dest, value, pe)) \
    GIN_SHMEM_AMO_FETCHING_FN(HEAD, PRE, T, fetch_or, (T * dest, V value, int pe), (dest, value, pe))  \
    GIN_SHMEM_AMO_FETCHING_FN(HEAD, PRE, T, fetch_xor, (T * dest, V value, int pe), (dest, value, pe)) \
    GIN_SHMEM_AMO_FN(HEAD, PRE, T, and, void, (T * dest, V value, int pe), (dest, value, pe))          \
    GIN_SHMEM_AMO_FN(HEAD, PRE, T, or, void, (T * dest, V value, int pe), (dest, value, pe))           \
    GIN_SHMEM_AMO_FN(HEAD, PRE, T, xor, void, (T * dest, V value, int pe), (dest, value, pe))

/* gin_shmem_TYPENAME_atomic_OP: the standard's types, float and double with add too, half and bfloat16 with fetch, set
 * and add. */
#define GIN_SHMEM_AMO_ROW(FAMILY, N, T) FAMILY(GIN_SHMEM_LAZY, gin_shmem_##N##_, T, T)
SHMEMI_AMO_EXT_TYPES(GIN_SHMEM_AMO_ROW, GIN_SHMEM_AMO_EXT)
SHMEMI_AMO_TYPES(GIN_SHMEM_AMO_ROW, GIN_SHMEM_AMO_STD)
SHMEMI_AMO_EXT_TYPES(GIN_SHMEM_AMO_ROW, GIN_SHMEM_AMO_ADD)
SHMEMI_AMO_BIT_TYPES(GIN_SHMEM_AMO_ROW, GIN_SHMEM_AMO_BITWISE)
#define GIN_SHMEM_AMO_HALF(HEAD, PRE, T, V)                                                 \
    GIN_SHMEM_AMO_ADD(HEAD, PRE, T, V)                                                      \
    GIN_SHMEM_AMO_FETCHING_FN(HEAD, PRE, T, fetch, (const T *source, int pe), (source, pe)) \
    GIN_SHMEM_AMO_FN(HEAD, PRE, T, set, void, (T * dest, V value, int pe), (dest, value, pe))
GIN_SHMEM_HALF_TYPES(GIN_SHMEM_AMO_ROW, GIN_SHMEM_AMO_HALF)

/* C++: gin_shmem_atomic_OP, for integers of 4 and 8 bytes, and the types above where they have the operation. */
#define GIN_SHMEM_AMO_JUST typename gin_shmem_impl::just<T>::type
GIN_SHMEM_AMO_EXT(template <class T>, gin_shmem_, T, GIN_SHMEM_AMO_JUST)
GIN_SHMEM_AMO_STD(template <class T>, gin_shmem_, T, GIN_SHMEM_AMO_JUST)
GIN_SHMEM_AMO_ADD(template <class T>, gin_shmem_, T, GIN_SHMEM_AMO_JUST)
GIN_SHMEM_AMO_BITWISE(template <class T>, gin_shmem_, T, GIN_SHMEM_AMO_JUST)

#endif
