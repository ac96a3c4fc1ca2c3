/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reductions in kernels, OpenSHMEM 1.6 section 9.9, and reduce-scatter. What coll.h says of collectives holds.
 *
 * Members' values are combined in the order of their ranks on every PE, so all get the same bits. half and bfloat16 are
 * accumulated as float and rounded once.
 */
#ifndef GIN_SHMEM_REDUCE_H
#define GIN_SHMEM_REDUCE_H

#include "coll.h"

namespace gin_shmem_impl
{

/* What T is accumulated in. */
template <class T>
struct accumulate {
    typedef T type;
    static GIN_SHMEM_METHOD T in(T v) { return v; }
    static GIN_SHMEM_METHOD T out(T v) { return v; }
};
template <>
struct accumulate<__half> {
    typedef float type;
    static GIN_SHMEM_METHOD float in(__half v) { return __half2float(v); }
    static GIN_SHMEM_METHOD __half out(float v) { return __float2half_rn(v); }
};
template <>
struct accumulate<__nv_bfloat16> {
    typedef float type;
    static GIN_SHMEM_METHOD float in(__nv_bfloat16 v) { return __bfloat162float(v); }
    static GIN_SHMEM_METHOD __nv_bfloat16 out(float v) { return __float2bfloat16_rn(v); }
};

#define GIN_SHMEM_REDUCE_OP(NAME, EXPR)        \
    struct op_##NAME {                         \
        template <class A>                     \
        static GIN_SHMEM_METHOD A of(A a, A b) \
        {                                      \
            return (A)(EXPR);                  \
        }                                      \
    };
GIN_SHMEM_REDUCE_OP(sum, a + b)
GIN_SHMEM_REDUCE_OP(prod, a *b)
GIN_SHMEM_REDUCE_OP(min, b < a ? b : a)
GIN_SHMEM_REDUCE_OP(max, a < b ? b : a)
GIN_SHMEM_REDUCE_OP(and, a &b)
GIN_SHMEM_REDUCE_OP(or, a | b)
GIN_SHMEM_REDUCE_OP(xor, a ^ b)
#undef GIN_SHMEM_REDUCE_OP

/* N elements at once, held in words. */
template <class Op, class T, int N>
struct vector {
    typedef typename accumulate<T>::type A;
    A a[N];

    template <class W>
    GIN_SHMEM_METHOD void begin(const W &words)
    {
        T t[N];
        memcpy(t, &words, sizeof t);
        GIN_SHMEM_UNROLLED
        for (int i = 0; i < N; i++)
            a[i] = accumulate<T>::in(t[i]);
    }
    template <class W>
    GIN_SHMEM_METHOD void add(const W &words)
    {
        T t[N];
        memcpy(t, &words, sizeof t);
        GIN_SHMEM_UNROLLED
        for (int i = 0; i < N; i++)
            a[i] = Op::of(a[i], accumulate<T>::in(t[i]));
    }
    template <class W>
    GIN_SHMEM_METHOD W end() const
    {
        T t[N];
        GIN_SHMEM_UNROLLED
        for (int i = 0; i < N; i++)
            t[i] = accumulate<T>::out(a[i]);
        W words;
        memcpy(&words, t, sizeof words);
        return words;
    }
};

/* By mail, which begins at mail with a room for each of n ranks: own, the part of rank me, and what the others sent. */
template <class G, class Op, class T>
GIN_SHMEM_FN void reduce_mail(void *dest, const void *own, uint32_t bytes, const unsigned char *mail, uint32_t room,
                              int n, int me, uint32_t flag)
{
    enum { FLIGHT = 2 };
    const uint32_t lines = (bytes + 7) / 8, step = G::size();
    GIN_SHMEM_ROLLED
    for (uint32_t i = G::rank(); i < lines; i += FLIGHT * step) {
        struct vector<Op, T, 8 / sizeof(T)> acc[FLIGHT] GIN_SHMEM_CLEARED;
        GIN_SHMEM_ROLLED
        for (int r = 0; r < n; r++) {
            const uint64_t *line = (const uint64_t *)(mail + (uint32_t)r * room) + 2 * i;
            uint64_t a[FLIGHT] GIN_SHMEM_CLEARED, b[FLIGHT] GIN_SHMEM_CLEARED;
            GIN_SHMEM_UNROLLED
            for (int k = 0; k < FLIGHT; k++)
                if (r != me && i + k * step < lines)
                    load_pair(line + 2 * k * step, &a[k], &b[k]);
            GIN_SHMEM_UNROLLED
            for (int k = 0; k < FLIGHT; k++) {
                if (i + k * step >= lines)
                    continue;
                uint64_t v = r == me ? chunk_load<sizeof(T)>(own, i + k * step, bytes)
                                     : line_value(line + 2 * k * step, a[k], b[k], flag, GIN_SHMEM_FN_reduce | G::tag);
                if (r == 0)
                    acc[k].begin(v);
                else
                    acc[k].add(v);
            }
        }
        GIN_SHMEM_UNROLLED
        for (int k = 0; k < FLIGHT; k++)
            if (i + k * step < lines)
                chunk_store<sizeof(T)>(dest, i + k * step, bytes, acc[k].template end<uint64_t>());
    }
}

