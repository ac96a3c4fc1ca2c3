/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Remote memory access, OpenSHMEM 1.6 section 9.6.
 *
 * dest of a put and source of a get are symmetric; the other side is any memory the kernel can address. nelems, bsize
 * and strides count elements (bytes for the mem forms). A put returns when source can be reused, a get when dest has
 * the data; the _nbi forms promise less and do the same here. Puts are delivered in any order: gin_shmem_fence orders
 * them, gin_shmem_quiet completes them. p and element-sized puts are single-copy atomic.
 *
 * lent is the loan of gin_shmem_smem_give, or nothing. Any thread may call the thread forms at any time.
 */
#ifndef GIN_SHMEM_RMA_H
#define GIN_SHMEM_RMA_H

#include "addr.h"
#include "copy.h"
#include "types.h"

namespace gin_shmem_impl
{

/* E: what the addresses are aligned to at least. One element, or one word of 8 bytes, by one thread goes inline. */
template <class G, class Way, int E>
GIN_SHMEM_FN void copy_elements(void *dst, const void *src, size_t nelems, struct gin_shmem_smem lent)
{
    G::sync();
    if (G::tag == GIN_SHMEM_SCOPE_THREAD && E < 16 && nelems == 1)
        copy_one < Way, E<16 ? E : 8>(dst, src);
    else if (G::tag == GIN_SHMEM_SCOPE_THREAD && E < 8 && nelems == 8 / E &&
             (((uintptr_t)dst | (uintptr_t)src) & 7) == 0)
        copy_one<Way, 8>(dst, src);
    else
        copy<G, Way>(dst, src, nelems * E, lent);
    G::sync();
}

/* Calls that promise their results at quiet only, by the function in a report's fn. */
GIN_SHMEM_FN bool is_nbi(uint32_t fn)
{
    fn &= 0xffff;
    return fn == GIN_SHMEM_FN_put_nbi || fn == GIN_SHMEM_FN_get_nbi || fn == GIN_SHMEM_FN_put_signal_nbi;
}

template <class G>
GIN_SHMEM_COLD void put_far(void *dest, const void *source, size_t bytes, int pe, uint32_t fn)
{
    G::sync();
    if (G::rank() == 0)
        remote_put(dest, source, bytes, pe, !is_nbi(fn), fn);
    G::sync();
}
template <class G>
GIN_SHMEM_COLD void get_far(void *dest, const void *source, size_t bytes, int pe, uint32_t fn)
{
    G::sync();
    if (G::rank() == 0)
        remote_get(dest, source, bytes, pe, !is_nbi(fn), fn);
    G::sync();
}

template <class G, int E>
GIN_SHMEM_FN void put(void *dest, const void *source, size_t nelems, int pe, struct gin_shmem_smem lent, uint32_t fn)
{
    void *to = remote(dest, nelems * E, pe, fn | G::tag);
    if (is_far(to))
        put_far<G>(dest, source, nelems * E, pe, fn | G::tag);
    else
        copy_elements<G, put_way, E>(to, source, nelems, lent);
}
template <class G, int E>
GIN_SHMEM_FN void get(void *dest, const void *source, size_t nelems, int pe, struct gin_shmem_smem lent, uint32_t fn)
{
    const void *from = remote(source, nelems * E, pe, fn | G::tag);
    if (is_far(from))
        get_far<G>(dest, source, nelems * E, pe, fn | G::tag);
    else
        copy_elements<G, get_way, E>(dest, from, nelems, lent);
}

/* nblocks blocks of bsize units, their beginnings dst and sst units apart. */
template <class G, class Way, class V>
GIN_SHMEM_COLD void copy_strided(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize,
                                 size_t nblocks)
{
    enum { FLIGHT = 4 };
    V *d = (V *)dest;
    const V *s = (const V *)source;
    const size_t total = bsize * nblocks, step = G::size();
    const bool small = total >> 32 == 0; /* divide in 32 bits, which is far quicker */
    for (size_t i = G::rank(); i < total; i += FLIGHT * step) {
        V v[FLIGHT] GIN_SHMEM_CLEARED;
        V *to[FLIGHT];
        GIN_SHMEM_UNROLLED
        for (int k = 0; k < FLIGHT; k++) {
            size_t u = i + k * step, block = u, in = 0;
            if (bsize != 1) {
                block = small ? (uint32_t)u / (uint32_t)bsize : u / bsize;
                in = u - block * bsize;
            }
            to[k] = d + (ptrdiff_t)block * dst + in;
            if (u < total)
                v[k] = Way::load(s + (ptrdiff_t)block * sst + in);
        }
        GIN_SHMEM_UNROLLED
        for (int k = 0; k < FLIGHT; k++)
            if (i + k * step < total)
                Way::store(to[k], v[k]);
    }
}

/* Elements of 16 bytes go as two halves. */
template <class G, class Way, int E>
GIN_SHMEM_FN void strided(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, size_t nblocks)
{
    enum { UNIT = E < 16 ? E : 8, UNITS = E / UNIT };
    G::sync();
    copy_strided<G, Way, typename bits_of<UNIT>::type>(dest, source, dst * UNITS, sst * UNITS, bsize * UNITS, nblocks);
    G::sync();
}

/* Bytes from the first to the last that a strided access touches. */
GIN_SHMEM_FN uint64_t extent(ptrdiff_t stride, size_t bsize, size_t nblocks, int size)
{
    return nblocks ? ((nblocks - 1) * (uint64_t)stride + bsize) * size : 0;
}

/* Blocks are dealt to the group's threads, each a transfer of its own. Strides, and the size of a block, in bytes. */
template <class G, bool PUT>
GIN_SHMEM_COLD void strided_far(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t bytes,
                                size_t nblocks, int pe, uint32_t fn)
{
    G::sync();
    GIN_SHMEM_ROLLED
    for (size_t b = G::rank(); b < nblocks; b += G::size()) {
        void *d = (unsigned char *)dest + (ptrdiff_t)b * dst;
        const void *s = (const unsigned char *)source + (ptrdiff_t)b * sst;
        if (PUT)
            remote_put(d, s, bytes, pe, false, fn);
        else
            remote_get(d, s, bytes, pe, false, fn);
    }
    if (PUT)
        remote_flush(pe, fn);
    else
        remote_quiet(pe, fn);
    G::sync();
}

template <class G, int E>
GIN_SHMEM_FN void put_strided(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize,
                              size_t nblocks, int pe, uint32_t fn)
{
    void *to = remote(dest, extent(dst, bsize, nblocks, E), pe, fn | G::tag);
    if (is_far(to))
        strided_far<G, true>(dest, source, dst * E, sst * E, bsize * E, nblocks, pe, fn | G::tag);
    else
        strided<G, put_way, E>(to, source, dst, sst, bsize, nblocks);
}
template <class G, int E>
GIN_SHMEM_FN void get_strided(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize,
                              size_t nblocks, int pe, uint32_t fn)
{
    const void *from = remote(source, extent(sst, bsize, nblocks, E), pe, fn | G::tag);
    if (is_far(from))
        strided_far<G, false>(dest, source, dst * E, sst * E, bsize * E, nblocks, pe, fn | G::tag);
    else
        strided<G, get_way, E>(dest, from, dst, sst, bsize, nblocks);
}

/* The target may look for it all the time. */
template <class V>
GIN_SHMEM_FN void store_whole(V *p, V v)
{
    store_relaxed(p, v);
}
GIN_SHMEM_FN void store_whole(unit16 *p, unit16 v)
{
    store_remote(p, v);
}

template <class T>
GIN_SHMEM_FN void p(T *dest, T value, int pe)
{
    typedef typename bits_of<sizeof(T)>::type V;
    V *at = (V *)remote(dest, sizeof(T), pe, GIN_SHMEM_FN_p);
    if (is_far(at))
        remote_p(dest, (uint64_t)cast_bits<V>(value), sizeof(T), pe, GIN_SHMEM_FN_p);
    else
        store_whole(at, cast_bits<V>(value));
}
template <class T>
GIN_SHMEM_FN T g(const T *source, int pe)
{
    typedef typename bits_of<sizeof(T)>::type V;
    const V *at = (const V *)remote(source, sizeof(T), pe, GIN_SHMEM_FN_g);
    if (is_far(at)) {
        V v;
        remote_get(&v, source, sizeof v, pe, true, GIN_SHMEM_FN_g);
        return cast_bits<T>(v);
    }
    return cast_bits<T>(load_fresh(at));
}

} // namespace gin_shmem_impl

