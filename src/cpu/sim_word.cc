/* SPDX-License-Identifier: BSD-3-Clause */
/* Atomic operations on words of memory that other processes map; C++ for the half types alone. */
#include <gin_shmem/cpu/half.h>
#include <gin_shmem/state.h>
#include <string.h>

extern "C" {
#include "cpu/sim.h"
}

namespace
{

template <class F, class U>
U add_float(U a, U b)
{
    F x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    x += y;
    memcpy(&a, &x, sizeof a);
    return a;
}

template <class U>
U added(U a, U)
{
    return a; /* no float of one byte */
}
template <>
uint16_t added(uint16_t a, uint16_t b)
{
    return add_float<__half>(a, b);
}
template <>
uint32_t added(uint32_t a, uint32_t b)
{
    return add_float<float>(a, b);
}
template <>
uint64_t added(uint64_t a, uint64_t b)
{
    return add_float<double>(a, b);
}

template <class U>
U changed(int op, U old, U value, U cond)
{
    switch (op) {
    case GIN_SHMEM_OP_SET:
    case GIN_SHMEM_OP_SWAP:
        return value;
    case GIN_SHMEM_OP_CSWAP:
        return old == cond ? value : old;
    case GIN_SHMEM_OP_ADD:
        return (U)(old + value);
    case GIN_SHMEM_OP_AND:
        return old & value;
    case GIN_SHMEM_OP_OR:
        return old | value;
    case GIN_SHMEM_OP_XOR:
        return old ^ value;
    case GIN_SHMEM_OP_ADD_FLOAT:
        return added<U>(old, value);
    case GIN_SHMEM_OP_ADD_BFLOAT16:
        return (U)add_float<__nv_bfloat16, uint16_t>((uint16_t)old, (uint16_t)value);
    default: /* FETCH */
        return old;
    }
}

template <class U>
uint64_t word(int op, U *at, U value, U cond)
{
    U old = __atomic_load_n(at, __ATOMIC_RELAXED);
    if (op != GIN_SHMEM_OP_FETCH)
        while (!__atomic_compare_exchange_n(at, &old, changed<U>(op, old, value, cond), false, __ATOMIC_RELAXED,
                                            __ATOMIC_RELAXED))
            ;
    return old;
}

} // namespace

extern "C" uint64_t gs_sim_word(int op, void *at, uint32_t bytes, uint64_t value, uint64_t cond)
{
    switch (bytes) {
    case 1:
        return word(op, (uint8_t *)at, (uint8_t)value, (uint8_t)cond);
    case 2:
        return word(op, (uint16_t *)at, (uint16_t)value, (uint16_t)cond);
    case 4:
        return word(op, (uint32_t *)at, (uint32_t)value, (uint32_t)cond);
    default:
        return word(op, (uint64_t *)at, value, cond);
    }
}