/* Everybody's part for member r is nelems elements, `apart` further on for each rank. */
template <class G, class Op, class T>
GIN_SHMEM_FN void reduce_exchange(const struct lane_view &l, T *dest, const T *source, size_t nelems, size_t apart)
{
    const struct team_view &t = l.t;
    const uint32_t bytes = (uint32_t)(nelems * sizeof(T));
    struct exchange x = exchange_begin<G>(l);
    GIN_SHMEM_ROLLED
    for (int k = 1; k < t.n; k++)
        mail_send<G, sizeof(T)>(x, behind(t, k), 0, source + behind(t, k) * apart, bytes);
    reduce_mail<G, Op, T>(dest, source + t.me * apart, bytes, state().sys + x.l.mail, 2 * x.l.payload, t.n, t.me,
                          x.count);
    exchange_end<G>(x);
}

/* By mail, in pieces: one, unless there are far members. */
template <class G, class Op, class T>
GIN_SHMEM_FN void reduce_pieces(const struct lane_view &l, T *dest, const T *source, size_t nelems, size_t apart)
{
#if GIN_SHMEM_FAR
    const size_t piece = l.payload / sizeof(T);
    GIN_SHMEM_ROLLED
    for (size_t at = 0; at < nelems; at += piece)
        reduce_exchange<G, Op, T>(l, dest + at, source + at, nelems - at < piece ? nelems - at : piece, apart);
#else
    reduce_exchange<G, Op, T>(l, dest, source, nelems, apart);
#endif
}

/* Directly, in units of V: units from `from` on of every member's source, to dest here or (everywhere) at all. */
template <class G, class Op, class T, class V>
GIN_SHMEM_FN void reduce_units(struct lane_view l, void *dest, const void *source, size_t from, size_t units,
                               bool everywhere)
{
    enum { FLIGHT = 2 };
    const size_t step = G::size();
    GIN_SHMEM_ROLLED
    for (size_t i = G::rank(); i < units; i += FLIGHT * step) {
        struct vector<Op, T, sizeof(V) / sizeof(T)> acc[FLIGHT] GIN_SHMEM_CLEARED;
        GIN_SHMEM_ROLLED
        for (int r = 0; r < l.t.n; r++) {
            const V *s = (const V *)member(source, l.t, r, l.fn) + from + i;
            V v[FLIGHT] GIN_SHMEM_CLEARED;
            GIN_SHMEM_UNROLLED
            for (int k = 0; k < FLIGHT; k++)
                if (i + k * step < units)
                    v[k] = load_fresh(s + k * step);
            GIN_SHMEM_UNROLLED
            for (int k = 0; k < FLIGHT; k++) {
                if (r == 0)
                    acc[k].begin(v[k]);
                else
                    acc[k].add(v[k]);
            }
        }
        V v[FLIGHT] GIN_SHMEM_CLEARED;
        GIN_SHMEM_UNROLLED
        for (int k = 0; k < FLIGHT; k++)
            v[k] = acc[k].template end<V>();
        GIN_SHMEM_ROLLED
        for (int r = 0; r < (everywhere ? l.t.n : 1); r++) {
            V *d = everywhere ? (V *)member(dest, l.t, r, l.fn) + from + i : (V *)dest + i;
            GIN_SHMEM_UNROLLED
            for (int k = 0; k < FLIGHT; k++)
                if (i + k * step < units)
                    store_remote(d + k * step, v[k]);
        }
    }
}

/* Elements [from, from + nelems) of every member's source, in wide units where everything is aligned to them. */
template <class G, class Op, class T>
GIN_SHMEM_FN void reduce_direct(const struct lane_view &l, T *dest, const T *source, size_t from, size_t nelems,
                                bool everywhere)
{
    enum { WIDE = 16 / sizeof(T) };
    typedef typename bits_of<sizeof(T)>::type V;
    const T *d = everywhere ? dest + from : dest;
    size_t wide = (((uintptr_t)d | (uintptr_t)(source + from)) & 15) == 0 && from % WIDE == 0 ? nelems / WIDE : 0;
    reduce_units<G, Op, T, unit16>(l, dest, source, from / WIDE, wide, everywhere);
    if (wide * WIDE < nelems) {
        size_t done = wide * WIDE;
        reduce_units<G, Op, T, V>(l, everywhere ? dest : dest + done, source, from + done, nelems - done, everywhere);
    }
}