/* void PUT(dest, source, nelems, pe [, lent]), GET, PUT_nbi, GET_nbi of elements of E bytes. */
#define GIN_SHMEM_BULK_FN(NAME, OP, T, E, G, HEAD, FN)                               \
    HEAD GIN_SHMEM_FN void NAME(T *dest, const T *source, size_t nelems, int pe,     \
                                struct gin_shmem_smem lent = gin_shmem_smem())       \
    {                                                                                \
        gin_shmem_impl::OP<G, E>(dest, source, nelems, pe, lent, GIN_SHMEM_FN_##FN); \
    }
#define GIN_SHMEM_BULK_SET(PUT, GET, T, E, HEAD, S, G)           \
    GIN_SHMEM_BULK_FN(PUT##S, put, T, E, G, HEAD, put)           \
    GIN_SHMEM_BULK_FN(PUT##_nbi##S, put, T, E, G, HEAD, put_nbi) \
    GIN_SHMEM_BULK_FN(GET##S, get, T, E, G, HEAD, get) GIN_SHMEM_BULK_FN(GET##_nbi##S, get, T, E, G, HEAD, get_nbi)

/* void IPUT(dest, source, dst, sst, nelems, pe), IGET; IBPUT(dest, source, dst, sst, bsize, nblocks, pe), IBGET. */
#define GIN_SHMEM_STRIDED_FN(NAME, OP, T, E, G, HEAD, FN)                                                      \
    HEAD GIN_SHMEM_FN void NAME(T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe) \
    {                                                                                                          \
        gin_shmem_impl::OP##_strided<G, E>(dest, source, dst, sst, 1, nelems, pe, GIN_SHMEM_FN_i##FN);         \
    }
#define GIN_SHMEM_BLOCKED_FN(NAME, OP, T, E, G, HEAD, FN)                                                             \
    HEAD GIN_SHMEM_FN void NAME(T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, size_t nblocks, \
                                int pe)                                                                               \
    {                                                                                                                 \
        gin_shmem_impl::OP##_strided<G, E>(dest, source, dst, sst, bsize, nblocks, pe, GIN_SHMEM_FN_ib##FN);          \
    }
#define GIN_SHMEM_STRIDED_SET(PRE, POST, T, E, HEAD, S, G)             \
    GIN_SHMEM_STRIDED_FN(PRE##iput##POST##S, put, T, E, G, HEAD, put)  \
    GIN_SHMEM_STRIDED_FN(PRE##iget##POST##S, get, T, E, G, HEAD, get)  \
    GIN_SHMEM_BLOCKED_FN(PRE##ibput##POST##S, put, T, E, G, HEAD, put) \
    GIN_SHMEM_BLOCKED_FN(PRE##ibget##POST##S, get, T, E, G, HEAD, get)

/* gin_shmem_TYPENAME_{put,get}[_nbi], _{iput,iget,ibput,ibget}, with _warp and _block; _p, _g. */
#define GIN_SHMEM_RMA_TYPED(A, N, T)                                                                             \
    GIN_SHMEM_SCOPES(GIN_SHMEM_BULK_SET, gin_shmem_##N##_put, gin_shmem_##N##_get, T, sizeof(T), GIN_SHMEM_LAZY) \
    GIN_SHMEM_SCOPES(GIN_SHMEM_STRIDED_SET, gin_shmem_##N##_, , T, sizeof(T), GIN_SHMEM_LAZY)                    \
    GIN_SHMEM_LAZY GIN_SHMEM_FN void gin_shmem_##N##_p(T *dest, T value, int pe)                                 \
    {                                                                                                            \
        gin_shmem_impl::p<T>(dest, value, pe);                                                                   \
    }                                                                                                            \
    GIN_SHMEM_LAZY GIN_SHMEM_FN T gin_shmem_##N##_g(const T *source, int pe)                                     \
    {                                                                                                            \
        return gin_shmem_impl::g<T>(source, pe);                                                                 \
    }
GIN_SHMEM_RMA_TYPES(GIN_SHMEM_RMA_TYPED, )

/* gin_shmem_put8 .. 128 and so on. */
#define GIN_SHMEM_RMA_SIZED(A, B)                                                                         \
    GIN_SHMEM_SCOPES(GIN_SHMEM_BULK_SET, gin_shmem_put##B, gin_shmem_get##B, void, B / 8, GIN_SHMEM_LAZY) \
    GIN_SHMEM_SCOPES(GIN_SHMEM_STRIDED_SET, gin_shmem_, B, void, B / 8, GIN_SHMEM_LAZY)
SHMEMI_SIZES(GIN_SHMEM_RMA_SIZED, )

/* gin_shmem_putmem and so on: bytes. */
GIN_SHMEM_SCOPES(GIN_SHMEM_BULK_SET, gin_shmem_putmem, gin_shmem_getmem, void, 1, GIN_SHMEM_LAZY)

/* C++: gin_shmem_put(dest, source, nelems, pe) and so on, for any trivially copyable type. */
#define GIN_SHMEM_ANY_TYPE template <class T>
GIN_SHMEM_SCOPES(GIN_SHMEM_BULK_SET, gin_shmem_put, gin_shmem_get, T, sizeof(T), GIN_SHMEM_ANY_TYPE)
GIN_SHMEM_SCOPES(GIN_SHMEM_STRIDED_SET, gin_shmem_, , T, sizeof(T), GIN_SHMEM_ANY_TYPE)
template <class T>
GIN_SHMEM_FN void gin_shmem_p(T *dest, typename gin_shmem_impl::just<T>::type value, int pe)
{
    gin_shmem_impl::p<T>(dest, value, pe);
}
template <class T>
GIN_SHMEM_FN T gin_shmem_g(const T *source, int pe)
{
    return gin_shmem_impl::g<T>(source, pe);
}

#endif
