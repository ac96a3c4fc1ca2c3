/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Signals, OpenSHMEM 1.6 section 9.8. sig_addr and dest are symmetric; sig_op is SHMEM_SIGNAL_SET or SHMEM_SIGNAL_ADD.
 * Whoever sees the signal of a put_signal (gin_shmem_signal_wait_until, signal_fetch, wait_until, test) sees its data.
 */
#ifndef GIN_SHMEM_SIGNAL_H
#define GIN_SHMEM_SIGNAL_H

#include "rma.h"

namespace gin_shmem_impl
{

/* Nothing went before that the signal must follow (a program that wants order calls gin_shmem_fence): relaxed is
 * enough, and twice as fast as a release. */
GIN_SHMEM_FN void signal_plain(uint64_t *at, uint64_t signal, int sig_op, uint32_t fn)
{
    if (sig_op == SHMEM_SIGNAL_SET)
        store_relaxed(at, signal);
    else if (sig_op == SHMEM_SIGNAL_ADD)
        reduce_add(at, signal);
    else
        fail(GIN_SHMEM_REPORT_ARGUMENT, fn, -1, -1, at, 8, (uint64_t)sig_op, 0);
}

/* Behind the data. The data was stored by this thread, or by others of its group before G::sync: a release at system
 * scope is cumulative, so the one of this thread covers all of it. */
GIN_SHMEM_FN void signal_release(uint64_t *at, uint64_t signal, int sig_op, uint32_t fn)
{
    if (sig_op == SHMEM_SIGNAL_SET)
        store_release(at, signal);
    else if (sig_op == SHMEM_SIGNAL_ADD)
        reduce_add_release(at, signal);
    else
        fail(GIN_SHMEM_REPORT_ARGUMENT, fn, -1, -1, at, 8, (uint64_t)sig_op, 0);
}

GIN_SHMEM_FN void check_sig_op(const void *at, int sig_op, uint32_t fn)
{
    if (sig_op != SHMEM_SIGNAL_SET && sig_op != SHMEM_SIGNAL_ADD)
        fail(GIN_SHMEM_REPORT_ARGUMENT, fn, -1, -1, at, 8, (uint64_t)sig_op, 0);
}

template <class G>
GIN_SHMEM_COLD void put_signal_far(void *dest, const void *source, size_t bytes, uint64_t *sig_addr, uint64_t signal,
                                   int sig_op, int pe, uint32_t fn)
{
    check_sig_op(sig_addr, sig_op, fn);
    G::sync();
    if (G::rank() == 0)
        remote_put_signal(dest, source, bytes, sig_addr, signal, sig_op == SHMEM_SIGNAL_ADD, pe, !is_nbi(fn), fn);
    G::sync();
}

template <class G, int E>
GIN_SHMEM_FN void put_signal(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal,
                             int sig_op, int pe, struct gin_shmem_smem lent, uint32_t fn)
{
    uint64_t *sig = remote(sig_addr, sizeof *sig_addr, pe, fn | G::tag);
    if (is_far(sig)) {
        check(dest, nelems * E, pe, fn | G::tag);
        put_signal_far<G>(dest, source, nelems * E, sig_addr, signal, sig_op, pe, fn | G::tag);
    } else if (nelems) {
        put<G, E>(dest, source, nelems, pe, lent, fn);
        if (G::rank() == 0)
            signal_release(sig, signal, sig_op, fn | G::tag);
    } else if (G::rank() == 0) {
        signal_plain(sig, signal, sig_op, fn | G::tag);
    }
}

GIN_SHMEM_FN void signal_op(uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, uint32_t fn)
{
    uint64_t *sig = remote(sig_addr, sizeof *sig_addr, pe, fn);
    if (is_far(sig))
        put_signal_far<thread_group>(nullptr, nullptr, 0, sig_addr, signal, sig_op, pe, fn);
    else
        signal_plain(sig, signal, sig_op, fn);
}

GIN_SHMEM_FN uint64_t signal_fetch(const uint64_t *sig_addr)
{
    check(sig_addr, sizeof *sig_addr, -1, GIN_SHMEM_FN_signal_fetch);
    return load_acquire(sig_addr);
}

} // namespace gin_shmem_impl