template <class G, class Op, class T>
GIN_SHMEM_COLD void reduce(shmem_team_t team, T *dest, const T *source, size_t nelems, int index)
{
    const struct lane_view l = lane_of(team, index, GIN_SHMEM_FN_reduce | G::tag);
    const struct team_view &t = l.t;
    const size_t bytes = nelems * sizeof(T);
    if (nelems == 0)
        return;
    if (bytes <= l.payload || (has_far() && team_far(t))) {
        reduce_pieces<G, Op, T>(l, dest, source, nelems, 0);
        return;
    }
    /* Each member reduces one slice and stores it at all: the least traffic, and safe in place, since nobody else reads
     * the slice. Slices begin at 16-byte units of the buffers. */
    check(source, bytes, -1, l.fn);
    check(dest, bytes, -1, l.fn);
    const size_t unit = 16 / sizeof(T), units = (nelems + unit - 1) / unit, slice = (units + t.n - 1) / t.n * unit;
    const size_t from = slice * t.me < nelems ? slice * t.me : nelems;
    lane_barrier<G>(l, LANE_SYNC);
    reduce_direct<G, Op, T>(l, dest, source, from, from + slice < nelems ? slice : nelems - from, true);
    lane_barrier<G>(l, LANE_ORDER);
}

template <class G, class Op, class T>
GIN_SHMEM_COLD void reducescatter(shmem_team_t team, T *dest, const T *source, size_t nelems, int index)
{
    const struct lane_view l = lane_of(team, index, GIN_SHMEM_FN_reducescatter | G::tag);
    const struct team_view &t = l.t;
    const size_t bytes = nelems * sizeof(T);
    if (nelems == 0)
        return;
    if (bytes <= l.payload || (has_far() && team_far(t))) {
        reduce_pieces<G, Op, T>(l, dest, source, nelems, nelems);
        return;
    }
    check(source, bytes * t.n, -1, l.fn);
    lane_barrier<G>(l, LANE_SYNC);
    reduce_direct<G, Op, T>(l, dest, source, t.me * nelems, nelems, false);
    lane_barrier<G>(l, LANE_SYNC);
}

} // namespace gin_shmem_impl

/*
 * int gin_shmem_TYPENAME_OP_reduce(team, dest, source, nreduce [, index]): every member's dest gets nreduce results.
 * int gin_shmem_TYPENAME_OP_reducescatter(team, dest, source, nreduce [, index]): source has nreduce elements for each
 * member; dest of rank r gets the r-th nreduce results, and may be that part of source.
 */
#define GIN_SHMEM_REDUCE_SET(PRE, OP, T, HEAD, S, G)                                                              \
    HEAD GIN_SHMEM_FN int PRE##OP##_reduce##S(shmem_team_t team, T *dest, const T *source, size_t nreduce,        \
                                              int index = 0)                                                      \
    {                                                                                                             \
        gin_shmem_impl::reduce<G, gin_shmem_impl::op_##OP, T>(team, dest, source, nreduce, index);                \
        return 0;                                                                                                 \
    }                                                                                                             \
    HEAD GIN_SHMEM_FN int PRE##OP##_reducescatter##S(shmem_team_t team, T *dest, const T *source, size_t nreduce, \
                                                     int index = 0)                                               \
    {                                                                                                             \
        gin_shmem_impl::reducescatter<G, gin_shmem_impl::op_##OP, T>(team, dest, source, nreduce, index);         \
        return 0;                                                                                                 \
    }
#define GIN_SHMEM_REDUCE_BIT(PRE, T, HEAD)                    \
    GIN_SHMEM_SCOPES(GIN_SHMEM_REDUCE_SET, PRE, and, T, HEAD) \
    GIN_SHMEM_SCOPES(GIN_SHMEM_REDUCE_SET, PRE, or, T, HEAD)  \
    GIN_SHMEM_SCOPES(GIN_SHMEM_REDUCE_SET, PRE, xor, T, HEAD)
#define GIN_SHMEM_REDUCE_NUM(PRE, T, HEAD)                    \
    GIN_SHMEM_SCOPES(GIN_SHMEM_REDUCE_SET, PRE, min, T, HEAD) \
    GIN_SHMEM_SCOPES(GIN_SHMEM_REDUCE_SET, PRE, max, T, HEAD) \
    GIN_SHMEM_SCOPES(GIN_SHMEM_REDUCE_SET, PRE, sum, T, HEAD) \
    GIN_SHMEM_SCOPES(GIN_SHMEM_REDUCE_SET, PRE, prod, T, HEAD)
#define GIN_SHMEM_REDUCE_TYPED(FAMILY, N, T) FAMILY(gin_shmem_##N##_, T, GIN_SHMEM_LAZY)
GIN_SHMEM_BIT_REDUCE_TYPES(GIN_SHMEM_REDUCE_TYPED, GIN_SHMEM_REDUCE_BIT)
GIN_SHMEM_RMA_TYPES(GIN_SHMEM_REDUCE_TYPED, GIN_SHMEM_REDUCE_NUM)
GIN_SHMEM_REDUCE_BIT(gin_shmem_, T, template <class T>)
GIN_SHMEM_REDUCE_NUM(gin_shmem_, T, template <class T>)

#endif