/* void NAME(dest, source, nelems, sig_addr, signal, sig_op, pe [, lent]). nelems 0 sends the signal alone. */
#define GIN_SHMEM_PUT_SIGNAL_FN(NAME, T, E, G, HEAD, FN)                                                               \
    HEAD GIN_SHMEM_FN void NAME(T *dest, const T *source, size_t nelems, uint64_t *sig_addr, uint64_t signal,          \
                                int sig_op, int pe, struct gin_shmem_smem lent = gin_shmem_smem())                     \
    {                                                                                                                  \
        gin_shmem_impl::put_signal<G, E>(dest, source, nelems, sig_addr, signal, sig_op, pe, lent, GIN_SHMEM_FN_##FN); \
    }
#define GIN_SHMEM_PUT_SIGNAL_SET(PUT, T, E, HEAD, S, G)                 \
    GIN_SHMEM_PUT_SIGNAL_FN(PUT##_signal##S, T, E, G, HEAD, put_signal) \
    GIN_SHMEM_PUT_SIGNAL_FN(PUT##_signal_nbi##S, T, E, G, HEAD, put_signal_nbi)

#define GIN_SHMEM_PUT_SIGNAL_TYPED(A, N, T) \
    GIN_SHMEM_SCOPES(GIN_SHMEM_PUT_SIGNAL_SET, gin_shmem_##N##_put, T, sizeof(T), GIN_SHMEM_LAZY)
GIN_SHMEM_RMA_TYPES(GIN_SHMEM_PUT_SIGNAL_TYPED, )
#define GIN_SHMEM_PUT_SIGNAL_SIZED(A, B) \
    GIN_SHMEM_SCOPES(GIN_SHMEM_PUT_SIGNAL_SET, gin_shmem_put##B, void, B / 8, GIN_SHMEM_LAZY)
SHMEMI_SIZES(GIN_SHMEM_PUT_SIGNAL_SIZED, )
GIN_SHMEM_SCOPES(GIN_SHMEM_PUT_SIGNAL_SET, gin_shmem_putmem, void, 1, GIN_SHMEM_LAZY)
GIN_SHMEM_SCOPES(GIN_SHMEM_PUT_SIGNAL_SET, gin_shmem_put, T, sizeof(T), GIN_SHMEM_ANY_TYPE)

/* A signal without data, by one thread. No order with what this PE put before (gin_shmem_fence gives it). */
GIN_SHMEM_FN void gin_shmem_signal_op(uint64_t *sig_addr, uint64_t signal, int sig_op, int pe)
{
    gin_shmem_impl::signal_op(sig_addr, signal, sig_op, pe, GIN_SHMEM_FN_signal_op);
}
GIN_SHMEM_FN void gin_shmem_signal_set(uint64_t *sig_addr, uint64_t signal, int pe)
{
    gin_shmem_impl::signal_op(sig_addr, signal, SHMEM_SIGNAL_SET, pe, GIN_SHMEM_FN_signal_set);
}
GIN_SHMEM_FN void gin_shmem_signal_add(uint64_t *sig_addr, uint64_t signal, int pe)
{
    gin_shmem_impl::signal_op(sig_addr, signal, SHMEM_SIGNAL_ADD, pe, GIN_SHMEM_FN_signal_add);
}

/* The value of own signal word sig_addr; what was delivered with it is visible. */
GIN_SHMEM_FN uint64_t gin_shmem_signal_fetch(const uint64_t *sig_addr)
{
    return gin_shmem_impl::signal_fetch(sig_addr);
}

#endif
